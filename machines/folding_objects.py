"""Folding what ModelCaches and ModelReplicas have in common: each gives word whose it was."""

from typing import Any

from engine.events import Event, Subject
from machines.caches.answering import fold_cache_answer, fold_cache_intent
from machines.caches.folding import (
    fold_cache_contested,
    fold_cache_deadline,
    fold_cache_events,
)
from machines.caches.levels import CACHING_LEVEL_BY_KIND
from machines.caches.recovering import fold_cache_recovered
from machines.caches.states import Said
from machines.intents import Apply, ObjectIntent, WarmupIntent
from machines.kinds import REPLICA
from machines.observations import Answer
from machines.replicas.answering import fold_replica_answer, fold_replica_intent
from machines.replicas.folding import (
    fold_engine_events,
    fold_replica_contested,
    fold_replica_deadline,
)
from machines.replicas.levels import SERVING_LEVEL_BY_KIND
from machines.replicas.recovering import fold_replica_recovered
from machines.states import State


def fold_object_intent(state: State, event: Event, subject: Subject, intent: ObjectIntent) -> None:
    """Something was decided for a cache or a replica."""
    if subject.kind == REPLICA or isinstance(intent, Apply):
        fold_replica_intent(state, event, intent)
    else:
        fold_cache_intent(state, event, subject, intent)


def answers_object(state: State, event: Event, answer: Answer) -> bool:
    """Fold the answer to what was decided for one; False when it is to something else."""
    opened = state.open.get(event.cause or 0)
    if opened is None or isinstance(opened.intent, WarmupIntent):
        return False
    if opened.owner.kind == REPLICA or isinstance(opened.intent, Apply):
        fold_replica_answer(state, event, opened.intent, answer)
    else:
        fold_cache_answer(state, event, opened.intent, answer)
    return True


def events_are_of_object(state: State, event: Event, subject: Subject, said: Said) -> bool:
    """Fold what Events said of what one has; False when they are of something else."""
    if subject.kind in CACHING_LEVEL_BY_KIND:
        fold_cache_events(state, event, subject, said)
    elif subject.kind in SERVING_LEVEL_BY_KIND:
        fold_engine_events(state, event, subject, said)
    else:
        return False
    return True


def object_recovered(state: State, event: Event, subject: Subject, data: dict[str, Any]) -> bool:
    """Fold what the status of one told; False when it is another's."""
    cache, replica = state.caches.get(subject.uid), state.replicas.get(subject.uid)
    if cache is not None:
        fold_cache_recovered(state, event, cache, data)
    elif replica is not None:
        fold_replica_recovered(state, replica, data)
    return cache is not None or replica is not None


def object_contested(state: State, event: Event, uid: str, manager: str) -> bool:
    """Note who keeps writing the status of one; False when it is another's."""
    if uid in state.caches:
        fold_cache_contested(state, event, uid, manager)
    elif uid in state.replicas:
        fold_replica_contested(state, event, uid, manager)
    return uid in state.caches or uid in state.replicas


def object_deadline(state: State, uid: str, due: int) -> None:
    """Instants that one waited for have come."""
    if uid in state.caches:
        fold_cache_deadline(state, uid, due)
    if uid in state.replicas:
        fold_replica_deadline(state, uid, due)
