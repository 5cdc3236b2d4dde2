"""What an argument of a deed may be: declared once, for Hypothesis and for a seed alike.

A choice gives Hypothesis its strategy, picks by itself from seeded randomness, writes and reads its
values as JSON, and knows which values are simpler than another.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Generic, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")
Scalar = str | int | float | bool | None
S = TypeVar("S", bound=Scalar)


class NotAChoice(ValueError):
    """A story names a value that its deed does not take (any more)."""


class Choice(ABC, Generic[T]):
    """The values that one argument may have."""

    @property
    @abstractmethod
    def strategy(self) -> SearchStrategy[T]:
        """The same values, for Hypothesis."""

    @abstractmethod
    def pick(self, random: Random) -> T:
        """Pick one of the values."""

    @abstractmethod
    def simplest(self) -> T:
        """Give what an older story is taken to mean, that does not know of the argument."""

    @abstractmethod
    def simpler(self, value: T) -> Iterator[T]:
        """Give values that are simpler than this one, the simplest first."""

    def plain(self, value: T) -> Any:
        """Write a value as JSON has it."""
        return value

    @abstractmethod
    def read(self, plain: Any) -> T:
        """Read what `plain` wrote; NotAChoice when it is none of the values."""


class OneOf(Choice[S]):
    """One of a few values, the simplest first."""

    def __init__(self, values: tuple[S, ...]) -> None:
        """Offer these; one that stands twice is picked twice as often."""
        self.values = values

    @property
    def strategy(self) -> SearchStrategy[S]:
        """The same values, for Hypothesis."""
        return st.sampled_from(self.values)

    def pick(self, random: Random) -> S:
        """Pick one of the values."""
        return random.choice(self.values)

    def simplest(self) -> S:
        """Give the first."""
        return self.values[0]

    def simpler(self, value: S) -> Iterator[S]:
        """Give those that stand before it; all for a value of elsewhere."""
        known = value in self.values
        yield from dict.fromkeys(self.values[: self.values.index(value)] if known else self.values)

    def read(self, plain: Any) -> S:
        """Find the value."""
        if plain not in self.values:
            raise NotAChoice(f"{plain!r} is none of {self.values}")
        return self.values[self.values.index(plain)]


class Whole(Choice[int]):
    """A whole number."""

    def __init__(self, low: int, high: int) -> None:
        """Offer all from `low` to `high`, both included."""
        self.low, self.high = low, high

    @property
    def strategy(self) -> SearchStrategy[int]:
        """The same values, for Hypothesis."""
        return st.integers(self.low, self.high)

    def pick(self, random: Random) -> int:
        """Pick one of the numbers."""
        return random.randint(self.low, self.high)

    def simplest(self) -> int:
        """Give the lowest."""
        return self.low

    def simpler(self, value: int) -> Iterator[int]:
        """Give the lowest, one halfway to it, and the next lower one."""
        lower = (self.low, (self.low + value) // 2, value - 1)
        yield from (one for one in dict.fromkeys(lower) if self.low <= one < value)

    def read(self, plain: Any) -> int:
        """Find the number."""
        if not isinstance(plain, int) or not self.low <= plain <= self.high:
            raise NotAChoice(f"{plain!r} is not within {self.low} and {self.high}")
        return plain


class Many(Choice[list[T]]):
    """A list of values."""

    def __init__(self, each: Choice[T], least: int, most: int) -> None:
        """Offer from `least` to `most` of what `each` offers."""
        self.each, self.least, self.most = each, least, most

    @property
    def strategy(self) -> SearchStrategy[list[T]]:
        """The same values, for Hypothesis."""
        return st.lists(self.each.strategy, min_size=self.least, max_size=self.most)

    def pick(self, random: Random) -> list[T]:
        """Pick a list."""
        return [self.each.pick(random) for _ in range(random.randint(self.least, self.most))]

    def simplest(self) -> list[T]:
        """Give as few as there may be, the simplest ones."""
        return [self.each.simplest()] * self.least

    def simpler(self, value: list[T]) -> Iterator[list[T]]:
        """Give lists without one of the values, and with a simpler one."""
        if len(value) > self.least:
            yield from (value[:at] + value[at + 1 :] for at in range(len(value)))
        for at, one in enumerate(value):
            yield from ([*value[:at], less, *value[at + 1 :]] for less in self.each.simpler(one))

    def plain(self, value: list[T]) -> Any:
        """Write a list as JSON has it."""
        return [self.each.plain(one) for one in value]

    def read(self, plain: Any) -> list[T]:
        """Read each of the values; how many they are is not looked at."""
        return [self.each.read(one) for one in plain]


class Record(Choice[T]):
    """A thing made of named parts, each of them chosen."""

    def __init__(self, make: Callable[..., T], parts: dict[str, Choice[Any]]) -> None:
        """Offer what `make` makes of the parts, which the thing has as attributes."""
        self.make, self.parts = make, parts

    @property
    def strategy(self) -> SearchStrategy[T]:
        """The same values, for Hypothesis."""
        return st.builds(self.make, **{name: one.strategy for name, one in self.parts.items()})

    def pick(self, random: Random) -> T:
        """Pick each of the parts."""
        return self.make(**{name: one.pick(random) for name, one in self.parts.items()})

    def simplest(self) -> T:
        """Give the thing of the simplest parts."""
        return self.make(**{name: one.simplest() for name, one in self.parts.items()})

    def simpler(self, value: T) -> Iterator[T]:
        """Give things with one part simpler."""
        parts = {name: getattr(value, name) for name in self.parts}
        for name, choice in self.parts.items():
            yield from (self.make(**parts | {name: less}) for less in choice.simpler(parts[name]))

    def plain(self, value: T) -> Any:
        """Write the parts by name."""
        return {name: one.plain(getattr(value, name)) for name, one in self.parts.items()}

    def read(self, plain: Any) -> T:
        """Read each of the parts."""
        if set(plain) != set(self.parts):
            raise NotAChoice(f"{plain!r} should have {sorted(self.parts)}")
        return self.make(**{name: one.read(plain[name]) for name, one in self.parts.items()})


class Together(Choice[tuple[Any, ...]]):
    """A few values side by side."""

    def __init__(self, parts: tuple[Choice[Any], ...]) -> None:
        """Offer tuples of what the parts offer."""
        self.parts = parts

    @property
    def strategy(self) -> SearchStrategy[tuple[Any, ...]]:
        """The same values, for Hypothesis."""
        return st.tuples(*(one.strategy for one in self.parts))

    def pick(self, random: Random) -> tuple[Any, ...]:
        """Pick each of the parts."""
        return tuple(one.pick(random) for one in self.parts)

    def simplest(self) -> tuple[Any, ...]:
        """Give the simplest parts."""
        return tuple(one.simplest() for one in self.parts)

    def simpler(self, value: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Give tuples with one part simpler."""
        for at, choice in enumerate(self.parts):
            for less in choice.simpler(value[at]):
                yield (*value[:at], less, *value[at + 1 :])

    def plain(self, value: tuple[Any, ...]) -> Any:
        """Write the parts as a list."""
        return [choice.plain(one) for choice, one in zip(self.parts, value, strict=True)]

    def read(self, plain: Any) -> tuple[Any, ...]:
        """Read each of the parts."""
        if len(plain) != len(self.parts):
            raise NotAChoice(f"{plain!r} should have {len(self.parts)} parts")
        return tuple(choice.read(one) for choice, one in zip(self.parts, plain, strict=True))


