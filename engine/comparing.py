"""Comparing: the courses that objects took, and where two of the same story part.

A course is what one aspect of one object was, one step after the other: its phase, or that of one
of its nodes. Steps are compared by their values and their order; where and when each was may
differ from one log to the next.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple


class Step(NamedTuple):
    """What an aspect became, and at which row."""

    position: int
    value: str


Courses = Mapping[str, Mapping[str, Sequence[Step]]]  # by object and aspect


class Parting(NamedTuple):
    """Where two courses of one aspect part; None where one of them goes no further."""

    name: str  # the object's
    aspect: str  # "" where only one log has the object
    before: str  # what both had last; "" when they part at their beginning
    step: int  # how many steps both have
    left: Step | None
    right: Step | None

    @property
    def position(self) -> int:
        """Give the earlier of both rows."""
        return min(step.position for step in (self.left, self.right) if step is not None)


def partings(left: Courses, right: Courses) -> list[Parting]:
    """Give where the courses part, the earliest first."""
    found = [
        parting
        for name in sorted(left.keys() | right.keys())
        for parting in _partings_of(name, left.get(name, {}), right.get(name, {}))
    ]
    return sorted(found, key=lambda one: (one.position, one.name, one.aspect))


def _partings_of(
    name: str,
    left: Mapping[str, Sequence[Step]],
    right: Mapping[str, Sequence[Step]],
) -> Iterator[Parting]:
    if not left or not right:
        firsts = [steps[0] for steps in (left or right).values() if steps]
        first = min(firsts, default=Step(0, ""))
        yield Parting(name, "", "", 0, first if left else None, first if right else None)
        return
    for aspect in sorted(left.keys() | right.keys()):
        before = ""
        pairs = zip_longest(left.get(aspect, ()), right.get(aspect, ()))
        for index, (one, other) in enumerate(pairs):
            if one is None or other is None or one.value != other.value:
                yield Parting(name, aspect, before, index, one, other)
                break
            before = one.value
