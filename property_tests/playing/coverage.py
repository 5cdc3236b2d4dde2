"""Coverage: what a world has reached, so that seeds that reach something new are kept.

A feature is a type of row, a move of a machine, a reason, or a trigger that a machine ignored. A
shape is all that stands side by side at one moment: states and reasons, counted, without names.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from engine.events import Event
from machines.states import State
from property_tests.playing.reasons import reasons_of


class Part(NamedTuple):
    """One machine of a state."""

    key: str
    machine: str
    state: str
    reason: str = ""


class Coverage:
    """What one world has reached."""

    def __init__(self) -> None:
        """Begin with nothing reached."""
        self.features: set[str] = set()
        self.shapes: set[int] = set()
        self._before: dict[str, str] = {}

    def note(self, rows: Sequence[Event], state: State) -> None:
        """Note a durable batch, and the state after it."""
        for row in rows:
            self.features.add(f"row {row.type}")
            self.features.update(reasons_of(row))
        parts = list(_parts(state))
        now = {part.key: part.state for part in parts}
        for part in parts:
            before = self._before.get(part.key, "")
            if before != part.state:
                self.features.add(f"{part.machine} {before or 'none'} → {part.state}")
            if part.reason:
                self.features.add(f"{part.machine} {part.state}: {part.reason}")
        self._before = now
        shape = "\n".join(sorted(f"{one.machine} {one.state} {one.reason}" for one in parts))
        digest = hashlib.blake2b(shape.encode(), digest_size=8).digest()
        self.shapes.add(int.from_bytes(digest))


def _parts(state: State) -> Iterator[Part]:
    for uid, warmup in state.warmups.items():
        yield Part(uid, "warmup", warmup.state.value, "gone" if warmup.gone else "")
        for key, target in warmup.targets.items():
            yield Part(uid + key, "target", target.state.value, target.words.reason)
    for uid, cache in state.caches.items():
        yield from _conditions(uid, "cache", cache.condition_times)
        for name, entry in cache.entries.items():
            said = entry.failure.said.reason or entry.claim_events.reason or entry.job_events.reason
            yield Part(uid + name, "entry", entry.state.value, said)
    for uid, replica in state.replicas.items():
        yield Part(uid, "replica", replica.state.value, "gone" if replica.gone else "")
        yield from _conditions(uid, "replica", replica.condition_times)


def _conditions(uid: str, machine: str, times: dict[str, tuple[str, int]]) -> Iterator[Part]:
    for kind, (status, _) in times.items():
        yield Part(f"{uid} {kind}", f"{machine}'s {kind}", status)
