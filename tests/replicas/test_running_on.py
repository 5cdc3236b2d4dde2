"""The behaviour table for a replica that runs: whatever its cache does, it is left as it is."""

from collections.abc import Callable

import pytest

from tests.caches.builders import CLAIM, HOME
from tests.caches.builders import spec_of as cache_spec
from tests.replicas.builders import MOUNT, SERVICE
from tests.replicas.serving import KINDS, ServingScene

Breaks = Callable[[ServingScene], None]


def cache_deleted(scene: ServingScene) -> None:
    """The cache is gone, finalizer or not."""
    scene.cache_gone()


def cache_leaving(scene: ServingScene) -> None:
    """The cache is being deleted, and no Pod of an engine is there yet."""
    scene.cache(deleting=True)
    scene.users()


def deselected(scene: ServingScene) -> None:
    """The cache stages elsewhere now."""
    scene.cache(cache_spec(selector={"name": "two"}))


def unlabelled(scene: ServingScene) -> None:
    """The cluster leaves the cache's selector."""
    scene.cache(cache_spec(selector={"name": "one"}))
    scene.cluster("one", labels=())


def claim_gone(scene: ServingScene) -> None:
    """The claim is gone, and the next one waits."""
    scene.claim_gone()


def claim_lost(scene: ServingScene) -> None:
    """The claim lost its volume."""
    scene.claim("Lost")


def hydrating(scene: ServingScene) -> None:
    """The claim is another one, and is filled."""
    scene.claim_gone()
    scene.carry_out()
    scene.all_bound()


def failed(scene: ServingScene) -> None:
    """The claim is another one, and could not be filled."""
    hydrating(scene)
    scene.job("Failed", reason="BackoffLimitExceeded", message="has reached the limit")
    scene.wait(10)


def tokenless(scene: ServingScene) -> None:
    """The claim is another one, and the token to fill it is missing."""
    scene.cache(cache_spec(secret="hub"))
    scene.list_secrets()
    scene.claim_gone()


BREAKS = [
    (cache_deleted, "ModelCache qwen not found in namespace ml-team"),
    (cache_leaving, "is being deleted"),
    (deselected, "ModelCache qwen does not stage to cluster one"),
    (unlabelled, "ModelCache qwen does not stage to cluster one"),
    (claim_gone, CLAIM),
    (claim_lost, CLAIM),
    (hydrating, "Qwen/Qwen3-8B"),
    (failed, "has reached the limit"),
    (tokenless, "Secret ml-team/hub"),
]
BROKEN = pytest.mark.parametrize(
    ("breaks", "words"), BREAKS, ids=[one.__name__ for one, _ in BREAKS]
)
QUIETLY = pytest.mark.parametrize(
    "breaks", [one for one, _ in BREAKS], ids=[one.__name__ for one, _ in BREAKS]
)


@BROKEN
@KINDS
def test_a_running_replica_keeps_its_mount(what: str, breaks: Breaks, words: str) -> None:
    """Whatever its cache lacks, it is accepted and serves, and is told why [C12] [C13] [C18]"""
    scene = ServingScene(what).serving()
    breaks(scene)
    assert scene.serves_as_before()
    assert words in scene.condition("ModelAccepted")[2]
    assert scene.workload(what).mount == MOUNT


@QUIETLY
@KINDS
def test_nothing_more_is_said_while_the_cause_stays(what: str, breaks: Breaks) -> None:
    """An hour with a broken cache moves the replica's status no further [C17]"""
    scene = ServingScene(what).serving()
    breaks(scene)
    scene.carry_out()
    scene.wait(120)
    position, words = scene.mr.position, scene.condition("ModelAccepted")
    if "next try" not in words[2] and "try again" not in words[2]:
        scene.wait(3600)
        assert (scene.mr.position, scene.condition("ModelAccepted")) == (position, words)
    assert scene.serves_as_before()


@QUIETLY
@KINDS
def test_another_change_is_applied_with_the_kept_mount(what: str, breaks: Breaks) -> None:
    """New arguments or copies are not held back by a cache that waits."""
    scene = ServingScene(what).serving()
    breaks(scene)
    scene.carry_out()
    scene.replica(spec=scene.spec(copies=2), generation=2)
    scene.carry_out()
    assert scene.applied == 1
    assert (scene.workload(what).mount, scene.workload(what).replicas) == (MOUNT, 2)


@QUIETLY
@KINDS
def test_a_workload_that_was_deleted_by_hand_comes_back(what: str, breaks: Breaks) -> None:
    """It is composed with the mount that it had, though its cache gives none now."""
    scene = ServingScene(what).serving()
    breaks(scene)
    scene.carry_out()
    scene.removed(what)
    assert scene.condition("ModelAccepted")[:2] == ("False", "Deploying")
    scene.carry_out()
    assert scene.workload(what).mount == MOUNT
    scene.available(what)
    assert scene.condition("ModelReady") == ("True", "Serving", "")


