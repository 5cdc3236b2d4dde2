"""One object, shown without the rows that have nothing to do with it, is shown to the same byte."""

from asyncio import run
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.store.concerning import Concerning, Names, sieve_at, sieve_for, sifter_of
from adapters.store.copying import export_file, import_log
from adapters.store.databases import SqlReader
from adapters.store.json_lines import JsonLinesReader
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from adapters.store.sifting_rows import RowSifter
from benchmarks.long_logs import long_log
from engine.canonical_json import dumps
from engine.events import Event, Subject
from engine.logs import EventReader
from engine.replaying import END, Moment, replay
from machines.caches.child_names import workload_namespace
from machines.concerning import uids_of
from machines.courses import Recorder
from machines.domain import WARMLOG
from machines.observations import Done
from machines.replicas.levels import PartLevel
from machines.states import State
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.worlds import WORLDS
from tests.caches.builders import ONE
from tests.recordings import reading
from tests.replicas.builders import DEPLOYMENT, OURS
from tests.replicas.serving import ServingScene
from tests.store.databases import fresh_database

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.prove) for seed in range(2, 6))]
ROWS = 2000
LONGER = 12_000  # rows, after which most objects have gone
MOMENTS = 5  # of a log, at which all of it is compared

Statuses = dict[tuple[str, str, str], list[str]]  # by kind, namespace and name


async def statuses(reader: EventReader, moment: Moment) -> Statuses:
    """Give every status at a moment, as bytes, each with its cluster and its subject."""
    replayed = await replay(WARMLOG, reader, moment)
    found: Statuses = {}
    for each in WARMLOG.project(replayed.state):
        told = f"{each.cluster} {each.subject} {dumps(each.status)}"
        found.setdefault(each.subject[:3], []).append(told)
    return found


async def course(reader: EventReader, name: Names, moment: Moment) -> list[tuple[object, ...]]:
    """Give what an object went through, with the rows by which it did."""
    recorder, found = Recorder(), list[tuple[object, ...]]()

    def look(state: State, event: Event) -> bool:
        for new in recorder.take(state, event):
            if new.place[1] == "/".join(name):
                found.append((event.seq, new))
        WARMLOG.rest(state)
        return False

    await replay(WARMLOG, reader, moment, look=look)
    return found


@asynccontextmanager
async def kept(log: EventReader, path: Path | str) -> AsyncIterator[list[EventReader]]:
    """Have a log in a database, and beside one that is a file in a file of JSON Lines."""
    await import_log(log, path)
    async with await open_log(path, read_only=True) as database:
        if isinstance(path, str):
            yield [database]
            return
        await export_file(log, path.with_suffix(".jsonl"))
        yield [database, JsonLinesReader(path.with_suffix(".jsonl"))]


