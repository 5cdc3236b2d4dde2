"""What looks through a log, in a database or in a file, finds the same as all others."""

from pathlib import Path

import pytest

from adapters.store.copying import export_file, import_log
from adapters.store.databases import SqlReader
from adapters.store.json_lines import JsonLinesReader
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from adapters.store.sifting import Sieve, Sifter
from adapters.store.sifting_lines import LineSifter
from adapters.store.sifting_rows import RowSifter
from engine.canonical_json import dumps
from engine.errors import LogTruncated, LogUnreadable
from engine.events import Event, Subject
from machines.concerning import KINDS, OWNED, uids_of
from tests.recordings import reading


@pytest.mark.parametrize("name", ["demo", "demo_caches", "a_staged_claim_is_lost_with_a_backup"])
async def test_whatever_looks_through_a_log_finds_the_same(name: str, tmp_path: Path) -> None:
    """In a database, in whatever stretches it is looked through, and in a file."""
    path = tmp_path / "log.db"
    await import_log(reading.reader(name), path)
    async with await open_log(path, read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        rows = (await whole.identify()).position
        plain = await looked_through(RowSifter(whole, cores=1, least_rows=rows), rows)
        for cores, least in ((2, 1), (3, 7), (4, rows // 5)):
            cut = RowSifter(whole, cores=cores, least_rows=least)
            assert await looked_through(cut, rows) == plain
    assert await looked_through(LineSifter(reading.reader(name)), rows) == plain


ODD = [  # cluster, subject, type and what the row says
    ("éast", "ModelCache/ä/m/u\\1", "ModelCacheSeen", {"level": {"subject": "Job/a/b/c"}}),
    ('"', "Job/ns/a/uid-1", "JobSeen", {"level": {"warmupUid": 'x"y'}, "subject": "Pod/a/b/c"}),
    ("", "Job/ns/b/uid-2", "JobSeen", {"level": {"a": '"warmupUid":"u"', "warmupUid": "w"}}),
    ("", "Pod/ns/c/uid-2", "PodSeen", {"type": "JobSeen", "version": 1}),
    ("", "Job/ns/d/uid-3", "Gone", {"x": '","type":"JobSeen","version":1}'}),
    ("\\", 'Node//"/uid-4', "NodeSeen", {"at": 5, "cluster": "other", "epoch": 7, "seq": 1}),
]


async def test_nothing_that_a_row_says_is_taken_for_what_it_is_about(tmp_path: Path) -> None:
    """Whatever names and texts hold: quotes, escapes, and words that look like fields."""
    log = MemoryLog("odd")
    log.rows += [
        Event(seq, 1, seq, cluster, subject, name, 1, dumps(said))
        for seq, (cluster, subject, name, said) in enumerate(ODD, 1)
    ]
    await import_log(log, tmp_path / "log.db")
    await export_file(log, tmp_path / "log.jsonl")
    async with await open_log(tmp_path / "log.db", read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        plain = await looked_through(RowSifter(whole), len(ODD))
    found = await looked_through(LineSifter(JsonLinesReader(tmp_path / "log.jsonl")), len(ODD))
    assert found == plain


async def test_what_has_an_odd_uid_is_found_by_it(tmp_path: Path) -> None:
    """Whatever the uids of a recording hold: letters beyond ASCII, and backslashes."""
    uids = ["é", "\\", "é-\\", "plain"]
    log = MemoryLog("odd")
    log.rows += [
        Event(
            seq, 1, seq, "", f"Job/ns/j/{seq}", "JobSeen", 1, dumps({"level": {"warmupUid": uid}})
        )
        for seq, uid in enumerate(uids, 1)
    ]
    await import_log(log, tmp_path / "log.db")
    await export_file(log, tmp_path / "log.jsonl")
    lines = LineSifter(JsonLinesReader(tmp_path / "log.jsonl"))
    found = {job for job, _ in await lines.linked("Job", "warmupUid", uids, {})}
    assert found == {f"Job/ns/j/{seq}" for seq in range(1, 5)}
    async with await open_log(tmp_path / "log.db", read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        linked = await RowSifter(whole).linked("Job", "warmupUid", uids, {})
    assert {job for job, _ in linked} == found


@pytest.mark.parametrize("keep", [1, 4, 5])
async def test_a_cut_file_tells_its_last_whole_row(keep: int, tmp_path: Path) -> None:
    """And up to which row anything stands in it is said by who reads it."""
    path = tmp_path / "log.jsonl"
    lines = (reading.FOLDER / "demo.jsonl").read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: 1 + keep]) + lines[1 + keep][:-9])
    sifter = LineSifter(JsonLinesReader(path))
    row = await sifter.row_at(len(lines) - 1)
    assert row is not None
    assert row.seq == keep
    let_through = Sieve(KINDS, frozenset())
    with pytest.raises(LogTruncated, match=f"up to position {keep}"):
        await sifted(sifter, let_through, 1000)


async def test_a_damaged_line_is_told_though_nobody_wants_its_row(tmp_path: Path) -> None:
    """What was before it is given first."""
    path = tmp_path / "log.jsonl"
    lines = (reading.FOLDER / "demo.jsonl").read_bytes().splitlines(keepends=True)
    for damage in (b"", b"{}\n", lines[40], lines[42], b"\n"):
        path.write_bytes(b"".join([*lines[:41], damage, *lines[42:]]))
        sifter = LineSifter(JsonLinesReader(path))
        with pytest.raises(LogUnreadable, match="line 42 is damaged"):
            await sifted(sifter, Sieve(("Nothing", *KINDS), frozenset()), 1000)


async def looked_through(sifter: Sifter, rows: int) -> list[object]:
    """Give all that a sifter finds in a log of so many rows."""
    spans = [await sifter.spans((), until) for until in (None, rows // 2)]
    subjects = sorted({span.subject for span in spans[0]})
    places = sorted({Subject.parse(one).namespace for one in subjects})
    uids = uids_of(subjects)
    let_through = Sieve(KINDS, frozenset(subjects[::2]))
    return [
        *(sorted(each) for each in spans),
        *[sorted(await sifter.spans(("Job",), None, [one])) for one in (*places, "model")],
        await sifter.homes(OWNED),
        await sifter.row_at(rows),
        await sifter.row_at(rows // 2),
        await sifter.of_types("SessionStarted", "Synced"),
        await sifter.below("M"),
        await sifter.saying(("PersistentVolumeClaim",), '"owner"'),
        await sifter.position_at(0),
        await sifter.position_at(2**62),
        await sifter.linked("Job", "warmupUid", {*uids, "w", 'x"y', "u"}, {}),
        await sifter.linked("Job", "controllerUid", uids, {"warmupUid": uids}),
        await sifter.linked("HydrationPod", "jobUid", uids, {}),
        await sifter.ending("Job", uids),
        *[await sifted(sifter, let_through, batch_rows) for batch_rows in (1, 3, rows)],
    ]


async def sifted(sifter: Sifter, sieve: Sieve, batch_rows: int) -> list[Event]:
    """Give the rows that are let through, read in batches of at most so many."""
    found: list[Event] = []
    async for batch in sifter.sift(sieve, 2, None, batch_rows=batch_rows):
        assert 0 < len(batch) <= batch_rows
        found += batch
    return found
