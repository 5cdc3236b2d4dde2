"""What happens while applies are under way: their answers come to a world that has changed."""

from collections.abc import Callable

import pytest

from engine.canonical_json import loads
from engine.events import Subject
from machines.observations import Absent, Answer, Answered, Done, Unknown
from machines.replicas.kinds import DEPLOYMENT as DEPLOYMENT_KIND
from machines.replicas.mounts import mount_of
from machines.replicas.states import Engine
from tests.caches.builders import ONE, WORKLOAD
from tests.replicas.builders import DEPLOYMENT, GANG, MOUNT, UID, ReplicaScene, engine, spec_of
from tests.replicas.serving import (
    KINDS,
    OTHER,
    OTHER_CLAIM,
    OTHER_MOUNT,
    OTHER_UID,
    SECOND,
    ServingScene,
)

LOST = (Absent(), Unknown("timed out"))


def seq_of(scene: ReplicaScene, what: str) -> int:
    """Give the row of the open apply of an object."""
    kind, name = what.split()
    found = {
        (getattr(one.intent, "kind", ""), getattr(one.intent, "name", "")): seq
        for seq, one in scene.state.open.items()
    }
    return found[kind, name]


def under_way(scene: ReplicaScene, what: str) -> Callable[[], None]:
    """The open apply of an object was sent; what is given lets it land, and answers it."""
    seq, (kind, name), known = seq_of(scene, what), what.split(), scene.there(what)
    subject = known.subject if known else Subject(kind, WORKLOAD, name, f"landed-{seq}")
    level = scene.level_after(seq)

    def land() -> None:
        scene.see(ONE, subject, level)
        scene.tell(Answered(seq, Done(subject.uid)))

    return land


def lose(scene: ReplicaScene, what: str, answer: Answer) -> None:
    """The open apply of an object came to nothing, which may have to be looked up first."""
    seq = seq_of(scene, what)
    scene.tell(Answered(seq, answer))
    if isinstance(answer, Unknown):
        scene.tell(Answered(seq, Absent()))


def both_staged(what: str = DEPLOYMENT) -> ServingScene:
    """A replica runs with one cache, and another is Ready."""
    scene = ServingScene(what).serving()
    scene.other_cache()
    scene.staged()
    return scene


@KINDS
def test_a_cache_that_fails_while_the_first_apply_is_under_way(what: str) -> None:
    """The engine runs with the mount that the apply had, and is not applied again."""
    scene = ServingScene(what)
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec())
    scene.carry_out(f"apply {what}")
    land = under_way(scene, what)
    scene.claim_gone()
    land()
    scene.carry_out()
    assert scene.workload(what).mount == scene.mr.kept == MOUNT
    assert scene.times(what) == 1
    assert scene.condition("ModelAccepted")[:2] == ("True", "Accepted")


@KINDS
@pytest.mark.parametrize("answer", LOST)
def test_a_cache_that_fails_while_a_first_apply_is_lost(what: str, answer: Answer) -> None:
    """Nothing runs, so it waits again, and its cache's claim is held no more."""
    scene = ServingScene(what)
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec())
    scene.carry_out(f"apply {what}")
    scene.claim_gone()
    lose(scene, what, answer)
    scene.wait(70)
    assert not scene.mr.composed
    assert scene.mr.engines == {}
    assert scene.condition("ModelAccepted")[:2] == ("False", "WaitingForCache")


@KINDS
def test_a_cache_that_fails_while_a_switch_to_it_is_under_way(what: str) -> None:
    """The new mount is there by then, and is kept: nothing restarts once more."""
    scene = both_staged(what)
    scene.replica(spec=scene.spec(cache=OTHER), generation=2)
    land = under_way(scene, what)
    scene.gone_claim(mount_of(OTHER_MOUNT).claim_name)
    land()
    scene.carry_out()
    assert scene.workload(what).mount == scene.mr.kept == OTHER_MOUNT
    assert scene.applied == 1


@KINDS
@pytest.mark.parametrize("answer", LOST)
def test_a_cache_that_fails_while_a_switch_to_it_is_lost(what: str, answer: Answer) -> None:
    """The old mount is kept, and what the switch was to bring is not applied."""
    scene = both_staged(what)
    scene.replica(spec=scene.spec(cache=OTHER), generation=2)
    scene.gone_claim(mount_of(OTHER_MOUNT).claim_name)
    lose(scene, what, answer)
    scene.wait(70)
    scene.carry_out()
    assert scene.workload(what).mount == scene.mr.kept == MOUNT
    assert scene.mr.engines["main"] == Engine(running=True, kept=MOUNT)


@KINDS
def test_a_reference_that_is_switched_twice_before_the_first_answer(what: str) -> None:
    """The last one counts at once, whatever the apply had that was under way."""
    scene = both_staged(what)
    scene.replica(spec=scene.spec(cache=OTHER), generation=2)
    land = under_way(scene, what)
    scene.replica(spec=scene.spec(cache=""), generation=3)
    scene.replica(spec=scene.spec(), generation=4)
    land()
    assert scene.mr.kept == OTHER_MOUNT
    scene.carry_out()
    assert scene.workload(what).mount == scene.mr.kept == MOUNT
    assert scene.applied == 2


