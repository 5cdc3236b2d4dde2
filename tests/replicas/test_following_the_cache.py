"""The behaviour table for a new replica: what it does about its cache, for both workload kinds."""

from collections.abc import Callable

import pytest

from machines.observations import Absent, Answered
from tests.caches.builders import CLAIM, UID
from tests.caches.builders import spec_of as cache_spec
from tests.replicas.builders import MOUNT, SERVICE, TEMPLATE
from tests.replicas.builders import UID as REPLICA_UID
from tests.replicas.serving import KINDS, OTHER_MOUNT, ServingScene


def pending(scene: ServingScene) -> None:
    """The claim waits."""
    scene.cache()
    scene.carry_out()


def with_chosen_node(scene: ServingScene) -> None:
    """The claim waits, and the scheduler chose a node."""
    pending(scene)
    scene.claim(selected_node="gpu-7")


def without_token(scene: ServingScene) -> None:
    """The claim waits, and so does the token."""
    scene.cache(cache_spec(secret="hub"))
    scene.list_secrets()
    scene.carry_out()


def bound_without_token(scene: ServingScene) -> None:
    """The claim is bound, and the token is missing."""
    without_token(scene)
    scene.all_bound()


def hydrating(scene: ServingScene) -> None:
    """The download is under way."""
    pending(scene)
    scene.all_bound()


def failed(scene: ServingScene) -> None:
    """The download failed."""
    hydrating(scene)
    scene.job("Failed", reason="BackoffLimitExceeded", message="has reached the limit")
    scene.wait(10)


def deselected(scene: ServingScene) -> None:
    """The cache stages elsewhere."""
    scene.cache(cache_spec(selector={"name": "two"}))
    scene.carry_out()


def elsewhere(scene: ServingScene) -> None:
    """A cache of that name is there, in another namespace."""
    scene.cache(namespace="other-team")
    scene.staged()


def nowhere(scene: ServingScene) -> None:
    """There is no cache of that name."""


def leaving(scene: ServingScene) -> None:
    """The cache is being deleted, and an engine mounts it."""
    scene.cache()
    scene.staged()
    scene.cache(deleting=True)
    scene.users("engine-0")


NOT_READY = [
    (pending, CLAIM),
    (with_chosen_node, "gpu-7"),
    (without_token, "Secret ml-team/hub"),
    (bound_without_token, "HF_TOKEN"),
    (hydrating, "Qwen/Qwen3-8B"),
    (failed, "has reached the limit"),
    (deselected, "ModelCache qwen does not stage to cluster one"),
    (elsewhere, "ModelCache qwen not found in namespace ml-team"),
    (nowhere, "ModelCache qwen not found in namespace ml-team"),
    (leaving, "engine-0"),
]
ENTRIES = pytest.mark.parametrize(
    ("entry", "words"), NOT_READY, ids=[one.__name__ for one, _ in NOT_READY]
)


@ENTRIES
@KINDS
def test_a_new_replica_waits_with_its_entrys_words(
    what: str, entry: Callable[[ServingScene], None], words: str
) -> None:
    """Whatever its entry lacks, nothing is composed, and that is said [C1] [C6] [S37]"""
    scene = ServingScene(what)
    entry(scene)
    scene.replica(spec=scene.spec())
    scene.carry_out()
    assert [scene.there(one) for one in (what, SERVICE, TEMPLATE)] == [None] * 3
    accepted = scene.condition("ModelAccepted")
    assert accepted[:2] == ("False", "WaitingForCache")
    assert words in accepted[2]
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")
    assert "composed" not in scene.status()


@KINDS
def test_a_waiting_replica_follows_its_entrys_words(what: str) -> None:
    """Its message is the entry's, verbatim, from the claim to the Job's last words [C9] [S37]"""
    scene = ServingScene(what)
    scene.cache()
    scene.replica(spec=scene.spec())
    told = []
    for happens in (scene.carry_out, scene.all_bound, lambda: scene.all_ended("Failed")):
        happens()
        [entry] = [one for one in scene.mc.entries.values() if one.cluster == "one"]
        told.append(scene.condition("ModelAccepted")[2])
        assert told[-1] == scene.entry_message(entry.cluster)
    assert len(set(told)) == len(told)


@KINDS
def test_a_held_replica_is_composed_by_the_row_that_makes_its_cache_ready(what: str) -> None:
    """No timer is in between: the latch's answer itself has the workload decided [C4]"""
    scene = ServingScene(what)
    scene.cache()
    scene.replica(spec=scene.spec())
    scene.carry_out()
    scene.all_bound()
    scene.job("Complete")
    scene.carry_out("apply Service r", f"apply {what}", f"apply {TEMPLATE}")
    assert scene.phase() == "Ready"
    assert "apply Service r" in scene.replica_doing()
    scene.carry_out()
    assert scene.workload(what).mount == MOUNT
    assert scene.there(SERVICE) is not None


