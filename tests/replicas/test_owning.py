"""Owning: what is taken over, what is another's, and what somebody edited is put right again."""

from typing import Any

import pytest

from engine.events import Subject
from machines.caches.levels import Owner
from machines.caches.owning import Ownership
from machines.observations import Answered, Done, Observation, Refused, Seen
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.replicas.owning import ownership
from tests.caches.builders import NAMESPACE, ONE, WORKLOAD
from tests.replicas.builders import (
    DEPLOYMENT,
    MOUNT,
    REPLICA,
    SERVICE,
    TEMPLATE,
    UID,
    ReplicaScene,
)
from tests.replicas.serving import KINDS, ServingScene

MODELPLANES = WorkloadLevel(serving=REPLICA, mount=MOUNT, replicas=1, available="True")
OLD_UID = Owner(NAMESPACE, REPLICA, "another-uid")


def subject_of(what: str, uid: str = "theirs") -> Subject:
    """What the facts of an object of the replica's name are about."""
    kind, name = what.split()
    return Subject(kind, WORKLOAD, name, uid)


def scene_with(what: str, level: WorkloadLevel | PartLevel) -> ServingScene:
    """A scene in which an object has a name of the replica's already."""
    scene = ServingScene()
    scene.cache()
    scene.namespace(ONE)
    scene.see(ONE, subject_of(what), level)
    return scene


@KINDS
def test_what_modelplane_composed_is_taken_over_with_its_mount(what: str) -> None:
    """A workload without our annotations runs: it is applied with what its Pods have [C25]"""
    scene = scene_with(what, MODELPLANES)
    scene.what = what
    scene.replica(spec=scene.spec())
    scene.carry_out()
    known = scene.there(what)
    assert known is not None
    assert known.subject.uid == "theirs"
    assert scene.workload(what).owner == Owner(NAMESPACE, REPLICA, UID)
    assert (scene.workload(what).mount, scene.times(what)) == (MOUNT, 1)
    assert scene.condition("ModelAccepted")[:2] == ("True", "Accepted")


@pytest.mark.parametrize(
    "level",
    [
        MODELPLANES._replace(serving="another"),
        MODELPLANES._replace(owner=Owner(NAMESPACE, "another", UID)),
        MODELPLANES._replace(owner=Owner("other-team", REPLICA, UID)),
        MODELPLANES._replace(owner=OLD_UID),
    ],
)
def test_what_is_anothers_is_left_alone_and_named(level: WorkloadLevel) -> None:
    """Of another name, namespace, or of a uid that exists, it is neither changed nor deleted."""
    scene = scene_with(DEPLOYMENT, level)
    if level.owner == OLD_UID:
        scene.replica(uid="another-uid", spec=scene.spec(cluster="two"))
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    assert scene.workload() == level
    words = scene.condition("Ready")
    assert words[:2] == ("False", "Refused")
    assert "Deployment" in words[2]
    scene.replica(spec=scene.spec(cache=""), deleting=True)
    scene.carry_out()
    assert scene.workload() == level
    assert UID not in scene.state.replicas


def test_what_an_object_of_our_name_left_is_taken_over_when_it_is_gone() -> None:
    """While a replica of that uid exists it is its own; then it is its namesake's, as it stands."""
    scene = ServingScene().serving()
    known = scene.there(DEPLOYMENT)
    assert known is not None
    old = scene.mr.subject
    scene.replica(uid="uid-2", spec=scene.spec())
    scene.carry_out()
    assert scene.workload().owner.uid == UID
    scene.gone("home", old)
    scene.carry_out()
    assert scene.there(DEPLOYMENT) is not None
    assert scene.workload().owner.uid == "uid-2"
    assert scene.there(DEPLOYMENT).subject.uid == known.subject.uid  # type: ignore[union-attr]
    assert UID not in scene.state.replicas


def test_a_name_that_turns_out_to_be_taken_is_tried_again() -> None:
    """Somebody made an object of the name meanwhile: it is refused, told, and looked at again."""
    scene = ServingScene()
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out(f"apply {SERVICE}", f"apply {DEPLOYMENT}")
    scene.refuse(f"apply {SERVICE}", Refused(409, "NameTaken", "it is another's"))
    assert "it is another's" in scene.condition("Ready")[2]
    assert f"apply {SERVICE}" not in scene.replica_doing()
    scene.wait(1)
    assert f"apply {SERVICE}" in scene.replica_doing()
    scene.carry_out()
    assert scene.there(SERVICE) is not None


