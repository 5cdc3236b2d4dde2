"""Whatever happens in a world, the story of each object can be told by fewer rows."""

from collections.abc import Iterator

import pytest

from adapters.cli.extracting import Story, Wanted, extract
from adapters.cli.recordings import Recording
from adapters.explaining.references import Reference
from adapters.store.extracts import Extract
from adapters.store.memory_logs import MemoryLog
from engine.events import Subject
from engine.replaying import END, Moment, replay
from engine.verifying import verify
from machines.domain import WARMLOG
from machines.kinds import PUBLISHED
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.worlds import WORLDS
from property_tests.running import run


def objects(log: MemoryLog) -> Iterator[Reference]:
    """Every object that has a story, by its name."""
    subjects = {Subject.parse(row.subject)[:3] for row in log.rows}
    return (Reference(*name) for name in sorted(subjects) if name[0] in PUBLISHED)


async def told(log: Extract | Recording, wanted: Wanted) -> Story:
    """What a log tells of an object."""
    story = Story(wanted)
    await replay(WARMLOG, log, look=story.look)
    return story


@pytest.mark.parametrize("sort", WORLDS)
def test_each_story_is_told_by_fewer_rows(sort: str) -> None:
    """The extract has the phases of the whole, and decides as the whole does."""

    async def compare(log: MemoryLog) -> None:
        whole = Recording(log, "world")
        for reference in objects(log):
            wanted = Wanted(reference, END)
            part = await extract(whole, wanted)
            assert isinstance(part, Extract), reference
            assert (await told(part, wanted)).told == (await told(whole, wanted)).told
            assert [each async for each in verify(WARMLOG, part)] == []

    run(compare(draw_and_play(5, world=sort).world.all_logs[-1]))


@pytest.mark.parametrize("sort", WORLDS)
def test_what_came_later_is_told_without_what_was_superseded(sort: str) -> None:
    """From the middle of a log on, all objects go through the phases of the whole."""

    async def compare(log: MemoryLog) -> None:
        whole = Recording(log, "world")
        wanted = Wanted(None, Moment(position=len(log.rows) // 2))
        part = await extract(whole, wanted)
        assert isinstance(part, Extract)
        assert len(part.kept) < len(log.rows)

    run(compare(draw_and_play(5, world=sort).world.all_logs[-1]))
