"""The composition root: settings that cannot both hold, and how `warmlog run` ends."""

import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.composing import LOST, STOPPED, SettingsConflict, connector, run_controller
from adapters.kubernetes.configuring import AccessUnusable
from adapters.ports import Request
from adapters.running.writing import open_writer
from adapters.settings import RunSettings
from adapters.store.opening import open_log
from adapters.store.snapshots import load_snapshot
from engine.canonical_json import loads
from tests.repository import ROOT
from tests.running.bridging import bridged, kubeconfig
from tests.running.fakes import WRITER
from tests.running.stories import node_seen, pool_world

NO_LEASE = "--no-lease"
NOBODY = "http://127.0.0.1:1"


class Process:
    """`warmlog run` as a process, its messages read one by one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Watch `process`."""
        self.process = process
        self.told: list[str] = []

    async def says(self, words: str) -> None:
        """Wait for a message that holds these words; it is a failure when the process ends."""
        assert self.process.stderr is not None
        async for line in self.process.stderr:
            self.told.append(line.decode())
            if words in self.told[-1]:
                return
        raise AssertionError(f"it never said {words!r}: {self.told}")

    async def end(self, number: int = 0) -> int:
        """Send a signal, if any, and give the exit code."""
        if number:
            self.process.send_signal(number)
        _, rest = await self.process.communicate()
        self.told += rest.decode().splitlines(keepends=True)
        assert not any("Traceback" in line for line in self.told), "".join(self.told)
        return self.process.returncode or 0

    @property
    def complaints(self) -> list[str]:
        """What it said to a person at its end."""
        return [line for line in self.told if line.startswith("warmlog: ")]


@asynccontextmanager
async def running(folder: Path, url: str, *options: str, log: str = "") -> AsyncIterator[Process]:
    """Run a controller that never outlives the test."""
    arguments = [
        "run", "--kubeconfig", str(kubeconfig(folder, url)), "--listen", "127.0.0.1:0",
        "--log", log or f"sqlite:///{folder / 'log.db'}", "--log-format", "json", *options,
    ]  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "adapters.cli.entering", *arguments,
        cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield Process(process)
    finally:
        if process.returncode is None:
            process.kill()
            await process.communicate()


def settings(**given: Any) -> RunSettings:
    """Settings of a run."""
    return RunSettings(**given)


@pytest.mark.parametrize(("seconds", "lease"), [(15.5, 30), (10, 19), (300, 3)])
async def test_a_request_must_fit_into_the_lease(seconds: float, lease: int) -> None:
    """A time-out of more than half the lease is refused before anything is begun."""
    conflict = settings(request_timeout_seconds=seconds, lease_duration_seconds=lease)
    with pytest.raises(SettingsConflict, match="--lease-duration-seconds"):
        await run_controller(conflict)


@pytest.mark.parametrize(
    "given",
    [
        {"request_timeout_seconds": 15, "lease_duration_seconds": 30},
        {"request_timeout_seconds": 300, "lease_duration_seconds": 3, "use_lease": False},
    ],
)
async def test_what_fits_is_taken(given: dict[str, Any], tmp_path: Path) -> None:
    """Exactly half fits, and without a lease anything does: the next thing is looked at."""
    with pytest.raises(AccessUnusable):
        await run_controller(settings(kubeconfig=str(tmp_path / "none"), **given))


async def test_a_signal_ends_who_waits_for_the_lease(tmp_path: Path) -> None:
    """Where no API server answers, it waits, makes no log, and stops well when it is told to."""
    async with running(tmp_path, NOBODY) as controller:
        await controller.says("waits for the lease")
        assert await controller.end(signal.SIGINT) == STOPPED == ExitCode.OK
    assert not (tmp_path / "log.db").exists()


