"""Folding facts about caches, their clusters, and what they have there.

A fact only notes what it says and which caches it may have moved (`state.stirred`); `settling`
then brings those to where their facts put them. So facts may come in any order, twice or together.
"""

from collections.abc import Iterable

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.caches.accepting import accept, begin
from machines.caches.cluster_specs import parse_cluster
from machines.caches.enrolling import drop_entry
from machines.caches.finding import (
    CLAIM,
    JOB,
    NAMESPACE,
    POD,
    names_of,
    namespace_of,
    root_of_job,
    root_of_pod,
)
from machines.caches.indexing import bearer_key, bearers_of, entry_of, entry_of_claim, reindex
from machines.caches.levels import (
    CacheLevel,
    CachingLevel,
    ClusterLevel,
    HydrationPodLevel,
    SecretLevel,
    StorageClassLevel,
)
from machines.caches.reaching import (
    MODELPLANE_NAMESPACE,
    log_cluster,
    names_of_cluster,
    reached_by,
    way_in,
)
from machines.caches.selecting import concerns
from machines.caches.states import Said, ServedCluster
from machines.caches.stirring import decide_again, name_in, stir, stir_there, touch
from machines.caches.twins import KUBE_SYSTEM, index_twins, twins_of
from machines.kinds import REPLICA
from machines.levels import Level
from machines.multimaps import put, take
from machines.naming import put_name, take_name
from machines.replicas.cutting_off import fold_replicas_cut_off
from machines.replicas.stirring import stir_replicas_at_home, stir_replicas_on
from machines.states import (
    CACHES_NEED,
    REPLICA_KINDS,
    SERVING_KINDS,
    WORKLOADS_NEED,
    Cluster,
    Known,
    State,
)


def fold_level(state: State, event: Event, subject: Subject, level: CachingLevel) -> None:
    """An object that caches are about is at this level."""
    cluster = state.clusters[event.cluster]
    put_name(cluster, cluster.names, "/".join(subject[:3]), subject)
    if isinstance(level, CacheLevel):
        _cache_seen(state, event, subject, level)
    elif isinstance(level, ClusterLevel):
        _cluster_seen(state, event, subject, level)
    elif isinstance(level, HydrationPodLevel):
        _note_pod(cluster, subject, level.job_uid)
        _stir_pod(state, cluster, subject, level.job_uid)
    _stir_about(state, cluster, subject, level)


def fold_level_gone(state: State, event: Event, subject: Subject, known: Known | None) -> None:
    """An object that caches are about is gone; `known` is the last that was known of it."""
    level = known.level if known else None
    cluster = state.clusters[event.cluster]
    take_name(cluster, cluster.names, "/".join(subject[:3]), subject)
    if subject.kind == "ModelCache" and subject.uid in state.caches:
        state.caches[subject.uid].gone = True
    elif subject.kind == "InferenceCluster":
        _cluster_gone(state, event, subject)
    elif isinstance(level, HydrationPodLevel):
        _drop_pod(cluster, subject, level.job_uid)
        _stir_pod(state, cluster, subject, level.job_uid)
    _stir_about(state, cluster, subject, level)


def fold_node(state: State, cluster: Cluster, name: str) -> None:
    """A node came or went: that concerns the claims that wait for it."""
    uids = cluster.awaited_nodes.pop(name, ())
    if uids:
        stir_there(state, uids, cluster.name)


def fold_namespace(state: State, event: Event, cluster: Cluster, name: str) -> None:
    """A namespace came, went, or is going."""
    if name == KUBE_SYSTEM:
        index_twins(state)
    if name in (KUBE_SYSTEM, MODELPLANE_NAMESPACE):
        _stir_whole(state, cluster.name)
    _stir_in_namespace(state, event, cluster, name)


def fold_cluster_changed(state: State, event: Event, cluster: Cluster) -> None:
    """A cluster was listed, answers, does not answer, or something else of it has changed."""
    stir_cluster(state, cluster.name)


def fold_kind_listed(state: State, cluster: Cluster, kind: str) -> None:
    """A kind, or a named Secret, was listed whole: that moves much only when it completes a set."""
    told = kind not in cluster.listed or kind in cluster.unread
    cluster.synced[kind] = cluster.listed[kind] = True
    cluster.unread.pop(kind, None)
    cluster.unserved.pop(kind, None)
    cluster.doubted.pop(kind, None)
    if "/" in kind:
        subject = Subject(*kind.split("/", 2), "")  # type: ignore[call-arg]  # of three parts
        _stir_reached_by(state, cluster, subject)
        _stir_bearers(state, cluster, subject)
        return
    if kind in SERVING_KINDS or kind in REPLICA_KINDS or kind == NAMESPACE:
        stir_replicas_on(state, names_of_cluster(state, cluster.name))
        stir_replicas_at_home(state, cluster.name)
    if kind == REPLICA:  # until then each claim was kept for replicas that might hold on to it
        stir_cluster(state, cluster.name)
    sets = [kinds for kinds in (CACHES_NEED, WORKLOADS_NEED) if kind in kinds]
    if sets and (told or any(cluster.has_synced(kinds) for kinds in sets)):
        stir_cluster(state, cluster.name)


