"""Judging: an invariant is a sentence, what it is about, and a predicate of each such thing."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from property_tests.evidence import Evidence
from property_tests.playing.breaking import Broken

Thing = TypeVar("Thing")
Look = Callable[[Evidence], Iterable[Thing]]


class Invariant(Generic[Thing]):
    """What holds of every thing of one sort that a world leaves behind.

    Called with evidence it gives the words of every thing of which it does not hold.
    """

    def __init__(self, look: Look[Thing], holds: Callable[[Thing], Any]) -> None:
        """Be `holds`, of everything that `look` gives."""
        self.name: str = holds.__name__
        self.sentence = " ".join((holds.__doc__ or "").split())
        self.things = look
        self.holds = holds

    def __call__(self, evidence: Evidence) -> Iterator[str]:
        """Give what breaks it."""
        for thing in self.things(evidence):
            if not self.holds(thing):
                yield str(thing)

    def __repr__(self) -> str:
        """Give its name."""
        return self.name


class Book:
    """Invariants, in the order in which they are written down."""

    def __init__(self) -> None:
        """Begin empty."""
        self.invariants: list[Invariant[Any]] = []

    def of(self, look: Look[Thing]) -> Callable[[Callable[[Thing], Any]], Invariant[Thing]]:
        """Make an invariant of a predicate, which holds of all that `look` gives."""

        def note(holds: Callable[[Thing], Any]) -> Invariant[Thing]:
            invariant = Invariant(look, holds)
            self.invariants.append(invariant)
            return invariant

        return note


def check(evidence: Evidence, invariants: Iterable[Invariant[Any]]) -> None:
    """Raise Broken with the sentence of the first invariant that is broken, and what breaks it."""
    for invariant in invariants:
        broken = next(invariant(evidence), None)
        if broken is not None:
            raise Broken(invariant.sentence, f"{invariant.name}: {broken}")
