"""`warmlog record` as a process: what it says and leaves behind, how it ends and goes on."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.cli.recording_screens import Screen
from adapters.ports import Request
from adapters.recording.witnesses import WITNESSING
from adapters.running.writing import Writer, open_writer
from adapters.store.growing_files import GrowingFile
from adapters.store.memory_logs import MemoryLog
from adapters.store.opening import open_log
from engine.canonical_json import dumps
from engine.events import Event
from engine.stepping import Cursor, step
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.recorders import RECORD
from machines.states import State
from tests.cli.commands import printed, warmlog
from tests.repository import ROOT
from tests.running.bridging import bridged, kubeconfig
from tests.running.fakes import WRITER
from tests.running.stories import NOON, manifest, node_seen, pool_world, synced, warmup_seen
from tests.store.rows import read_all

KINDS = 5  # that are watched where there are warmups alone
PATIENCE_SECONDS = 150  # a start takes long on a busy machine


class Asked:
    """The requests of a recorder, and whether it watches all kinds by now."""

    def __init__(self) -> None:
        """Begin with none."""
        self.methods: set[str] = set()
        self.watched: set[str] = set()
        self.all_watched = asyncio.Event()

    def __call__(self, request: Request) -> None:
        """Take note of a request."""
        self.methods.add(request.method)
        if ("watch", "true") in request.query:
            self.watched.add(request.path + str(dict(request.query).get("labelSelector")))
        if len(self.watched) >= KINDS:
            self.all_watched.set()


@asynccontextmanager
async def recording(
    folder: Path, url: str, *options: str, out: str = "rec.jsonl"
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Run a recorder that never outlives the test."""
    arguments = ["record", "--kubeconfig", str(kubeconfig(folder, url)), "--out", str(folder / out)]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "adapters.cli.entering", *arguments, *options,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


async def recorded(
    folder: Path, *options: str, ends_by: int = signal.SIGINT, out: str = "rec.jsonl"
) -> tuple[int, str, str]:
    """Record a cluster with two nodes and a warmup; give exit code, output and complaints."""
    world = pool_world("n1", "n2")
    world.apply(manifest())
    asked = Asked()
    async with bridged(world, asked) as url, recording(folder, url, *options, out=out) as process:
        await asyncio.wait_for(asked.all_watched.wait(), PATIENCE_SECONDS)
        process.send_signal(ends_by)
        told, complaints = await process.communicate()
    assert asked.methods == {"GET"}
    return process.returncode or 0, told.decode(), complaints.decode()


async def rows_of(path: Path) -> list[Event]:
    """Read a recording."""
    async with await open_log(path, read_only=True) as log:
        return await read_all(log)


async def test_ctrl_c_ends_it_well(tmp_path: Path) -> None:
    """It says how much is where, and the commands to look at it; nothing but reads was sent."""
    code, told, complaints = await recorded(tmp_path)
    assert (code, complaints) == (ExitCode.OK, "")
    path = tmp_path / "rec.jsonl"
    rows = await rows_of(path)
    first, _, *commands = told.splitlines()
    assert first.startswith(f"{len(rows)} rows recorded in ")
    assert first.endswith(f" s into {path}")
    assert [row.type for row in rows].count("NodeSeen") == 2
    shown = [await asyncio.to_thread(printed, *each.split()[1:]) for each in commands]
    assert [each.split()[1] for each in commands] == ["replay", "explain", "what-if"]
    assert all("warm" in each for each in shown)


@pytest.mark.parametrize("out", ["rec.jsonl", "rec.db"])
async def test_it_goes_on_where_it_was_killed(tmp_path: Path, out: str) -> None:
    """A second session is the next term, and repeats no object; a row that was cut is mended."""
    path, lost = tmp_path / out, out.endswith(".jsonl")
    await recorded(tmp_path, out=out)
    code, _, _ = await recorded(tmp_path, ends_by=signal.SIGKILL, out=out)
    assert code == -signal.SIGKILL
    before = await rows_of(path)
    if lost:
        _cut(path, 7)
    code, told, complaints = await recorded(tmp_path, "-o", "json", ends_by=signal.SIGTERM, out=out)
    rows = await rows_of(path)
    assert code == ExitCode.OK
    assert rows[: len(before) - lost] == before[: len(before) - lost]
    seen = [row.subject for row in rows if row.type.endswith("Seen")]
    assert len(seen) == len(set(seen)) == 4
    end = json.loads(told)
    assert (end["position"], end["files"]) == (len(rows), [str(path)])
    assert end["rows"] == len([row for row in rows if row.epoch == rows[-1].epoch])
    assert f"{out} goes on after position" in complaints
    assert ("ended in the middle of a row" in complaints) is lost


async def test_it_ends_by_itself_when_it_was_told_to(tmp_path: Path) -> None:
    """A script gives it a time."""
    async with (
        bridged(pool_world("n1")) as url,
        recording(tmp_path, url, "--duration-seconds", "0.5", "-o", "json") as process,
    ):
        told, _ = await process.communicate()
    assert process.returncode == ExitCode.OK
    assert json.loads(told)["rows"] > 0