async def compare(log: EventReader, path: Path | str) -> list[int]:
    """Show each object by itself, at the end and in the middle; give how many rows each saved."""
    saved = []
    async with kept(log, path) as readers:
        for whole in readers:
            rows, sifter = (await whole.identify()).position, sifter_of(whole)
            assert sifter is not None
            for moment in (END, Moment(position=rows // 2)):
                for name, told in (await statuses(whole, moment)).items():
                    sieve = await sieve_for(sifter, *name, moment.position)
                    if sieve is not None:
                        part = Concerning(whole, sifter, sieve)
                        assert (await statuses(part, moment))[name] == told
                        assert await course(part, name, moment) == await course(whole, name, moment)
                        saved.append(rows - sum([len(batch) async for batch in part.read()]))
    return saved


async def compare_what_lasts(log: EventReader, path: Path | str, *, moments: int = MOMENTS) -> int:
    """Show all objects at many moments, without what was over; give how many rows were saved."""
    saved = 0
    async with kept(log, path) as readers:
        for whole in readers:
            rows, sifter = (await whole.identify()).position, sifter_of(whole)
            assert sifter is not None
            for position in range(rows, 0, -max(1, rows // moments)):
                sieve = await sieve_at(sifter, position)
                if sieve is not None:
                    moment, part = Moment(position=position), Concerning(whole, sifter, sieve)
                    assert await statuses(part, moment) == await statuses(whole, moment)
                    read = [len(batch) async for batch in part.read(0, position)]
                    saved += position - sum(read)
    return saved


@pytest.mark.prove
@pytest.mark.parametrize("name", reading.names())
def test_each_object_of_a_recording_is_shown_alone_as_in_the_whole(
    name: str, tmp_path: Path
) -> None:
    """Its status has the same bytes, its position included."""
    run(compare(reading.reader(name), tmp_path / "log.db"))
    run(compare_what_lasts(reading.reader(name), tmp_path / "all.db"))


@pytest.mark.postgres
@pytest.mark.parametrize("sort", WORLDS)
async def test_postgresql_shows_each_object_alone_as_in_the_whole(sort: str) -> None:
    """Its own functions leave out what those of SQLite do."""
    for log in draw_and_play(1, world=sort).world.all_logs:
        async with fresh_database() as url:
            await compare(log, url)
        async with fresh_database() as url:
            await compare_what_lasts(log, url)


async def test_objects_of_one_name_may_have_come_by_the_thousand(tmp_path: Path) -> None:
    """All their Jobs and Pods are found, though no database looks for so many at once."""
    await import_log(reading.reader("one_node_cannot_pull"), tmp_path / "log.db")
    others = [f"uid-{number}" for number in range(2500)]
    async with await open_log(tmp_path / "log.db", read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        sifter = RowSifter(whole)
        (warmup,) = uids_of(await sifter.below("ModelWarmup/default/"))
        jobs = {job for job, _ in await sifter.linked("Job", "warmupUid", [warmup], {})}
        assert len(jobs) == 3
        theirs = {"controllerUid": [*others, warmup]}
        assert {job for job, _ in await sifter.linked("Job", "warmupUid", others, theirs)} == jobs
        assert await sifter.ending("Job", [*others, *uids_of(jobs)]) == jobs
        pods = await sifter.linked("Pod", "jobUid", uids_of(jobs), {})
        assert pods
        theirs = {"warmupUid": [*others, warmup]}
        assert await sifter.linked("Pod", "jobUid", others, theirs) == pods


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sort", WORLDS)
def test_each_object_of_a_world_is_shown_alone_as_in_the_whole(
    sort: str, seed: int, tmp_path: Path
) -> None:
    """Its status has the same bytes, whatever people, machines and networks did."""
    for number, log in enumerate(draw_and_play(seed, world=sort).world.all_logs):
        run(compare(log, tmp_path / f"{number}.db"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sort", WORLDS)
def test_what_lasts_of_a_world_is_shown_as_in_the_whole(
    sort: str, seed: int, tmp_path: Path
) -> None:
    """All statuses have the same bytes without the rows of what was over, at any moment."""
    for number, log in enumerate(draw_and_play(seed, world=sort).world.all_logs):
        run(compare_what_lasts(log, tmp_path / f"{number}.db"))


def test_most_rows_of_a_busy_controller_have_nothing_to_do_with_one_object(tmp_path: Path) -> None:
    """Of a log of many ModelWarmups, ModelCaches and ModelReplicas most is left out for each."""
    log = MemoryLog("long")
    log.rows += [row for piece in long_log(ROWS) for row in piece]
    saved = run(compare(log, tmp_path / "log.db"))
    assert all(each > ROWS / 2 for each in saved)


def test_most_rows_of_a_busy_controller_are_about_what_is_over(tmp_path: Path) -> None:
    """Of a log in which objects come and go most is left out when all that is there is shown."""
    log = MemoryLog("long")
    log.rows += [row for piece in long_log(LONGER) for row in piece]
    saved = run(compare_what_lasts(log, tmp_path / "log.db", moments=1))
    assert saved > LONGER / 3


def test_what_names_an_owner_is_shown_with_it_wherever_people_put_it(tmp_path: Path) -> None:
    """A replica that goes waits for it, in another's namespace and before that other one came."""
    scene = ServingScene(DEPLOYMENT).serving()
    scene.replica(spec=scene.spec(), deleting=True)
    scene.edit(DEPLOYMENT, deleting=True)  # which takes its time
    scene.refuse(f"delete {DEPLOYMENT}", Done("uid"))
    scene.carry_out()
    place = workload_namespace("young")
    scene.see(ONE, Subject("Service", place, "put-here", "put-uid"), PartLevel(owner=OURS))
    scene.carry_out()
    scene.cache(uid="young-uid", name="young", namespace="young")
    scene.carry_out()
    log = MemoryLog("put-elsewhere")
    log.rows += scene.rows
    assert run(compare(log, tmp_path / "log.db"))
    run(compare_what_lasts(log, tmp_path / "all.db", moments=len(scene.rows)))


async def test_the_position_of_a_time_is_that_of_the_last_row_until_then(tmp_path: Path) -> None:
    """Whether rows have that very time, some share one, or all are later."""
    log = MemoryLog("long")
    log.rows += [row for piece in long_log(ROWS) for row in piece]
    times = sorted({row.at for row in log.rows})
    asked = [times[0] - 1, *times[::97], times[-1], times[-1] + 1, times[len(times) // 2] + 1]
    async with kept(log, tmp_path / "log.db") as readers:
        for whole in readers:
            sifter = sifter_of(whole)
            assert sifter is not None
            for at in asked:
                assert await sifter.position_at(at) == sum(row.at <= at for row in log.rows)
