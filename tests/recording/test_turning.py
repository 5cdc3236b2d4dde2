"""A recording goes on in another file when one is full, and each can be looked at alone."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from adapters.recording.opening import NoRecording
from adapters.recording.series import Series
from adapters.recording.turning import Bounds, Pages
from adapters.running.writing import Writer, open_writer
from adapters.store.opening import open_log
from engine.events import Event
from engine.instants import SECOND
from engine.replaying import replay
from machines.domain import WARMLOG
from machines.levels import NodeLevel
from machines.recorders import RECORD
from tests.recording.witnessed import phases
from tests.running.fakes import WRITER
from tests.running.stories import NOON, node_seen, synced, warmup_seen

IDENTITY = WRITER._replace(recorder=RECORD)
Turned = list[tuple[Path, Sequence[Event]]]


@pytest.fixture(params=["rec.jsonl", "rec.db"])
def series(request: pytest.FixtureRequest, tmp_path: Path) -> Series:
    """A recording that does not exist yet."""
    return Series(tmp_path / request.param)


async def begun(series: Series, turned: Turned, bounds: Bounds) -> tuple[Pages, Writer]:
    """Begin a session in the newest file."""
    pages = await Pages.open(
        series, IDENTITY, bounds, lambda path, rows: turned.append((path, rows))
    )
    return pages, await pages.begin(NOON, lambda _state: None)


async def filled(series: Series, turned: Turned, bounds: Bounds, nodes: int = 3) -> Writer:
    """Record a warmup and nodes that come one by one; turn after each, if it is time to."""
    pages, writer = await begun(series, turned, bounds)
    writer.fold_in(synced(warmups=[warmup_seen()]), NOON)
    await writer.flush()
    for number in range(nodes):
        writer = await pages.turn(writer, NOON + number * SECOND)
        writer.fold_in([node_seen(f"n{number}", 60 + number)], NOON + number * SECOND)
        await writer.flush()
    await pages.close()
    return writer


async def test_every_file_is_a_log_of_its_own(series: Series) -> None:
    """The last of several files says all that is known, and has its own id; so does each one."""
    turned: Turned = []
    writer = await filled(series, turned, Bounds(1))
    assert [path.name for path, _ in turned] == [series.path(n).name for n in (2, 3, 4)]
    ids = set()
    for number in series.numbers():
        async with await open_log(series.path(number), read_only=True) as log:
            replayed = await replay(WARMLOG, log)
            ids.add((await log.identify()).log_id)
        assert len(replayed.state.clusters["sim"].objects["Node"]) == number - 1
    assert phases(replayed.state) == phases(writer.state)
    assert len(ids) == len(series.numbers()) == 4


async def test_a_file_that_has_room_is_gone_on_with(series: Series) -> None:
    """Nothing is turned below the bound, nor without one."""
    turned: Turned = []
    await filled(series, turned, Bounds(1 << 30))
    await filled(series, turned, Bounds(0))
    assert turned == []
    assert series.numbers() == [1]


async def test_what_is_known_may_be_larger_than_a_file_may_grow(series: Series) -> None:
    """Then not each row has all of it told once more: a file takes half as much in news."""
    turned: Turned = []
    pages, writer = await begun(series, turned, Bounds(1 << 17))
    large = NodeLevel((("label", "x" * (1 << 15)),), ready="True")
    for number in range(12):
        seen = node_seen(f"n{number}", 60 + number)._replace(level=large)
        writer.fold_in([seen], NOON + number * SECOND)
        await writer.flush()
        writer = await pages.turn(writer, NOON + number * SECOND)
    await pages.close()
    assert 2 <= len(turned) <= 6


async def test_only_as_many_files_are_kept_as_were_asked_for(series: Series) -> None:
    """The oldest ones go, with all that lies beside them."""
    await filled(series, [], Bounds(1, 2))
    assert series.numbers() == [3, 4]
    left = {path.name for path in series.first.parent.iterdir()}
    assert left <= {series.path(3).name, series.path(4).name, "rec.jsonl.key"}


async def test_the_newest_file_is_gone_on_with(series: Series) -> None:
    """A later session goes on there, in the next term, under the same key, and repeats nothing."""
    await filled(series, [], Bounds(1))
    first, _ = await begun(series, [], Bounds())
    key, position = await first.log.secret_key(), (await first.log.identify()).position
    await first.close()
    pages, writer = await begun(series, [], Bounds())
    assert pages.path == series.path(4)
    assert await pages.log.secret_key() == key
    assert (writer.cursor.position, writer.cursor.epoch) == (position + 1, 3)
    await pages.close()


async def test_the_key_goes_with_the_recording(series: Series) -> None:
    """The next file digests Secrets under the same key, so that the same ones stay the same."""
    pages, writer = await begun(series, [], Bounds(1))
    key = await pages.log.secret_key()
    await pages.turn(writer, NOON)
    assert pages.number == 2
    assert await pages.log.secret_key() == key
    await pages.close()


async def test_what_is_no_recording_is_left_alone(tmp_path: Path) -> None:
    """A controller's log is not taken away from it."""
    path = tmp_path / "warmlog.db"
    async with await open_log(path, create=True) as log:
        await open_writer(log, WRITER, NOON)
    with pytest.raises(NoRecording, match=r"warmlog.db is no recording"):
        await Pages.open(Series(path), IDENTITY, Bounds(), lambda *_: None)
    async with await open_log(path, read_only=True) as log:
        assert (await log.identify()).epoch == 1


async def test_a_next_file_that_cannot_be_made_is_tried_again(tmp_path: Path) -> None:
    """The full file goes on until there is a way."""
    series, turned = Series(tmp_path / "rec.jsonl"), []  # type: tuple[Series, Turned]
    pages, writer = await begun(series, turned, Bounds(1))
    series.path(2).mkdir()
    assert await pages.turn(writer, NOON) is writer
    series.path(2).rmdir()
    assert await pages.turn(writer, NOON) is not writer
    assert [path for path, _ in turned] == [series.path(2)]
    await pages.close()


def test_numbers_of_other_files_are_none_of_ours(tmp_path: Path) -> None:
    """Only names that the recording itself would give count."""
    names = ("rec.jsonl", "rec-2.jsonl", "rec-10.jsonl", "rec-1.jsonl", "rec-02.jsonl",
             "rec-3.db", "rec-x.jsonl", "other-4.jsonl")  # fmt: skip
    for name in names:
        (tmp_path / name).touch()
    series = Series(tmp_path / "rec.jsonl")
    assert series.numbers() == [1, 2, 10]
    assert series.newest() == 10