async def test_a_signal_saves_a_snapshot_and_gives_the_lease_back(tmp_path: Path) -> None:
    """A session that is stopped leaves a state to begin from, and nobody waits for its lease."""
    world = pool_world("n1")
    world.add_namespace("warmlog-system")
    async with bridged(world) as url:
        async with running(tmp_path, url) as controller:
            await controller.says("session started")
            assert await controller.end(signal.SIGTERM) == STOPPED
        lease = world.must_find("Lease", "warmlog-system", "warmlog")
        assert not lease["spec"].get("holderIdentity")
        async with await open_log(tmp_path / "log.db") as log:
            snapshot = await load_snapshot(log)
            assert snapshot is not None
            assert snapshot.position == (await log.identify()).position
        async with running(tmp_path, url) as again:
            await again.says("session started")
            told = loads(again.told[-1])
            assert (told["epoch"], told["position"]) == (2, snapshot.position + 1)
            assert await again.end(signal.SIGTERM) == STOPPED


async def test_who_is_superseded_ends_with_its_code(tmp_path: Path) -> None:
    """When another process has opened a term of the log, it says so and ends with 3."""
    world = pool_world("n1")

    listing = asyncio.Event()

    def asked(request: Request) -> None:
        if request.path.endswith("/nodes"):
            listing.set()

    world.api.faults.unreachable = "not yet"
    async with bridged(world, asked) as url, running(tmp_path, url, NO_LEASE) as controller:
        await controller.says("session started")
        await listing.wait()
        async with await open_log(tmp_path / "log.db") as log:
            await open_writer(log, WRITER, 0)
        world.api.faults.clear()
        await controller.says("another process writes now")
        assert await controller.end() == LOST == ExitCode.SUPERSEDED
        assert controller.complaints == []


async def test_a_foreign_log_is_one_sentence(tmp_path: Path) -> None:
    """A database of something else ends it with 4, although the lease is held; it is untouched."""
    with contextlib.closing(sqlite3.connect(tmp_path / "log.db")) as foreign:
        foreign.execute("CREATE TABLE recipes (name TEXT)")
        foreign.commit()
    before = (tmp_path / "log.db").read_bytes()
    world = pool_world("n1")
    world.add_namespace("warmlog-system")
    async with bridged(world) as url, running(tmp_path, url) as controller:
        assert await controller.end() == ExitCode.LOG_UNREADABLE
    [complaint] = controller.complaints
    assert "log.db" in complaint
    assert (tmp_path / "log.db").read_bytes() == before


class Closed:
    """A guard that lets nothing through, and says when it is asked."""

    def __init__(self) -> None:
        """Stay closed."""
        self.asked = asyncio.Event()

    def outlives(self, seconds: float) -> bool:
        """Say no."""
        self.asked.set()
        return seconds < 0


async def test_writes_to_other_clusters_wait_for_the_lease(tmp_path: Path) -> None:
    """A kubeconfig's text leads to its server; what reads passes, and a write needs the lease."""
    world = pool_world("n1")
    asked: list[Request] = []
    async with bridged(world, asked.append) as url:
        guard = Closed()
        api = await connector(guard)("ic/east", kubeconfig(tmp_path, url).read_text())
        try:
            assert api.cluster == "ic/east"
            assert (await api.send(Request("GET", "/api/v1/nodes"), timeout_seconds=5)).ok
            write = Request("POST", "/api/v1/namespaces", body={"metadata": {"name": "new"}})
            sending = asyncio.create_task(api.send(write, timeout_seconds=5))
            await guard.asked.wait()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            assert [request.method for request in asked] == ["GET"]
        finally:
            await api.close()


async def test_a_log_of_many_clusters_is_that_of_its_home(tmp_path: Path) -> None:
    """Under another --cluster-name the home of the log is named, not a cluster it stages to."""
    async with await open_log(tmp_path / "log.db", create=True) as log:
        writer = await open_writer(log, WRITER, 0)
        east, home = node_seen("n1")._replace(cluster="ic/east"), node_seen("n2")
        writer.fold_in([east, home], 0)
        await writer.flush()
    async with bridged(pool_world("n1")) as url, running(tmp_path, url, NO_LEASE) as controller:
        assert await controller.end() == ExitCode.USAGE
    assert "--cluster-name sim" in controller.complaints[0]
