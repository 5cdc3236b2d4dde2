"""The timeline of one object is the same whether rows of others are folded or left out."""

from asyncio import run
from pathlib import Path

import pytest

from adapters.cli.folding import fold_whole
from adapters.store.concerning import Concerning, sieve_for
from adapters.store.copying import import_log
from adapters.store.databases import SqlReader
from adapters.store.opening import open_log
from adapters.store.sifting_rows import RowSifter
from engine.logs import EventReader
from machines.charting import Chart
from machines.narrowing import Narrowed, narrowed
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.worlds import WORLDS
from tests.recordings import reading

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.prove) for seed in range(2, 5))]


async def alone(reader: EventReader, *named: str) -> Narrowed:
    """Give what concerns an object of what is read."""
    chart = Chart()
    await fold_whole(reader, chart.take)
    return narrowed(chart.rows, chart.lanes, *named)


async def compare(log: EventReader, path: Path) -> int:
    """Chart each object by itself, with and without the rows of others; give how many."""
    await import_log(log, path)
    count = 0
    async with await open_log(path, read_only=True) as whole:
        assert isinstance(whole, SqlReader)
        sifter, chart = RowSifter(whole), Chart()
        await fold_whole(whole, chart.take)
        for name in {one.place.subject[:3] for one in chart.lanes}:
            sieve = await sieve_for(sifter, *name)
            if sieve is not None:
                part = await alone(Concerning(whole, sifter, sieve), *name)
                assert part.lanes == narrowed(chart.rows, chart.lanes, *name).lanes
                count += 1
    return count


@pytest.mark.prove
@pytest.mark.parametrize("name", reading.names())
def test_each_object_of_a_recording_is_charted_alone_as_in_the_whole(
    name: str, tmp_path: Path
) -> None:
    """Its lanes have the same spans, words and causes at the same positions."""
    run(compare(reading.reader(name), tmp_path / "log.db"))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("sort", WORLDS)
def test_each_object_of_a_world_is_charted_alone_as_in_the_whole(
    sort: str, seed: int, tmp_path: Path
) -> None:
    """So has it whatever people, machines and networks did."""
    logs = enumerate(draw_and_play(seed, world=sort).world.all_logs)
    assert sum(run(compare(log, tmp_path / f"{number}.db")) for number, log in logs)