@QUIETLY
@KINDS
def test_a_reference_that_is_removed_is_followed_at_once(what: str, breaks: Breaks) -> None:
    """Without a reference the state of the cache is of no account: one apply, without a mount."""
    scene = ServingScene(what).serving()
    breaks(scene)
    scene.carry_out()
    scene.replica(spec=scene.spec(cache=""), generation=2)
    scene.carry_out()
    assert scene.applied == 1
    assert scene.workload(what).mount == ""
    assert "mount" not in scene.status()


@QUIETLY
@KINDS
def test_a_cache_that_heals_restarts_nothing(what: str, breaks: Breaks) -> None:
    """When its cache is Ready again, made anew or not, the mount is the same to a byte."""
    scene = ServingScene(what).serving()
    breaks(scene)
    scene.carry_out()
    scene.claim_gone()
    scene.carry_out()
    if scene.state.caches:
        scene.cache_gone()
    scene.cluster("one")
    scene.cache(uid="cache-uid-2")
    scene.staged()
    assert scene.serves_as_before()
    assert scene.condition("ModelAccepted") == ("True", "Accepted", "")


@KINDS
def test_a_published_mount_that_is_the_kept_one_changes_nothing(what: str) -> None:
    """Lists, restarts and hours bring no apply to a replica that serves."""
    scene = ServingScene(what).serving()
    scene.starts_anew()
    scene.wait(7200)
    scene.starts_anew()
    assert scene.serves_as_before()


@KINDS
def test_an_unreachable_cluster_changes_nothing_for_a_running_replica(what: str) -> None:
    """It serves as far as is known, with what is known, before and after the silence."""
    scene = ServingScene(what).serving()
    scene.unreachable()
    scene.claim_gone()
    scene.wait(60)
    assert scene.condition("ModelReady") == ("True", "Serving", "")
    assert "no route to host" in scene.condition("Ready")[2]
    assert scene.replica_doing() == []
    scene.reachable()
    assert scene.serves_as_before()


@KINDS
def test_a_new_replica_on_an_unreachable_cluster_waits_for_it(what: str) -> None:
    """Nothing is decided there; the client's words are told."""
    scene = ServingScene(what)
    scene.unreachable()
    scene.replica(spec=scene.spec(cache=""))
    scene.carry_out()
    assert scene.there(what) is None
    accepted = scene.condition("ModelAccepted")
    assert accepted[:2] == ("False", "WaitingForCluster")
    assert "no route to host" in accepted[2]
    scene.reachable()
    scene.serve(what)
    assert scene.condition("Ready")[0] == "True"


@KINDS
def test_a_missing_cluster_prunes_nothing(what: str) -> None:
    """A replica whose InferenceCluster is gone says so, and goes on when it is back [C21]"""
    scene = ServingScene(what).serving()
    level, known = scene.workload(what), scene.there(what)
    service = scene.there(SERVICE)
    scene.gone(HOME, scene.cluster_subject("one"))
    scene.carry_out()
    assert scene.condition("ModelAccepted")[1] == "WaitingForCluster"
    assert not any('"Deployment"' in row.data for row in scene.rows if row.type == "DeleteIntended")
    scene.cluster("one", uid="one-uid-2")
    scene.storage_class("ic/one")
    scene.namespace("ic/one")
    assert known is not None
    assert service is not None
    scene.see("ic/one", known.subject, level)
    scene.see("ic/one", service.subject, service.level)
    template = "ResourceClaimTemplate"
    assert scene.all_of(template) == []
    scene.sync("ic/one")
    scene.carry_out()
    assert scene.applied == 0
    assert scene.workload(what).mount == MOUNT


@KINDS
@pytest.mark.parametrize("lost", ["storage class", "kubeconfig"])
def test_a_cluster_that_loses_a_part_for_a_moment_loses_no_engine(what: str, lost: str) -> None:
    """A class or a kubeconfig that vanishes is no reason to touch what runs [C20]"""
    scene = ServingScene(what).serving()
    if lost == "kubeconfig":
        secret = scene.known_secret("one-kubeconfig")
        scene.gone(HOME, secret.subject)
        scene.lists_all()
        assert scene.condition("ModelAccepted")[1] == "WaitingForCluster"
        scene.see(HOME, secret.subject._replace(uid="k-uid-2"), secret.level)
    else:
        [(_, known)] = scene.all_of("StorageClass")
        scene.gone("ic/one", known.subject)
        scene.storage_class("ic/one", uid="class-2")
    assert scene.serves_as_before()


@KINDS
def test_an_unsynced_home_decides_nothing(what: str) -> None:
    """After a start nothing of a replica is touched before what it is about was listed [C10]"""
    scene = ServingScene(what).serving()
    scene.removed(what)
    scene.carry_out()
    scene.start()
    scene.removed(what)
    scene.sync("ic/one")
    assert scene.replica_doing() == []
    scene.sync(HOME)
    assert f"apply {what}" in scene.replica_doing()
