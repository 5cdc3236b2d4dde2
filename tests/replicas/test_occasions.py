"""Occasions of a replica: what becomes an Event, once for each cause."""

from collections.abc import Iterator

import pytest

from machines.caches.levels import Owner
from machines.caches.occasions import Key, Occasion
from machines.observations import EventsRead, Refused
from machines.replicas.occasions import replica_occasions
from tests.caches.builders import CLAIM, HOME, ONE, WORKLOAD
from tests.caches.builders import spec_of as cache_spec
from tests.replicas.builders import (
    DEPLOYMENT,
    GANG,
    SERVICE,
    UID,
    ReplicaScene,
    engine,
    spec_of,
)

KINDS = pytest.mark.parametrize("what", [DEPLOYMENT, GANG])


class Teller:
    """Tells as the controller does: what holds and did not hold when it was last looked at."""

    def __init__(self, scene: ReplicaScene) -> None:
        """Take what holds now as told."""
        self._scene = scene
        self._told: frozenset[Key] = frozenset()
        self.news()

    def news(self) -> list[Occasion]:
        """What is told now."""
        found = list(replica_occasions(self._scene.state, self._scene.mr))
        new = [one for one in found if one.key not in self._told and one.note]
        self._told = frozenset(one.key for one in found)
        return new

    def reasons(self) -> list[tuple[str, str]]:
        """Type and reason of what is told now."""
        return [(one.type, one.reason) for one in self.news()]


def serving(what: str = DEPLOYMENT, cache: str = "qwen") -> ReplicaScene:
    """A replica that serves."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica(spec=spec_of(engine(gang=what == GANG), cache=cache))
    scene.stage()
    scene.serve(what)
    return scene


def failing(scene: ReplicaScene, minutes: int) -> Iterator[None]:
    """Hydration fails whenever it is tried, minute after minute."""
    for _ in range(minutes):
        yield
        scene.wait(60)
        scene.carry_out()
        if scene.phase() == "Hydrating":
            scene.job("Failed", reason="BackoffLimitExceeded", failed_attempts=4)
            scene.carry_out()


@KINDS
def test_the_life_of_a_replica(what: str) -> None:
    """It waits for its cache, is composed, and serves: three Normal Events, and no Warning."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica(spec=spec_of(engine(gang=what == GANG)))
    scene.carry_out()
    told = Teller(scene)
    scene.stage()
    [composed] = told.news()
    assert (composed.type, composed.reason) == ("Normal", "Composed")
    kind, name = what.split()
    assert composed.note == (
        f"composed {kind} {WORKLOAD}/{name} on cluster one, with the mount of claim {CLAIM}"
    )
    scene.serve(what)
    assert told.reasons() == [("Normal", "Serving")]


def test_waiting_is_told_once_for_each_cause() -> None:
    """Normal, as that is what it is to do: while the claim waits, and while it is filled."""
    scene = ReplicaScene()
    scene.cache()
    scene.carry_out()
    scene.replica()
    told = Teller(scene)
    scene.wait(30)
    assert told.reasons() == []
    scene.claim("Bound")
    scene.carry_out()
    [one] = told.news()
    assert (one.type, one.reason) == ("Normal", "WaitingForCache")
    assert one.note.startswith("downloading Qwen/Qwen3-8B")


@KINDS
def test_an_hour_with_a_broken_cache_is_one_warning(what: str) -> None:
    """Hydration fails, is tried again and fails again: the cause is the same all along [C17]"""
    scene = serving(what)
    told = Teller(scene)
    scene.claim("Bound", uid="another")
    scene.carry_out()
    scene.job("Failed", reason="BackoffLimitExceeded", failed_attempts=4)
    scene.carry_out()
    found: list[Occasion] = []
    for _ in failing(scene, 60):
        found += told.news()
    assert scene.entry().failure.tries > 3
    assert [(one.type, one.reason) for one in found] == [("Warning", "CacheNotReady")]
    assert found[0].note.startswith(f"keeps the mount of claim {CLAIM}: Job ")


@KINDS
def test_an_hour_with_a_lost_claim_is_one_warning(what: str) -> None:
    """And when it is staged again and lost again, that is told again."""
    scene = serving(what)
    told = Teller(scene)
    scene.claim("Lost")
    found = told.reasons()
    for _ in range(60):
        scene.wait(60)
        scene.carry_out()
        found += told.reasons()
    assert found == [("Warning", "CacheNotReady")]
    scene.claim("Bound")
    scene.carry_out()
    assert told.reasons() == []
    scene.claim("Lost")
    assert told.reasons() == [("Warning", "CacheNotReady")]


def test_each_cause_is_told() -> None:
    """A cache that is not there, another that is not staged: each is a cause of its own."""
    scene = serving()
    told = Teller(scene)
    scene.replica(spec=spec_of(cache="qwem"), generation=2)
    [missing] = told.news()
    assert missing.note.endswith("ModelCache qwem not found in namespace ml-team")
    scene.replica(spec=spec_of(), generation=3)
    assert told.reasons() == []
    scene.cache(cache_spec(selector={"name": "elsewhere"}))
    [one] = told.news()
    assert one.note.endswith("ModelCache qwen does not stage to cluster one")


