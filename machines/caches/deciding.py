"""Deciding: what is to be created, changed or deleted for a cache, and with which body."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from machines.caches.states import Cache
from machines.intents import CacheIntent
from machines.states import State


class Decided(NamedTuple):
    """An intent, and the cluster in which it is to be carried out (its name in the log)."""

    cluster: str
    intent: CacheIntent


def cache_intents(state: State, cache: Cache) -> Iterator[Decided]:
    """Give what a cache calls for now, in a fixed order; nothing while its facts are unknown."""
    yield from ()


def cache_body(state: State, cluster: str, intent: CacheIntent) -> dict[str, Any] | None:
    """Rebuild what an open intent writes; None for a delete, and when it cannot be rebuilt."""
    return None


def cache_still_wants(state: State, cluster: str, intent: CacheIntent) -> bool:
    """Say whether an open intent is wanted at the moment at which it would be sent."""
    return False
