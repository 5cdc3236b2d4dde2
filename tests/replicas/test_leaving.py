"""Leaving: what a replica has goes before it does, in any order of what it is about."""

import pytest

from machines.caches.levels import Owner
from machines.observations import Answered, Done, Refused, Unknown
from machines.replicas.levels import PartLevel
from tests.caches.builders import CLAIM, HOME, NAMESPACE, ONE
from tests.caches.builders import UID as CACHE_UID
from tests.replicas.builders import (
    DEPLOYMENT,
    MOUNT,
    REPLICA,
    SERVICE,
    TEMPLATE,
    UID,
    engine,
    spec_of,
)
from tests.replicas.serving import KINDS, ServingScene

COMPOSED = ("Deployment", "LeaderWorkerSet", "Service", "ResourceClaimTemplate")


def left(scene: ServingScene) -> list[str]:
    """Give the kinds of which something is left on any cluster."""
    return [kind for kind in COMPOSED if scene.all_of(kind)]


def released(scene: ServingScene) -> bool:
    """Say whether the replica is gone, and nothing of it is left, nor open, nor waited for."""
    waits = [one for one in scene.state.timers if one[1] == UID]
    return UID not in scene.state.replicas and not left(scene) and not waits


@KINDS
def test_the_finalizer_comes_first(what: str) -> None:
    """Nothing at all is composed before the replica is seen to bear it."""
    scene = ServingScene(what)
    scene.replica(spec=scene.spec(cache=""))
    assert scene.replica_doing() == ["Hold ModelReplica r"]
    scene.refuse("Hold ModelReplica r", Done(UID))
    assert scene.replica_doing() == []
    scene.replica(spec=scene.spec(cache=""), held=True)
    assert scene.replica_doing() == ["create Namespace mp-ml-team-51733"]


@KINDS
def test_who_is_held_by_what_this_log_did_not_do_may_have_something_anywhere(what: str) -> None:
    """It was held in a past that a list from before it has hidden: it is not taken for new."""
    scene = ServingScene(what)
    scene.replica(spec=scene.spec(cache=""))
    assert scene.state.replicas[UID].untouched
    scene.refuse("Hold ModelReplica r", Refused(500, "InternalError", "no"))
    scene.replica(spec=scene.spec(cache=""), held=True)
    assert not scene.state.replicas[UID].untouched


