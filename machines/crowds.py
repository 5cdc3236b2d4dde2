"""Crowds: the targets of a ModelWarmup that are not Ready, together by state and reason.

Kept row by row, so that saying what a thousand nodes wait for costs no look at each of them.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from itertools import compress
from operator import is_not
from typing import NamedTuple

from machines.advising import advice as advised
from machines.advising import asks_nothing, nearest
from machines.conditions import ON_THE_WAY
from machines.indexing import Entry, entry_of
from machines.node_jobs import OUTCOMES, NodeJobState
from machines.states import Target, Warmup, Words

CALM = ON_THE_WAY | {"JobBeingCreated", "JobsRunning"}
_Reason = tuple[NodeJobState, str]


class Crowd(NamedTuple):
    """Targets in one state for one reason; the first of them by name."""

    state: NodeJobState
    reason: str
    names: list[str]
    size: int


class Sightings:
    """The targets of a ModelWarmup as they were looked at last."""

    def __init__(self) -> None:
        """Begin before the first look."""
        self.known: dict[str, Target] = {}
        self._keys: list[str] = []
        self._targets: list[Target] = []

    def changes(self, targets: dict[str, Target]) -> dict[str, Target | None]:
        """Give those that are others than before, in their order; None for what is dropped.

        Targets are told apart by identity, since a thousand are looked at after each row.
        """
        keys, now = list(targets), list(targets.values())
        if keys[: len(self._keys)] == self._keys:
            others = compress(self._keys, map(is_not, now, self._targets))
            found: dict[str, Target | None] = {key: targets[key] for key in others}
            found.update((key, targets[key]) for key in keys[len(self._keys) :])
        else:
            known = self.known.get
            found = {key: one for key, one in targets.items() if known(key) is not one}
            found.update((key, None) for key in self.known if key not in targets)
        self._keys, self._targets = keys, now
        return found

    def keep(self, changes: dict[str, Target | None]) -> None:
        """Hold what changed as known from now on."""
        for key, target in changes.items():
            if target is None:
                del self.known[key]
            else:
                self.known[key] = target


class Crowds:
    """Which targets wait for what, and which of them need somebody."""

    def __init__(self) -> None:
        """Begin without a target."""
        self._crowds: dict[_Reason, list[Entry]] = {}
        self._troubled: list[Entry] = []
        self._places: dict[str, tuple[_Reason, Entry, bool]] = {}  # by key; whether it is troubled
        self._creating: dict[str, int] = {}

    def follow(self, warmup: Warmup, changes: dict[str, Target | None]) -> None:
        """Take in the targets that a row changed, and the creates that it began or ended."""
        for key in changes:
            self._put(warmup, key)
        if warmup.creating != self._creating:
            for key in warmup.creating.keys() ^ self._creating.keys():
                self._put(warmup, key)
            self._creating = dict(warmup.creating)

    def waiting(self, most: int) -> Iterator[Crowd]:
        """Give those without an outcome, each crowd with the first names of it: the first first."""
        crowds = [(entries[0], of) for of, entries in self._crowds.items() if of[0] not in OUTCOMES]
        for _, (state, reason) in sorted(crowds):
            entries = self._crowds[state, reason]
            names = [name for _, name, _ in entries[:most]]
            yield Crowd(state, reason, names, len(entries))

    def holds(self, reason: str) -> bool:
        """Say whether any target is not Ready for this reason."""
        return any(of[1] == reason for of in self._crowds)

    def troubled(self, most: int) -> tuple[list[str], int]:
        """Give the first names of those that need somebody, and how many there are."""
        return [name for _, name, _ in self._troubled[:most]], len(self._troubled)

    def _put(self, warmup: Warmup, key: str) -> None:
        self._remove(key)
        target = warmup.targets.get(key)
        entry = entry_of(target)
        if target is None or entry is None:
            return
        words = words_of(warmup, target)
        of = target.state, words.reason
        troubled = in_trouble(target.state, words) and not _asks_nothing(words)
        self._places[key] = of, entry, troubled
        insort(self._crowds.setdefault(of, []), entry)
        if troubled:
            insort(self._troubled, entry)

    def _remove(self, key: str) -> None:
        place = self._places.pop(key, None)
        if place is None:
            return
        of, entry, troubled = place
        entries = self._crowds[of]
        del entries[bisect_left(entries, entry)]
        if not entries:
            del self._crowds[of]
        if troubled:
            del self._troubled[bisect_left(self._troubled, entry)]


def words_of(warmup: Warmup, target: Target) -> Words:
    """Give why a target is not Ready; a create that is under way is said before anything else."""
    if target.state is NodeJobState.PENDING and target.key in warmup.creating:
        seq = warmup.creating[target.key]
        return Words("JobBeingCreated", f"its Job is asked for since position {seq}")
    return target.words


def in_trouble(state: NodeJobState, words: Words) -> bool:
    """Say whether a node needs somebody: it failed, or waits for more than its turn."""
    return state is NodeJobState.FAILED or (
        state is not NodeJobState.READY and words.reason not in CALM
    )


def _asks_nothing(words: Words) -> bool:
    """Say whether the advice for a node is to do nothing, whatever its names are."""
    return asks_nothing(advised(nearest(words), namespace="", name=""))