def test_a_cluster_that_flaps_is_no_cause_of_its_own() -> None:
    """What runs with a broken cache is told once, however often its cluster does not answer."""
    scene = serving()
    scene.claim("Lost")
    told = Teller(scene)
    for _ in range(5):
        scene.unreachable()
        scene.wait(60)
        assert told.reasons() == []
        scene.reachable()
        scene.sync(ONE)
        assert told.reasons() == []


def test_troubles_of_a_new_replica_are_warnings() -> None:
    """A cluster that does not exist, and a spec that can never work."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache="", cluster="two"))
    found = list(replica_occasions(scene.state, scene.mr))
    assert [(one.type, one.reason) for one in found] == [("Warning", "WaitingForCluster")]
    scene.replica(spec={"clusterName": "two", "engines": []})
    found = list(replica_occasions(scene.state, scene.mr))
    assert [(one.type, one.reason) for one in found] == [("Warning", "InvalidSpec")]


def test_what_runs_and_is_unsupported_now_is_one_warning() -> None:
    """It says that what runs is left as it is."""
    scene = serving()
    told = Teller(scene)
    phased = [engine(phase.lower()) | {"phase": phase} for phase in ("Prefill", "Decode")]
    scene.replica(spec=spec_of(*phased, serving={"mode": "PrefillDecode"}), generation=2)
    scene.carry_out()
    [one] = told.news()
    assert (one.type, one.reason) == ("Warning", "Unsupported")
    assert one.note.endswith("; what runs is left as it is")
    scene.wait(600)
    assert told.reasons() == []


def test_a_refusal_is_told_once() -> None:
    """However often it is tried again, and whoever has the name is another cause."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out(f"apply {SERVICE}")
    told = Teller(scene)
    found: list[tuple[str, str]] = []
    for _ in range(5):
        scene.refuse(f"apply {SERVICE}", Refused(422, "Invalid", "metadata.name: bad"))
        found += told.reasons()
        scene.wait(3600)
    assert found == [("Warning", "Refused")]
    scene.carry_out()
    scene.edit(SERVICE, owner=Owner("team-b", "r", "b-uid"))
    assert told.reasons() == [("Warning", "NameTaken")]


def test_why_pods_do_not_run_is_a_warning() -> None:
    """Their reason is the cause; that an engine takes its time to start is none."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    told = Teller(scene)
    scene.carry_out()
    assert told.reasons() == [("Normal", "Composed")]
    known = scene.there(DEPLOYMENT)
    assert known is not None
    for free in (3, 2):
        words = f"{free} nodes are available"
        scene.tell(EventsRead(ONE, known.subject, "", "Unschedulable", words))
    [one] = told.news()
    assert (one.type, one.reason) == ("Warning", "ModelStarting")
    assert one.note.startswith(f"engine main: Deployment {WORKLOAD}/")


def test_what_is_left_behind_is_told() -> None:
    """Where the cluster is gone while the replica goes, and where somebody abandons it."""
    scene = serving()
    told = Teller(scene)
    scene.replica(spec=spec_of(), notes={"warmlog.dev/abandon": "true"})
    [one] = told.news()
    assert (one.type, one.reason) == ("Warning", "LeftBehind")
    assert one.note.startswith(f"left on cluster one, if still there: Service {WORKLOAD}/r, ")
    scene = serving()
    told = Teller(scene)
    scene.gone(HOME, scene.cluster_subject("one"))
    assert told.reasons() == [("Warning", "WaitingForCluster")]
    scene.replica(spec=spec_of(), deleting=True)
    assert told.reasons() == [("Warning", "LeftBehind")]


def test_a_silent_cluster_holds_up_a_deletion() -> None:
    """That is told once, with what is still to be deleted there."""
    scene = serving()
    told = Teller(scene)
    scene.unreachable()
    scene.replica(spec=spec_of(), deleting=True)
    [one] = told.news()
    assert (one.type, one.reason) == ("Warning", "WaitingForCluster")
    assert "still to be deleted there: " in one.note
    assert UID in scene.state.replicas


def test_an_edited_cluster_name_and_a_contested_status() -> None:
    """Both are Warnings, and both are said in the conditions as well."""
    scene = serving()
    told = Teller(scene)
    scene.replica(spec=spec_of(cluster="two"), generation=2)
    assert told.reasons() == [("Warning", "SpecChanged")]


def test_another_mount_is_told() -> None:
    """When the replica is switched to another cache that is staged, it is composed anew."""
    scene = serving(cache="")
    told = Teller(scene)
    scene.replica(spec=spec_of(), generation=2)
    scene.serve()
    [one] = told.news()
    assert one.reason == "Composed"
    assert one.note.endswith(f"with the mount of claim {CLAIM}")
