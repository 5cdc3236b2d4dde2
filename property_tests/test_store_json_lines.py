"""JSON Lines hold any log: what is exported is read, imported and exported again identical."""

import io
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.store.copying import export_log, import_log
from adapters.store.json_lines import JsonLinesReader
from adapters.store.opening import open_log
from engine.canonical_json import Number, dumps
from engine.errors import LogTruncated, LogUnreadable
from engine.events import Event
from engine.logs import LogIdentity

_DIGITS = st.text("0123456789", min_size=1, max_size=30)
_WHOLE = _DIGITS.map(lambda digits: digits.lstrip("0") or "0")
_NUMBERS = st.tuples(
    st.sampled_from(["", "-"]),
    _WHOLE,
    st.one_of(st.just(""), _DIGITS.map(".{}".format)),
    st.one_of(
        st.just(""),
        st.tuples(st.sampled_from(["e", "E+", "e-"]), _DIGITS).map("".join),
    ),
).map(lambda parts: Number("".join(parts)))

# Lone surrogates and NUL are among the characters: JSON can say them, so data can hold them.
_TEXTS = st.text(st.characters(codec=None), max_size=20)
_DATA = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), _NUMBERS, _TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(_TEXTS, inner, max_size=4)
    ),
    max_leaves=20,
).map(dumps)

# What a database can hold; names in Kubernetes are tamer still.
_NAMES = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
_COUNTS = st.integers(0, 2**63 - 1)


class Rows:
    """A log in memory (engine.logs.EventReader)."""

    def __init__(self, log_id: str, events: Sequence[Event]) -> None:
        self._log_id = log_id
        self._events = events

    async def identify(self) -> LogIdentity:
        """Say where the rows end."""
        if not self._events:
            return LogIdentity(self._log_id, 0, 0, 0)
        last = self._events[-1]
        return LogIdentity(self._log_id, last.seq, last.epoch, last.at)

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncIterator[Sequence[Event]]:
        """Give the rows in batches."""
        wanted = self._events[after:until]
        for start in range(0, len(wanted), batch_rows):
            yield wanted[start : start + batch_rows]


@st.composite
def logs(draw: st.DrawFn) -> list[Event]:
    """Give the rows of a log: seq without a gap, epoch and time that never go back."""
    count = draw(st.integers(0, 8))
    epochs = sorted(draw(st.lists(_COUNTS, min_size=count, max_size=count)))
    times = sorted(draw(st.lists(_COUNTS, min_size=count, max_size=count)))
    return [
        Event(
            seq=seq,
            epoch=epoch,
            at=at,
            cluster=draw(_NAMES),
            subject=draw(_NAMES),
            type=draw(_NAMES),
            version=draw(st.integers(0, 2**31 - 1)),
            data=draw(_DATA),
            cause=draw(st.none() | _COUNTS),
            seen=draw(st.none() | _COUNTS),
        )
        for seq, (epoch, at) in enumerate(zip(epochs, times, strict=True), 1)
    ]


async def exported(reader: Any) -> bytes:
    """Give what `export` writes."""
    stream = io.BytesIO()
    await export_log(reader, stream)
    return stream.getvalue()


async def read_file(content: bytes, **options: Any) -> tuple[list[Event], LogUnreadable | None]:
    """Read a file: the rows that it gave, and the error that ended them."""
    seen: list[Event] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        path.write_bytes(content)
        try:
            async for batch in JsonLinesReader(path).read(**options):
                assert 1 <= len(batch) <= options.get("batch_rows", 1000)
                seen += batch
        except LogUnreadable as error:
            return seen, error
    return seen, None


@given(logs(), _TEXTS, st.integers(0, 9), st.integers(0, 9), st.integers(1, 9))
async def test_reading_gives_what_was_exported(
    events: list[Event], log_id: str, after: int, until: int, batch_rows: int
) -> None:
    """Any log, read in any batches and any range, comes back identical."""
    content = await exported(Rows(log_id, events))
    seen, error = await read_file(content, after=after, until=until, batch_rows=batch_rows)
    assert (seen, error) == (events[after:until], None)
    assert await exported(Rows(log_id, (await read_file(content))[0])) == content


@settings(max_examples=15)
@given(logs(), _NAMES)
async def test_importing_gives_what_was_exported(events: list[Event], log_id: str) -> None:
    """Any log that is imported into a database is exported from there with the same bytes."""
    content = await exported(Rows(log_id, events))
    with tempfile.TemporaryDirectory() as folder:
        location = Path(folder) / "log.db"
        await import_log(Rows(log_id, events), location)
        async with await open_log(location, read_only=True) as reader:
            assert await exported(reader) == content


@given(logs(), st.data())
async def test_cut_anywhere(events: list[Event], data: st.DataObject) -> None:
    """Of a file cut at any byte the whole rows before the cut are given, then LogTruncated."""
    content = await exported(Rows("log", events))
    cut = data.draw(st.integers(1, len(content) - 2))
    seen, error = await read_file(content[:cut])
    whole = content[:cut].count(b"\n")
    # A row whose line lost nothing but its end is whole.
    complete = whole - 1 + (content[cut : cut + 1] == b"\n" and whole > 0)
    assert seen == events[: max(0, complete)]
    assert isinstance(error, LogUnreadable)
    assert isinstance(error, LogTruncated) or whole == 0


@given(logs(), st.data())
async def test_any_byte_changed(events: list[Event], data: st.DataObject) -> None:
    """A changed byte leaves the rows before it as they were, and never is anybody else's error."""
    content = bytearray(await exported(Rows("log", events)))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] = data.draw(st.integers(0, 255))
    seen, error = await read_file(bytes(content))
    before = max(0, bytes(content[:place]).count(b"\n") - 1)
    assert seen[:before] == events[:before]
    assert error is not None or len(seen) <= len(events)
