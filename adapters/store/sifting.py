"""Sifting: reading few rows of a long log, the others being left out before they are decoded."""

from collections.abc import AsyncIterator, Collection, Sequence
from typing import NamedTuple, Protocol

from engine.events import Event


class Sieve(NamedTuple):
    """Which rows are read: all that are about none of `kinds`, and of those some subjects'.

    Namely `subjects`, and those that begin with one of `beginnings`.
    """

    kinds: tuple[str, ...]  # those that most rows are about stand first
    beginnings: frozenset[str] = frozenset()
    subjects: frozenset[str] = frozenset()


class Sifter(Protocol):
    """Looks through a log without decoding what it does not give. All raise what reading raises."""

    async def below(self, prefix: str) -> frozenset[str]:
        """Give every subject that begins like this."""
        ...

    async def of_type(self, type_name: str) -> Sequence[Event]:
        """Give every row of a type, of which there are few."""
        ...

    async def saying(self, kind: str, texts: Collection[str]) -> frozenset[str]:
        """Give the subjects of `kind` that were ever seen with one of the texts in their level."""
        ...

    async def linked(
        self, kind: str, key: str, uids: Collection[str], texts: Collection[str]
    ) -> frozenset[tuple[str, str]]:
        """Give the subjects of `kind` whose level has one of `uids` under its `key`, and which.

        And those with one of the texts in their level, with whatever they have under that key.
        """
        ...

    async def ending(self, kind: str, uids: Collection[str]) -> frozenset[str]:
        """Give the subjects of `kind` that have one of these uids, in whatever rows."""
        ...

    def sift(
        self, sieve: Sieve, after: int, until: int | None, *, batch_rows: int
    ) -> AsyncIterator[Sequence[Event]]:
        """Give the rows with after < seq ≤ until that the sieve lets through, in order."""
        ...
