"""Coverage: what a world has reached, so that seeds that reach something new are kept.

A feature is a type of row, a move of a machine, a reason, or a trigger that a machine ignored. A
shape is all that stands side by side at one moment: states and reasons, counted, without names.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import lru_cache

from engine.events import Event
from machines.states import State
from property_tests.playing.reasons import reasons_of

# One machine of a state: its key, what it is, its state, and a reason, if it has one.
Part = tuple[tuple[str, str], str, str, str]
_WIDTH = (1 << 64) - 1


class Coverage:
    """What one world has reached."""

    def __init__(self) -> None:
        """Begin with nothing reached."""
        self.features: set[str] = set()
        self.shapes: set[int] = set()
        self._before: dict[tuple[str, str], Part] = {}

    def note(self, rows: Sequence[Event], state: State) -> None:
        """Note a durable batch, and the state after it."""
        for row in rows:
            self.features.add(f"row {row.type}")
            self.features.update(reasons_of(row))
        now, shape = {}, 0
        for part in _parts(state):
            key = part[0]
            now[key] = part
            before = self._before.get(key)
            if before != part:
                self._note_move("" if before is None else before[2], part)
            shape += _mark(*part[1:])
        self._before = now
        self.shapes.add(shape & _WIDTH)  # the same for the same parts in any order

    def _note_move(self, before: str, part: Part) -> None:
        _, machine, state, reason = part
        if before != state:
            self.features.add(f"{machine} {before or 'none'} → {state}")
        if reason:
            self.features.add(f"{machine} {state}: {reason}")


@lru_cache(maxsize=10_000)
def _mark(machine: str, state: str, reason: str) -> int:
    """Give a number for what a machine shows, the same in every process."""
    digest = hashlib.blake2b(f"{machine} {state} {reason}".encode(), digest_size=8).digest()
    return int.from_bytes(digest)


def _parts(state: State) -> Iterator[Part]:
    for uid, warmup in state.warmups.items():
        yield (uid, ""), "warmup", warmup.state, "gone" if warmup.gone else ""
        for key, target in warmup.targets.items():
            yield (uid, key), "target", target.state, target.words.reason
    for uid, cache in state.caches.items():
        yield from _conditions(uid, "cache", cache.condition_times)
        for name, entry in cache.entries.items():
            said = entry.failure.said.reason or entry.claim_events.reason or entry.job_events.reason
            yield (uid, name), "entry", entry.state, said
    for uid, replica in state.replicas.items():
        yield (uid, ""), "replica", replica.state, "gone" if replica.gone else ""
        yield from _conditions(uid, "replica", replica.condition_times)


def _conditions(uid: str, machine: str, times: dict[str, tuple[str, int]]) -> Iterator[Part]:
    for kind, (status, _) in times.items():
        yield (uid, kind), f"{machine}'s {kind}", status, ""
