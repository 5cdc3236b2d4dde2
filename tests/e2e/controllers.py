"""`warmlog run` as a process of its own, with the shipped role and nothing more."""

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import aiohttp

from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import PATIENCE_SECONDS
from tests.e2e.leaving_logs import leave
from tests.repository import ROOT

QUIET = ("unfolded observations", "open intents", "unsent rows", "unsent statuses")
WARMLOG = Path(sys.executable).with_name("warmlog")


def deploy(control_plane: ControlPlane) -> str:
    """Apply deploy/ and give a token of the controller's own account."""
    control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy"))
    # The Deployment would be a second controller: here the process under test is the only one.
    control_plane.kubectl("delete", "deployment", "warmlog", "-n", "warmlog-system")
    request = ("create", "token", "warmlog", "-n", "warmlog-system", "--duration=2h")
    return control_plane.kubectl(*request).strip()


def free_port() -> int:
    """Give a loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def run_warmlog(*arguments: str) -> str:
    """Run a command to its end and give what it printed; AssertionError when it fails."""
    done = subprocess.run(
        [WARMLOG, *arguments], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, f"warmlog {arguments}: {done.returncode}\n{done.stderr}"
    return done.stdout


class ControllerProcess:
    """One life of `warmlog run`. Use as a context manager: leaving it stops the process."""

    def __init__(
        self,
        kubeconfig: Path,
        folder: Path,
        *,
        log: str = "",
        lease_seconds: int = 20,
        options: Sequence[str] = (),
    ) -> None:
        """Keep the log and the output in `folder`; `log` is another place for the log.

        After a crash the next life waits for `lease_seconds`, and a busy machine may lose a
        shorter lease: only a test that kills asks for less than the default.
        """
        self.log = log or str(folder / "warmlog.db")
        self.port = free_port()
        self._lease_seconds = lease_seconds
        self._options = options
        self._kubeconfig = kubeconfig
        self._output = folder / "warmlog.out"
        self._process: subprocess.Popen[bytes] | None = None
        self._other_code = False  # another version wrote into the log

    def __enter__(self) -> Self:
        """Start."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; leave the log, which must verify unless the test failed already."""
        self.stop()
        if kind is None and not self._other_code:
            leave(self.log)

    def start(self, code: Path | None = None) -> None:
        """Begin a life; of another version, when a folder with its code is given."""
        program: Sequence[str | Path] = [WARMLOG]
        self._other_code |= code is not None
        if code is not None:  # the folder in which it is run comes first for its imports
            program = [sys.executable, "-m", "adapters.cli.entering"]
        log = self.log if "://" in self.log else f"sqlite:///{self.log}"
        command: Sequence[str | Path] = [
            *program, "run", "--log", log, "--kubeconfig", self._kubeconfig,
            "--listen", f"127.0.0.1:{self.port}",
            "--lease-duration-seconds", str(self._lease_seconds),
            "--request-timeout-seconds", str(self._lease_seconds / 3), *self._options,
        ]  # fmt: skip
        with self._output.open("ab") as output:
            self._process = subprocess.Popen(command, cwd=code, stdout=output, stderr=output)

    def stop(self) -> int | None:
        """End a life in an orderly way; give the exit code, None when it was not alive."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End a life at once, as a crash does."""
        self._end(signal.SIGKILL)

    @property
    def output(self) -> str:
        """All that it has printed, all lives together."""
        return self._output.read_text() if self._output.exists() else ""

    async def page(self, path: str) -> str:
        """Give what it answers over HTTP; raises aiohttp.ClientError while it does not."""
        async with (
            aiohttp.ClientSession(trust_env=False) as session,
            session.get(f"http://127.0.0.1:{self.port}{path}") as response,
        ):
            return await response.text()

    async def readiness(self) -> dict[str, str]:
        """Give `/readyz?verbose` line by line as name to words; empty while nobody answers."""
        try:
            lines = (await self.page("/readyz?verbose")).splitlines()
        except aiohttp.ClientError:
            return {}
        return {name: words for name, _, words in (line.partition(": ") for line in lines)}

    async def wait_until_quiet(
        self, *, timeout_seconds: float = PATIENCE_SECONDS
    ) -> dict[str, str]:
        """Wait until the log and the cluster agree; give the last answer."""
        return await self.wait_until(_is_quiet, timeout_seconds=timeout_seconds)

    async def wait_until(
        self, holds: Callable[[dict[str, str]], bool], *, timeout_seconds: float = PATIENCE_SECONDS
    ) -> dict[str, str]:
        """Wait until something holds of `/readyz?verbose`; give that answer."""
        answer: dict[str, str] = {}
        try:
            async with asyncio.timeout(timeout_seconds):
                while not holds(answer):
                    # Health has no watch: it is asked again, and each answer stands by itself.
                    await asyncio.sleep(0.1)
                    answer = await self.readiness()
        except TimeoutError:
            raise TimeoutError(f"not so: {answer}\n{self.output[-4000:]}") from None
        return answer

    def _end(self, number: signal.Signals) -> int | None:
        process, self._process = self._process, None
        if process is None:
            return None
        process.send_signal(number)
        return process.wait(timeout=30)


def assert_replay_agrees(log: str, thing: dict[str, object]) -> None:
    """Replay gives the very bytes of the `.status` that the server holds, and verify agrees."""
    metadata = thing["metadata"]
    assert isinstance(metadata, dict)
    name = f"{thing['kind']}/{metadata['namespace']}/{metadata['name']}"
    shown = run_warmlog("replay", log, "--object", name, "-o", "json").strip()
    held = json.dumps(thing["status"], sort_keys=True, separators=(",", ":"))
    assert shown == held
    run_warmlog("verify", log)


def assert_replays_agree(log: str, warmups: Mapping[str, dict[str, object]]) -> None:
    """As `assert_replay_agrees` for all warmups of one namespace, by name, with one replay."""
    items = json.loads(run_warmlog("replay", log, "-o", "json"))["items"]
    shown = {(item["namespace"], item["name"]): item["status"] for item in items}
    for warmup in warmups.values():
        metadata = warmup["metadata"]
        assert isinstance(metadata, dict)
        place = metadata["namespace"], metadata["name"]
        assert (place, shown.get(place)) == (place, warmup["status"])
    run_warmlog("verify", log)


def _is_quiet(answer: dict[str, str]) -> bool:
    return "ok" in answer and all(answer.get(name) == "0" for name in QUIET)
