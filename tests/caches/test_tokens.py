"""Tokens: a gated repository is staged with a copy of the Secret that the cache names."""

import pytest

from engine.canonical_json import dumps
from engine.events import Subject
from machines.caches.causes import UNREAD, entry_cause
from machines.caches.finding import site_of
from machines.caches.levels import SecretLevel
from machines.caches.messages import entry_message
from machines.caches.reaching import wanted_secrets
from machines.caches.sights import sight_of
from machines.caches.tokens import copy_digest
from machines.observations import Absent, Unread
from machines.states import SECRET
from tests.caches.builders import (
    COPY,
    HOME,
    NAME,
    NAMESPACE,
    ONE,
    OURS,
    WORKLOAD,
    CacheScene,
    spec_of,
)
from tests.caches.willing import carry_out, stage


def gated(*, digest: str = "d1") -> CacheScene:
    """A cache of a gated repository, whose Secret was listed; no digest: it is not there."""
    scene = CacheScene()
    if digest:
        scene.token(digest)
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    return scene


def copied(scene: CacheScene) -> str:
    """Give the digest of the value that the copy holds."""
    site = site_of(scene.state, scene.mc, scene.entry())
    return copy_digest(scene.mc, site) if site else ""


def test_the_copy_comes_before_the_job() -> None:
    """The token is copied to the cluster first, then the Job is made that reads it [C42]"""
    scene = gated()
    carry_out(scene, "create Secret")
    assert scene.doing() == ["create Secret"]
    place = {"namespace": NAMESPACE, "name": "hub", "key": "HF_TOKEN", "digest": "d1"}
    assert scene.body("create Secret")["token"] == place
    carry_out(scene)
    assert (copied(scene), scene.decided("create HydrationJob")) == ("d1", 1)


def test_the_copy_goes_when_ready() -> None:
    """The copy is there only while hydrating, and goes as soon as the entry is Ready."""
    scene = gated()
    stage(scene)
    assert (scene.phase(), copied(scene)) == ("Ready", "")
    assert scene.decided("delete Secret") == 1


def test_a_copy_that_is_nobodys_is_taken_over_to_be_deleted() -> None:
    """A token that the original left, or that lost its mark, does not stay beside what is Ready."""
    scene = gated()
    stage(scene)
    subject = Subject(SECRET, WORKLOAD, COPY, "left-uid")
    scene.see(ONE, subject, SecretLevel((("HF_TOKEN", "d0"),), label=NAME))
    assert scene.doing() == ["Own Secret"]
    scene.see(ONE, subject, SecretLevel((("HF_TOKEN", "d0"),), label=NAME, owner=OURS))
    assert "delete Secret" in scene.doing()


@pytest.mark.parametrize("digest", ["none", ""])
def test_without_a_token_only_the_claim_is_made(digest: str) -> None:
    """Without its Secret, or with an empty value, only the claim is made [C5] [C8] [C41]"""
    scene = gated(digest="")
    if not digest:
        scene.token("")
    carry_out(scene)
    scene.claim("Bound")
    assert (scene.phase(), scene.opened()) == ("Hydrating", [])
    assert scene.decided("create PersistentVolumeClaim") == 1
    assert scene.decided("create HydrationJob") == 0
    scene.token("d1")
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 1


def test_a_missing_key_is_a_missing_token() -> None:
    """A Secret that has other keys only holds no token."""
    scene = gated(digest="")
    scene.token("d1", key="OTHER")
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 0


def test_a_token_that_cannot_be_read_is_not_missing() -> None:
    """What cannot be read deletes nothing, and makes nothing."""
    scene = gated()
    carry_out(scene)
    scene.pod("Pending")
    scene.start()
    scene.tell(Unread(HOME, "Secret", "secrets is forbidden", (NAMESPACE, "hub")))
    for cluster in (HOME, ONE):
        scene.sync(cluster, secrets=cluster == ONE)
    assert scene.opened() == []
    assert scene.state.clusters[ONE].objects["HydrationJob"]