async def test_what_could_not_be_read_is_in_the_exit_code(tmp_path: Path) -> None:
    """A cluster that never answers is said, recorded and named at the end; that is no success."""
    async with recording(tmp_path, "http://[::1]:1", "-o", "json") as process:
        assert process.stderr is not None
        said = await asyncio.wait_for(process.stderr.readline(), PATIENCE_SECONDS)
        process.send_signal(signal.SIGINT)
        told, _ = await process.communicate()
    assert b"cluster local does not answer, which is recorded" in said
    assert process.returncode == ExitCode.INCOMPLETE
    (missing,) = json.loads(told)["missing"]
    assert (missing["cluster"], missing["kind"]) == ("local", "")
    assert missing["words"] in said.decode()
    assert "Unreachable" in [row.type for row in await rows_of(tmp_path / "rec.jsonl")]


async def test_files_are_turned(tmp_path: Path) -> None:
    """A file that is full ends, and the next one says the same."""
    path, after = tmp_path / "rec.jsonl", tmp_path / "rec-2.jsonl"
    await _recording_of(path, words="x" * (1 << 20))
    code, told, complaints = await recorded(tmp_path, "--max-size-mib", "1", "--keep", "1")
    assert (code, _exists(path)) == (ExitCode.OK, False)
    assert f"the recording goes on in {after}" in complaints
    assert f"into {after}" in told
    assert "NodeSeen" in [row.type for row in await rows_of(after)]


@pytest.mark.parametrize(
    ("out", "words"),
    [
        ("postgresql://somebody@somewhere/db", "--out: a recording is a file"),
        ("nowhere/rec.jsonl", "--out: there is no folder"),
        ("warmlog.db", "--out: warmlog.db is no recording of `warmlog record`"),
    ],
)
def test_what_cannot_hold_a_recording_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str, words: str
) -> None:
    """It is said, and what is there is not touched."""
    monkeypatch.chdir(tmp_path)
    asyncio.run(_controllers_log(tmp_path / "warmlog.db"))
    result = warmlog("record", "--out", out, "--kubeconfig", kubeconfig(tmp_path, "http://[::1]:1"))
    assert result.exit_code == ExitCode.USAGE
    assert words in result.stderr
    assert len(asyncio.run(rows_of(tmp_path / "warmlog.db"))) == 1


def test_a_kubeconfig_that_is_missing_is_said(tmp_path: Path) -> None:
    """Nothing is made then."""
    result = warmlog("record", "--out", tmp_path / "rec.jsonl", "--kubeconfig", tmp_path / "none")
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    assert list(tmp_path.iterdir()) == []


def test_a_cluster_keeps_its_name(tmp_path: Path) -> None:
    """Under another name nothing that was recorded would go on, so that is refused."""
    path = tmp_path / "rec.jsonl"
    asyncio.run(_recording_of(path))
    access = kubeconfig(tmp_path, "http://[::1]:1")
    result = warmlog("record", "--out", path, "--kubeconfig", access, "--cluster-name", "other")
    assert result.exit_code == ExitCode.USAGE
    assert "rec.jsonl is of cluster local: give --cluster-name local" in result.stderr
    assert len(asyncio.run(rows_of(path))) == 2


def test_what_may_not_be_read_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """Each kind with the words of the server, however often it is recorded."""
    screen = Screen()
    state = _state()
    for seq in (1, 2):
        for data in (
            '{"kind":"Node","words":"nodes is forbidden"}',
            '{"kind":"LeaderWorkerSet","served":false,"words":"cluster local does not serve it"}',
            '{"kind":"Pod","words":""}',
        ):
            screen.show(state, [Event(seq, 1, 1, "local", "///", "Unread", 1, data)])
        screen.show(state, [Event(seq, 1, 1, "ic:a", "///", "Unreachable", 1, '{"words":"cut"}')])
    assert capsys.readouterr().err.splitlines() == [
        "warmlog: Node of cluster local may not be read, which is recorded: nodes is forbidden.",
        "warmlog: LeaderWorkerSet is not recorded: cluster local does not serve it.",
        "warmlog: cluster ic:a does not answer, which is recorded: cut.",
    ]
    assert screen.account.rows == 8


def _state() -> State:
    return State("log")


async def _controllers_log(path: Path) -> None:
    async with await open_log(path, create=True) as log:
        await open_writer(log, WRITER, NOON)


def _exists(path: Path) -> bool:
    return path.exists()


def _cut(path: Path, size: int) -> None:
    path.write_bytes(path.read_bytes()[:-size])


async def _recording_of(path: Path, *, words: str = "it is forbidden") -> None:
    """Make a recording of a cluster in which nothing may be read."""
    log = await GrowingFile.open(path, lambda: b"")
    await log.open_epoch(WRITER._replace(recorder=RECORD).draft(), NOON)
    data = dumps({"kind": "Pod", "words": words})
    await log.append(1, 1, [Event(2, 1, NOON, "local", "///", "Unread", 1, data)])
    await log.close()


def test_the_line_on_a_terminal_says_what_is_known(tmp_path: Path) -> None:
    """It names the file, counts rows and objects by kind, and says how old the last news is."""
    screen = Screen()
    assert screen.line() == "warmlog record: begins"
    state = WARMLOG.initial("log")
    cursor = Cursor(0, 0, 1, 0)
    drafts = ingest(state, synced(node_seen("n1"), warmups=[warmup_seen()]), NOON)
    state, made = step(WITNESSING, state, cursor, drafts, NOON)
    screen.begin(tmp_path / "rec.jsonl", Writer(MemoryLog("log"), state, made.cursor), 0)
    screen.show(state, made.events)
    shown = f"{len(made.events) + 1} rows; Namespace 1, Node 1, ModelWarmup 1; last news "
    assert screen.line().startswith(f"rec.jsonl: {shown}")
    assert screen.line().endswith("Z, 0 s ago")
