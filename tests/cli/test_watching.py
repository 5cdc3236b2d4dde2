"""`warmlog watch`: what is new of each row, lines in a pipe, and pages that fit."""

import io
import json
import os
import signal
import subprocess
from pathlib import Path

import pytest
from rich.console import Console

from adapters.cli.printing import Format
from adapters.cli.watch_pages import Standing, page, rooms
from adapters.cli.watch_screens import Lines
from adapters.cli.watch_states import Change, Following, Wanted
from adapters.explaining.references import Reference
from adapters.store.tailing import Begun, Lost, Rested, Rows
from engine.events import Event
from engine.logs import LogIdentity
from tests.cli.commands import warmlog
from tests.cli.terminals import COMMAND
from tests.recordings.reading import FOLDER, reader
from tests.repository import ROOT
from tests.store.rows import read_all

WARMUP = Reference("ModelWarmup", "default", "runtime-image-warmup")


async def story(name: str) -> list[Event]:
    """The rows of a recording."""
    return await read_all(reader(name))


async def changes(name: str, wanted: Wanted | None = None) -> list[Change]:
    """What is new, row by row, from the first one on."""
    following = Following("log", wanted or Wanted())
    return list(following.changes(await story(name)))


async def test_each_node_and_the_whole_are_told_as_they_move() -> None:
    """Of a warmup each phase is told once, and each state of each node, at its row."""
    told = await changes("demo")
    assert {change.reference for change in told} == {WARMUP}
    whole = [change.words.partition(":")[0] for change in told if not change.part]
    assert whole == ["Pending", "Running", "Degraded"]
    one = [change.words.partition(":")[0] for change in told if change.part == "gpu-01"]
    assert one == ["Pending", "Hydrating", "Ready"]
    assert [change.position for change in told] == sorted(change.position for change in told)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("demo_caches", {"ModelCache", "InferenceCluster"}),
        ("demo_replicas", {"ModelCache", "InferenceCluster", "ModelReplica"}),
    ],
)
async def test_every_kind_is_told(name: str, kinds: set[str]) -> None:
    """Caches are told cluster by cluster, replicas and clusters as a whole."""
    told = await changes(name)
    assert {change.reference.kind for change in told} == kinds
    parts = {(change.reference.kind, bool(change.part)) for change in told}
    assert ("ModelCache", True) in parts
    assert ("InferenceCluster", True) not in parts


async def test_what_stands_is_told_once_and_only_changes_after_it() -> None:
    """After half a log that is folded at once, the rest tells what it tells after all before it."""
    rows = await story("demo_caches")
    following = Following("log", Wanted())
    following.fold(rows[:60])
    standing = list(following.standing())
    assert standing
    assert {change.part for change in standing} == {""}
    assert list(following.standing()) == []
    later = list(following.changes(rows[60:]))
    whole = await changes("demo_caches")
    assert later == [change for change in whole if change.position > 60]


async def test_who_is_gone_is_told_and_forgotten() -> None:
    """An object that is deleted is told as gone, and the same name later is a new one."""
    told = await changes("real_a_half_failing_warmup")
    gone = [change for change in told if change.words == "gone"]
    rows = [row for row in await story("real_a_half_failing_warmup") if row.type == "Gone"]
    warmups = [row.seq for row in rows if row.subject.startswith("ModelWarmup/")]
    assert [change.position for change in gone] == warmups


@pytest.mark.parametrize(
    ("wanted", "kinds"),
    [
        (Wanted(namespace="default"), {"ModelCache", "ModelReplica"}),
        (Wanted(namespace="other"), set()),
        (Wanted(None, Reference("InferenceCluster", "", "home")), {"InferenceCluster"}),
    ],
)
async def test_only_what_is_wanted_is_told(wanted: Wanted, kinds: set[str]) -> None:
    """A namespace or a reference leaves others out, and so do the last rows."""
    told = await changes("demo_replicas", wanted)
    assert {change.reference.kind for change in told} == kinds


