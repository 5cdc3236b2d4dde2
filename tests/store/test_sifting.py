"""Sifting: what is left out of a log in a database, and what never is."""

from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from pathlib import Path

from adapters.store.concerning import MOST, sieve_for, sifted
from adapters.store.copying import import_log
from adapters.store.databases import SqlLog, SqlReader
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from adapters.store.sifting import Sieve
from adapters.store.sifting_rows import RowSifter
from engine.canonical_json import dumps
from engine.events import Draft, Event
from engine.replaying import END, Moment
from machines.lasting import Home, Span
from tests.recordings import reading

LATER = 2**62  # nanoseconds: later than any row
CACHE = "ModelCache", "default", "model"
CLAIM = "PersistentVolumeClaim/models/claim/uid"


async def recorded(path: Path) -> int:
    """Have a log of a few rows in a database; give how many."""
    await import_log(reading.reader("one_node_cannot_pull"), path)
    async with await open_log(path, read_only=True) as log:
        return (await log.identify()).position


async def start(path: Path, data: str, version: int = 1) -> None:
    """Have a session started that says this."""
    async with await open_log(path) as log:
        assert isinstance(log, SqlLog)
        await log.open_epoch(Draft("", "Session///", "SessionStarted", version, data), LATER)


async def test_what_is_appended_while_a_log_is_looked_through_is_not_shown(tmp_path: Path) -> None:
    """What else belongs to it may have been left out, as nobody had seen it yet."""
    path = tmp_path / "log.db"
    rows = await recorded(path)
    async with await open_log(path, read_only=True) as whole:
        part = await sifted(whole, None, END)
        assert part is not None
        await start(path, "{}")
        read = [row async for batch in part.reader.read(0, part.moment.position) for row in batch]
        assert read[-1].seq <= rows
        assert part.last is not None
        assert part.last.seq == rows


async def test_a_session_that_cannot_be_read_leaves_it_to_the_whole_log_to_say_so(
    tmp_path: Path,
) -> None:
    """Or not to: it may stand after the moment that is asked for, and be a newer version's."""
    for number, (data, version) in enumerate((("[]", 1), ('{"caching":[]}', 1), ("{}", 99))):
        path = tmp_path / f"{number}.db"
        rows = await recorded(path)
        await start(path, data, version)
        async with await open_log(path, read_only=True) as whole:
            assert await sifted(whole, CACHE, Moment(position=rows)) is None
            assert await sifted(whole, None, Moment(position=rows)) is None


async def spans_of(*rows: tuple[str, str], path: Path) -> list[Span]:
    """Where rows about the claim begin and end, given the cluster and the type of each."""
    log = MemoryLog("claims")
    log.rows += [
        Event(seq, 1, seq, cluster, CLAIM, name, 1, dumps({}))
        for seq, (cluster, name) in enumerate(rows, 1)
    ]
    await import_log(log, path)
    async with await open_log(path, read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        return list(await RowSifter(whole).spans((), None))


async def test_what_is_gone_from_one_cluster_may_be_on_another(tmp_path: Path) -> None:
    """Clusters restored from one backup know the same uids."""
    seen, gone = "PersistentVolumeClaimSeen", "Gone"
    both = ("east", seen), ("west", seen), ("west", gone)
    assert await spans_of(*both, path=tmp_path / "1.db") == [Span(CLAIM, 1, 3, is_over=False)]
    all_gone = (*both, ("east", gone))
    assert await spans_of(*all_gone, path=tmp_path / "2.db") == [Span(CLAIM, 1, 4, is_over=True)]


async def test_an_answer_ends_the_asking(tmp_path: Path) -> None:
    """An answer that says that nobody knows does not."""
    asked = ("east", "CreateIntended"), ("east", "IntentUnknown")
    (span,) = await spans_of(*asked, path=tmp_path / "1.db")
    assert span.is_asking
    (span,) = await spans_of(*asked, ("east", "IntentAbsent"), path=tmp_path / "2.db")
    assert not span.is_asking


class Crowded:
    """A log with more ModelWarmups of one name than a database is asked for at once."""

    async def row_at(self, until: int) -> Event | None:
        """Give none."""

    async def position_at(self, at: int) -> int:
        """Give nothing: nobody asks about a time."""
        raise AssertionError(at)

    async def below(self, prefix: str) -> frozenset[str]:
        """Give them."""
        return frozenset(f"{prefix}uid-{number}" for number in range(MOST + 1))

    async def of_types(self, *_: str) -> Sequence[Event]:
        """Give no session."""
        return ()

    async def spans(
        self,
        passed_over: Collection[str],
        until: int | None,
        namespaces: Collection[str] | None = None,
    ) -> Sequence[Span]:
        """Give nothing: nobody asks for all that is there."""
        raise AssertionError(passed_over, until, namespaces)

    async def homes(self, kinds: Collection[str]) -> frozenset[Home]:
        """Give nothing: there is no owner to look for."""
        raise AssertionError(kinds)

    async def saying(self, kinds: Collection[str], text: str) -> frozenset[str]:
        """Give nothing: there is no namespace to look at."""
        raise AssertionError(kinds, text)

    async def linked(
        self, kind: str, key: str, uids: Collection[str], others: Mapping[str, Collection[str]]
    ) -> frozenset[tuple[str, str]]:
        """Refuse what PostgreSQL refuses."""
        raise AssertionError(kind, key, len(uids), len(others))

    async def ending(self, kind: str, uids: Collection[str]) -> frozenset[str]:
        """Refuse it likewise."""
        raise AssertionError(kind, len(uids))

    def sift(
        self, sieve: Sieve, after: int, until: int | None, *, batch_rows: int
    ) -> AsyncIterator[Sequence[Event]]:
        """Give nothing: the log is read whole."""
        raise AssertionError(sieve, after, until, batch_rows)


async def test_of_too_many_objects_of_a_name_the_whole_log_is_read() -> None:
    """No database is asked for more at once than it takes."""
    assert await sieve_for(Crowded(), "ModelWarmup", "default", "made-each-minute") is None
