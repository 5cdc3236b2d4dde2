"""One recording, one answer: whatever store, read-batch size, hash seed and time zone it has."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from adapters.store.copying import import_log
from engine.events import Event
from engine.instants import SECOND
from tests.cli.commands import printed
from tests.recordings import reading
from tests.recordings.telling import BATCH_SIZES, LOG, Answers, Question, answers
from tests.repository import ROOT
from tests.store.databases import fresh_database

# One of each kind of story: what a controller did for warmups, caches and replicas, what was told
# in any order, and what a real control plane said.
NAMES = (
    "one_node_cannot_pull",
    "demo_caches",
    "demo_replicas",
    "a_claim_is_lost_with_a_backup",
    "real_a_half_failing_warmup",
)
HASH_SEEDS = ("0", "1", "2", "3", "5", "8", "13", "21", "34", "4294967295")
ZONES = ("Asia/Kolkata", "America/St_Johns")
FEW = 2  # surroundings that the quick tests try; all others are for `make prove`


def marks_of(number: int, turn: int) -> list[pytest.MarkDecorator]:
    """Say which surroundings are for `make prove`."""
    return [pytest.mark.prove] if turn or number >= FEW else []


# Each seed in each zone; of the sizes, which are rotated, each meets each zone and each store.
AROUND = [
    pytest.param(number, seed, ZONES[(number + turn) % 2], marks=marks_of(number, turn))
    for turn in range(2)
    for number, seed in enumerate(HASH_SEEDS)
]


def rotated(number: int) -> list[int]:
    """All sizes, another one first each time."""
    first = number % len(BATCH_SIZES)
    return [*BATCH_SIZES[first:], *BATCH_SIZES[:first]]


def path_of(name: str) -> str:
    """The recording as JSON Lines."""
    return str(reading.FOLDER / f"{name}.jsonl")


async def rows_of(name: str) -> list[Event]:
    """All rows of a recording."""
    return [event async for batch in reading.reader(name).read() for event in batch]


def commands_for(name: str) -> list[list[str]]:
    """What is asked of a recording: at its end, and at an instant or a row in its middle."""
    rows = asyncio.run(rows_of(name))
    middle = rows[len(rows) // 2]
    seconds = middle.at // SECOND % 86400
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    instant, row = ["--at", clock], ["--at", str(middle.seq)]
    shown = json.loads(printed("replay", path_of(name), "-o", "json", *row))
    asked = [["replay", LOG, "-o", "json", *end] for end in ([], instant, row)]
    return asked + [["explain", each, "--log", LOG, *row] for each in references(shown)]


def references(replayed: Any) -> list[str]:
    """The first object of each kind that a replay shows."""
    first = {item["kind"]: item for item in reversed(replayed["items"]) if item["namespace"]}
    return [
        f"{kind.lower()}/{item['namespace']}/{item['name']}" for kind, item in sorted(first.items())
    ]


@pytest.fixture(scope="module")
def commands() -> dict[str, list[list[str]]]:
    """What is asked of each recording."""
    return {name: commands_for(name) for name in NAMES}


@pytest.fixture(scope="module")
def expected(commands: dict[str, list[list[str]]]) -> list[Answers]:
    """What this process prints of the JSON Lines files."""
    return [answers(Question([path_of(name)], commands[name], [1000])) for name in NAMES]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Each recording as JSON Lines and as a SQLite file."""
    folder = tmp_path_factory.mktemp("logs")
    for name in NAMES:
        asyncio.run(import_log(reading.reader(name), Path(folder, f"{name}.db")))
    return {name: [path_of(name), str(folder / f"{name}.db")] for name in NAMES}


@pytest.fixture(scope="module")
def databases() -> Iterator[dict[str, list[str]]]:
    """Each recording in PostgreSQL, in a schema of its own."""
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        try:
            yield {name: [runner.run(_into_postgres(stack, name))] for name in NAMES}
        finally:
            runner.run(stack.aclose())


async def _into_postgres(stack: AsyncExitStack, name: str) -> str:
    url = await stack.enter_async_context(fresh_database())
    await import_log(reading.reader(name), url)
    return url


def told(questions: Sequence[Question], **around: str) -> list[Answers]:
    """What another process prints, in these surroundings."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.recordings.telling"],
        cwd=ROOT,
        env={**os.environ, **around},
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[Answers] = json.loads(done.stdout)
    return found


def test_what_is_asked_tells_something(
    commands: dict[str, list[list[str]]], expected: list[Answers]
) -> None:
    """Each command answers, and what is shown of a middle is not what is shown of the end."""
    for name, recording in zip(NAMES, expected, strict=True):
        assert [one[0][:2] for one in recording] == ["0\n"] * len(commands[name])
        end, _, middle, *_ = recording
        assert end != middle
        assert any(command[0] == "explain" for command in commands[name])


@pytest.mark.parametrize(("number", "seed", "zone"), AROUND)
def test_files_answer_alike(
    number: int,
    seed: str,
    zone: str,
    files: dict[str, list[str]],
    commands: dict[str, list[list[str]]],
    expected: list[Answers],
) -> None:
    """JSON Lines and SQLite give the same bytes, in batches of any size, in any surroundings."""
    questions = [Question(files[name], commands[name], rotated(number)) for name in NAMES]
    assert told(questions, PYTHONHASHSEED=seed, TZ=zone) == expected


@pytest.mark.postgres
@pytest.mark.parametrize(("number", "seed", "zone"), AROUND)
def test_databases_answer_alike(
    number: int,
    seed: str,
    zone: str,
    databases: dict[str, list[str]],
    commands: dict[str, list[list[str]]],
    expected: list[Answers],
) -> None:
    """So does PostgreSQL."""
    questions = [Question(databases[name], commands[name], rotated(number)) for name in NAMES]
    assert told(questions, PYTHONHASHSEED=seed, TZ=zone) == expected
