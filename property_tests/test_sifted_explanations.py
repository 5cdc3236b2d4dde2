"""One object, explained without the rows that have nothing to do with it, to the same byte."""

from asyncio import run
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random

import pytest

from adapters.explaining.errors import NotHeld
from adapters.explaining.explaining import Question, explain_object
from adapters.explaining.references import Reference
from adapters.store.concerning import sifted
from adapters.store.copying import import_log
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from benchmarks.long_logs import long_log
from engine.canonical_json import dumps
from engine.events import Event, Subject
from engine.logs import EventReader
from engine.replaying import END, Moment
from machines.concerning import OWNERS
from machines.kinds import WARMUP
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.worlds import WORLDS
from tests.recordings import reading

SEED = 5
ROWS = 3000  # of a log in which objects come and go
LOOKS = 10  # at a log, each at another object and moment


async def said(
    reader: EventReader, reference: Reference, moment: Moment, *, alone: bool
) -> tuple[str, str]:
    """What is said of an object, as text and as JSON, or why nothing can be."""
    sift = partial(sifted, reader) if alone else None
    try:
        found = await explain_object(reader, Question(reference), moment, sift=sift)
    except NotHeld as error:
        return str(error), ""
    return found.text, dumps(found.document)


def looks_at(rows: list[Event]) -> Iterator[tuple[Reference, Moment]]:
    """Objects that were ever seen, there or gone, each at the end and at some moment."""
    kinds = (WARMUP, *OWNERS)
    subjects = (Subject.parse(row.subject) for row in rows)
    seen = list(dict.fromkeys(Reference(*each[:3]) for each in subjects if each.kind in kinds))
    random = Random(len(rows))
    for reference in random.sample(seen, min(len(seen), LOOKS // 2)):
        yield reference, END
        yield reference, Moment(position=random.randint(1, len(rows)))


async def compare(log: EventReader, path: Path) -> int:
    """Explain objects with and without all other rows; give how many rows were left out."""
    await import_log(log, path)
    rows = [row async for batch in log.read() for row in batch]
    saved = 0
    async with await open_log(path, read_only=True) as whole:
        for reference, moment in looks_at(rows):
            alone = await said(whole, reference, moment, alone=True)
            assert alone == await said(whole, reference, moment, alone=False)
            part = await sifted(whole, reference, moment)
            if part is not None:
                read = [len(batch) async for batch in part.reader.read(0, moment.position)]
                saved += (moment.position or len(rows)) - sum(read)
    return saved


@pytest.mark.prove
@pytest.mark.parametrize("name", reading.names())
def test_each_object_of_a_recording_is_explained_alone_as_out_of_the_whole(
    name: str, tmp_path: Path
) -> None:
    """Its words and its JSON have the same bytes, its causes and its place included."""
    run(compare(reading.reader(name), tmp_path / "log.db"))


@pytest.mark.parametrize("sort", WORLDS)
def test_each_object_of_a_world_is_explained_alone_as_out_of_the_whole(
    sort: str, tmp_path: Path
) -> None:
    """Whatever people, machines and networks did, and also when it is gone."""
    for number, log in enumerate(draw_and_play(SEED, world=sort).world.all_logs):
        run(compare(log, tmp_path / f"{number}.db"))


def test_most_rows_have_nothing_to_do_with_what_is_explained(tmp_path: Path) -> None:
    """Of a log of many ModelWarmups, ModelCaches and ModelReplicas most is left out."""
    log = MemoryLog("long")
    log.rows += [row for piece in long_log(ROWS) for row in piece]
    assert run(compare(log, tmp_path / "log.db")) > LOOKS * ROWS / 4