@KINDS
def test_a_new_replica_of_a_ready_cache_is_composed_with_its_mount(what: str) -> None:
    """It is composed at once, and serves when its workload is available."""
    scene = ServingScene(what).serving()
    assert scene.workload(what).mount == MOUNT
    assert scene.status()["mount"]["volumes"][0]["persistentVolumeClaim"] == {"claimName": CLAIM}
    assert scene.serves_as_before()


@KINDS
def test_a_replica_without_a_cache_waits_for_none(what: str) -> None:
    """It is composed at once, without a mount; no cache is looked at."""
    scene = ServingScene(what)
    failed(scene)
    scene.replica(spec=scene.spec(cache=""))
    scene.serve(what)
    assert scene.workload(what).mount == ""
    assert "mount" not in scene.status()
    assert scene.condition("Ready")[:2] == ("True", "Available")


@ENTRIES
@KINDS
def test_a_held_replica_goes_ahead_without_its_reference(
    what: str, entry: Callable[[ServingScene], None], words: str
) -> None:
    """A reference that is taken away is waited for no longer."""
    scene = ServingScene(what)
    entry(scene)
    scene.replica(spec=scene.spec())
    scene.carry_out()
    scene.replica(spec=scene.spec(cache=""), generation=2)
    scene.carry_out()
    assert scene.workload(what).mount == ""


@KINDS
def test_a_held_replica_follows_its_reference(what: str) -> None:
    """Switched to a cache that waits it waits on with other words; to a Ready one it goes ahead."""
    scene = ServingScene(what)
    scene.other_cache()
    scene.staged()
    hydrating(scene)
    scene.replica(spec=scene.spec(cache="nobody"))
    scene.carry_out()
    assert scene.condition("ModelAccepted")[2] == "ModelCache nobody not found in namespace ml-team"
    scene.replica(spec=scene.spec(), generation=2)
    scene.carry_out()
    assert scene.there(what) is None
    assert CLAIM in scene.condition("ModelAccepted")[2]
    scene.replica(spec=scene.spec(cache="other"), generation=3)
    scene.carry_out()
    assert scene.workload(what).mount == OTHER_MOUNT


@KINDS
def test_a_workload_that_was_deleted_before_any_was_composed_changes_nothing(what: str) -> None:
    """What a held replica never had cannot be missed."""
    scene = ServingScene(what)
    pending(scene)
    scene.replica(spec=scene.spec())
    scene.carry_out()
    scene.lists_all()
    assert scene.replica_doing() == []
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"


def test_a_typo_in_the_reference_is_told() -> None:
    """A cache that does not exist is not a slow download: it is named as not found [C11]"""
    scene = ServingScene()
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec(cache="qwem"))
    scene.carry_out()
    assert scene.condition("ModelAccepted")[2] == "ModelCache qwem not found in namespace ml-team"
    assert UID in scene.state.caches


def test_an_unlisted_kind_is_no_missing_cache() -> None:
    """Before ModelCaches are listed nothing is said of one, and nothing is decided [C10]"""
    scene = ServingScene().serving()
    scene.start()
    for kind in ("ModelReplica", "InferenceCluster", "Namespace"):
        scene.tell(scene.listed("home", kind))
    assert scene.replica_doing() == []
    assert scene.condition("ModelAccepted") == ("True", "Accepted", "")
    scene.lists_all()
    assert scene.serves_as_before()


def test_a_new_replica_is_not_told_of_a_cache_before_caches_are_listed() -> None:
    """Nothing is published of a new replica before its home was listed whole [C10]"""
    scene = ServingScene()
    scene.start()
    scene.replica(spec=scene.spec())
    scene.tell(scene.listed("home", "ModelReplica"))
    assert not scene.mr.told
    scene.lists_all()
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"


@KINDS
def test_a_replica_that_is_held_half_way_keeps_no_part(what: str) -> None:
    """A cache that ends between the Service and the engines leaves nothing composed behind."""
    scene = ServingScene(what)
    scene.cache()
    scene.replica(spec=scene.spec())
    scene.claim("Bound")
    scene.carry_out(f"apply {what}")
    scene.job("Complete")
    scene.carry_out(f"apply {what}")
    assert scene.there(SERVICE) is not None
    scene.cache_gone()
    for seq in [seq for seq, one in scene.state.open.items() if one.owner.uid == REPLICA_UID]:
        scene.tell(Answered(seq, Absent()))
    scene.wait(5)
    scene.carry_out()
    assert scene.there(SERVICE) is None
    assert scene.there(what) is None
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"
