"""Taking turns: what is measured waits until the workers beside it have no test left."""

import fcntl
from pathlib import Path
from typing import IO

import pytest


class Turn:
    """One worker's share in a lock that all workers of a run hold while they have tests."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._lock: IO[str] | None = None

    def begin(self, config: pytest.Config) -> None:
        """Hold the lock beside the others; nothing where there is a single process."""
        own_folder = config.getoption("basetemp")
        if hasattr(config, "workerinput") and own_folder:
            self._lock = (Path(own_folder).parent / "at-work.lock").open("w")
            fcntl.flock(self._lock, fcntl.LOCK_SH)

    def wait_for_others(self) -> None:
        """Return when nobody else holds it any more."""
        if self._lock is not None:
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def end(self) -> None:
        """Let go of it: this worker has no test left."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None