def fold_settings(state: State) -> None:
    """The controller started anew, perhaps with other settings."""
    reindex(state)
    for uid in state.caches:
        stir(state, uid)


def fold_claim_users(
    state: State, event: Event, subject: Subject, pods: tuple[str, ...], ended: tuple[str, ...]
) -> None:
    """The Pods of a claim's namespace were listed: these mount it, or did until they ended."""
    found = entry_of_claim(state, event.cluster, subject.uid)
    if found is not None:
        cache, entry = found
        entry.users, entry.ended_users = pods, ended
        stir(state, cache.subject.uid, (entry.cluster,))


def fold_cache_events(state: State, event: Event, subject: Subject, said: Said) -> None:
    """The Events of a claim, of a Job or of its Pod were read, and say this."""
    found = entry_of(state, event.cluster, subject)
    if found is None:
        return
    cache, entry = found
    if subject.kind in (JOB, POD):
        entry.job_events, entry.job_events_at = said, event.at
    else:
        entry.claim_events, entry.claim_events_at = said, event.at
    stir(state, cache.subject.uid, (entry.cluster,))


def fold_cache_deadline(state: State, uid: str, due: int) -> None:
    """Instants that a cache waited for have come."""
    cache = state.caches[uid]
    stir(state, uid, [name_in(key) for key, at in cache.waits.items() if at <= due])
    cache.waits = {key: at for key, at in cache.waits.items() if at > due}


def fold_cache_contested(state: State, event: Event, uid: str, manager: str) -> None:
    """Somebody else keeps writing the cache's status, or does not any more."""
    cache = state.caches[uid]
    cache.contested_by, cache.contested_at = manager, event.at
    stir(state, uid, ())


def stir_cluster(state: State, cluster: str) -> None:
    """Note every cache that something of this whole cluster may have moved, and where."""
    names = names_of_cluster(state, cluster)
    stir_replicas_on(state, names)
    stir_replicas_at_home(state, cluster)
    for uid, cache in state.caches.items():
        if cache.cluster == cluster:
            stir(state, uid)
        elif cache.entries.keys().isdisjoint(names):
            touch(state, uid, names)  # it may have left something there: nothing says so yet
        else:
            stir(state, uid, names)


def _stir_whole(state: State, cluster: str) -> None:
    """As `stir_cluster`, where it may also matter to the cache on other clusters."""
    names = names_of_cluster(state, cluster)
    stir_replicas_on(state, names)
    stir_replicas_at_home(state, cluster)
    for uid, cache in state.caches.items():
        if cache.cluster == cluster or not cache.entries.keys().isdisjoint(names):
            stir(state, uid)


def _stir_about(state: State, cluster: Cluster, subject: Subject, level: Level | None) -> None:
    """Note the caches that an object is about: few of them, unless all may be."""
    if subject.kind == "InferenceCluster":
        return  # noted already, with those that are the same cluster
    if isinstance(level, StorageClassLevel):
        stir_cluster(state, cluster.name)
        return
    if subject.kind == "ModelCache":
        _stir_namesakes(state, cluster, subject)
        return
    if isinstance(level, SecretLevel):
        _stir_reached_by(state, cluster, subject)
    _stir_bearers(state, cluster, subject)


def _stir_namesakes(state: State, home: Cluster, subject: Subject) -> None:
    """A cache came or went: what bears its name may be another's to take over now."""
    cache = state.caches.get(subject.uid)
    if cache is not None:
        name = names_of(cache)[CLAIM]
        claim = Subject(CLAIM, namespace_of(state, cache), name, "")
        for uid in bearers_of(state, home, claim):
            stir(state, uid)


def _stir_reached_by(state: State, home: Cluster, secret: Subject) -> None:
    """A Secret with a kubeconfig changed: that is said of the clusters that it leads to.

    Why one does not answer may be another reason now, which is not to wait for its time.
    """
    for served in reached_by(state, home.name, secret.name):
        key = way_in(state, served).kubeconfig
        if key and key[:2] == (secret.namespace, secret.name):
            name = log_cluster(served)
            if name in state.clusters:
                state.clusters[name].told_at = 0
            stir_cluster(state, name)


