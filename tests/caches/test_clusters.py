"""Clusters: each by itself; what is unknown of one moves nothing there, and nothing elsewhere."""

from engine.events import Subject
from machines.caches.messages import entry_message
from machines.caches.occasions import cache_occasions
from machines.caches.statuses import cache_status, cluster_row
from machines.caches.stirring import ALL
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.levels import NamespaceLevel
from machines.observations import RolledBack, Seen, Unread
from tests.caches.builders import CLAIM, HOME, ONE, UID, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def test_there_is_an_entry_for_every_selected_cluster() -> None:
    """Clusters without a way in are listed, too, by name; others are not [C7]"""
    scene = CacheScene("two", "one")
    scene.cluster("three", source="GKE")
    scene.cluster("four", labels=(("name", "other"),))
    scene.cache()
    assert list(scene.mc.entries) == ["four", "one", "three", "two"]
    assert scene.phase("three") == "Pending"
    scene.cache(spec_of(selector={"name": "three"}), generation=2)
    carry_out(scene)
    assert list(scene.mc.entries) == ["three"]


def test_a_cluster_that_comes_later_is_staged_to() -> None:
    """A new InferenceCluster has an entry at once, and a claim when it was listed."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cluster("two")
    assert scene.phase("two") == "Pending"
    scene.storage_class("ic/two")
    scene.sync("ic/two")
    stage(scene, "ic/two")
    assert (scene.phase("one"), scene.phase("two")) == ("Ready", "Ready")


def test_one_unreachable_cluster_stops_no_other() -> None:
    """A cluster that does not answer keeps its entry; the others go on [C80]"""
    scene = CacheScene("one", "two")
    scene.cache()
    carry_out(scene)
    scene.unreachable()
    stage(scene, "ic/two")
    assert (scene.phase("one"), scene.phase("two")) == ("Pending", "Ready")


def test_an_unreachable_cluster_keeps_what_it_was() -> None:
    """Phase and latch stay while the cluster is away, and its return changes nothing."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.unreachable()
    scene.wait(10**5)
    assert (scene.phase(), scene.opened()) == ("Ready", [])
    scene.reachable()
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_vanished_facts_of_a_cluster_delete_nothing() -> None:
    """A status that loses its storage class or its kubeconfig withdraws nothing [C20]"""
    scene = CacheScene()
    scene.cluster("one", storage_class="told", provider_config="one-kubeconfig")
    scene.cache()
    stage(scene)
    scene.gone(ONE, scene.known(ONE, "StorageClass").subject)
    scene.cluster("one")
    assert (scene.entry().selected, scene.phase(), scene.opened()) == (True, "Ready", [])


def test_a_cluster_that_is_not_provisioned_any_more_keeps_all() -> None:
    """A status that is rewritten without any way in leaves claim, phase and mount alone [C20]"""
    scene = CacheScene()
    scene.cluster("one", source="GKE", storage_class="told", provider_config="one-kubeconfig")
    scene.cache()
    stage(scene)
    scene.cluster("one", source="GKE")
    scene.wait(3600)
    assert (list(scene.mc.entries), scene.phase(), scene.opened()) == (["one"], "Ready", [])
    [entry] = cache_status(scene.state, scene.mc)["clusters"]
    assert entry["mount"]
    assert "retained" not in entry
    assert entry["message"].startswith("cluster is not provisioned yet")
    assert scene.decided("delete PersistentVolumeClaim") == 0


