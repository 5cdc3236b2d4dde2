"""Announcing caches: one Event per cause, with names, and none for what stays as it is."""

from collections import Counter

import pytest

from adapters.kubernetes.announcing import NOTE_BYTES, event_body
from adapters.running.announcing_caches import CacheAnnouncer, is_farewell
from engine.events import Subject
from engine.instants import SECOND
from machines.caches.levels import ClaimLevel
from machines.domain import WARMLOG
from machines.labels import ABANDON
from machines.observations import Refused
from tests.caches.builders import CLAIM, HOME, JOB, ONE, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage
from tests.running.clusters import CACHE, phases, reachable, settled, three_worlds
from tests.running.living import living
from tests.running.virtual import in_world

TOKEN = "hub"
FORBIDDEN = Refused(403, "Forbidden", "exceeded quota: storage")


def told(announcer: CacheAnnouncer, scene: CacheScene) -> list[tuple[str, str, str]]:
    """Type, reason and note of what is announced now."""
    return [(one.type, one.reason, one.note) for one in announcer.news(scene.state)]


def reasons(announcer: CacheAnnouncer, scene: CacheScene) -> list[str]:
    """The reasons of what is announced now."""
    return [one.reason for one in announcer.news(scene.state)]


def test_a_cache_is_staged() -> None:
    """Staging is told once, with repo and clusters, and that it is staged once all have it."""
    scene = CacheScene("one", "two")
    announcer = CacheAnnouncer(scene.state)
    scene.cache()
    note = "staging Qwen/Qwen3-8B to 2 clusters: one, two"
    assert told(announcer, scene) == [("Normal", "Staging", note)]
    stage(scene, "ic/one")
    assert told(announcer, scene) == []
    stage(scene, "ic/two")
    assert told(announcer, scene) == [("Normal", "Staged", "staged on all 2 clusters: one, two")]
    carry_out(scene)
    assert told(announcer, scene) == []


def test_a_fast_cluster_hides_nothing() -> None:
    """That staging began is told even if the claim is there before anybody looks for news."""
    scene = CacheScene()
    announcer = CacheAnnouncer(scene.state)
    scene.cache()
    carry_out(scene)
    assert reasons(announcer, scene) == ["Staging"]


def test_what_is_there_already_is_not_told_as_begun() -> None:
    """A cache whose claim existed before it, or that an earlier log knew, is not staged anew."""
    scene = CacheScene()
    scene.namespace(ONE)
    subject = Subject("PersistentVolumeClaim", WORKLOAD, CLAIM, "claim-uid")
    scene.see(ONE, subject, ClaimLevel(label="qwen", requested="50Gi"))
    announcer = CacheAnnouncer(scene.state)
    scene.clock += SECOND
    scene.cache()
    assert told(announcer, scene) == []
    scene = CacheScene()
    announcer = CacheAnnouncer(scene.state)
    scene.cache(held=True)
    assert told(announcer, scene) == []


def test_a_missing_token_is_told_once_per_cause() -> None:
    """Secret and key are named once, again when the cause is another, and never once staged."""
    scene = CacheScene()
    announcer = CacheAnnouncer(scene.state)
    scene.cache(spec_of(secret=TOKEN))
    scene.list_secrets()
    assert told(announcer, scene)[-1] == (
        "Warning",
        "AuthSecretMissing",
        "Secret ml-team/hub does not exist: its key HF_TOKEN is to hold the token",
    )
    carry_out(scene)
    assert told(announcer, scene) == []
    scene.token("")
    note = "Secret ml-team/hub has an empty value under its key HF_TOKEN"
    assert told(announcer, scene) == [("Warning", "AuthSecretMissing", note)]
    scene.token("d1")
    assert told(announcer, scene) == []
    stage(scene)
    assert reasons(announcer, scene) == ["Staged"]
    scene.token("")
    assert told(announcer, scene) == []


def test_each_failure_is_told() -> None:
    """A failed hydration is one Event, and the next one another."""
    scene = CacheScene(retry_seconds=60)
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    announcer = CacheAnnouncer(scene.state)
    scene.job("Failed", reason="BackoffLimitExceeded", message="limit", failed_attempts=4)
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Warning", "HydrationFailed")
    assert note.startswith(f"cluster one: Job {WORKLOAD}/{JOB} failed after 4 attempts")
    carry_out(scene)
    assert told(announcer, scene) == []
    scene.wait(120)
    carry_out(scene)
    scene.job("Failed", reason="BackoffLimitExceeded", message="limit", failed_attempts=4)
    assert reasons(announcer, scene) == ["HydrationFailed"]


def test_a_node_that_is_gone_and_what_was_done() -> None:
    """That the chosen node is gone is told, and that the claim was healed, each once."""
    scene = CacheScene(heal_seconds=60)
    scene.cache()
    carry_out(scene)
    node = scene.node("n")
    scene.claim("Pending", selected_node="n")
    announcer = CacheAnnouncer(scene.state)
    scene.gone(ONE, node)
    [(_, reason, note)] = told(announcer, scene)
    assert reason == "SelectedNodeGone"
    assert "node n, which is gone" in note
    scene.wait(61)
    carry_out(scene)
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Normal", "ClaimHealed")
    assert f"claim {WORKLOAD}/{CLAIM}" in note


