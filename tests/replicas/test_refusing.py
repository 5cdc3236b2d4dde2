"""Refusing: what a server does not take is told, tried again more rarely, and delays no other."""

import pytest

from machines.deciding import still_wanted
from machines.levels import NamespaceLevel
from machines.observations import Absent, Answer, Answered, Refused, Unknown
from tests.caches.builders import CLAIM, HOME, ONE, WORKLOAD
from tests.replicas.builders import (
    DEPLOYMENT,
    MOUNT,
    SERVICE,
    TEMPLATE,
    UID,
    engine,
    member,
    spec_of,
)
from tests.replicas.serving import KINDS, ServingScene, open_body

QUOTA = Refused(403, "Forbidden", "exceeded quota: gpus")
IMMUTABLE = Refused(422, "Invalid", "spec: Invalid value: field is immutable")


def begun(scene: ServingScene, *but: str) -> None:
    """A replica without a cache is composed, but for this."""
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out(*(f"apply {what}" for what in but))


@KINDS
def test_a_refused_workload_is_tried_again_with_growing_waits(what: str) -> None:
    """One second, two, four, up to a minute; the object and the server's words are told."""
    scene = ServingScene(what)
    begun(scene, what)
    for wait in (1, 2, 4, 8, 16, 32, 60, 60):
        scene.refuse(f"apply {what}", QUOTA)
        ready = scene.condition("Ready")
        assert ready[:2] == ("False", "Refused")
        assert "exceeded quota: gpus" in ready[2]
        assert what.split()[1] in ready[2]
        scene.wait(wait - 0.5)
        assert scene.replica_doing() == []
        scene.wait(0.5)
        assert scene.replica_doing() == [f"apply {what}"]
    scene.serve(what)
    assert scene.condition("Ready") == ("True", "Available", "")


def test_a_refused_replica_delays_no_other() -> None:
    """Beside one that is refused another is composed at once."""
    scene = ServingScene()
    begun(scene, DEPLOYMENT)
    scene.refuse(f"apply {DEPLOYMENT}", QUOTA)
    scene.replica(uid="uid-2", name="r2", spec=scene.spec(cache=""))
    scene.carry_out()
    assert any(known.owner.uid == "uid-2" for known in workloads(scene))
    assert scene.condition("Ready")[1] == "Refused"


def workloads(scene: ServingScene) -> list:  # type: ignore[type-arg]  # levels of one kind
    """Give the levels of every Deployment."""
    return [known.level for _, known in scene.all_of("Deployment")]


def test_a_refused_engine_delays_no_other() -> None:
    """Of two engines the one runs while the other is refused."""
    scene = ServingScene()
    scene.replica(spec=spec_of(engine(), engine("second"), cache=""))
    scene.carry_out(f"apply {DEPLOYMENT}")
    scene.refuse(f"apply {DEPLOYMENT}", QUOTA)
    assert scene.second_there() is not None
    assert scene.condition("ModelReady")[0] == "False"


def test_a_change_of_the_spec_keeps_the_pace_of_refusals() -> None:
    """A refusal is forgotten with what was asked for, not sooner."""
    scene = ServingScene()
    begun(scene, DEPLOYMENT)
    scene.refuse(f"apply {DEPLOYMENT}", QUOTA)
    scene.replica(spec=scene.spec(cache="nobody"), generation=2)
    scene.replica(spec=scene.spec(cache="", copies=2), generation=3)
    scene.carry_out()
    assert scene.workload().replicas == 2


@pytest.mark.parametrize("answer", [Refused(404, "NotFound", "namespace not found"), Absent()])
def test_a_namespace_that_went_is_made_again(answer: Answer) -> None:
    """What was to be made in it is made after it, with the mount that it had."""
    scene = ServingScene().serving()
    [(_, known)] = [one for one in scene.all_of("Namespace") if one[1].subject.name == WORKLOAD]
    scene.removed(DEPLOYMENT)
    scene.refuse(f"apply {DEPLOYMENT}", answer)
    scene.claim_gone()
    scene.gone(ONE, known.subject)
    scene.removed(SERVICE)
    scene.removed(TEMPLATE)
    assert f"create Namespace {WORKLOAD}" in scene.replica_doing()
    scene.carry_out()
    scene.wait(5)
    scene.carry_out()
    assert scene.workload().mount == MOUNT
    assert scene.there(SERVICE) is not None


