"""Decide: what the state calls for. Pure, and at rest when nothing is left to do.

Only warmups that a fact has touched are looked at, in the order of those facts, so that the cost
follows what changed and not what exists. A cluster that is not synced is not decided upon: what
has not been listed is unknown.
"""

from collections.abc import Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.events import Draft, Subject
from machines.caches.deciding import cache_body, cache_intents, cache_still_wants
from machines.intents import (
    TYPE_BY_INTENT,
    Apply,
    CacheIntent,
    Change,
    Create,
    CreateJob,
    DeleteJob,
    Effect,
    Intent,
    ObjectIntent,
    Resolve,
    RestoreJob,
    StampTtl,
    intent_to_json,
)
from machines.job_bodies import body_digest, job_body
from machines.job_names import job_name
from machines.kinds import REPLICA
from machines.marking import lacks_marks, marks_body
from machines.moving import wanted_job
from machines.node_jobs import NodeJobState
from machines.replicas.deciding import (
    is_replica_body,
    replica_body,
    replica_intents,
    replica_still_wants,
)
from machines.reviewing import pool_of
from machines.states import OpenIntent, State, Warmup
from machines.warmups import TERMINAL

DATA_VERSION = 1


def decide(state: State) -> list[Draft]:
    """Give the decisions that the state calls for, in a fixed order."""
    drafts: list[Draft] = []
    for uid, cause in sorted(state.dirty.items(), key=lambda item: (item[1], item[0])):
        if uid in state.caches:
            drafts.extend(
                _draft(one.cluster, state.caches[uid].subject, one.intent, cause)
                for one in cache_intents(state, state.caches[uid])
            )
            continue
        if uid in state.replicas:
            drafts.extend(
                _draft(one.cluster, state.replicas[uid].subject, one.intent, cause)
                for one in replica_intents(state, state.replicas[uid])
            )
            continue
        warmup = state.warmups.get(uid)
        if warmup is None or not state.clusters[warmup.cluster].is_known:
            continue
        drafts.extend(
            _draft(warmup.cluster, warmup.subject, intent, cause)
            for intent in _intents(state, warmup)
        )
    return drafts


def effect_of(state: State, seq: int) -> Effect:
    """Give an open intent as it goes out, its body rebuilt. KeyError when it is not open."""
    opened = state.open[seq]
    intent = opened.intent
    body = None
    if isinstance(intent, ObjectIntent):
        return Effect(seq, opened.cluster, intent, _object_body(state, opened))
    warmup = state.warmups.get(intent.warmup_uid)
    if isinstance(intent, CreateJob):
        if warmup is not None and warmup.spec is not None:
            pool = pool_of(state.clusters[warmup.cluster], warmup)
            body = job_body(warmup.spec, warmup.subject, pool, intent)
    elif isinstance(intent, RestoreJob):
        job = state.jobs.get(intent.job_uid)
        if warmup is not None and job is not None and job.marks is not None:
            body = marks_body(warmup.subject, job.marks)
    return Effect(seq, opened.cluster, intent, body)


def _object_body(state: State, opened: OpenIntent) -> dict[str, Any] | None:
    intent = opened.intent
    if opened.owner.kind == REPLICA and isinstance(intent, ObjectIntent):
        return replica_body(state, intent)
    if isinstance(intent, CacheIntent):
        return cache_body(state, opened.cluster, intent)
    return None


def intended_job(warmup: Warmup, node_uid: str, node_name: str, salt: int = 0) -> CreateJob:
    """Give the create of one node's Job, its body's digest left empty."""
    subject = warmup.subject
    name = job_name(subject.name, subject.uid, node_uid, warmup.revision, salt)
    return CreateJob(
        subject.uid, subject.namespace, name, node_uid, node_name, warmup.revision, digest=""
    )


def is_as_intended(effect: Effect) -> bool:
    """Say whether the rebuilt body is the one that was decided upon."""
    intent = effect.intent
    if isinstance(intent, Apply):
        return is_replica_body(intent, effect.body)
    if not isinstance(intent, CreateJob | RestoreJob | Create | Change):
        return True
    return effect.body is not None and body_digest(effect.body) == intent.digest


