"""Restating: what is known now, told as if it had just been seen, so that a log can begin with it.

What an object's history alone tells stands in its status, as after a lost log: a fold of levels
takes from there the end of a warmup, what its nodes came to, and the mounts that were kept. Last
come the answers that were read, and are shown by no watch.
"""

from collections.abc import Iterator
from typing import Any

from engine.events import Subject
from machines.asking import asked_target, questions
from machines.caches.asking import cache_events, claim_questions
from machines.caches.indexing import entry_of_claim
from machines.domain import WARMLOG
from machines.kinds import PUBLISHED
from machines.observations import (
    ClaimUsersRead,
    EventsRead,
    Listed,
    Observation,
    PodsRead,
    Reachability,
    Seen,
    Unread,
)
from machines.replicas.asking import engine_events, engine_questions
from machines.states import Cluster, Known, State

_PODS = ("Pod", "HydrationPod")
_Statuses = dict[tuple[str, str], dict[str, Any]]  # by cluster and uid


def restated(state: State) -> Iterator[Observation]:
    """Give what a state knows of every cluster, that of home first."""
    statuses = {
        (one.cluster, one.subject.uid): one.status
        for one in WARMLOG.project(state)
        if one.subject.kind in PUBLISHED
    }
    for cluster in state.clusters.values():
        if cluster.name:
            yield from _of_cluster(cluster, statuses)
    yield from _events(state)
    yield from _pods(state)
    yield from _users(state)


def _of_cluster(cluster: Cluster, statuses: _Statuses) -> Iterator[Observation]:
    yield Reachability(cluster.name, cluster.reachable, cluster.words)
    told: set[str] = set()
    for key in cluster.synced:
        listed = _listed(cluster, key, statuses)
        if listed.kind in _PODS:  # after all that they are of, which else would not hear of them
            listed = listed._replace(items=())
        told.update(seen.subject.uid for seen in listed.items)
        yield listed
    for objects in cluster.objects.values():
        for each in objects.values():
            if each.subject.uid not in told:
                yield _seen(cluster, each, statuses)
    for key, words in cluster.unread.items():
        kind, scope = _parsed(key)
        served = not cluster.unserved.get(key, False)
        yield Unread(cluster.name, kind, words, scope, served=served)


def _listed(cluster: Cluster, key: str, statuses: _Statuses) -> Listed:
    kind, scope = _parsed(key)
    known = [
        each
        for each in cluster.objects[kind].values()
        if not any(scope) or (each.subject.namespace, each.subject.name) == scope
    ]
    version = max((each.version for each in known), default=0)
    items = tuple(_seen(cluster, each, statuses) for each in known)
    return Listed(cluster.name, kind, str(version), items, scope=scope)


def _events(state: State) -> Iterator[EventsRead]:
    for asked in questions(state):
        target = asked_target(state, asked.job_uid)
        if target is not None and any(target.cause):
            yield EventsRead(asked.cluster, asked.subject, asked.job_uid, *target.cause)
    for one in claim_questions(state):
        heard = cache_events(state, one.cluster, one.subject)
        if heard is not None and any(heard.said):
            yield EventsRead(one.cluster, one.subject, "", *heard.said)
    for engine in engine_questions(state):
        told = engine_events(state, engine.subject)
        if told is not None and any(told.said):
            yield EventsRead(engine.cluster, engine.subject, "", *told.said)


def _pods(state: State) -> Iterator[PodsRead]:
    for uid in state.unwatched:
        job = state.jobs[uid]
        if job.pods is not None:
            yield PodsRead(job.cluster, Subject("Job", job.namespace, job.name, uid), job.pods)


def _users(state: State) -> Iterator[ClaimUsersRead]:
    for cluster in state.clusters.values():
        for uid, claim in cluster.objects["PersistentVolumeClaim"].items():
            found = entry_of_claim(state, cluster.name, uid)
            if found is not None and found[1].users is not None:
                users, ended = found[1].users, found[1].ended_users
                yield ClaimUsersRead(cluster.name, claim.subject, users, ended)


def _seen(cluster: Cluster, known: Known, statuses: _Statuses) -> Seen:
    status = statuses.get((cluster.name, known.subject.uid))
    return Seen(cluster.name, known.subject, str(known.version), known.level, status)


def _parsed(key: str) -> tuple[str, tuple[str, str]]:
    """Give kind and scope of what counts as synced by this name."""
    kind, _, rest = key.partition("/")
    namespace, _, name = rest.partition("/")
    return kind, (namespace, name)
