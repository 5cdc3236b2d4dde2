"""How `warmlog` starts: a Ctrl-C is quiet from the first import on."""

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.cli.starting import main
from tests.repository import ROOT

# Imports a module of this name, as a command is imported.
LOADING = (
    "from importlib import import_module; from adapters.cli.starting import main;"
    "main(lambda: import_module('command').main)"
)
IMPORTED = (
    "import sys; before = set(sys.modules); import adapters.cli.starting;"
    "print(sorted(set(sys.modules) - before))"
)


def run(words: str, folder: Path = ROOT) -> subprocess.CompletedProcess[bytes]:
    """Run a Python that finds this repository, and `folder` before it."""
    around = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT)))}
    command = [sys.executable, "-c", words]
    return subprocess.run(command, env=around, cwd=folder, capture_output=True, check=False)


@pytest.mark.parametrize(
    "module", ["raise KeyboardInterrupt\n", "def main():\n    raise KeyboardInterrupt\n"]
)
def test_ctrl_c_while_modules_are_imported_is_quiet(tmp_path: Path, module: str) -> None:
    """Whether a module or what it gives is interrupted: the code of Ctrl-C, and not a word."""
    (tmp_path / "command.py").write_text(module)
    done = run(LOADING, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (ExitCode.INTERRUPTED, b"", b"")


def test_a_fault_is_no_ctrl_c(tmp_path: Path) -> None:
    """What else an import raises has its traceback."""
    (tmp_path / "command.py").write_text("raise LookupError('a fault')\n")
    done = run(LOADING, tmp_path)
    assert done.returncode == 1
    assert b"LookupError: a fault" in done.stderr


def test_nothing_is_imported_before() -> None:
    """Where a Ctrl-C would still be a traceback there is nothing to wait for."""
    told = run(IMPORTED)
    assert told.stdout.decode().strip() == "['adapters', 'adapters.cli', 'adapters.cli.starting']"


def test_the_program_starts_here() -> None:
    """`warmlog` as it is installed is this function, and it runs what was loaded."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    module, _, name = project["scripts"]["warmlog"].partition(":")
    assert getattr(import_module(module), name) is main
    ran: list[str] = []

    def load() -> Callable[[], None]:
        return lambda: ran.append("command")

    main(load)
    assert ran == ["command"]
