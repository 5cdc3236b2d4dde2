"""Fold: one event onto the state. Facts and decisions alike are applied, nothing is decided."""

from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from engine.events import Event, Subject
from machines.caches.folding import (
    fold_claim_users,
    fold_cluster_changed,
    fold_kind_listed,
    fold_level,
    fold_level_gone,
    fold_namespace,
    fold_node,
    fold_settings,
)
from machines.caches.levels import CACHING_LEVEL_BY_KIND
from machines.caches.reaching import names_of_cluster
from machines.caches.settings import CachingSettings
from machines.caches.settling import settle_caches
from machines.caches.states import Said
from machines.contents import KIND_BY_TYPE, Content
from machines.folding_intents import (
    block,
    fold_absent,
    fold_done,
    fold_intent,
    fold_refused,
    fold_unknown,
)
from machines.folding_jobs import (
    adopt_outcomes,
    ask_jobs_again,
    fold_job,
    fold_job_gone,
)
from machines.folding_objects import (
    answers_object,
    events_are_of_object,
    fold_object_intent,
    object_contested,
    object_deadline,
    object_recovered,
)
from machines.folding_places import place_jobs, place_jobs_of
from machines.folding_pods import fold_events, fold_pod, fold_pod_gone, fold_pods_read, recall_pods
from machines.folding_timers import TIMERS
from machines.folding_warmups import (
    fold_another_session,
    fold_recovered,
    fold_warmup,
    fold_warmup_gone,
    fold_warmups_listed,
    settle_warmups,
)
from machines.indexing import touch
from machines.intents import INTENT_BY_TYPE, WarmupIntent, intent_from_json
from machines.levels import (
    JobLevel,
    JobPods,
    NamespaceLevel,
    NodeLevel,
    PodLevel,
    WarmupLevel,
)
from machines.moving import settle_target
from machines.naming import put_name, take_name
from machines.observations import Absent, Done, Refused, Unknown
from machines.replicas.folding import (
    fold_namespace_of_replicas,
    fold_replica_settings,
    fold_serving_gone,
    fold_serving_level,
)
from machines.replicas.levels import SERVING_LEVEL_BY_KIND, ServingLevel
from machines.replicas.settling import settle_replicas
from machines.replicas.stirring import stir_replicas_on
from machines.reviewing import namespace_trouble, review_node, review_node_gone, review_warmup
from machines.states import KINDS, WARMUP_KINDS, Cluster, Ended, Known, State, Warmup, Words
from machines.warmups import TERMINAL

BURIED_KEPT = 8192  # uids of ended objects remembered, per cluster

Handler = Callable[[State, Event, Subject, dict[str, Any]], None]


def fold(state: State, event: Event, content: Content) -> State:
    """Apply one event in place, and give the state back. KeyError for a type not in HANDLERS."""
    state.now = event.at
    HANDLERS[event.type](state, event, *content)
    if state.touched:
        settle_warmups(state, event)
    settle_caches(state, event)
    if state.stirred_replicas:
        settle_replicas(state, event)
    if state.stirred:  # claims that replicas hold on to, or do not any more
        settle_caches(state, event)
        settle_replicas(state, event)
    state.position = event.seq
    return state


def cluster_of(state: State, name: str) -> Cluster:
    """Give the record of a cluster, made when it is first spoken of."""
    cluster = state.clusters.get(name)
    if cluster is None:
        cluster = state.clusters[name] = Cluster(name)
        stir_replicas_on(state, names_of_cluster(state, name))
    return cluster


