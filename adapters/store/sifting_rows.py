"""Sifting a log in a database: its own scan of the table leaves rows out.

A long log is looked through in stretches at once: the time that this takes is all that anybody
waits for who asks about one object of it.
"""

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from itertools import chain, takewhile
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    String,
    case,
    false,
    func,
    not_,
    or_,
    select,
    true,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import GenericFunction

from adapters.store import tables
from adapters.store.databases import SqlReader
from adapters.store.sifting import Piece, Sieve, homes_of, span_of
from adapters.store.stretches import CORES, LEAST_ROWS, Ends, Stretch, ahead, stretches
from engine.canonical_json import dumps, loads_or_none
from engine.events import Event, Subject
from machines.concerning import OWNER
from machines.lasting import ANSWERED, ASKED, GONE, SEEN, Home, Span

# SQLite takes no more than 1,000 alternatives: objects of one name may have come by the thousand.
MOST_TEXTS = 200

_EVENTS = tables.events
_SUBJECT, _DATA = _EVENTS.c.subject, _EVENTS.c.data


class place_in(GenericFunction[int]):  # noqa: N801 -- a function of SQL, as SQLAlchemy names them
    """Where a text first holds another, counted from 1; 0 where it does not."""

    inherit_cache = True


@compiles(place_in)
def _strpos(element: place_in, compiler: SQLCompiler, **options: Any) -> str:
    return f"strpos({compiler.process(element.clauses, **options)})"


@compiles(place_in, "sqlite")
def _instr(element: place_in, compiler: SQLCompiler, **options: Any) -> str:
    return f"instr({compiler.process(element.clauses, **options)})"


class begins(GenericFunction[bool]):  # noqa: N801 -- likewise
    """Whether a text begins with another; the third is the first text after all that do."""

    inherit_cache = True


@compiles(begins)
def _starts_with(element: begins, compiler: SQLCompiler, **options: Any) -> str:
    text, begin, _ = element.clauses  # a parameter that is worded is sent, so the end is not
    one, other = (compiler.process(each, **options) for each in (text, begin))
    return f"starts_with({one}, {other})"


@compiles(begins, "sqlite")
def _between(element: begins, compiler: SQLCompiler, **options: Any) -> str:
    # A third of the time of a function that looks into the text: SQLite compares bytes.
    text, begin, end = (compiler.process(one, **options) for one in element.clauses)
    return f"({text} >= {begin} AND {text} < {end})"