@KINDS
def test_a_deleted_replica_takes_everything_along(what: str) -> None:
    """All of its objects go, then its finalizer, then what is known of it."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(), deleting=True)
    assert all(what.startswith("delete ") for what in scene.replica_doing())
    assert scene.condition("Terminating")[0] == "True"
    scene.carry_out()
    assert released(scene)


@KINDS
def test_a_workload_whose_deletion_takes_its_time_is_waited_for(what: str) -> None:
    """It is not deleted twice, and the finalizer stays until it is gone."""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(), deleting=True)
    scene.edit(what, deleting=True)
    scene.refuse(f"delete {what}", Done("uid"))
    scene.carry_out()
    scene.wait(3600)
    assert scene.replica_doing() == []
    assert what.split()[1] in scene.condition("Terminating")[2]
    scene.removed(what)
    scene.carry_out()
    assert released(scene)


@KINDS
def test_replica_first_then_cache(what: str) -> None:
    """A cache whose replica went before it lets go of its claim at once [S32]"""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(), deleting=True)
    scene.carry_out()
    scene.cache(deleting=True)
    scene.users()
    scene.carry_out()
    assert released(scene)
    assert scene.all_of("PersistentVolumeClaim") == []
    assert not scene.mc.level.held


@KINDS
def test_cache_first_then_replica(what: str) -> None:
    """A deleted cache keeps the claim of what runs, whose deletion then ends both [S32] [C18]"""
    scene = ServingScene(what).serving()
    scene.cache(deleting=True)
    scene.users()
    scene.carry_out()
    scene.wait(3600)
    assert scene.serves_as_before()
    assert [known.subject.name for _, known in scene.all_of("PersistentVolumeClaim")] == [CLAIM]
    assert (scene.entry().retained, scene.mc.level.held) == (True, True)
    scene.replica(spec=scene.spec(), deleting=True)
    scene.carry_out()
    assert released(scene)
    assert scene.all_of("PersistentVolumeClaim") == []


@KINDS
def test_a_deselected_cluster_keeps_the_claim_of_what_runs(what: str) -> None:
    """It stays retained as long as a replica there was composed with it [C19]"""
    scene = ServingScene(what).serving()
    scene.cache(selected("two"))
    scene.users()
    scene.carry_out()
    assert scene.entry().retained
    scene.starts_anew()
    scene.carry_out()
    assert scene.serves_as_before()
    assert scene.all_of("PersistentVolumeClaim") != []
    scene.replica(spec=scene.spec(cache=""), generation=2)
    scene.carry_out()
    assert scene.all_of("PersistentVolumeClaim") == []


def selected(name: str) -> dict[str, object]:
    """The spec of a cache that stages to the cluster of this name alone."""
    hub = {"repo": "Qwen/Qwen3-8B", "sizeGiB": 50}
    selector = {"matchLabels": {"name": name}}
    return {"source": "HuggingFace", "huggingFace": hub, "clusterSelector": selector}


def test_a_claim_that_an_apply_may_mount_is_kept() -> None:
    """While nobody knows whether an apply with a mount landed, its claim stays."""
    scene = ServingScene()
    scene.cache()
    scene.replica(spec=scene.spec())
    scene.carry_out()
    scene.all_bound()
    scene.job("Complete")
    scene.carry_out(f"apply {DEPLOYMENT}")
    scene.refuse(f"apply {DEPLOYMENT}", Unknown("timed out"))
    scene.cache(deleting=True)
    scene.users()
    assert scene.mr.claims == (CLAIM,)
    scene.carry_out(f"apply {DEPLOYMENT}")
    assert scene.all_of("PersistentVolumeClaim") != []


def test_a_claim_is_kept_until_the_workloads_are_known() -> None:
    """With an empty log nobody knows what a replica mounts before its workload is listed."""
    old = ServingScene().serving()
    scene = ServingScene(log_id="log-2")
    scene.start()
    for known in old.state.clusters[ONE].objects["PersistentVolumeClaim"].values():
        scene.see(ONE, known.subject, known.level)
    scene.namespace(ONE)
    scene.sync(ONE)
    scene.start()
    scene.see(HOME, old.mc.subject, old.mc.level._replace(deleting=True))
    scene.replica(spec=scene.spec(), held=True)
    scene.sync(HOME)
    for kind in ("Namespace", "Node", "StorageClass", "PersistentVolumeClaim"):
        scene.tell(scene.listed(ONE, kind))
    for kind in ("HydrationJob", "HydrationPod", "Service", "ResourceClaimTemplate"):
        scene.tell(scene.listed(ONE, kind))
    scene.users()
    assert not any("PersistentVolumeClaim" in what for what in scene.doing())
    workload = old.there(DEPLOYMENT)
    assert workload is not None
    scene.see(ONE, workload.subject, workload.level)
    scene.sync(ONE)
    scene.carry_out()
    assert scene.mr.claims == (CLAIM,)
    assert scene.all_of("PersistentVolumeClaim") != []


@KINDS
def test_cluster_first_then_replica(what: str) -> None:
    """Without its InferenceCluster a replica goes, and says what stays behind [S32]"""
    scene = ServingScene(what).serving()
    scene.gone(HOME, scene.cluster_subject("one"))
    scene.replica(spec=scene.spec(), deleting=True)
    assert what.split()[1] in scene.mr.left.words
    scene.carry_out()
    assert UID not in scene.state.replicas


@KINDS
def test_replica_first_then_cluster(what: str) -> None:
    """What was being deleted when the InferenceCluster went is forgotten, open or not [S32]"""
    scene = ServingScene(what).serving()
    scene.replica(spec=scene.spec(), deleting=True)
    assert f"delete {what}" in scene.replica_doing()
    scene.gone(HOME, scene.cluster_subject("one"))
    scene.carry_out()
    assert UID not in scene.state.replicas


@KINDS
def test_an_unreachable_cluster_holds_a_deletion_and_says_so(what: str) -> None:
    """Nothing is let go of for lack of an answer; when it comes, all is cleared away."""
    scene = ServingScene(what).serving()
    scene.unreachable()
    scene.replica(spec=scene.spec(), deleting=True)
    scene.wait(3600)
    assert scene.replica_doing() == []
    assert "no route to host" in scene.condition("Terminating")[2]
    scene.reachable()
    scene.carry_out()
    assert released(scene)


@KINDS
def test_a_cluster_that_never_answered_holds_nothing(what: str) -> None:
    """Where nothing was ever applied there is nothing to clear away."""
    scene = ServingScene(what)
    scene.unreachable()
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    assert scene.mr.level.held
    scene.replica(spec=scene.spec(cache=""), deleting=True)
    scene.carry_out()
    assert released(scene)


@pytest.mark.parametrize("cluster", ["one", "nowhere"])
def test_a_replica_that_was_held_before_this_log_waits_for_its_cluster(cluster: str) -> None:
    """With an empty log nobody knows whether there is anything, unless the cluster is no more."""
    scene = ServingScene()
    scene.unreachable()
    scene.replica(spec=scene.spec(cache="", cluster=cluster), held=True, deleting=True)
    scene.carry_out()
    assert (UID in scene.state.replicas) == (cluster == "one")
    scene.reachable()
    scene.carry_out()
    assert released(scene)


def test_a_service_alone_is_cleared_away_too() -> None:
    """What was applied before the engines is something, though nothing of it runs."""
    scene = ServingScene()
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out(f"apply {DEPLOYMENT}")
    scene.refuse(f"apply {DEPLOYMENT}", Refused(403, "Forbidden", "exceeded quota"))
    assert scene.there(SERVICE) is not None
    scene.unreachable()
    scene.replica(spec=scene.spec(cache=""), deleting=True)
    scene.carry_out()
    assert UID in scene.state.replicas
    scene.reachable()
    scene.carry_out()
    assert released(scene)


@KINDS
def test_a_deletion_during_an_apply_waits_for_its_answer(what: str) -> None:
    """Whatever the apply made is deleted; nothing of it is left when the replica is gone."""
    scene = ServingScene(what)
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out(f"apply {what}")
    scene.replica(spec=scene.spec(cache=""), deleting=True)
    scene.carry_out(f"apply {what}")
    assert UID in scene.state.replicas
    scene.carry_out()
    assert released(scene)


@KINDS
def test_a_replica_whose_finalizer_was_torn_off_is_cleared_away(what: str) -> None:
    """What it left, and nobody wants, is deleted."""
    scene = ServingScene(what).serving()
    scene.gone(HOME, scene.mr.subject)
    scene.carry_out()
    assert released(scene)


def test_a_namesake_takes_over_what_it_wants_and_no_more() -> None:
    """Of what a vanished replica left the engines go that its namesake has not."""
    scene = ServingScene()
    scene.replica(spec=spec_of(engine(), engine("second"), cache=""))
    scene.carry_out()
    scene.unreachable()
    scene.gone(HOME, scene.mr.subject)
    scene.replica(uid="uid-2", spec=scene.spec(cache=""))
    scene.reachable()
    scene.carry_out()
    assert scene.second_there() is None
    assert scene.workload().owner.uid == "uid-2"
    assert UID not in scene.state.replicas


def test_a_namesake_elsewhere_inherits_nothing() -> None:
    """What a vanished replica left on its cluster is not its that is pinned to another."""
    scene = ServingScene("Deployment r-main-bb4e3", "one", "two")
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    scene.unreachable()
    scene.gone(HOME, scene.mr.subject)
    scene.replica(uid="uid-2", spec=scene.spec(cache="", cluster="two"))
    scene.reachable()
    scene.carry_out()
    assert scene.there(DEPLOYMENT) is None
    assert scene.there(DEPLOYMENT, "ic/two") is not None


def test_what_bears_the_name_of_one_that_is_gone_goes_too() -> None:
    """A leftover of a vanished namesake is deleted with the replica, composed or not."""
    scene = ServingScene()
    scene.namespace(ONE)
    subject = scene.subject("Service", REPLICA, "theirs")._replace(namespace="mp-ml-team-51733")
    scene.see(ONE, subject, PartLevel(Owner(NAMESPACE, REPLICA, "gone-uid"), REPLICA, "old"))
    scene.replica(spec=scene.spec(), held=True)
    scene.carry_out()
    assert scene.condition("ModelAccepted")[1] == "WaitingForCache"
    scene.replica(spec=scene.spec(), deleting=True)
    scene.carry_out()
    assert released(scene)


def test_a_refused_deletion_is_tried_again_and_told() -> None:
    """The finalizer is never let go of because somebody may not delete."""
    scene = ServingScene().serving()
    scene.replica(spec=scene.spec(), deleting=True)
    scene.refuse(f"delete {DEPLOYMENT}", Refused(403, "Forbidden", "may not delete"))
    assert "may not delete" in scene.condition("Terminating")[2]
    scene.carry_out()
    scene.wait(1)
    assert scene.replica_doing() == [f"delete {DEPLOYMENT}"]
    scene.carry_out()
    assert released(scene)


def test_what_an_engine_left_that_was_renamed_meanwhile_is_cleared_away() -> None:
    """An apply that lands after its engine was taken out of the spec leaves nothing behind."""
    scene = ServingScene()
    scene.cache()
    scene.staged()
    scene.replica(spec=spec_of(engine("old")))
    scene.carry_out("apply Deployment r-old-6ac9a")
    [seq] = scene.state.open
    level = scene.level_after(seq)
    one = scene.state.open[seq].intent
    scene.replica(spec=scene.spec(), generation=2)
    scene.claim_gone()
    subject = scene.subject("Deployment", one.name, "late")  # type: ignore[union-attr]
    scene.see(ONE, subject._replace(namespace="mp-ml-team-51733"), level)
    scene.tell(Answered(seq, Done("late")))
    scene.carry_out()
    assert scene.mr.composed
    assert scene.workload().mount == MOUNT
    assert len(scene.all_of("Deployment")) == 1
    assert scene.there(TEMPLATE) is not None
    assert CACHE_UID in scene.state.caches


def test_two_objects_of_one_name_are_deleted_one_after_the_other() -> None:
    """Where one was made anew before its end was seen, both go, and none stays open for ever."""
    scene = ServingScene().serving()
    known = scene.there(DEPLOYMENT)
    assert known is not None
    scene.see(ONE, known.subject._replace(uid="another"), known.level)
    scene.replica(spec=scene.spec(), deleting=True)
    assert scene.replica_doing().count(f"delete {DEPLOYMENT}") == 1
    scene.carry_out()
    scene.wait(10)
    scene.carry_out()
    assert released(scene)
    assert scene.state.open == {}