def test_a_restart_decides_nothing_before_it_has_looked() -> None:
    """Nothing is decided, and nothing moves, on kinds that were not listed in this session."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create HydrationJob")
    claim = scene.known(ONE, "PersistentVolumeClaim").subject
    scene.answer("create HydrationJob", scene.forbidden())
    scene.start()
    scene.sync(HOME)
    scene.wait(100)
    assert scene.opened() == []
    scene.sync(ONE, without=claim.uid)
    assert scene.doing() == ["create PersistentVolumeClaim"]


def test_a_kind_that_cannot_be_read_is_not_empty() -> None:
    """A cluster whose claims may not be listed stays unknown."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.start()
    scene.sync(HOME)
    scene.tell(Unread(ONE, "PersistentVolumeClaim", "claims is forbidden"))
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_kind_that_can_be_read_no_more_is_not_decided_upon() -> None:
    """What was listed once and may not be read now is not known any more, until it can be again."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene, "create PersistentVolumeClaim")
    scene.answer("create PersistentVolumeClaim", scene.forbidden())
    scene.tell(Unread(ONE, "PersistentVolumeClaim", "claims is forbidden"))
    scene.wait(100)
    assert scene.opened() == []
    scene.tell(scene.listed(ONE, "PersistentVolumeClaim"))
    assert scene.doing() == ["create PersistentVolumeClaim"]


def test_what_cannot_be_read_is_called_as_kubernetes_calls_it() -> None:
    """Jobs and Pods of hydrations are Jobs and Pods, also in the condition of the cluster."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.tell(Unread(ONE, "HydrationJob", "jobs.batch is forbidden"))
    scene.tell(Unread(ONE, "HydrationPod", "pods is forbidden"))
    said = entry_message(scene.state, scene.mc, scene.entry())
    assert said.startswith("Job, Pod of cluster one cannot be read: jobs.batch is forbidden")
    _, reason, told = cluster_row(scene.state, scene.state.served["one"])
    assert (reason, told) == ("AccessDenied", "Job, Pod cannot be read: jobs.batch is forbidden")


def test_a_storage_class_that_was_not_looked_for_is_not_missing() -> None:
    """While storage classes are still to be listed nothing is said of there being none."""
    scene = CacheScene()
    scene.cluster("two")
    scene.cache()
    scene.tell(scene.listed("ic/two", "Node"))
    said = entry_message(scene.state, scene.mc, scene.entry("two"))
    assert said == f"waiting for claim {WORKLOAD}/{CLAIM} to be created"
    scene.tell(scene.listed("ic/two", "StorageClass"))
    said = entry_message(scene.state, scene.mc, scene.entry("two"))
    assert said.startswith("cluster two reports no storage class")


def test_a_cluster_from_the_past_withdraws_nothing() -> None:
    """A cluster that was restored from a backup is unknown until it is listed anew."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.tell(RolledBack(ONE, "restored"))
    assert (scene.phase(), scene.opened()) == ("Ready", [])
    scene.sync(ONE)
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_one_cluster_under_two_names_is_staged_once() -> None:
    """Of two InferenceClusters that are one cluster the older works; the other's entry waits."""
    scene = CacheScene()
    scene.namespace(ONE, "kube-system")
    system = scene.state.clusters[ONE].namespace_uids["kube-system"]
    scene.cluster("two", uid="a-lower-uid", created="2026-02-01T00:00:00Z")
    scene.see("ic/two", scene.subject("Namespace", "kube-system", system), scene.plain_namespace())
    scene.storage_class("ic/two")
    scene.sync("ic/two")
    scene.cache()
    stage(scene)
    assert (scene.phase("one"), scene.phase("two")) == ("Ready", "Pending")
    assert scene.decided("create PersistentVolumeClaim") == 1


def test_an_in_cluster_source_is_home() -> None:
    """The cluster that warmlog runs in needs no way in, and has its objects there."""
    scene = CacheScene()
    scene.cluster("self", source="InCluster")
    scene.storage_class(HOME)
    scene.sync(HOME, workload=True)
    scene.cache(spec_of(selector={"name": "self"}))
    stage(scene, HOME)
    assert scene.phase("self") == "Ready"


def test_a_spec_that_cannot_work_fails_everywhere() -> None:
    """A stored spec with a fault is Failed on each cluster, reached or not, until it is mended."""
    scene = CacheScene("one", "two")
    scene.unreachable("ic/two")
    scene.cache(spec_of(repo="../etc"))
    assert (scene.phase("one"), scene.phase("two"), scene.opened()) == ("Failed", "Failed", [])
    scene.cache(spec_of(), generation=2)
    carry_out(scene)
    assert scene.phase("one") == "Pending"
    assert scene.decided("create HydrationJob") == 1