class RowSifter:
    """Looks through a database (adapters.store.sifting.Sifter)."""

    def __init__(
        self, reader: SqlReader, *, cores: int = CORES, least_rows: int = LEAST_ROWS
    ) -> None:
        """Look through the log of `reader`, in `cores` stretches at once of some rows at least."""
        self._reader = reader
        self._cores = cores
        self._least_rows = least_rows

    async def row_at(self, until: int) -> Event | None:
        """Give the last row with seq ≤ until; None where there is none."""
        last = None
        async for (row,) in self._reader.read(until - 1, until):
            last = row
        return last

    async def position_at(self, at: int) -> int:
        """Give the position of the last row that is not later; 0 when all rows are later."""
        low, high = 0, (await self._reader.identify()).position
        while low < high:
            middle = (low + high + 1) // 2
            row = await self.row_at(middle)
            low, high = (middle, high) if row and row.at <= at else (low, middle - 1)
        return low

    async def below(self, prefix: str) -> frozenset[str]:
        """Give every subject that begins like this."""
        return await self._subjects(_begins(prefix))

    async def of_types(self, *type_names: str) -> Sequence[Event]:
        """Give every row of some types, of which there are few, in order."""
        found = select(_EVENTS).where(_EVENTS.c.type.in_(type_names)).order_by(_EVENTS.c.seq)
        return [Event._make(row) for row in await self._rows(found)]

    async def spans(
        self,
        passed_over: Collection[str],
        until: int | None,
        namespaces: Collection[str] | None = None,
    ) -> Sequence[Span]:
        """Give where the rows of each subject begin and end, but for kinds that are passed over."""
        begin, end = func.min(_EVENTS.c.seq), func.max(_EVENTS.c.seq)
        gone, seen = _last_of(_EVENTS.c.type == GONE), _last_of(_EVENTS.c.type.in_(SEEN))
        unanswered = _count(_EVENTS.c.type.in_(ASKED)) - _count(_EVENTS.c.type.in_(ANSWERED))
        found = select(_SUBJECT, _EVENTS.c.cluster, begin, end, gone, seen, unanswered)
        found = found.where(*(not_(_begins(f"{kind}/")) for kind in passed_over))
        if namespaces is not None:
            named = (place_in(_SUBJECT, f"/{one}/") > 0 for one in sorted(namespaces))
            found = found.where(or_(false(), *named))  # a name may look like one
        rows = await self._rows(found.group_by(_SUBJECT, _EVENTS.c.cluster), until)
        spans: dict[str, dict[str, Piece]] = {}
        for subject, cluster, *told in rows:
            if namespaces is not None and Subject.parse(subject).namespace not in namespaces:
                continue
            pieces, piece = spans.setdefault(subject, {}), Piece._make(told)
            pieces[cluster] = pieces[cluster].joined(piece) if cluster in pieces else piece
        return [span_of(subject, [*pieces.values()]) for subject, pieces in spans.items()]

    async def homes(self, kinds: Collection[str]) -> frozenset[Home]:
        """Give where anything of `kinds` was ever seen, and of which namespace its owner was."""
        types = sorted(f"{kind}Seen" for kind in kinds)
        place, owner = _part(_behind(_SUBJECT, "/"), "/"), _part(_behind(_DATA, OWNER), '"')
        wanted = _EVENTS.c.type.in_(types), place_in(_DATA, OWNER) > 0
        found = await self._rows(select(place, owner).where(*wanted).distinct())
        return homes_of((one, other) for one, other in found)

    async def saying(self, kinds: Collection[str], text: str) -> frozenset[str]:
        """Give the subjects of `kinds` that were ever seen with a text in their level."""
        types = sorted(f"{kind}Seen" for kind in kinds)
        return await self._subjects(_EVENTS.c.type.in_(types), place_in(_DATA, text) > 0)

    async def linked(
        self, kind: str, key: str, uids: Collection[str], others: Mapping[str, Collection[str]]
    ) -> frozenset[tuple[str, str]]:
        """Give the subjects of `kind` whose level has one of `uids` under its `key`, and which."""
        wanted = [_has_value(each, some) for each, some in {key: uids, **others}.items()]
        found = select(_SUBJECT, _value(key)).where(_EVENTS.c.type == f"{kind}Seen", or_(*wanted))
        rows = await self._rows(found.distinct())
        return frozenset((one, loads_or_none(f'"{uid}"') or "") for one, uid in rows)

    async def ending(self, kind: str, uids: Collection[str]) -> frozenset[str]:
        """Give the subjects of `kind` that have one of these uids, in whatever rows."""
        found = frozenset[str]()
        ordered = sorted(uids)
        for begin in range(0, len(ordered), MOST_TEXTS):
            some = ordered[begin : begin + MOST_TEXTS]
            ends = or_(*(place_in(_SUBJECT, f"/{uid}") > 0 for uid in some))
            found |= await self._subjects(_begins(f"{kind}/"), ends)
        return found

    async def sift(
        self, sieve: Sieve, after: int, until: int | None, *, batch_rows: int
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until that the sieve lets through, in order."""
        rows = select(_EVENTS).where(_let_through(sieve)).order_by(_EVENTS.c.seq).limit(batch_rows)
        ends = await self._ends(after)
        pieces = stretches(ends, until, most=ends.last, rows=self._least_rows)
        pages = ahead((partial(self._page, rows, piece) for piece in pieces), self._cores)
        async with aclosing(pages):
            for piece in pieces:
                page = await anext(pages)
                while page:
                    yield page
                    rest = Stretch(page[-1].seq, piece.until)
                    page = await self._page(rows, rest) if len(page) == batch_rows else []

    async def _page(self, rows: Select[Any], stretch: Stretch) -> Sequence[Event]:
        found = await self._reader.rows(rows.where(*_within(stretch)))
        return [Event._make(row) for row in found]

    async def _rows(
        self, found: Select[*tuple[Any, ...]], until: int | None = None
    ) -> Sequence[Row[*tuple[Any, ...]]]:
        """Give what is found in each stretch of the log up to a row, one after the other."""
        ends = await self._ends(0)
        pieces = stretches(ends, until, most=self._cores, rows=self._least_rows)
        asked = [found.where(*_within(piece)) for piece in pieces]
        return [*chain.from_iterable(await asyncio.gather(*map(self._reader.rows, asked)))]

    async def _ends(self, after: int) -> Ends:
        """Give where the rows after a position are."""
        seq = _EVENTS.c.seq
        ((first, last),) = await self._reader.rows(
            select(
                select(func.min(seq)).where(seq > after).scalar_subquery(),
                select(func.max(seq)).scalar_subquery(),
            )
        )
        return Ends(after, after) if first is None else Ends(first - 1, last)

    async def _subjects(self, *wanted: ColumnElement[bool]) -> frozenset[str]:
        found = select(_SUBJECT).where(*wanted).distinct()
        return frozenset(row[0] for row in await self._rows(found))


def _count(wanted: ColumnElement[bool]) -> ColumnElement[int]:
    """Give how many rows of a subject are wanted."""
    return func.sum(case((wanted, 1), else_=0))


def _last_of(wanted: ColumnElement[bool]) -> ColumnElement[int]:
    """Give the position of a subject's last row that is wanted; 0 when none is."""
    return func.max(case((wanted, _EVENTS.c.seq), else_=0))


def _within(stretch: Stretch) -> Sequence[ColumnElement[bool]]:
    # With one end alone: of two ends SQLite would take the first that it is told, and read on.
    seq = _EVENTS.c.seq
    after = seq > stretch.after
    return [after] if stretch.until is None else [after, seq <= stretch.until]


def _begins(prefix: str) -> ColumnElement[bool]:
    return begins(_SUBJECT, prefix, prefix[:-1] + chr(ord(prefix[-1]) + 1))


def _let_through(sieve: Sieve) -> ColumnElement[bool]:
    """Say whether a row is let through, kind by kind: those that most rows are about come first.

    Of a kind it is asked first whether a row begins as all wanted ones do: most rows do not. SQLite
    stops at the first answer only between the cases, and within no other expression.
    """
    by_kind = {kind: list[str]() for kind in sieve.kinds}
    for subject in sorted(sieve.subjects):
        by_kind.get(Subject.parse(subject).kind, []).append(subject)  # of others all rows are
    cases = list[tuple[ColumnElement[bool], ColumnElement[bool]]]()
    for kind, subjects in by_kind.items():
        if subjects:
            cases.append((_begins(_beginning(subjects)), _SUBJECT.in_(subjects)))
        cases.append((_begins(f"{kind}/"), false()))
    return case(*cases, else_=true())


def _beginning(ordered: Sequence[str]) -> str:
    """Give what all of these texts, in order, begin with."""
    pairs = zip(ordered[0], ordered[-1], strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _value(key: str) -> ColumnElement[str]:
    """Give the text under a key of a level; keys within texts have their quotes escaped."""
    return _part(_behind(_DATA, f'"{key}":"'), '"')


def _has_value(key: str, values: Collection[str]) -> ColumnElement[bool]:
    """Say whether there is one of these texts under a key, without looking for its end."""
    by_length: dict[int, list[str]] = {}
    # One with a quote, as no API server gives it, could not be told from what it begins with.
    for written in (dumps(value) for value in sorted(values) if '"' not in value):
        by_length.setdefault(len(written) - 1, []).append(written[1:])
    begin = f'"{key}":"'
    tests = [_behind(_DATA, begin, length).in_(ended) for length, ended in by_length.items()]
    return or_(false(), *tests)


def _behind(text: ColumnElement[str], begin: str, *length: int) -> ColumnElement[str]:
    """Give what stands behind a part of a text, or so much of it."""
    return func.substr(text, place_in(text, begin) + len(begin), *length, type_=String)


def _part(text: ColumnElement[str], end: str) -> ColumnElement[str]:
    """Give what stands before the first `end` in a text."""
    return func.substr(text, 1, place_in(text, end) - 1, type_=String)
