"""Judging: which laws a state breaks that a continuation ended in, and what it should have kept.

`Begun` is taken before and compared at the end: what ended stays ended, what was composed stays so.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.canonical_json import loads
from engine.events import Draft
from machines.domain import WARMLOG
from machines.intents import ObjectIntent, intent_from_json
from machines.node_jobs import OUTCOMES
from machines.states import State
from machines.warmups import TERMINAL, WarmupState
from property_tests import cache_laws, replica_laws, warmup_laws
from property_tests.laws import Rule

_TIMERS = cache_laws.everything_waited_for_has_its_timer
_OF_CACHES: tuple[Rule, ...] = (*cache_laws.DECIDED, replica_laws.claims_of_replicas_are_kept)
_WITH_REPLICAS = tuple(one for one in cache_laws.ALWAYS if one is not _TIMERS)


class Begun(NamedTuple):
    """What may not be lost while a log goes on."""

    ended: dict[str, WarmupState]  # ModelWarmups, by uid
    outcomes: dict[tuple[str, str], tuple[object, object]]  # state and words, by warmup and node
    composed: frozenset[str]  # ModelReplicas, by uid


def begun(state: State) -> Begun:
    """Note what may not be lost from here on."""
    return Begun(
        {uid: one.state for uid, one in state.warmups.items() if one.state in TERMINAL},
        {
            (uid, key): (target.state, target.words)
            for uid, warmup in state.warmups.items()
            for key, target in warmup.targets.items()
            if target.state in OUTCOMES
        },
        frozenset(uid for uid, one in state.replicas.items() if one.composed),
    )


def broken(state: State, before: Begun) -> list[str]:
    """Say which laws a state breaks; it is used up by that."""
    found = [rule.__doc__ or "" for rule in laws_of(state) if not rule(state)]
    found += _lost(state, before)
    found += _restless(state)
    return found


def decided_wrongly(state: State, draft: Draft) -> Iterator[str]:
    """Say which laws of decisions one breaks, in the state in which it was made."""
    intent = intent_from_json(draft.type, loads(draft.data))
    if isinstance(intent, ObjectIntent):
        laws = replica_laws.DECIDED if intent.owner_uid in state.replicas else _OF_CACHES
        broken = [one for one in laws if not one(state, draft.cluster, intent)]
    else:
        broken = [one for one in warmup_laws.DECIDED if not one(state, intent)]
    yield from (f"{one.__doc__} Not so by {draft}" for one in broken)


def laws_of(state: State) -> tuple[Rule, ...]:
    """Give the laws of a state, whatever it holds."""
    if state.replicas:
        return (*_WITH_REPLICAS, *replica_laws.ALWAYS)
    if state.warmups:
        return warmup_laws.ALWAYS
    return cache_laws.ALWAYS


def _lost(state: State, before: Begun) -> Iterator[str]:
    for uid, ended in before.ended.items():
        warmup = state.warmups.get(uid)
        if warmup is not None and warmup.state is not ended:
            yield f"ModelWarmup {uid} had ended as {ended}, and is {warmup.state} now"
    for (uid, key), outcome in before.outcomes.items():
        warmup = state.warmups.get(uid)
        if warmup is None:
            continue
        target = warmup.targets.get(key)
        if target is None or (target.state, target.words) != outcome:
            yield f"node {key} of ModelWarmup {uid} had ended as {outcome}, and is {target} now"
    for uid in before.composed:
        replica = state.replicas.get(uid)
        if replica is not None and not replica.composed:
            yield f"ModelReplica {uid} had been composed, and is not now"


def _restless(state: State) -> Iterator[str]:
    """With its decisions folded nothing more is decided, whatever is looked at."""
    state.dirty = dict.fromkeys([*state.warmups, *state.caches, *state.replicas], 1)
    decided = WARMLOG.decide(state)
    if decided:
        yield f"at rest there is more to decide: {decided}"
