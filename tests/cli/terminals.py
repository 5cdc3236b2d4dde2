"""A command that sees a terminal of its own, whose size changes and whose keys are typed."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path

from tests.repository import ROOT

COMMAND = [sys.executable, "-m", "adapters.cli.main"]
CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Window:
    """A terminal that tells its size, and what runs in it."""

    def __init__(self, *arguments: str | Path, columns: int, lines: int, **more: str) -> None:
        """Start the command; `more` is added to its environment."""
        self._master, self._slave = pty.openpty()
        self.modes = termios.tcgetattr(self._slave)
        self.resize(columns, lines)
        kept = {key: value for key, value in os.environ.items() if key not in _HIDDEN}
        self.process = subprocess.Popen(
            [*COMMAND, *map(str, arguments)],
            env={**kept, "PYTHONPATH": str(ROOT), "TERM": "xterm", **more},
            stdin=self._slave,
            stdout=self._slave,
            stderr=self._slave,
        )
        self.text = ""
        self._read_from = 0

    def resize(self, columns: int, lines: int) -> None:
        """Give the window another size."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, size)

    def type(self, keys: bytes) -> None:
        """Type."""
        os.write(self._master, keys)

    def wait_for(self, wanted: str) -> str:
        """Read on until `wanted` is shown, since the last one; give what was shown until then."""
        while wanted not in self.text[self._read_from :]:
            self.text += os.read(self._master, 65536).decode(errors="replace")
        begun, self._read_from = self._read_from, self.text.index(wanted, self._read_from)
        self._read_from += len(wanted)
        return self.text[begun : self._read_from]

    def end(self) -> int:
        """Wait for the command to end by itself; give its code. Its modes are kept in `left`."""
        code = self.process.wait(timeout=60)
        self.left = termios.tcgetattr(self._slave)
        os.set_blocking(self._master, False)
        try:
            while found := os.read(self._master, 65536):
                self.text += found.decode(errors="replace")
        except BlockingIOError:
            pass
        os.close(self._slave)
        os.close(self._master)
        return code

    @property
    def plain(self) -> str:
        """All that was shown, without the controls."""
        return CONTROL.sub("", self.text)


_HIDDEN = {"NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR", "WARMLOG_LOG"}