def test_a_namespace_that_is_going_is_told() -> None:
    """The server's words are told until it is gone and made again."""
    scene = ServingScene()
    scene.namespace(ONE, terminating=True)
    scene.replica(spec=scene.spec(cache=""), held=True)
    words = Refused(403, "Forbidden", "namespace is being terminated", terminating=True)
    scene.refuse(f"apply {SERVICE}", words)
    assert "being terminated" in scene.condition("Ready")[2]
    [(_, known)] = scene.all_of("Namespace")
    assert isinstance(known.level, NamespaceLevel)
    scene.gone(ONE, known.subject)
    for what in scene.replica_doing():
        if what.startswith("apply"):
            scene.refuse(what, words)
    scene.carry_out()
    scene.wait(5)
    scene.carry_out()
    assert scene.there(SERVICE) is not None
    assert scene.there(DEPLOYMENT) is not None


def changed_devices(scene: ServingScene) -> None:
    """The replica's engine asks for two devices now, and all but the template is refused."""
    device = {"name": "gpu", "deviceClassName": "gpu.nvidia.com", "count": 2}
    one = engine() | {"members": [member(deviceRequests=[device])]}
    scene.replica(spec=spec_of(one, cache=""), generation=2)


def test_device_templates_that_cannot_be_changed_are_made_anew() -> None:
    """Refused as immutable it is deleted and applied anew; the workload waits for it."""
    scene = ServingScene().serving(cache="")
    old = scene.there(TEMPLATE)
    changed_devices(scene)
    assert scene.replica_doing() == [f"apply {TEMPLATE}"]
    scene.refuse(f"apply {TEMPLATE}", IMMUTABLE)
    assert scene.replica_doing() == [f"delete {TEMPLATE}"]
    scene.carry_out(f"apply {TEMPLATE}")
    assert scene.there(TEMPLATE) is None
    assert scene.applied == 0
    scene.wait(1)
    scene.carry_out()
    new = scene.there(TEMPLATE)
    assert old is not None
    assert new is not None
    assert new.subject.uid != old.subject.uid
    assert scene.mr.refusals == {}
    assert scene.condition("ModelReady")[0] == "True"


def test_a_template_that_is_wrong_by_itself_takes_no_other_away() -> None:
    """What was refused for its content is told; what runs keeps its template."""
    scene = ServingScene().serving(cache="")
    changed_devices(scene)
    scene.refuse(f"apply {TEMPLATE}", Refused(422, "Invalid", "spec.devices: bad expression"))
    assert scene.replica_doing() == []
    assert "bad expression" in scene.condition("Ready")[2]
    scene.wait(1)
    assert scene.replica_doing() == [f"apply {TEMPLATE}"]
    assert scene.there(TEMPLATE) is not None


def test_a_workload_waits_for_its_templates() -> None:
    """A Pod whose template is not there never starts: none is made."""
    scene = ServingScene()
    begun(scene, TEMPLATE)
    assert scene.replica_doing() == [f"apply {TEMPLATE}"]
    scene.refuse(f"apply {TEMPLATE}", QUOTA)
    scene.wait(600)
    assert scene.there(DEPLOYMENT) is None
    scene.carry_out()
    assert scene.there(DEPLOYMENT) is not None


@pytest.mark.parametrize("landed", [True, False])
@KINDS
def test_an_apply_without_an_answer_is_looked_up(what: str, *, landed: bool) -> None:
    """It stays open and holds what it may mount, until somebody knows what came of it."""
    scene = ServingScene(what)
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec())
    scene.carry_out(f"apply {what}")
    scene.refuse(f"apply {what}", Unknown("timed out"))
    [(seq, opened)] = scene.state.open.items()
    assert (opened.uncertain, scene.mr.claims) == (True, (CLAIM,))
    if landed:
        scene.carry_out()
        assert scene.workload(what).mount == MOUNT
        assert scene.times(what) == 1
        return
    scene.tell(Answered(seq, Absent()))
    assert (scene.mr.composed, list(scene.mr.claims)) == (False, [])
    scene.wait(1)
    scene.carry_out()
    assert scene.times(what) == 2
    assert scene.workload(what).mount == MOUNT