class Apart(Choice[T]):
    """What Hypothesis searches among few values, and a seed picks from more."""

    def __init__(self, searched: Choice[T], seeded: Choice[T]) -> None:
        """Offer Hypothesis `searched`, and a seed `seeded`, whose values include them."""
        self.searched, self.seeded = searched, seeded

    @property
    def strategy(self) -> SearchStrategy[T]:
        """The values for Hypothesis."""
        return self.searched.strategy

    def pick(self, random: Random) -> T:
        """Pick one of those for a seed."""
        return self.seeded.pick(random)

    def simplest(self) -> T:
        """Give the simplest for Hypothesis."""
        return self.searched.simplest()

    def simpler(self, value: T) -> Iterator[T]:
        """Give simpler ones of those for Hypothesis, then of those for a seed."""
        yield from self.searched.simpler(value)
        yield from self.seeded.simpler(value)

    def plain(self, value: T) -> Any:
        """Write a value as JSON has it."""
        return self.seeded.plain(value)

    def read(self, plain: Any) -> T:
        """Find one of those for a seed."""
        return self.seeded.read(plain)


def one_of(*values: S) -> Choice[S]:
    """Offer a few values, the simplest first; one that stands twice is picked more often."""
    return OneOf(values)


def yes_or_no() -> Choice[bool]:
    """Offer both, of which no is simpler."""
    return OneOf((False, True))


def whole(low: int, high: int) -> Choice[int]:
    """Offer whole numbers, both ends included."""
    return Whole(low, high)


def many(each: Choice[T], least: int, most: int) -> Choice[list[T]]:
    """Offer lists of what `each` offers."""
    return Many(each, least, most)


def record(make: Callable[..., T], **parts: Choice[Any]) -> Choice[T]:
    """Offer what `make` makes of the parts."""
    return Record(make, parts)


def together(*parts: Choice[Any]) -> Choice[tuple[Any, ...]]:
    """Offer tuples."""
    return Together(parts)


def apart(searched: Choice[T], *, seeded: Choice[T]) -> Choice[T]:
    """Offer Hypothesis fewer values than a seed."""
    return Apart(searched, seeded)
