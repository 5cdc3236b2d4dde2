"""Explaining without a command line: one object at one moment, or all of them in one fold."""

import asyncio
import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from adapters.explaining.errors import Misasked, NotHeld
from adapters.explaining.explained import Explained
from adapters.explaining.explaining import Explainer, Question, explain_object
from adapters.explaining.references import parse_reference
from adapters.store.opening import open_log
from engine.logs import EventReader
from engine.replaying import Moment
from tests.cli.commands import warmlog
from tests.recordings.reading import FOLDER

LOGS = [FOLDER / f"{name}.jsonl" for name in ("demo", "demo_caches", "demo_replicas")]


async def answered(
    log: Path, ref: str, only: str | None = None, at: int | None = None
) -> Explained:
    """What is said of an object at a position."""
    reader = await open_log(str(log), read_only=True)
    question = Question(parse_reference(ref), only)
    try:
        return await explain_object(reader, question, Moment(position=at))
    finally:
        await reader.close()


async def explain_changes(reader: EventReader) -> AsyncGenerator[Explained, None]:
    """Explain every object, and each node and cluster of one, after each row that changes it."""
    explainer = Explainer(await reader.identify())
    async for batch in reader.read():
        for event in batch:
            for uid, part in explainer.fold(event):
                told = explainer.chronicle.history(uid)
                found = explainer.explain(told, part or None) if told is not None else None
                if found is not None:
                    yield found


async def all_changes(log: Path) -> list[Explained]:
    """Every object at each of its changes."""
    reader = await open_log(str(log), read_only=True)
    try:
        return [found async for found in explain_changes(reader)]
    finally:
        await reader.close()


def ref_of(found: Explained) -> str:
    """How a person names the object."""
    kind, namespace, name, _ = found.told.subject
    return "/".join(filter(None, (kind, namespace, name)))


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
async def test_each_change_is_explained_as_if_it_were_asked_about(log: Path) -> None:
    """All objects in one fold say at each position what each would say if it were asked alone."""
    found = await all_changes(log)
    assert len(found) > 20
    for each in found[:: max(1, len(found) // 15)]:
        alone = await answered(log, ref_of(each), each.only, each.place.position)
        assert (alone.text, alone.document) == (each.text, each.document)


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log.stem)
def test_the_command_prints_the_very_text_and_json(log: Path) -> None:
    """What the room gives is what `warmlog explain` prints, to the last byte."""
    found = asyncio.run(all_changes(log))
    for each in (found[len(found) // 2], found[-1]):
        option = "--node" if each.told.subject.kind == "ModelWarmup" else "--on"
        part = [option, each.only] if each.only else []
        args: list[str | Path] = [
            "explain",
            ref_of(each),
            "--log",
            log,
            "--at",
            str(each.place.position),
            *part,
        ]
        there = each.found_in(str(log))
        assert warmlog(*args).stdout == there.text
        assert json.loads(warmlog(*args, "-o", "json").stdout) == there.document


async def test_a_node_has_a_phase_of_its_own() -> None:
    """Of a part of an object the phase is that part's, and not the whole's."""
    found = [each for each in await all_changes(LOGS[0]) if each.only is not None]
    assert {"Pending", "Hydrating", "Ready"} <= {each.phase for each in found}


async def test_what_cannot_be_answered_is_said() -> None:
    """A name that the log does not hold is refused with where it was looked for."""
    with pytest.raises(NotHeld, match="The log holds no ModelWarmup/default/nobody at position"):
        await answered(LOGS[0], "mw/default/nobody")
    with pytest.raises(Misasked, match="names no object"):
        await answered(LOGS[0], "nothing")