def test_a_secret_that_may_be_read_no_more_is_not_missing() -> None:
    """A Secret that was empty when it was last read may hold a token by now."""
    scene = gated()
    carry_out(scene)
    scene.pod("Pending")
    scene.tell(Unread(HOME, "Secret", "secrets is forbidden", (NAMESPACE, "hub")))
    scene.token("")
    assert scene.opened() == []


def test_a_removed_token_halts_what_does_not_run() -> None:
    """An unfinished Job without a running Pod goes with the token; the copy goes, too."""
    scene = gated()
    carry_out(scene)
    scene.pod("Pending")
    scene.token("")
    assert sorted(scene.doing()) == ["delete HydrationJob", "delete Secret"]


def test_a_running_pod_may_finish_without_its_token() -> None:
    """A Pod that runs has its token already: the Job stays, and its end counts."""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.pod("Running")
    scene.token("")
    assert scene.doing() == ["delete Secret"]
    carry_out(scene)
    scene.job("Complete")
    carry_out(scene)
    assert scene.phase() == "Ready"


def test_a_token_removed_after_ready_changes_nothing() -> None:
    """A Ready entry needs no token any more: its claim and its mount stay [C41]"""
    scene = gated()
    stage(scene)
    scene.token("")
    scene.gone(HOME, Subject("Secret", NAMESPACE, "hub", "hub-uid"))
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_rotated_token_is_copied_while_hydrating() -> None:
    """Another value goes into the copy; the Job that runs is left alone."""
    scene = gated()
    carry_out(scene)
    scene.token("d2")
    assert scene.doing() == ["Rotate Secret"]
    carry_out(scene)
    assert (copied(scene), scene.decided("create HydrationJob")) == ("d2", 1)


def test_another_token_retries_at_once() -> None:
    """A hydration that failed with the wrong token is tried again as soon as it is another [C31]"""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.pod("Failed", reason="Error", message="401 Unauthorized")
    carry_out(scene)
    assert scene.phase() == "Failed"
    scene.token("d2")
    assert scene.phase() == "Hydrating"
    carry_out(scene)
    assert (copied(scene), scene.decided("create HydrationJob")) == ("d2", 2)
    assert scene.entry().failure.said.words == "401 Unauthorized"


def test_an_empty_token_is_no_other_token() -> None:
    """A token that was taken away is no reason to try again."""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.token("")
    assert scene.phase() == "Failed"


def test_a_failure_is_told_beside_a_lacking_token_of_a_silent_cluster() -> None:
    """Secret and key come first; the Job and its words stay, while nobody answers, too [C45]"""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Failed", reason="BackoffLimitExceeded", failed_attempts=4)
    scene.token("")
    scene.unreachable()
    said = entry_message(scene.state, scene.mc, scene.entry())
    assert said.startswith("Secret ml-team/hub has an empty value")
    assert "failed after 4 attempts: BackoffLimitExceeded; tried again at" in said


def test_a_lacking_token_is_told_while_a_whole_claim_is_deleted() -> None:
    """What was downloaded goes with its claim: the next one cannot be filled without a token."""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.job("Complete")
    scene.token("")
    scene.claim("Bound", deleting=True)
    said = entry_message(scene.state, scene.mc, scene.entry())
    assert said.startswith("Secret ml-team/hub has an empty value")


def test_a_value_that_is_not_the_one_meant_is_asked_for_again_later() -> None:
    """When the Secret changed on the way, the copy is decided anew, and not in a hot loop."""
    scene = gated()
    carry_out(scene, "create Secret")
    scene.answer("create Secret", Absent())
    assert scene.opened() == []
    scene.wait(2)
    assert scene.doing() == ["create Secret"]


