"""One process of the control plane: starting it, waiting until it is ready, ending it."""

import ctypes
import http.client
import os
import signal
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_POLL_SECONDS = 0.05
_LOG_LINES_SHOWN = 20
_LINUX_SET_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of <linux/prctl.h>
_prctl = ctypes.CDLL(None).prctl if sys.platform == "linux" else None


class ComponentError(Exception):
    """A component did not start, ended early or was not ready in time.

    The text names the component and holds the last lines of its log.
    """


@dataclass
class Component:
    """A program with its arguments and log; at most one process of it runs at a time."""

    name: str
    command: Callable[[], Sequence[str]]
    is_ready: Callable[[], bool]
    log_file: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process without waiting for it to be ready; append to its log."""
        if self.is_running():
            raise ComponentError(f"{self.name} is running already")
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                list(self.command()),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **self.environment},
                # Ctrl-C must reach only the tests, which then end components in order.
                start_new_session=True,
                # One system call, which takes no lock that another thread might hold.
                preexec_fn=_death_wish(),  # noqa: PLW1509
            )

    def wait_until_ready(self, timeout_seconds: float) -> None:
        """Poll until the component says it is ready; ComponentError if it does not in time."""
        deadline = time.monotonic() + timeout_seconds
        while not self.is_ready():
            if not self.is_running():
                code = None if self.process is None else self.process.returncode
                raise ComponentError(f"{self.name} ended (exit code {code})\n{self.log_tail()}")
            if time.monotonic() > deadline:
                raise ComponentError(
                    f"{self.name} is not ready after {timeout_seconds} s\n{self.log_tail()}"
                )
            time.sleep(_POLL_SECONDS)

    def is_running(self) -> bool:
        """Whether the process was started and has not ended."""
        return self.process is not None and self.process.poll() is None

    def ask_to_end(self) -> None:
        """Send the termination signal, without waiting; nothing if it does not run."""
        if self.process is not None:
            self.process.terminate()

    def end(self, timeout_seconds: float) -> None:
        """End the process and reap it: politely at first, by force after the timeout."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout_seconds)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self) -> None:
        """End the process at once, as a crash would, and reap it."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def log_tail(self) -> str:
        """The last lines of the log, for error messages."""
        if not self.log_file.exists():
            return "(no log)"
        lines = self.log_file.read_text(errors="replace").splitlines()
        return "\n".join(lines[-_LOG_LINES_SHOWN:])


def answers_ok(port: int, path: str, ca_file: Path | None = None, token: str | None = None) -> bool:
    """Whether a GET on a loopback port answers 200, over TLS when `ca_file` is given.

    `ca_file` is the only trust used, whatever the environment says. False while the server
    does not listen or has not written its certificate yet.
    """
    connection: http.client.HTTPConnection
    try:
        # A missing or half-written certificate file is one more way of not being ready.
        if ca_file is None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        else:
            context = ssl.create_default_context(cafile=ca_file)
            connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=5, context=context)
    except OSError:
        return False
    try:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("GET", path, headers=headers)
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _death_wish() -> Callable[[], None] | None:
    """Make a child die when the tests are killed and so cannot end it themselves.

    Linux ties this to the thread that starts the child, so it is used on the main thread only.
    Killed at once, because an API server that outlives etcd takes minutes to end politely.
    """
    prctl = _prctl
    if prctl is None or threading.current_thread() is not threading.main_thread():
        return None

    def ask_kernel() -> None:
        prctl(_LINUX_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)

    return ask_kernel