def _session_started(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    state.caching = CachingSettings.from_json(data.get("caching", {}))
    for cluster in state.clusters.values():
        cluster.synced.clear()
        cluster.unread.clear()
    fold_another_session(state)
    fold_settings(state)
    fold_replica_settings(state)
    for seq, opened in state.open.items():
        state.open[seq] = opened._replace(uncertain=True)


def _synced(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    kind = data["kind"]
    fold_kind_listed(state, cluster, kind)
    if kind == "ModelWarmup":
        fold_warmups_listed(state, cluster.name)
    if kind not in WARMUP_KINDS or not cluster.is_synced:
        return
    place_jobs(state, cluster, event)
    ask_jobs_again(state, cluster)
    for warmup in list(state.warmups.values()):
        if warmup.cluster == cluster.name:
            block(state, warmup, namespace_trouble(cluster, warmup.subject.namespace), event)
            for key in list(warmup.jobs):
                settle_target(state, warmup, key, event)
            review_warmup(state, warmup, event)
            adopt_outcomes(state, warmup, event)
            touch(state, warmup)
    recall_pods(state, cluster, event)


def _reachable(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    reachable = event.type == "Reachable"
    if reachable is not cluster.reachable:
        cluster.changed_at = event.at
    cluster.reachable, cluster.told_at = reachable, event.at
    cluster.words = data.get("words", "")
    if cluster.is_known:  # what was not decided while it did not answer is decided now
        for warmup in state.warmups.values():
            if warmup.cluster == cluster.name:
                touch(state, warmup)
    fold_cluster_changed(state, event, cluster)


def _unread(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    kind = data["kind"]
    cluster.unread.pop(kind, None)
    cluster.unserved.pop(kind, None)
    if data["words"]:
        cluster.unread[kind] = data["words"]
    else:  # what there is meanwhile, only the list says that follows
        cluster.synced.pop(kind, None)
    if not data.get("served", True):
        cluster.unserved[kind] = True
    fold_cluster_changed(state, event, cluster)


def _rolled_back(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    cluster.buried.clear()
    cluster.synced.clear()
    cluster.doubted = dict.fromkeys(KINDS, True)
    fold_cluster_changed(state, event, cluster)
    for objects in cluster.objects.values():
        for uid, known in objects.items():
            objects[uid] = known._replace(version=0)
    for warmup in state.warmups.values():
        if warmup.cluster == cluster.name:
            warmup.stored = False  # whether the server still holds it is not known


def _seen(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    objects = cluster.objects[subject.kind]
    old = objects.get(subject.uid)
    objects[subject.uid] = Known(subject, int(data["version"]), data["level"], event.at)
    cluster.buried.pop(subject.uid, None)
    _apply_level(state, event, cluster, objects[subject.uid], old)


def _apply_level(
    state: State, event: Event, cluster: Cluster, known: Known, old: Known | None
) -> None:
    subject, level = known.subject, known.level
    if isinstance(level, NodeLevel):
        put_name(cluster, cluster.node_uids, subject.name, subject)
        place_jobs_of(state, cluster, subject.name, event)
        fold_node(state, cluster, subject.name)
        for warmup in _running(state, cluster):
            review_node(state, warmup, subject.uid, event)
    elif isinstance(level, NamespaceLevel):
        put_name(cluster, cluster.namespace_uids, subject.name, subject)
        fold_namespace(state, event, cluster, subject.name)
        fold_namespace_of_replicas(state, subject.name)
        words = namespace_trouble(cluster, subject.name)
        _namespace_changed(state, event, cluster, subject.name, words)
    elif isinstance(level, WarmupLevel):
        fold_warmup(state, event, subject, level)
    elif isinstance(level, JobLevel):
        fold_job(state, event, subject, level)
    elif isinstance(level, PodLevel):
        fold_pod(state, event, subject, level, old.level if old else None)
    elif isinstance(level, ServingLevel):
        fold_serving_level(state, event, subject, level, old)
    else:
        fold_level(state, event, subject, level)


def _gone(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    cluster = cluster_of(state, event.cluster)
    known = cluster.objects[subject.kind].pop(subject.uid, None)
    # It may only not be there yet: the server may lag.
    doubtful = bool(data.get("inferred")) and subject.kind in cluster.doubted
    if not doubtful:
        _bury(cluster, subject, Ended(subject.kind, int(data["version"]), event.seq))
    if subject.kind in CACHING_LEVEL_BY_KIND:
        fold_level_gone(state, event, subject, known)
    elif subject.kind in SERVING_LEVEL_BY_KIND:
        fold_serving_gone(state, event, subject, known)
    elif subject.kind == "Job":
        fold_job_gone(state, event, subject.uid)
    elif subject.kind == "ModelWarmup":
        fold_warmup_gone(state, event, subject.uid, doubtful=doubtful)
    elif known is None:
        return
    elif isinstance(known.level, PodLevel):
        fold_pod_gone(state, event, subject, known.level)
    elif subject.kind == "Node":
        _node_gone(state, event, cluster, known)
    elif subject.kind == "Namespace":
        _namespace_gone(state, event, cluster, subject)


def _namespace_gone(state: State, event: Event, cluster: Cluster, subject: Subject) -> None:
    name = subject.name
    if not take_name(cluster, cluster.namespace_uids, name, subject):
        return
    fold_namespace(state, event, cluster, name)
    fold_namespace_of_replicas(state, name)
    is_there = name in cluster.namespace_uids
    words = namespace_trouble(cluster, name) if is_there else f"namespace {name} is gone"
    _namespace_changed(state, event, cluster, name, words)


def _node_gone(state: State, event: Event, cluster: Cluster, known: Known) -> None:
    name = known.subject.name
    take_name(cluster, cluster.node_uids, name, known.subject)
    fold_node(state, cluster, name)
    for warmup in _running(state, cluster):
        review_node_gone(state, warmup, known, event)


def _bury(cluster: Cluster, subject: Subject, end: Ended) -> None:
    cluster.buried[subject.uid] = end
    if len(cluster.buried) > BURIED_KEPT:
        del cluster.buried[next(iter(cluster.buried))]


def _namespace_changed(state: State, event: Event, cluster: Cluster, name: str, words: str) -> None:
    for warmup in _running(state, cluster):
        if warmup.subject.namespace == name:
            block(state, warmup, words, event)
            review_warmup(state, warmup, event)  # does nothing while it is blocked


def _running(state: State, cluster: Cluster) -> list[Warmup]:
    return [state.warmups[uid] for uid in cluster.running]


def _users_read(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    fold_claim_users(
        state, event, subject, tuple(data.get("pods", ())), tuple(data.get("ended", ()))
    )


def _events_read(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    said = data.get("reason", ""), data.get("message", "")
    if not events_are_of_object(state, event, subject, Said(*said)):
        fold_events(state, event, data["jobUid"], Words(*said))


def _pods_read(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    fold_pods_read(state, event, subject.uid, JobPods.from_json(data))


def _recovered(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    if not object_recovered(state, event, subject, data):
        fold_recovered(state, event, subject.uid, data)


def _intended(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    intent = intent_from_json(event.type, data)
    if isinstance(intent, WarmupIntent):
        fold_intent(state, event, intent)
    else:
        fold_object_intent(state, event, subject, intent)


def _done(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    done = Done(data.get("uid", ""), data.get("found", False))
    if not answers_object(state, event, done):
        fold_done(state, event, done)


def _refused(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    refused = Refused(**data)
    if not answers_object(state, event, refused):
        fold_refused(state, event, refused)


def _unknown(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    if not answers_object(state, event, Unknown(data["words"])):
        fold_unknown(state, event, data["words"])


def _absent(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    if not answers_object(state, event, Absent()):
        fold_absent(state, event)


def _status_stored(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    warmup = state.warmups.get(subject.uid)
    if warmup is not None and warmup.state in TERMINAL:
        warmup.stored = True
        touch(state, warmup)


def _contested(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    warmup = state.warmups.get(subject.uid)
    if object_contested(state, event, subject.uid, data.get("manager", "")):
        return
    if warmup is not None:
        warmup.contested_by, warmup.contested_at = data.get("manager", ""), event.at
        touch(state, warmup)


def _deadline_passed(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> None:
    due = data["deadline"]
    passed = bisect_left(state.timers, (due + 1, "", ""))
    fired = [timer for timer in state.timers[:passed] if timer[1] == subject.uid]
    state.timers[:passed] = [timer for timer in state.timers[:passed] if timer[1] != subject.uid]
    object_deadline(state, subject.uid, due)
    warmup = state.warmups.get(subject.uid)
    if warmup is None:
        return
    for _, _, what in fired:
        verb, _, key = what.partition(":")
        TIMERS[verb](state, warmup, key, event)
    touch(state, warmup)


HANDLERS: dict[str, Handler] = {
    "SessionStarted": _session_started,
    "Synced": _synced,
    "Reachable": _reachable,
    "Unreachable": _reachable,
    "ClusterRolledBack": _rolled_back,
    "Unread": _unread,
    "ClaimUsersRead": _users_read,
    **dict.fromkeys(KIND_BY_TYPE, _seen),
    "Gone": _gone,
    "EventsRead": _events_read,
    "JobPodsRead": _pods_read,
    "Recovered": _recovered,
    **dict.fromkeys(INTENT_BY_TYPE, _intended),
    "IntentDone": _done,
    "IntentRefused": _refused,
    "IntentUnknown": _unknown,
    "IntentAbsent": _absent,
    "StatusStored": _status_stored,
    "Contested": _contested,
    "Uncontested": _contested,
    "DeadlinePassed": _deadline_passed,
}