def answered(scene: ReplicaScene, what: str, *, first: bool) -> None:
    """The open apply of an object is done: answered before it is seen, or after."""
    before = len(scene.state.open)
    [seq] = [
        seq
        for seq, one in scene.state.open.items()
        if f"{one.intent.kind} {one.intent.name}" == what  # type: ignore[union-attr]
    ]
    known = scene.there(what)
    assert known is not None
    level = scene.level_after(seq)
    tells: list[Observation] = [
        Answered(seq, Done(known.subject.uid)),
        Seen(ONE, known.subject, str(scene.next()), level),
    ]
    for one in tells if first else reversed(tells):
        scene.tell(one)
    assert len(scene.state.open) < before


@pytest.mark.parametrize("first", [True, False])
@KINDS
def test_a_change_of_the_spec_is_applied_once(what: str, *, first: bool) -> None:
    """Whether the answer or the object comes first: there is one apply, and nothing to repair."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    answered(scene, what, first=first)
    scene.wait(600)
    assert scene.applied == 1
    assert scene.condition("Ready") == ("True", "Available", "")


@pytest.mark.parametrize("what", [DEPLOYMENT, SERVICE, TEMPLATE])
@pytest.mark.parametrize("first", [True, False])
def test_an_edit_is_put_right_once_a_minute(what: str, *, first: bool) -> None:
    """What somebody took over of our fields is applied again, at once and then after a minute."""
    scene = ServingScene().serving()
    scene.wait(600)
    before = scene.times(what)
    scene.edit(what, fields="theirs")
    assert scene.times(what) == before + 1
    answered(scene, what, first=first)
    scene.wait(5)
    assert scene.times(what) == before + 1
    scene.edit(what, fields="theirs again")
    scene.wait(30)
    assert scene.times(what) == before + 1
    assert scene.condition("Ready")[:2] == ("False", "Progressing")
    scene.wait(30)
    assert scene.times(what) == before + 2
    answered(scene, what, first=first)
    scene.wait(600)
    assert scene.times(what) == before + 2
    assert scene.condition("Ready") == ("True", "Available", "")


def test_a_change_of_the_spec_does_not_wait_for_a_repair() -> None:
    """What somebody keeps editing is put right rarely; what the user wants is applied at once."""
    scene = ServingScene().serving()
    scene.edit(fields="theirs")
    scene.carry_out()
    scene.edit(fields="theirs again")
    before = scene.times(DEPLOYMENT)
    scene.replica(spec=scene.spec(copies=2), generation=2)
    assert scene.times(DEPLOYMENT) == before + 1
    scene.carry_out()
    assert scene.workload().replicas == 2


@pytest.mark.parametrize(
    "edit", [{"owner": Owner(), "applied": ""}, {"applied": "garbage"}], ids=["stripped", "garbled"]
)
def test_what_lost_our_marks_is_still_ours(edit: dict[str, Any]) -> None:
    """Annotations that somebody edits are put back, and no more than once a minute either."""
    scene = ServingScene().serving()
    scene.wait(600)
    before = scene.times(DEPLOYMENT)
    for _ in range(10):
        scene.edit(fields="theirs", **edit)
        scene.carry_out()
    assert scene.times(DEPLOYMENT) == before + 1
    scene.wait(60)
    scene.carry_out()
    assert scene.workload().owner == Owner(NAMESPACE, REPLICA, UID)
    assert scene.times(DEPLOYMENT) == before + 2


@KINDS
def test_an_edit_during_our_apply_is_not_taken_for_ours(what: str) -> None:
    """What is seen before the answer came says nothing yet; what is seen right after it does."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    answered(scene, what, first=False)
    scene.edit(what, fields="theirs")
    assert scene.applied == 2


@pytest.mark.parametrize("level", [PartLevel(), PartLevel(owner=OLD_UID)])
def test_a_template_is_taken_over_by_its_name_alone(level: PartLevel) -> None:
    """Modelplane gave a ResourceClaimTemplate no mark: under our name it is the replica's."""
    scene = scene_with(TEMPLATE, level)
    scene.replica(spec=scene.spec(cache=""))
    known = scene.there(TEMPLATE)
    assert ownership(scene.state, scene.mr, known) is Ownership.OPEN
    assert scene.condition("Ready")[1] != "Refused"


@pytest.mark.parametrize("what", [DEPLOYMENT, SERVICE])
def test_what_was_ours_stays_so_without_its_marks(what: str) -> None:
    """Somebody takes annotations and labels off; a stranger's without marks is another's."""
    scene = ServingScene().serving()
    scene.edit(what, owner=Owner(), serving="")
    known = scene.there(what)
    assert known is not None
    assert ownership(scene.state, scene.mr, known) is Ownership.OPEN
    stranger = known._replace(subject=known.subject._replace(uid="stranger"))
    assert ownership(scene.state, scene.mr, stranger) is Ownership.OTHERS
