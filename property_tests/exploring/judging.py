"""Judging: the laws of the core's state, as a search checks them at every row."""

from collections.abc import Iterator

from engine.canonical_json import loads
from engine.events import Event
from machines.intents import Apply, ObjectIntent, intent_from_json
from machines.states import State
from property_tests import cache_laws, replica_laws, warmup_laws
from property_tests.chaos import intent_in
from property_tests.exploring.cores import Laws
from property_tests.laws import Rule

_TIMERS = cache_laws.everything_waited_for_has_its_timer


def _broken_for_warmups(state: State, row: Event) -> Iterator[Rule]:
    yield from (one for one in warmup_laws.DECIDED if not one(state, intent_in(row)))


def _broken_for_objects(state: State, row: Event) -> Iterator[Rule]:
    intent = intent_from_json(row.type, loads(row.data))
    assert isinstance(intent, ObjectIntent), row
    if intent.owner_uid in state.replicas:
        rules: tuple[Rule, ...] = replica_laws.DECIDED
    elif isinstance(intent, Apply):
        rules = ()
    else:
        rules = (*cache_laws.DECIDED, replica_laws.claims_of_replicas_are_kept)
    yield from (one for one in rules if not one(state, row.cluster, intent))


WARMUP_LAWS = Laws(warmup_laws.ALWAYS, warmup_laws.BETWEEN, _broken_for_warmups)
CACHE_LAWS = Laws(cache_laws.ALWAYS, cache_laws.BETWEEN, _broken_for_objects)
REPLICA_LAWS = Laws(
    (*(one for one in cache_laws.ALWAYS if one is not _TIMERS), *replica_laws.ALWAYS),
    (*cache_laws.BETWEEN, *replica_laws.BETWEEN),
    _broken_for_objects,
)
