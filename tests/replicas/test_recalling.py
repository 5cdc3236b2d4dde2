"""Recalling: what a replica was composed with outlives a lost log, a restart and an upgrade."""

from typing import Any

import pytest

from machines.domain import WARMLOG
from tests.caches.builders import CLAIM, HOME, ONE
from tests.replicas.builders import DEPLOYMENT, MOUNT, SERVICE, UID, engine, spec_of
from tests.replicas.serving import KINDS, OTHER_MOUNT, ServingScene

NOTHING = "nothing at all"
ORDERS = ["status first", "workload first"]


def afresh(
    what: str, status: Any, *, order: str = ORDERS[0], there: bool = True, mount: str = MOUNT
) -> ServingScene:
    """An empty log: the replica is there with this status, its cache is not, its workload may be"""
    old = ServingScene(what).serving()
    scene = ServingScene(what, log_id="log-2")
    scene.start()
    scene.namespace(ONE)

    def workload() -> None:
        known = old.there(what)
        assert known is not None
        scene.see(ONE, known.subject, old.workload(what)._replace(mount=mount))

    def replica() -> None:
        scene.replica(spec=scene.spec(), held=True, status=status)
        scene.sync(HOME)

    steps = [replica, workload] if order == ORDERS[0] else [workload, replica]
    for step in steps if there else [replica]:
        step()
    for one in (SERVICE,):
        known = old.there(one)
        assert known is not None
        scene.see(ONE, known.subject, known.level)
    for _, known in old.all_of("ResourceClaimTemplate"):
        scene.see(ONE, known.subject, known.level)
    scene.sync(ONE)
    scene.sync(HOME)
    return scene


def told(uid: str = UID, mount: Any = NOTHING) -> dict[str, Any]:
    """A status that an earlier log has left."""
    published = ServingScene().serving().status()["mount"] if mount is NOTHING else mount
    ours = {"uid": uid, "log": "log", "position": 7}
    return {"composed": True, "warmlog": ours} | ({"mount": published} if published else {})


@KINDS
def test_a_status_brings_a_deleted_workload_back(what: str) -> None:
    """Log and workload are lost, the cache is gone: it is composed with the mount it had."""
    scene = afresh(what, told(), there=False)
    assert f"apply {what}" in scene.replica_doing()
    scene.carry_out()
    assert scene.workload(what).mount == MOUNT
    assert scene.mr.claims == (CLAIM,)


@KINDS
@pytest.mark.parametrize(
    "status",
    [
        told("another-uid"),
        told(mount={"volumes": [{"name": "x", "hostPath": {"path": "/"}}]}),
        None,
    ],
    ids=["another's", "not plain", "none"],
)
def test_a_status_that_proves_nothing_brings_nothing_back(what: str, status: Any) -> None:
    """One of another uid, or with a mount that is not plain, makes no replica run."""
    scene = afresh(what, status, there=False)
    scene.carry_out()
    assert scene.there(what) is None
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"


@KINDS
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("status", [None, told(), told("another-uid")])
@pytest.mark.parametrize("mount", [MOUNT, OTHER_MOUNT, ""])
def test_a_workload_says_more_than_a_status(what: str, status: Any, order: str, mount: str) -> None:
    """What runs is kept, whatever a status says and in whichever order the two are seen."""
    scene = afresh(what, status, order=order, mount=mount)
    scene.carry_out()
    assert scene.workload(what).mount == mount
    assert scene.mr.kept == mount
    assert scene.condition("ModelAccepted")[:2] == ("True", "Accepted")
    assert scene.condition("ModelReady") == ("True", "Serving", "")


@pytest.mark.parametrize("order", ORDERS)
def test_an_empty_log_applies_nothing_to_what_is_as_it_is_to_be(order: str) -> None:
    """The digests on what runs are enough: nothing is written, whatever is seen first."""
    scene = afresh(DEPLOYMENT, told(), order=order)
    assert scene.replica_doing() == []
    assert scene.applies() == []


@KINDS
def test_a_lost_log_with_a_workload_lost_beside_it(what: str) -> None:
    """Of two engines one is gone: it comes back with the replica's mount, the other is kept."""
    old = ServingScene(what)
    old.cache()
    old.replica(spec=spec_of(engine(gang=what != DEPLOYMENT), engine("second")))
    old.staged()
    scene = ServingScene(what, log_id="log-2")
    scene.start()
    scene.namespace(ONE)
    scene.replica(spec=old.spec_text(), held=True, status=told())
    known = old.there(what)
    assert known is not None
    scene.see(ONE, known.subject, known.level)
    scene.sync(HOME)
    scene.sync(ONE)
    scene.carry_out()
    assert (scene.workload(what).mount, scene.second().mount) == (MOUNT, MOUNT)


@KINDS
def test_an_upgrade_applies_the_same_pods_again(what: str) -> None:
    """What bears another version's digest is applied once, with what its engine had."""
    scene = ServingScene(what).serving()
    scene.claim_gone()
    scene.carry_out()
    scene.edit(what, applied="digest of 0.1", fields="fields of 0.1")
    scene.mr.owned.clear()
    scene.starts_anew()
    scene.carry_out()
    assert (scene.applied, scene.workload(what).mount) == (1, MOUNT)
    assert scene.condition("ModelReady") == ("True", "Serving", "")


@KINDS
def test_a_restart_during_an_apply_goes_on_with_it(what: str) -> None:
    """What was open is still open, and is not decided a second time."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    scene.starts_anew()
    assert scene.applied == 1
    [opened] = scene.state.open.values()
    assert opened.uncertain
    scene.carry_out()
    assert scene.workload(what).replicas == 2
    assert scene.applied == 1


@KINDS
def test_a_snapshot_goes_on_as_the_log_does(what: str) -> None:
    """State as text and back is the same state, in the middle of a switch."""
    scene = ServingScene(what).serving()
    scene.other_cache()
    scene.replica(spec=scene.spec(cache="other"), generation=2)
    scene.carry_out()
    scene.state = WARMLOG.load(WARMLOG.dump(scene.state))
    assert scene.serves_as_before()
    scene.staged()
    assert scene.workload(what).mount == OTHER_MOUNT


@KINDS
@pytest.mark.parametrize("order", [0, 1, 2])
def test_kinds_may_be_listed_in_any_order(what: str, order: int) -> None:
    """Whichever kind comes last, what runs is known and left alone."""
    scene = ServingScene(what).serving()
    scene.start()
    kinds = ["Namespace", "Service", "Deployment", "LeaderWorkerSet", "ResourceClaimTemplate"]
    scene.sync(HOME)
    for kind in kinds[order * 2 :] + kinds[: order * 2]:
        assert scene.replica_doing() == []
        scene.tell(scene.listed(ONE, kind))
    assert scene.serves_as_before()
    scene.removed(what)
    assert f"apply {what}" in scene.replica_doing()
