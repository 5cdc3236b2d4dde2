"""Awaiting: what was accepted and is not seen yet, and what was refused and is tried again.

One rule for caches and replicas: what is not wanted any more is not waited for either, and what was
accepted is waited for until its object changes or the wait is over.
"""

from collections.abc import Container, Mapping
from typing import Protocol

from engine.instants import SECOND
from machines.caches.states import Cache, Entry, Made
from machines.intents import ObjectIntent, object_uid
from machines.replicas.states import Replica
from machines.states import State


class Wished(Protocol):
    """The object that a wish is about."""

    @property
    def cluster(self) -> str:
        """Its cluster, in the log."""

    @property
    def kind(self) -> str:
        """Its kind, in the log."""

    @property
    def uid(self) -> str:
        """Its uid; "" when none is known."""


def accepted(state: State, cluster: str, intent: ObjectIntent, seconds: int) -> Made:
    """Give what to wait for, so long at most, once an intent has its answer."""
    uid = object_uid(intent)
    until = state.now + seconds * SECOND
    return Made(uid, _version(state, cluster, intent.kind, uid), until)


def ease(
    state: State,
    record: Cache | Entry | Replica,
    wanted: Mapping[str, Wished],
    kept: Container[str] = (),
) -> bool:
    """Forget refusals and answers of what is not wanted any more, or is seen now; say if any.

    `wanted` are wishes by the names under which they are refused and accepted; the refusals that
    are `kept` stay although nothing of their name is wanted.
    """
    over = [what for what in record.refusals if what not in wanted and what not in kept]
    seen = [
        what
        for what, made in record.made.items()
        if made.until <= state.now or not _is_awaited(state, made, wanted.get(what))
    ]
    for what in over:
        del record.refusals[what]
    for what in seen:
        del record.made[what]
    return bool(over or seen)


def _is_awaited(state: State, made: Made, wish: Wished | None) -> bool:
    return wish is not None and made.version == _version(state, wish.cluster, wish.kind, wish.uid)


def _version(state: State, cluster: str, kind: str, uid: str) -> int:
    known = state.known(cluster, kind, uid)
    return known.version if known is not None else 0