def still_wanted(state: State, seq: int) -> bool:
    """Say whether an open intent is wanted at the moment at which it would be sent.

    Between its decision and its turn the warmup may have gone, its node left, or its Job ended.
    """
    opened = state.open.get(seq)
    if opened is not None and opened.owner.kind == REPLICA:
        intent = opened.intent
        return isinstance(intent, ObjectIntent) and replica_still_wants(
            state, opened.cluster, intent
        )
    if opened is not None and isinstance(opened.intent, CacheIntent):
        return cache_still_wants(state, opened.cluster, opened.intent)
    warmup = state.warmups.get(opened.owner.uid) if opened else None
    if opened is None or warmup is None:
        return False
    intent = opened.intent
    if isinstance(intent, CreateJob):
        target = warmup.targets.get(intent.node_uid)
        return (
            target is not None
            and target.state is NodeJobState.PENDING
            and not warmup.suspended_at
            and _goes_on(warmup)
        )
    if isinstance(intent, DeleteJob):
        job = state.jobs.get(intent.job_uid)
        wanted = wanted_job(state, warmup, intent.node_uid)
        return job is not None and job.unfinished and job.uid != wanted
    if isinstance(intent, RestoreJob):
        job = state.jobs.get(intent.job_uid)
        if job is None or job.warmup_uid != intent.warmup_uid:
            return False
        return lacks_marks(job) and _goes_on(warmup)
    return True


def _goes_on(warmup: Warmup) -> bool:
    over = warmup.gone or warmup.level.deleting or warmup.state in TERMINAL
    return not (over or warmup.blocked)


def _draft(cluster: str, owner: Subject, intent: Intent, cause: int) -> Draft:
    name, data = TYPE_BY_INTENT[type(intent)], dumps(intent_to_json(intent))
    return Draft(cluster, str(owner), name, DATA_VERSION, data, cause)


def _intents(state: State, warmup: Warmup) -> Iterator[Intent]:
    ended = warmup.state in TERMINAL
    if warmup.gone or not ended or warmup.stored:
        yield from _deletes(state, warmup)
    if warmup.gone or warmup.level.deleting:
        return
    if ended:
        if warmup.stored:
            yield from _stamps(state, warmup)
        return
    yield from _restores(state, warmup)
    yield from _creates(state, warmup)
    if _all_ended(warmup) and not (warmup.resolving or warmup.resolve_at):
        yield Resolve(warmup.subject.uid, warmup.subject.namespace)


def _creates(state: State, warmup: Warmup) -> Iterator[CreateJob]:
    spec = warmup.spec
    if spec is None or warmup.blocked or warmup.suspended_at:
        return
    free = spec.parallelism - len(warmup.slots)
    pool = pool_of(state.clusters[warmup.cluster], warmup)
    for _, name, key in warmup.startable[: max(free, 0)]:
        intent = intended_job(warmup, key, name, warmup.targets[key].salt)
        yield intent._replace(digest=body_digest(job_body(spec, warmup.subject, pool, intent)))


def _deletes(state: State, warmup: Warmup) -> Iterator[DeleteJob]:
    for uid in warmup.unwanted:
        job = state.jobs[uid]
        yield DeleteJob(warmup.subject.uid, job.namespace, job.name, uid, job.node_uid)


def _restores(state: State, warmup: Warmup) -> Iterator[RestoreJob]:
    if warmup.blocked:
        return
    for uid in warmup.unmarked:
        job = state.jobs[uid]
        if job.marks is not None and uid not in warmup.unwanted:
            digest = body_digest(marks_body(warmup.subject, job.marks))
            yield RestoreJob(warmup.subject.uid, job.namespace, job.name, uid, job.node_uid, digest)


def _stamps(state: State, warmup: Warmup) -> Iterator[StampTtl]:
    ttl_seconds = warmup.spec.ttl_seconds if warmup.spec else 0
    if not ttl_seconds:
        return
    for uid in warmup.unstamped:
        job = state.jobs[uid]
        yield StampTtl(warmup.subject.uid, job.namespace, job.name, uid, job.node_uid, ttl_seconds)


def _all_ended(warmup: Warmup) -> bool:
    count = warmup.counts.get
    open_targets = sum(count(name, 0) for name in ("waiting", "startable", NodeJobState.HYDRATING))
    ended = count(NodeJobState.READY, 0) + count(NodeJobState.FAILED, 0)
    return open_targets == 0 and ended > 0