@pytest.mark.parametrize("name", ["demo", "demo_caches", "demo_replicas"])
@pytest.mark.parametrize(("columns", "lines"), [(40, 8), (80, 24), (200, 60)])
async def test_a_page_fits(name: str, columns: int, lines: int) -> None:
    """Whatever the window's size, a page has no more lines, and none that is longer."""
    following = Following("log", Wanted())
    following.fold(await story(name))
    console = Console(file=io.StringIO(), width=columns, height=lines, color_system=None)
    with console.capture() as captured:
        console.print(page(following, Standing(f"{name}.jsonl"), lines))
    shown = captured.get().splitlines()
    assert len(shown) <= lines
    assert max(map(len, shown)) <= columns
    assert shown[0].startswith("warmlog watch")
    assert f"position {following.state.position}" in shown[1]


async def test_a_warmup_that_is_asked_for_has_its_nodes() -> None:
    """Alone on its page a warmup names the nodes that are not ready, each with why."""
    following = Following("log", Wanted(None, WARMUP))
    following.fold((await story("one_node_cannot_pull"))[:45])
    console = Console(file=io.StringIO(), width=200, color_system=None)
    with console.capture() as captured:
        console.print(page(following, Standing("log"), 40))
    lines = captured.get().splitlines()
    heads = next(number for number, line in enumerate(lines) if line.startswith("NODE "))
    assert "ImagePull" in "".join(lines[heads:])


@pytest.mark.parametrize(
    ("counts", "left", "shown"),
    [
        ([], 10, []),
        ([1, 1], 20, [1, 1]),
        ([100, 2], 14, [8, 2]),
        ([100, 100, 100], 18, [4, 4, 4]),
        ([5, 5, 5], 6, [1, 1, 0]),
        ([3], 2, [0]),
    ],
)
def test_tables_share_the_room(counts: list[int], left: int, shown: list[int]) -> None:
    """All share alike, none has more than it needs, and what does not fit is left out."""
    assert rooms(counts, left) == shown


async def test_lines_say_what_is_lost_and_back(capsys: pytest.CaptureFixture[str]) -> None:
    """Troubles are told on stderr, each once, and that they are over; another log as such."""
    rows = await story("demo")
    identity = LogIdentity("log", len(rows), 1, rows[-1].at)
    lines = Lines("demo.jsonl", Wanted(), Format.TEXT)
    for news in (
        Begun(identity), Rows(rows[:-5], identity), Rested(identity, ""), Lost("it is away."),
        Lost("it is away."), Rows(rows[-5:], identity), Rested(identity, ""),
        Begun(identity._replace(log_id="other")),
    ):  # fmt: skip
        lines.take(news)
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "warmlog: lost, and tried again: it is away.",
        "warmlog: demo.jsonl is back.",
        "warmlog: demo.jsonl holds another log now, other.",
    ]
    assert said.out.count("Degraded") == 1


def test_in_a_pipe_there_are_documents_and_no_controls() -> None:
    """With -o json each line is a document, and it goes on until it is told to stop."""
    process = subprocess.Popen(
        [*COMMAND, "watch", str(FOLDER / "demo_replicas.jsonl"), "-o", "json"],
        env={**os.environ, "PYTHONPATH": str(ROOT), "FORCE_COLOR": "1"},
        stdout=subprocess.PIPE,
    )
    assert process.stdout is not None
    first = [json.loads(process.stdout.readline()) for _ in range(4)]
    assert {each["kind"] for each in first} == {"ModelCache", "ModelReplica", "InferenceCluster"}
    assert first[0].keys() >= {"position", "at", "cluster", "namespace", "name", "part", "words"}
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=60)
    assert (process.returncode, rest) == (0, b"")


def test_a_log_that_is_not_there(tmp_path: Path) -> None:
    """A wrong place is one sentence, as for every command."""
    result = warmlog("watch", tmp_path / "none.db")
    assert result.exit_code == 4
    assert "There is no log at" in result.stderr


@pytest.mark.parametrize("name", ["demo_caches", "demo_replicas"])
def test_once_tells_where_everything_stands_and_ends(name: str) -> None:
    """A line for each object, the last that a watch of the log tells of it."""
    told = warmlog("watch", FOLDER / f"{name}.jsonl", "--once", "-o", "json")
    assert told.exit_code == 0, told.stderr
    found = [json.loads(line) for line in told.stdout.splitlines()]
    assert {one["kind"] for one in found} >= {"ModelCache", "InferenceCluster"}
    names = [(one["kind"], one["namespace"], one["name"], one["part"]) for one in found]
    assert len(set(names)) == len(names)