def test_the_secret_may_be_named_later() -> None:
    """A Secret that is named after the cache was made is used, and one that is dropped is not."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create HydrationJob")
    scene.token("d1")
    scene.cache(spec_of(secret="hub"), generation=2)
    scene.list_secrets()
    carry_out(scene)
    assert copied(scene) == "d1"
    scene.cache(spec_of(), generation=3)
    assert sorted(scene.doing()) == ["delete HydrationJob", "delete Secret"]


@pytest.mark.parametrize("edited", [{}, {"name": "hub", "key": "OTHER"}])
def test_a_job_that_waits_for_another_key_is_replaced(edited: dict[str, str]) -> None:
    """A Pod that would wait for a copy, or a key of it, that goes makes room for one that runs."""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    pod = scene.pod("Pending")
    keys = (("HF_TOKEN", "d1"), ("OTHER", "d2"))
    scene.see(HOME, Subject("Secret", NAMESPACE, "hub", "hub-uid"), SecretLevel(keys))
    spec = spec_of()
    spec["huggingFace"] |= {"authSecret": edited} if edited else {}
    scene.cache(spec, generation=2)
    carry_out(scene)
    assert scene.decided("delete HydrationJob") == 1
    scene.gone(ONE, pod)
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 2


def test_a_running_pod_may_finish_with_an_earlier_key() -> None:
    """A Pod that runs has its token: another key, or none, ends nothing."""
    scene = gated()
    carry_out(scene)
    scene.claim("Bound")
    scene.pod("Running")
    scene.cache(spec_of(), generation=2)
    carry_out(scene)
    assert scene.decided("delete HydrationJob") == 0


def test_a_copy_that_is_left_is_watched_until_it_is_gone() -> None:
    """When no Secret is named any more its copy is still looked for, and deleted."""
    scene = gated()
    carry_out(scene)
    scene.cache(spec_of(), generation=2)
    assert COPY in {scope.name for scope in wanted_secrets(scene.state)}
    carry_out(scene)
    assert COPY not in {scope.name for scope in wanted_secrets(scene.state)}


def test_a_copy_that_was_not_looked_for_is_not_left_behind() -> None:
    """A deleted cache is held until its clusters told whether a copy of its token is there."""
    scene = CacheScene()
    scene.cache(spec_of(secret="hub"), deleting=True, held=True)
    assert scene.opened() == []
    scene.list_secrets()
    assert scene.opened() == [("Release ModelCache", HOME)]


def test_a_job_of_another_log_is_not_retried_at_once() -> None:
    """The token of a Job that another log made is taken to be today's [C29]"""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.token("d1")
    scene.claim("Bound", uid="claim")
    scene.cache(spec_of(secret="hub"), held=True, annotations=(("warmlog.dev/retry", "1"),))
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.list_secrets()
    assert scene.phase() == "Failed"


def test_no_value_is_in_the_log() -> None:
    """Rows hold the place and a keyed digest of a token, as levels do, and nothing else."""
    scene = gated()
    stage(scene)
    rows = dumps([row.data for row in scene.rows])
    assert COPY in rows
    assert '\\"data\\"' not in rows


def leaving() -> CacheScene:
    """A cache whose token was copied, that is deleted while the controller starts anew."""
    scene = gated()
    scene.list_secrets()
    carry_out(scene)
    scene.list_secrets()
    carry_out(scene)
    scene.start()
    scene.sync(HOME)
    scene.cache(spec_of(secret="hub"), deleting=True)
    scene.sync(ONE, secrets=False)
    return scene


def test_a_copy_goes_once_it_was_listed() -> None:
    """A copy that was not looked for in this session may be another's, or another cluster's."""
    scene = leaving()
    assert "delete HydrationJob" in scene.doing()
    assert "delete Secret" not in scene.doing()
    scene.sync(ONE)
    assert "delete Secret" in scene.doing()


def test_a_copy_that_cannot_be_read_is_named() -> None:
    """A cache that goes says which copy it cannot let go of, and why."""
    scene = leaving()
    copy = scene.known(ONE, SECRET).subject
    scene.users()
    scene.tell(Unread(ONE, SECRET, "secrets is forbidden", (copy.namespace, copy.name)))
    assert "delete Secret" not in scene.doing()
    entry = scene.mc, scene.entry()
    words = f"Secret {copy.namespace}/{copy.name} cannot be read: secrets is forbidden"
    assert words in entry_message(scene.state, *entry)
    assert entry_cause(sight_of(scene.state, *entry)).reason == UNREAD
    scene.sync(ONE)
    assert "delete Secret" in scene.doing()
