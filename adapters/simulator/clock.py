"""Virtual time and drawn chance: the two things in which a simulated run may differ from another.

Nothing here reads a real clock. Times are UTC in nanoseconds. Chance is a hash of the seed and of
what is being drawn for, so that a Pod's run time does not depend on what else was drawn before.
"""

import datetime as dt
import hashlib
import heapq
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import NamedTuple

MILLISECOND = 1_000_000
SECOND = 1_000_000_000
MINUTE = 60 * SECOND

# A round instant, so that times in a simulated log are easy to read: 2026-01-01T00:00:00Z.
BEGINNING = 1_767_225_600 * SECOND

_SUFFIX_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"  # Kubernetes' own: no vowels, no look-alikes
_SUFFIX_LENGTH = 5
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

Action = Callable[[], None]


def timestamp(at: int) -> str:
    """Write an instant as Kubernetes does: RFC 3339, whole seconds, Z."""
    return _written(at // SECOND)


@lru_cache(maxsize=1024)
def _written(seconds: int) -> str:
    return (_EPOCH + dt.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


@lru_cache(maxsize=1024)
def instant(text: str) -> int:
    """Read a Kubernetes time back, fractions of a second included."""
    moment = dt.datetime.fromisoformat(text)
    return (moment - _EPOCH) // dt.timedelta(microseconds=1) * 1000


def earliest(*times: int | None) -> int | None:
    """Give the earliest of these instants; None is one that never comes."""
    return min((time for time in times if time is not None), default=None)


class Span(NamedTuple):
    """A duration drawn evenly between two bounds, in nanoseconds."""

    low: int
    high: int


class Chance:
    """Drawn values: the same seed and the same parts give the same value, in any process."""

    def __init__(self, seed: int) -> None:
        """Draw by `seed`."""
        self._seeded = hashlib.blake2b(f"{seed}\0".encode(), digest_size=8)

    def number(self, *parts: str | int) -> int:
        """Give 64 bits that depend on the seed and on `parts` alone."""
        hashed = self._seeded.copy()
        hashed.update("\0".join(map(str, parts)).encode("utf-8", "surrogatepass"))
        return int.from_bytes(hashed.digest(), "big")

    def between(self, span: Span, *parts: str | int) -> int:
        """Draw a duration out of `span`."""
        return span.low + self.number(*parts) % (span.high - span.low + 1)

    def fraction(self, *parts: str | int) -> float:
        """Draw a number from 0 up to, but not, 1."""
        return (self.number(*parts) >> 11) / (1 << 53)

    def uid(self, count: int) -> str:
        """Give the `count`-th uid, in the form of a random UUID."""
        high, low = self.number("uid", count), self.number("uid", count, "low")
        text = f"{high:016x}{low:016x}"
        variant = "89ab"[low >> 62]
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-{variant}{text[17:20]}-{text[20:]}"

    def suffix(self, *parts: str | int) -> str:
        """Give the five characters that the API server puts behind a generateName."""
        number = self.number("suffix", *parts)
        letters = []
        for _ in range(_SUFFIX_LENGTH):
            number, index = divmod(number, len(_SUFFIX_ALPHABET))
            letters.append(_SUFFIX_ALPHABET[index])
        return "".join(letters)


class Agenda:
    """What is due when. Of two things due at one instant, the one put down first runs first."""

    def __init__(self, now: int = BEGINNING) -> None:
        """Begin at `now`."""
        self.now = now
        self._heap: list[tuple[int, int, Hashable, Action]] = []
        self._order = 0
        self._order_by_key: dict[Hashable, tuple[int, int]] = {}

    def put(self, at: int, key: Hashable, action: Action) -> None:
        """Have `action` run at `at`; what stands under `key` already is kept if it is not later.

        So a burst of changes of one object ends in one look at it, as with a work queue.
        """
        at = max(at, self.now)
        standing = self._order_by_key.get(key)
        if standing is not None and standing[0] <= at:
            return
        self._order += 1
        self._order_by_key[key] = (at, self._order)
        heapq.heappush(self._heap, (at, self._order, key, action))

    def drop(self, key: Hashable) -> None:
        """Forget what stands under `key`, if anything does."""
        self._order_by_key.pop(key, None)

    def clear(self) -> None:
        """Forget everything."""
        self._order_by_key = {}

    def next_at(self) -> int | None:
        """Give the instant at which the next thing is due; None when nothing is."""
        while self._heap:
            at, order, key, _ = self._heap[0]
            if self._order_by_key.get(key) == (at, order):
                return at
            heapq.heappop(self._heap)  # dropped, or moved forward
        return None

    def run_until(self, to_at: int) -> None:
        """Run all that is due up to and at `to_at`, in order; the clock ends at `to_at`."""
        while (at := self.next_at()) is not None and at <= to_at:
            _, _, key, action = heapq.heappop(self._heap)
            del self._order_by_key[key]
            self.now = at
            action()
        self.now = max(self.now, to_at)
