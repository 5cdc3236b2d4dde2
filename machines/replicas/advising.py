"""Advising: what a person can do about a replica. One sentence each, with the words to type.

`{cluster}` is the InferenceCluster, on which commands with `--context` are to be typed (without it,
where it is the cluster that warmlog runs in); `{there}` is the namespace there,
`{namespace}/{name}` the ModelReplica, `{cache}` the ModelCache that it refers to.
"""

from machines.advising import NOTHING_TO_DO
from machines.caches import advising as cache_advising
from machines.caches.cluster_specs import IN_CLUSTER
from machines.caches.sights import sight_of
from machines.labels import GANG_NAME, WORKLOAD
from machines.replicas import causes
from machines.replicas.holding import INVALID, NO_CACHE, UNSUPPORTED, hold_of, kept_words
from machines.replicas.indexing import namespace_of
from machines.replicas.leaving import is_abandoned, is_leaving
from machines.replicas.mounting import cache_of
from machines.replicas.names import workload_name
from machines.replicas.obstacles import NAME_TAKEN, obstacles
from machines.replicas.placing import no_way_words, served_of
from machines.replicas.replicas import ReplicaState
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Replica
from machines.states import State

SERVES = "nothing: it serves"
FOR_CACHE = "; for the cache: "
RUNS_ON = "nothing for what runs, it goes on as it is"
_CONTEXT = "--context {cluster} "
_KUBECTL = f"kubectl {_CONTEXT}-n {{there}}"
BY_CAUSE = {
    INVALID: "correct the field that is named: `kubectl -n {namespace} edit modelreplica {name}`",
    UNSUPPORTED: (
        "change what is named in the ModelReplica, or have cluster {cluster} serve what it lacks"
    ),
    NAME_TAKEN: "rename one of the two ModelReplicas, or delete the one that is not needed",
    "Refused": (
        "mend what the API server names (a name, quota, admission policy, rights); it is tried "
        "again"
    ),
    causes.CLUSTER_GONE: (
        "make an InferenceCluster {cluster} again (`kubectl get inferenceclusters` lists those "
        "that there are), or a ModelReplica for another cluster"
    ),
    causes.NOT_READ_YET: NOTHING_TO_DO,
    causes.CACHE_NOT_FOUND: (
        "make ModelCache {cache} in namespace {namespace}, or correct spec.modelCacheRef.name "
        "(`kubectl -n {namespace} get modelcaches` lists those that there are)"
    ),
    causes.NOT_STAGED: (
        "have the clusterSelector of ModelCache {cache} hold cluster {cluster}, or label "
        "InferenceCluster {cluster} as it asks"
    ),
    causes.CACHE_LEAVING: (
        "refer to another ModelCache in spec.modelCacheRef, or make {cache} anew once it is gone, "
        "which it is when nobody uses its claim any more"
    ),
}
_LEAVES = "nothing: it is being cleared away"
_ABANDONED = (
    "nothing more is done here; take the annotation off to have it go on, or delete on cluster "
    "{cluster} what is not wanted"
)
_NEVER_BACK = (
    "; where it will never answer again, annotation warmlog.dev/abandon=true lets go of what is "
    "there"
)
_PODS = f"see `{_KUBECTL} describe pods -l {{selector}}`"
_BY_REASON = {
    "Unschedulable": f"make room for the Pods on nodes of the pool, or wait for it; {_PODS}",
    "FailedCreate": f"mend what keeps Pods out of {{there}} (quota, Pod Security); {_PODS}",
    "ImagePullBackOff": f"check the image's name and the pull secrets; {_PODS}",
    "ErrImagePull": f"check the image's name and the pull secrets; {_PODS}",
    "CrashLoopBackOff": (
        f"read what the engine says: `{_KUBECTL} logs -l {{selector}} -c engine --previous`"
    ),
}


def replica_advice(state: State, replica: Replica) -> str:
    """Say what a person can do about a replica; that it goes on by itself, when it does."""
    return _filled(state, replica, _advice(state, replica))


def engine_advice(state: State, replica: Replica, engine: EngineSpec, reason: str) -> str:
    """Say what a person can do about an engine whose Pods do not run, for this reason."""
    name = workload_name(replica.subject.name, engine.name)
    selector = f"{GANG_NAME if engine.is_gang else WORKLOAD}={name}"
    text = _BY_REASON.get(reason, f"nothing, unless it lasts: then {_PODS}")
    return _filled(state, replica, text.replace("{selector}", selector))


def _advice(state: State, replica: Replica) -> str:
    if is_abandoned(replica):
        return _ABANDONED
    if is_leaving(replica):
        return _leaving(state, replica)
    refused = [one.reason for one in obstacles(state, replica)]
    if refused:
        return BY_CAUSE[NAME_TAKEN if refused[0] == NAME_TAKEN else "Refused"]
    hold = hold_of(state, replica)
    if hold is not None and hold.reason in {INVALID, UNSUPPORTED}:
        return BY_CAUSE[hold.reason]
    held = hold is not None and not replica.composed
    if no_way_words(state, replica) or (held and causes.cluster_cause(state, replica)):
        return _of_cluster(state, replica)
    if hold is not None and held and hold.reason == NO_CACHE:
        return _of_cache(state, replica)
    if kept_words(state, replica):
        return RUNS_ON + FOR_CACHE + _of_cache(state, replica)
    return SERVES if replica.state is ReplicaState.SERVING else NOTHING_TO_DO


def _leaving(state: State, replica: Replica) -> str:
    cause = causes.cluster_cause(state, replica)
    if cause in {"", causes.CLUSTER_GONE, causes.NOT_READ_YET}:
        refused = bool(obstacles(state, replica))
        return BY_CAUSE["Refused"] if refused else _LEAVES
    return _of_cluster(state, replica) + _NEVER_BACK


def _of_cluster(state: State, replica: Replica) -> str:
    cause, served = causes.cluster_cause(state, replica), served_of(state, replica)
    if served is None or cause in BY_CAUSE:
        return BY_CAUSE[cause or causes.NOT_READ_YET]
    return cache_advising.cluster_advice(state, served, cause)


def _of_cache(state: State, replica: Replica) -> str:
    cause, cache = causes.cache_cause(state, replica).reason, cache_of(state, replica)
    entry = cache.entries.get(replica.cluster_name) if cache is not None else None
    if cause in BY_CAUSE or cache is None or entry is None:
        return BY_CAUSE[cause]
    return cache_advising.entry_advice(sight_of(state, cache, entry))


def _filled(state: State, replica: Replica, text: str) -> str:
    served, subject = served_of(state, replica), replica.subject
    if served is not None and served.spec.source == IN_CLUSTER:
        text = text.replace(_CONTEXT, "")
    names = {
        "cluster": replica.cluster_name,
        "there": namespace_of(state, replica),
        "namespace": subject.namespace,
        "name": subject.name,
        "cache": replica.spec.cache_name if replica.spec else "",
    }
    # replace, not format: names are given, and a brace in one must stay a brace
    for key, value in names.items():
        text = text.replace("{" + key + "}", value)
    return text
