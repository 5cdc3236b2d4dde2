"""Settling: every cache that an event may have moved is brought to where its facts put it."""

from engine.events import Event
from machines.states import State


def settle_caches(state: State, event: Event) -> None:
    """Bring the stirred caches to rest; those whose facts changed are to be decided anew."""
    for uid in state.stirred:
        if uid in state.caches:
            state.dirty[uid] = event.seq
    state.stirred.clear()