def _stir_in_namespace(state: State, event: Event, cluster: Cluster, name: str) -> None:
    """Note the caches whose objects have this namespace, where they have, or may have, any."""
    names = names_of_cluster(state, cluster.name)
    at_home = []
    for uid in state.bearers.get(bearer_key(NAMESPACE, "", name), ()):
        cache = state.caches[uid]
        if cache.cluster == cluster.name:
            at_home.append(uid)
        elif not cache.entries.keys().isdisjoint(names):
            stir(state, uid, names)
        else:
            decide_again(state, cache, event)
    for uid in at_home:
        stir(state, uid)


def _stir_pod(state: State, cluster: Cluster, pod: Subject, job_uid: str) -> None:
    known = cluster.objects[JOB].get(job_uid)
    if known is not None:
        _stir_bearers(state, cluster, known.subject)
        return
    here = names_of_cluster(state, cluster.name)
    for uid, cache in state.caches.items():
        is_named = root_of_job(names_of(cache)[JOB]) == root_of_pod(pod.name)
        names = [
            name
            for name, entry in cache.entries.items()
            if entry.job_uid == job_uid or (is_named and name in here)
        ]
        if names:
            stir(state, uid, names)


def _stir_bearers(state: State, cluster: Cluster, subject: Subject) -> None:
    """Note the caches that an object is about; what is at home may matter to all their entries."""
    uids = bearers_of(state, cluster, subject)
    there = [uid for uid in uids if state.caches[uid].cluster != cluster.name]
    if there:
        stir_there(state, there, cluster.name)
    for uid in uids:
        if state.caches[uid].cluster == cluster.name:
            stir(state, uid)


def _note_pod(cluster: Cluster, subject: Subject, job_uid: str) -> None:
    for index, key in _pod_indexes(cluster, subject, job_uid):
        put(index, key, subject.uid)


def _drop_pod(cluster: Cluster, subject: Subject, job_uid: str) -> None:
    for index, key in _pod_indexes(cluster, subject, job_uid):
        take(index, key, subject.uid)


def _pod_indexes(
    cluster: Cluster, pod: Subject, job_uid: str
) -> tuple[tuple[dict[str, tuple[str, ...]], str], ...]:
    root = f"{pod.namespace}/{root_of_pod(pod.name)}"
    return (cluster.pods_by_job, job_uid), (cluster.pods_by_root, root)


def _cache_seen(state: State, event: Event, subject: Subject, level: CacheLevel) -> None:
    cache = state.caches.get(subject.uid)
    if cache is None:
        begin(state, event, subject, level)
    else:
        accept(state, cache, level, event)


def _cluster_seen(state: State, event: Event, subject: Subject, level: ClusterLevel) -> None:
    served, twins = state.served.get(subject.name), twins_of(state, subject.name)
    spec = parse_cluster(loads(level.spec))
    if served is not None and served.subject.uid != subject.uid:
        _cluster_gone(
            state, event, served.subject
        )  # another cluster, of which nothing is known yet
        served = None
    if served is None:
        state.served[subject.name] = ServedCluster(event.cluster, subject, level, spec)
    else:
        served.level, served.spec = level, spec
    index_twins(state)
    _stir_served(state, event, (subject.name, *twins, *twins_of(state, subject.name)))


def _cluster_gone(state: State, event: Event, subject: Subject) -> None:
    """An InferenceCluster is gone, and with it all that was known of a cluster of its own."""
    served, twins = state.served.get(subject.name), twins_of(state, subject.name)
    stir_replicas_on(state, (subject.name,))
    if served is None or served.subject.uid != subject.uid:
        return
    del state.served[subject.name]
    name = log_cluster(served)
    if name != served.home:
        state.clusters.pop(name, None)
        state.open = {seq: one for seq, one in state.open.items() if one.cluster != name}
        fold_replicas_cut_off(state, served.subject.name, name)
    index_twins(state)
    _stir_served(state, event, (subject.name, *twins))
    for cache in state.caches.values():
        drop_entry(state, cache, subject.name)


def _stir_served(state: State, event: Event, names: Iterable[str]) -> None:
    """Note the caches that are, are to be, or may have been on these InferenceClusters."""
    stir_replicas_on(state, names)
    for uid, cache in state.caches.items():
        if cache.cluster == event.cluster:
            if any(concerns(state, cache, name) for name in names):
                stir(state, uid, names)
            else:
                decide_again(state, cache, event)
