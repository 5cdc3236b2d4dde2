"""Sifting a log in a file: what a line is about is read off it, and the rest left as it stands.

A file has no order but that of its rows, so each question goes through all of it once.
"""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import aclosing
from typing import NamedTuple

from adapters.store.json_lines import JsonLinesReader
from adapters.store.row_lines import row_of, subject_in, text_of, written
from adapters.store.sifting import Piece, Sieve, homes_of, piece_of, span_of
from engine.events import Event
from machines.concerning import OWNER
from machines.lasting import Home, Span

_AT, _CLUSTER, _DATA = b'{"at":', b'"cluster":"', b',"data":'
_SUBJECT, _TYPE = b',"subject":"', b'","type":"'
_OWNER = OWNER.encode("ascii")


class _Line(NamedTuple):
    """A row of which only the subject was read."""

    seq: int
    subject: bytes  # as it is written
    text: bytes

    @property
    def at(self) -> int | None:
        """Give its time; None where that cannot be read."""
        digits = self.text[len(_AT) : self.text.find(b",")]
        return int(digits) if digits.isdigit() else None

    @property
    def type(self) -> str:
        """Give its type."""
        begin = self.text.rfind(_TYPE) + len(_TYPE)
        return self.text[begin : self.text.index(b'"', begin)].decode()

    @property
    def namespace(self) -> bytes:
        """Give the namespace of its subject, as it is written."""
        return self.subject.partition(b"/")[2].partition(b"/")[0]

    @property
    def cluster(self) -> bytes:
        """Give its cluster, as it is written."""
        return self.text[self.text.find(_CLUSTER) : self.text.find(_DATA)]


