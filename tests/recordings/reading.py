"""Reading the recordings: what came of each, and every status at every position as bytes.

As a program it prints the digests of those bytes, for a test to compare processes by.
"""

import asyncio
import hashlib
import json
import sys
from pathlib import Path
from typing import Any, TypedDict

from adapters.store.json_lines import JsonLinesReader
from engine.canonical_json import dumps
from engine.logs import EventReader
from machines.domain import WARMLOG
from machines.node_jobs import OUTCOMES
from machines.states import State

FOLDER = Path(__file__).parent
EXPECTED = FOLDER / "expected.json"
COURSES = FOLDER / "courses.json"  # what objects go through, as `warmlog verify` writes it
FOREIGN = FOLDER / "foreign"  # imported from what others recorded: facts alone
FOREIGN_COURSES = FOREIGN / "courses.json"
CASES = FOLDER / "cases"  # what end-to-end tests left, each named for its test
CASES_COURSES = CASES / "courses.json"
LARGEST_CASE = 1_000_000  # bytes


class Outcome(TypedDict):
    """What came of one ModelWarmup."""

    phase: str
    nodes: dict[str, list[str]]  # phase and reason by the node's name, of all that is shown
    outcomes: dict[str, str]  # the state of each machine that has ended, by its uid


class Served(TypedDict):
    """What came of one ModelReplica."""

    conditions: dict[str, str]  # the reason of each
    mount: str  # the one that is kept, as JSON


class Ends(TypedDict):
    """What came of each object, by namespace/name."""

    warmups: dict[str, Outcome]
    caches: dict[str, dict[str, list[str]]]  # phase and mount by the cluster's name
    replicas: dict[str, Served]


class Expected(Ends):
    """What must come of one recording."""

    position: int
    sessions: int


def names() -> list[str]:
    """The recordings, by name."""
    return sorted(path.stem for path in FOLDER.glob("*.jsonl"))


def foreign_paths() -> list[Path]:
    """The recordings that were imported from what others recorded."""
    return sorted(FOREIGN.glob("*.jsonl"))


def case_paths() -> list[Path]:
    """The recordings that are named for the end-to-end tests that left them."""
    return sorted(CASES.glob("*.jsonl"))


def reader(name: str) -> JsonLinesReader:
    """Open one."""
    return JsonLinesReader(FOLDER / f"{name}.jsonl")


async def outcomes(path: Path) -> Expected:
    """Give what came of a recording."""
    source = JsonLinesReader(path)
    state = WARMLOG.initial((await source.identify()).log_id)
    sessions = 0
    async for batch in source.read():
        for event in batch:
            state = WARMLOG.fold(state, event)
            sessions += event.type == "SessionStarted"
    return Expected(position=state.position, sessions=sessions, **ends_of(state))


def ends_of(state: State) -> Ends:
    """Give what came of each object of a state."""
    ends = Ends(warmups={}, caches={}, replicas={})
    for projection in WARMLOG.project(state):
        subject, status = projection.subject, projection.status
        name = f"{subject.namespace}/{subject.name}"
        match subject.kind:
            case "ModelWarmup":
                ends["warmups"][name] = _outcome(state, subject.uid, status)
            case "ModelCache":
                ends["caches"][name] = {
                    entry["name"]: [entry["phase"], dumps(entry.get("mount"))]
                    for entry in status["clusters"]
                }
            case "ModelReplica":
                conditions = {row["type"]: row["reason"] for row in status["conditions"]}
                mount = dumps(status.get("mount"))
                ends["replicas"][name] = Served(conditions=conditions, mount=mount)
    return ends


def _outcome(state: State, uid: str, status: Any) -> Outcome:
    nodes = {
        target["nodeName"]: [target["phase"], target.get("reason", "")]
        for target in status["targets"]
    }
    ended = {
        key: target.state.value
        for key, target in state.warmups[uid].targets.items()
        if target.state in OUTCOMES
    }
    return Outcome(phase=status["phase"], nodes=nodes, outcomes=ended)


def write_expected(path: Path, expected: dict[str, Expected]) -> None:
    """Write what must come of the recordings, as a person can read it."""
    path.write_text(json.dumps(expected, indent=2, sort_keys=True) + "\n", encoding="utf-8")


async def statuses(source: EventReader, batch_rows: int = 1000) -> str:
    """Give every status after every row, one line of canonical JSON each."""
    state = WARMLOG.initial((await source.identify()).log_id)
    lines: list[str] = []
    async for batch in source.read(batch_rows=batch_rows):
        for event in batch:
            state = WARMLOG.fold(state, event)
            lines += [
                f"{event.seq} {projection.subject} {dumps(projection.status)}"
                for projection in WARMLOG.project(state)
            ]
    return "\n".join(lines)


def digest(text: str) -> str:
    """Give the sha256 hex of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


async def digests() -> dict[str, str]:
    """Give the digest of all statuses of each recording."""
    return {name: digest(await statuses(reader(name))) for name in names()}


if __name__ == "__main__":
    sys.stdout.write(dumps(asyncio.run(digests())))