@KINDS
def test_a_workload_that_is_deleted_while_its_apply_is_under_way(what: str) -> None:
    """It comes back with the mount that it had, though its cache has none now."""
    scene = ServingScene(what).serving()
    scene.claim_gone()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    seq = seq_of(scene, what)
    scene.removed(what)
    scene.tell(Answered(seq, Absent()))
    scene.wait(70)
    scene.carry_out()
    assert (scene.workload(what).mount, scene.workload(what).copies) == (MOUNT, 2)


def test_an_engine_that_becomes_a_gang_while_its_deployment_is_under_way() -> None:
    """What lands belongs to nobody by then, and goes; the gang has what the engine kept."""
    scene = both_staged()
    scene.replica(spec=scene.spec(cache=OTHER), generation=2)
    land = under_way(scene, DEPLOYMENT)
    scene.gone_claim(mount_of(OTHER_MOUNT).claim_name)
    gang = spec_of(engine(gang=True), cache=OTHER)
    scene.replica(spec=gang, generation=3)
    land()
    scene.carry_out()
    assert scene.there(DEPLOYMENT) is None
    assert scene.workload(GANG).mount == scene.mr.kept


def test_an_engine_is_one_kind_of_workload_at_a_time() -> None:
    """A gang waits for the answer to its Deployment, so that each mount is noted as its own."""
    scene = both_staged()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    land = under_way(scene, DEPLOYMENT)
    scene.replica(spec=spec_of(engine(gang=True), cache=OTHER), generation=3)
    scene.carry_out(f"apply {DEPLOYMENT}", f"apply {GANG}")
    assert f"apply {GANG}" not in scene.replica_doing()
    land()
    assert scene.mr.kept == MOUNT
    scene.carry_out(f"apply {GANG}")
    scene.refuse(f"apply {GANG}", scene.forbidden())
    assert scene.mr.kept == MOUNT
    scene.wait(70)
    scene.carry_out()
    assert scene.workload(GANG).mount == scene.mr.kept == OTHER_MOUNT


def test_two_engines_of_which_one_has_no_answer_over_a_restart() -> None:
    """The one that is there is left alone; the other is looked up, and found."""
    scene = ServingScene()
    scene.cache()
    scene.staged()
    scene.replica(spec=spec_of(engine(), engine("second")))
    scene.carry_out(f"apply {DEPLOYMENT}", f"apply {SECOND}")
    first, second = under_way(scene, DEPLOYMENT), under_way(scene, SECOND)
    first()
    scene.tell(Answered(seq_of(scene, SECOND), Unknown("timed out")))
    scene.starts_anew()
    scene.carry_out(f"apply {SECOND}")
    assert scene.times(SECOND) == 1
    second()
    scene.carry_out()
    assert (scene.times(DEPLOYMENT), scene.times(SECOND)) == (1, 1)
    assert scene.second().mount == scene.workload().mount == MOUNT


def test_a_cluster_that_is_made_again_while_engines_are_composed() -> None:
    """It is the same cluster under its name: what was composed there is gone on with."""
    scene = ServingScene()
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec())
    scene.carry_out(f"apply {DEPLOYMENT}")
    land = under_way(scene, DEPLOYMENT)
    scene.gone("home", scene.cluster_subject("one"))
    scene.cluster("one", uid="again")
    land()
    scene.sync(ONE)
    scene.carry_out()
    assert scene.workload().mount == MOUNT
    assert scene.times(DEPLOYMENT) == 1
    assert scene.condition("ModelAccepted")[0] == "True"
    assert [one.kind for one in scene.state.parts[UID] if one.kind == DEPLOYMENT_KIND]


@KINDS
@pytest.mark.parametrize("answered_first", [True, False])
def test_an_apply_that_lands_after_its_look_up_is_what_engines_have(
    what: str, *, answered_first: bool
) -> None:
    """Nobody found it when it was looked up; what its workload bears is kept from then on."""
    scene = ServingScene(what).serving()
    scene.cache(name=OTHER, uid=OTHER_UID)
    scene.staged()
    scene.replica(spec=scene.spec(cache=OTHER), generation=2)
    seq, known = seq_of(scene, what), scene.there(what)
    level = scene.level_after(seq)
    assert known is not None
    if answered_first:
        scene.tell(Answered(seq, Absent()))
        assert scene.status()["mount"] == loads(MOUNT)
    scene.see(ONE, known.subject, level)
    if not answered_first:
        scene.tell(Answered(seq, Absent()))
    assert scene.status()["mount"] == loads(OTHER_MOUNT)
    before = scene.times(what)
    scene.gone_claim(OTHER_CLAIM)
    scene.wait(60)
    scene.carry_out()
    assert (scene.times(what), scene.workload(what).mount) == (before, OTHER_MOUNT)
