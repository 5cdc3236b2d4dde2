"""Tests of how `warmlog` is entered: a command is imported alone."""

import subprocess
import sys

import pytest

from adapters.cli.entering import MODULES, app_for
from adapters.cli.main import app


@pytest.mark.parametrize("name", MODULES)
def test_a_command_is_found_alone(name: str) -> None:
    """Its module hangs that very command in, and no other one."""
    assert [one.name for one in app_for([name]).registered_commands] == [name]


def test_every_command_is_found() -> None:
    """Each command of the whole has its module, and whatever is no command is for the whole."""
    assert {one.name for one in app.registered_commands} == set(MODULES)
    assert all(app_for(arguments) is app for arguments in ([], ["--help"], ["db"], ["nonsense"]))


def test_replaying_imports_no_other_command() -> None:
    """A replay does not wait for what it does not need."""
    words = (
        "import sys; from adapters.cli.entering import app_for; app_for(['replay']);"
        "print([name for name in ('adapters.cli.planning', 'alembic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, check=True)
    assert done.stdout == b"[]\n"