@KINDS
def test_an_apply_that_is_not_wanted_when_it_is_sent_is_dropped(what: str) -> None:
    """Between decision and sending the cache went: the replica waits, and was never composed."""
    scene = ServingScene(what)
    scene.cache()
    scene.staged()
    scene.replica(spec=scene.spec())
    scene.carry_out(f"apply {what}")
    [seq] = scene.state.open
    assert still_wanted(scene.state, seq)
    scene.claim_gone()
    assert not still_wanted(scene.state, seq)
    scene.tell(Answered(seq, Absent()))
    scene.carry_out()
    assert scene.there(what) is None
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"


def test_a_scaled_workload_keeps_its_number() -> None:
    """An autoscaler's number is left out of every apply, until the user says another."""
    scene = ServingScene().serving(cache="")
    scene.edit(replicas=5, scaled_by="horizontal-pod-autoscaler")
    assert scene.serves_as_before()
    scene.replica(spec=changed_arguments(), generation=2)
    assert "replicas" not in open_body(scene, DEPLOYMENT)["spec"]
    scene.carry_out()
    assert (scene.workload().replicas, scene.workload().copies) == (5, 1)
    scene.starts_anew()
    assert scene.replica_doing() == []
    scene.replica(spec=scene.spec(cache="", copies=3), generation=3)
    assert open_body(scene, DEPLOYMENT)["spec"]["replicas"] == 3
    scene.carry_out()
    scene.edit(scaled_by="")
    assert (scene.workload().replicas, scene.workload().copies) == (3, 3)
    scene.edit(replicas=7, scaled_by="kubectl-scale")
    assert scene.replica_doing() == []
    assert scene.workload().replicas == 7


def changed_arguments() -> dict[str, object]:
    """The spec of a replica whose engine has another argument."""
    container = {"name": "engine", "image": "vllm/vllm-openai:v1", "args": ["--other"]}
    changed = member(template={"spec": {"containers": [container]}})
    return spec_of(engine() | {"members": [changed]}, cache="")


@KINDS
def test_a_kind_that_cannot_be_read_decides_nothing(what: str) -> None:
    """Neither absent nor there: a new replica waits for its cluster, and what runs is left."""
    scene = ServingScene(what).serving()
    scene.unread(what.split(maxsplit=1)[0], "deployments is forbidden")
    assert scene.serves_as_before()
    assert "forbidden" in scene.condition("Ready")[2]
    scene.replica(spec=scene.spec(copies=2), generation=2)
    assert scene.replica_doing() == []
    scene.sync(ONE)
    scene.carry_out()
    assert scene.applied == 1
    assert UID in scene.state.replicas
    assert HOME in scene.state.clusters


@pytest.mark.parametrize("first", [True, False])
def test_a_kind_that_is_not_served_is_unsupported(*, first: bool) -> None:
    """Nothing is half composed for want of the LeaderWorkerSet CRD; what runs is left running."""
    scene = ServingScene("LeaderWorkerSet r-main-bb4e3")
    if first:
        scene.serving(cache="")
    scene.unread("LeaderWorkerSet", "the server has no such kind", served=False)
    scene.replica(spec=scene.spec(cache="", copies=2), generation=2)
    scene.carry_out()
    assert scene.condition("Supported")[:2] == ("False", "Unsupported")
    assert scene.condition("ModelAccepted")[1] == "Unsupported"
    assert (scene.there(SERVICE) is not None, scene.there(scene.what) is not None) == (first,) * 2
    scene.sync(ONE)
    scene.carry_out()
    assert scene.workload(scene.what).replicas == 2
    assert scene.mr.refusals == {}