class LineSifter:
    """Looks through a file of JSON Lines (adapters.store.sifting.Sifter).

    A line that is no row is passed over here: `sift`, which comes to it last, says so.
    """

    def __init__(self, reader: JsonLinesReader) -> None:
        """Look through the log of `reader`."""
        self._reader = reader

    async def row_at(self, until: int) -> Event | None:
        """Give the last row with seq ≤ until; None where there is none."""
        last: Sequence[tuple[int, bytes]] = ()
        for first, block in self._reader.blocks():
            await asyncio.sleep(0)
            if first > until:
                break
            last = [*enumerate(block[: until + 1 - first], first)]
        rows = (row_of(text) for seq, text in reversed(last) if subject_in(text, seq) is not None)
        return next(rows, None)

    async def position_at(self, at: int) -> int:
        """Give the position of the last row that is not later; 0 when all rows are later."""
        found = 0
        async for lines in self._lines():
            for line in lines:
                if (line.at or 0) > at:
                    return found
                found = line.seq
        return found

    async def below(self, prefix: str) -> frozenset[str]:
        """Give every subject that begins like this."""
        begin = written(prefix)
        subject = _SUBJECT + begin
        found = {
            line.subject
            async for lines in self._lines(lambda text: subject in text)
            for line in lines
            if line.subject.startswith(begin)
        }
        return frozenset(map(text_of, found))

    async def of_types(self, *type_names: str) -> Sequence[Event]:
        """Give every row of some types, of which there are few, in order."""
        lines = self._lines(_is_of(type_names))
        return [row_of(line.text) async for some in lines for line in some]

    async def spans(
        self,
        passed_over: Collection[str],
        until: int | None,
        namespaces: Collection[str] | None = None,
    ) -> Sequence[Span]:
        """Give where the rows of each subject begin and end, but for kinds that are passed over."""
        others = tuple(_SUBJECT + b"%s/" % kind.encode("ascii") for kind in passed_over)
        places = None if namespaces is None else frozenset(map(written, namespaces))

        def may_matter(text: bytes) -> bool:
            return not text.startswith(others, text.rfind(_SUBJECT))

        found: dict[bytes, dict[bytes, Piece]] = {}
        async for lines in self._lines(may_matter, until):
            for line in lines:
                if places is not None and line.namespace not in places:
                    continue
                pieces, cluster = found.setdefault(line.subject, {}), line.cluster
                piece, known = piece_of(line.seq, line.type), pieces.get(cluster)
                pieces[cluster] = known.joined(piece) if known else piece
        return [span_of(text_of(one), [*pieces.values()]) for one, pieces in found.items()]

    async def homes(self, kinds: Collection[str]) -> frozenset[Home]:
        """Give where anything of `kinds` was ever seen, and of which namespace its owner was."""
        types = _is_of([f"{kind}Seen" for kind in kinds])
        found = {
            (line.namespace, _value(line.text, _OWNER))
            async for lines in self._lines(lambda text: _OWNER in text and types(text))
            for line in lines
        }
        return homes_of((text_of(one), owner.decode("ascii")) for one, owner in found)

    async def saying(self, kinds: Collection[str], text: str) -> frozenset[str]:
        """Give the subjects of `kinds` that were ever seen with a text in their level."""
        types, said = _is_of([f"{kind}Seen" for kind in kinds]), text.encode("ascii")
        found = {
            line.subject
            async for lines in self._lines(lambda text: said in text and types(text))
            for line in lines
        }
        return frozenset(map(text_of, found))

    async def linked(
        self, kind: str, key: str, uids: Collection[str], others: Mapping[str, Collection[str]]
    ) -> frozenset[tuple[str, str]]:
        """Give the subjects of `kind` whose level has one of `uids` under its `key`, and which."""
        types, keys = _is_of([f"{kind}Seen"]), {key: uids, **others}
        wanted = [(_field(each), frozenset(map(written, some))) for each, some in keys.items()]

        def may_matter(text: bytes) -> bool:
            return types(text) and any(_value(text, each) in some for each, some in wanted)

        found = {
            (line.subject, _value(line.text, _field(key)))
            async for lines in self._lines(may_matter)
            for line in lines
        }
        return frozenset((text_of(one), text_of(uid)) for one, uid in found)

    async def ending(self, kind: str, uids: Collection[str]) -> frozenset[str]:
        """Give the subjects of `kind` that have one of these uids, in whatever rows."""
        wanted, found = frozenset(uids), await self.below(f"{kind}/")
        return frozenset(one for one in found if one.rpartition("/")[2] in wanted)

    async def sift(
        self, sieve: Sieve, after: int, until: int | None, *, batch_rows: int
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until that the sieve lets through, in order."""
        kinds = tuple(f"{kind}/".encode("ascii") for kind in sieve.kinds)
        subjects = frozenset(map(written, sieve.subjects))

        def wants(subject: bytes) -> bool:
            return subject in subjects or not subject.startswith(kinds)

        rows = self._reader.read(after, until, batch_rows=batch_rows, wants=wants)
        async with aclosing(rows):
            async for batch in rows:
                yield batch

    async def _lines(
        self, may_matter: Callable[[bytes], bool] = bool, until: int | None = None
    ) -> AsyncGenerator[Sequence[_Line], None]:
        """Give the lines that may matter and are rows, some at a time, up to a position."""
        for first, block in self._reader.blocks():
            await asyncio.sleep(0)  # so that whoever waits for a Ctrl-C hears of it
            if until is not None and first > until:
                return
            end = len(block) if until is None else until + 1 - first
            pairs = [(seq, text) for seq, text in enumerate(block[:end], first) if may_matter(text)]
            found = [(seq, subject_in(text, seq), text) for seq, text in pairs]
            yield [_Line(seq, subject, text) for seq, subject, text in found if subject]


def _is_of(type_names: Iterable[str]) -> Callable[[bytes], bool]:
    """Give what tells whether a line is a row of one of these types."""
    # At a line's end: in `data` the same words may stand for something else.
    ends = [re.escape(_TYPE + b'%s","version":' % name.encode("ascii")) for name in type_names]
    ending = re.compile(b"(?:%s)\\d+}\\n" % b"|".join(ends))
    return lambda text: ending.match(text, text.rfind(_TYPE)) is not None


def _field(key: str) -> bytes:
    return b'"%s":"' % key.encode("ascii")


def _value(text: bytes, field: bytes) -> bytes:
    """Give the text under a key of a level; empty where there is none."""
    begin = text.find(field) + len(field)
    return text[begin : text.find(b'"', begin)] if begin >= len(field) else b""