def test_a_new_cluster_of_an_old_name_is_another() -> None:
    """An InferenceCluster that was re-created between two looks starts from nothing."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.cluster("one", uid="another-cluster")
    assert (scene.phase(), scene.opened()) == ("Pending", [])


def test_what_is_staged_under_the_younger_name_alone_stays() -> None:
    """A cluster that proves to have an older name, which the cache does not want, keeps its claim.

    Once the older name is wanted, too, it has the model at once.
    """
    scene = CacheScene()
    scene.cluster("two", created="2026-02-01T00:00:00Z", labels=(("gpu", "yes"),))
    scene.namespace("ic/two", "kube-system")
    scene.storage_class("ic/two")
    scene.sync("ic/two")
    scene.cache(spec_of(selector={"gpu": "yes"}))
    stage(scene, "ic/two")
    there = scene.state.clusters["ic/two"]
    for kind in ("Namespace", "PersistentVolumeClaim"):
        for known in there.objects[kind].values():
            scene.see(ONE, known.subject, known.level)
    assert (set(scene.mc.entries), scene.phase("two"), scene.opened()) == ({"two"}, "Ready", [])
    scene.cluster("one", labels=(("gpu", "yes"),))
    assert (scene.phase("one"), scene.phase("two"), scene.opened()) == ("Ready", "Pending", [])


def test_a_deleted_cache_is_cleared_under_the_older_name() -> None:
    """With a cluster that proves to be another, too, a claim is let go once, by the older one."""
    scene = CacheScene()
    scene.cluster("two", created="2026-02-01T00:00:00Z", labels=(("gpu", "yes"),))
    scene.namespace("ic/two", "kube-system")
    scene.storage_class("ic/two")
    scene.sync("ic/two")
    scene.cache(spec_of(selector={"gpu": "yes"}))
    stage(scene, "ic/two")
    there = scene.state.clusters["ic/two"]
    [claim] = there.objects["PersistentVolumeClaim"].values()
    scene.see(ONE, claim.subject, claim.level)
    scene.cache(deleting=True, generation=2)
    assert set(scene.mc.entries) == {"one", "two"}
    for known in there.objects["Namespace"].values():
        scene.see(ONE, known.subject, known.level)
    assert set(scene.mc.entries) == {"one"}
    scene.users()
    assert scene.opened() == [("delete PersistentVolumeClaim", ONE)]


def test_another_class_of_a_cluster_is_told_and_not_followed() -> None:
    """A claim keeps its class: one that is reported later is a Warning, and nothing is changed."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.storage_class(ONE, "other")
    told = {occasion.reason for occasion in cache_occasions(scene.state, scene.mc)}
    scene.cluster("one", storage="other")
    [more] = [
        occasion
        for occasion in cache_occasions(scene.state, scene.mc)
        if occasion.reason not in told
    ]
    assert (more.type, more.reason) == ("Warning", "StorageClassKept")
    assert "keeps storage class modelplane-rwx" in more.note
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def settled_by(scene: CacheScene, *told: Seen) -> dict[str, list[str]]:
    """Give by cache the clusters on which it is looked at when this is told."""
    state = WARMLOG.copy(scene.state)
    for number, draft in enumerate(ingest(state, told, scene.clock), scene.cursor.position + 1):
        WARMLOG.fold(state, draft.placed(number, 1, scene.clock))
    return {uid: sorted(cache.settled.keys() - {ALL}) for uid, cache in state.caches.items()}


def test_what_happens_to_one_cluster_is_looked_at_there_alone() -> None:
    """A row about an InferenceCluster, or a namespace, has nothing looked at on other clusters."""
    scene = CacheScene("one", "two")
    for name in ("one", "two"):
        scene.namespace(f"ic/{name}")
        scene.cache(spec_of(selector={"name": name}), name=name, uid=name)
    scene.cache()
    carry_out(scene)
    known = scene.state.clusters[HOME].objects["InferenceCluster"]["two-uid"]
    changed = known.level._replace(storage_class="another")  # type: ignore[call-arg]
    cluster = Seen(HOME, known.subject, str(scene.next()), changed)
    assert settled_by(scene, cluster) == {"one": [], "two": ["two"], UID: ["two"]}
    going = Subject("Namespace", "", WORKLOAD, f"two-{WORKLOAD}-uid")
    namespace = Seen("ic/two", going, str(scene.next()), NamespaceLevel(terminating=True))
    assert settled_by(scene, namespace) == {"one": [], "two": ["two"], UID: ["two"]}