@pytest.mark.parametrize("reason", ["WaitForFirstConsumer", "ProvisioningFailed"])
def test_the_provisioners_words(reason: str) -> None:
    """Only what keeps a claim from its volume is told, not that it is on its way."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Pending")
    announcer = CacheAnnouncer(scene.state)
    known = scene.state.clusters[ONE].find("PersistentVolumeClaim", WORKLOAD, CLAIM)
    assert known is not None
    scene.events(known.subject, reason, "words")
    expected = ["ProvisioningFailed"] if reason == "ProvisioningFailed" else []
    assert reasons(announcer, scene) == expected


def test_what_was_said_of_an_older_claim_is_no_cause() -> None:
    """When a claim is deleted, what its Pod waited for is not told of the next one."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Pending")
    scene.pod("Pending", reason="Unschedulable", message="no room")
    scene.events(scene.known(ONE, "PersistentVolumeClaim").subject, "ProvisioningFailed", "words")
    announcer = CacheAnnouncer(scene.state)
    scene.gone(ONE, scene.known(ONE, "PersistentVolumeClaim").subject)
    assert told(announcer, scene) == []


def test_the_token_hides_what_a_claim_waits_for() -> None:
    """Of a missing token its own Event tells; what is in the way beside it is told by itself."""
    scene = CacheScene()
    scene.gone(ONE, scene.known(ONE, "StorageClass").subject)
    announcer = CacheAnnouncer(scene.state)
    scene.cache(spec_of(secret=TOKEN))
    scene.list_secrets()
    notes = {reason: note for _, reason, note in told(announcer, scene)}
    assert notes["NoStorageClass"].startswith("cluster one reports no storage class")


def test_a_refused_change_is_told() -> None:
    """What the API server refuses is told in its words, once however often it is tried."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    announcer = CacheAnnouncer(scene.state)
    scene.answer("create PersistentVolumeClaim", FORBIDDEN)
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Warning", "ChangeRefused")
    assert "Forbidden: exceeded quota: storage" in note
    scene.wait(5)
    scene.answer("create PersistentVolumeClaim", FORBIDDEN)
    assert told(announcer, scene) == []


def test_an_edit_that_is_not_acted_on() -> None:
    """A field that was edited past admission is named."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    announcer = CacheAnnouncer(scene.state)
    scene.cache(spec_of(repo="other/model"))
    assert reasons(announcer, scene) == ["SpecChanged"]


def test_what_stays_behind() -> None:
    """Letting go of a cache, and the end of its InferenceCluster, tell what stays there."""
    scene = CacheScene("one", "two")
    scene.cache()
    stage(scene, "ic/one")
    stage(scene, "ic/two")
    announcer = CacheAnnouncer(scene.state)
    scene.gone(HOME, scene.cluster_subject("two"))
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Warning", "LeftBehind")
    assert note.startswith(f"cluster two: claim {CLAIM}")
    scene.cache(annotations=((ABANDON, "true"),))
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Warning", "LeftBehind")
    assert note.startswith(f"cluster one: claim {CLAIM}")
    assert any(map(is_farewell, scene.rows)), "told at once: the object may be gone in a moment"


def test_a_deletion_that_waits() -> None:
    """A cache that is deleted while in use tells who uses it."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    announcer = CacheAnnouncer(scene.state)
    scene.cache(deleting=True)
    scene.users("engine-0")
    [(kind, reason, note)] = told(announcer, scene)
    assert (kind, reason) == ("Normal", "InUse")
    assert "Pod engine-0" in note


def test_a_cluster_falls_silent() -> None:
    """A cluster's Events are about the cluster: silent, and answering again."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    announcer = CacheAnnouncer(scene.state)
    scene.unreachable(words="no route")
    assert told(announcer, scene) == [("Warning", "Unreachable", "no route")]
    scene.reachable()
    assert told(announcer, scene) == [("Normal", "Reachable", "cluster one answers")]


def test_events_can_be_stored() -> None:
    """Events of both kinds are well-formed, and within the API's bounds."""
    scene = CacheScene()
    announcer = CacheAnnouncer(WARMLOG.initial("log"))
    scene.cache(spec_of(repo="../x"))
    news = announcer.news(scene.state)
    assert {one.subject.kind for one in news} >= {"ModelCache"}
    for one in news:
        body = event_body(one, "test")
        assert len(body["note"].encode()) <= NOTE_BYTES
        assert body["regarding"]["apiVersion"] == "modelplane.ai/v1alpha1"


def test_a_live_story() -> None:
    """In a running controller each change is announced once: reached, begun, staged, silent."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(
                lambda: phases(home) == {"east": "Ready", "west": "Ready"}, seconds=120
            )
            await settled(life)
            others["east"].lose_api("no route to host")
            await life.until(lambda: reachable(home, "east")[0] == "False")
            await settled(life)
            others["east"].regain_api()
            await life.until(lambda: reachable(home, "east")[0] == "True")
            await life.until(lambda: life.news[-1].note == "cluster east answers")
            told = Counter((one.subject.name, one.reason) for one in life.news)
            assert told.pop(("east", "Reachable")) == 2
            assert told == dict.fromkeys(
                [
                    (CACHE, "Staging"),
                    (CACHE, "Staged"),
                    ("east", "Unreachable"),
                    ("west", "Reachable"),
                ],
                1,
            )

    in_world(home, story, [*others.values()])


def test_a_class_that_is_not_followed_is_told_once() -> None:
    """That a claim keeps its class is told though no status shows it, and not again."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    announcer = CacheAnnouncer(scene.state)
    scene.cluster("one", storage="other")
    assert reasons(announcer, scene) == ["StorageClassKept"]
    scene.storage_class(ONE, "other")
    assert reasons(announcer, scene) == []
