"""Sifting: reading few rows of a long log, the others being left out before they are decoded."""

from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Iterable,
    Mapping,
    Sequence,
)
from typing import NamedTuple, Protocol

from engine.canonical_json import loads_or_none
from engine.events import Event
from engine.logs import EventReader
from engine.replaying import Moment
from machines.lasting import ANSWERED, ASKED, GONE, SEEN, Home, Span


class Sieve(NamedTuple):
    """Which rows are read: all that are about none of `kinds`, and of those some subjects'."""

    kinds: tuple[str, ...]  # those that most rows are about stand first
    subjects: frozenset[str]


class Part(NamedTuple):
    """The rows of a log that can matter to something, up to a moment."""

    reader: EventReader
    moment: Moment  # a position, or the log's end
    last: Event | None  # of the whole, up to there; None when there is none


Sift = Callable[[tuple[str, str, str], Moment], Awaitable[Part | None]]
"""Gives what can matter to objects of this kind, namespace and name; None where all rows can."""


class Sifter(Protocol):
    """Looks through a log without decoding what it does not give. All raise what reading raises."""

    async def row_at(self, until: int) -> Event | None:
        """Give the last row with seq ≤ until; None where there is none."""
        ...

    async def position_at(self, at: int) -> int:
        """Give the position of the last row that is not later; 0 when all rows are later."""
        ...

    async def below(self, prefix: str) -> frozenset[str]:
        """Give every subject that begins like this."""
        ...

    async def of_types(self, *type_names: str) -> Sequence[Event]:
        """Give every row of some types, of which there are few, in order."""
        ...

    async def spans(
        self,
        passed_over: Collection[str],
        until: int | None,
        namespaces: Collection[str] | None = None,
    ) -> Sequence[Span]:
        """Give where the rows of each subject begin and end, but for kinds that are passed over.

        Of some namespaces alone, where these are given.
        """
        ...

    async def homes(self, kinds: Collection[str]) -> frozenset[Home]:
        """Give where anything of `kinds` was ever seen, and of which namespace its owner was."""
        ...

    async def saying(self, kinds: Collection[str], text: str) -> frozenset[str]:
        """Give the subjects of `kinds` that were ever seen with a text in their level."""
        ...

    async def linked(
        self, kind: str, key: str, uids: Collection[str], others: Mapping[str, Collection[str]]
    ) -> frozenset[tuple[str, str]]:
        """Give the subjects of `kind` whose level has one of `uids` under its `key`, and which.

        And those that have one of the others under that other key, with what they have under `key`.
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


class Piece(NamedTuple):
    """What the rows about a subject on one cluster tell: two may know one uid, as copies do."""

    first: int
    last: int
    gone: int  # seq of the last row that says so; 0 when none does
    seen: int
    unanswered: int

    def joined(self, other: "Piece") -> "Piece":
        """Give what the rows of both tell."""
        return Piece(
            min(self.first, other.first),
            max(self.last, other.last),
            max(self.gone, other.gone),
            max(self.seen, other.seen),
            self.unanswered + other.unanswered,
        )


def piece_of(seq: int, type_name: str) -> Piece:
    """Give what one row tells."""
    gone, seen = (seq if type_name == GONE else 0), (seq if type_name in SEEN else 0)
    return Piece(seq, seq, gone, seen, (type_name in ASKED) - (type_name in ANSWERED))


def span_of(subject: str, pieces: Sequence[Piece]) -> Span:
    """Give where the rows of a subject begin and end on all clusters."""
    is_gone = any(piece.gone for piece in pieces)
    return Span(
        subject,
        min(piece.first for piece in pieces),
        max(piece.last for piece in pieces),
        is_gone and all(piece.gone >= piece.seen for piece in pieces),
        sum(piece.unanswered for piece in pieces) > 0,
    )


def homes_of(pairs: Iterable[tuple[str, str]]) -> frozenset[Home]:
    """Give homes, each by a namespace and by what begins a level's list that names an owner.

    What is no text there, as the beginning of one with a quote in it, is no namespace's name.
    """
    read = ((namespace, loads_or_none(f'"{written}"')) for namespace, written in pairs)
    return frozenset(Home(namespace, owner) for namespace, owner in read if owner is not None)
