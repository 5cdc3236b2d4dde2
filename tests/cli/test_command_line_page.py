"""docs/command-line.md is whole: it names every command and every option that there is."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from adapters.cli.main import app
from tests.repository import ROOT

PAGE = (ROOT / "docs" / "command-line.md").read_text()
OPTIONS = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", PAGE))


def commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Give every command below this one, by the words that call it."""
    inner = getattr(command, "commands", {})
    for word, each in inner.items():
        yield from commands(each, f"{name} {word}")
    if not inner:
        yield name, command


COMMANDS = dict(commands(typer.main.get_command(app), "warmlog"))


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_option_is_named(name: str) -> None:
    """Each command has its line in the table, and each option stands there in one of its forms."""
    assert f"| `{name}" in PAGE
    given = [option for option in COMMANDS[name].params if option.opts[0].startswith("-")]
    options = [option.opts + option.secondary_opts for option in given]
    assert options
    assert [each for each in options if OPTIONS.isdisjoint(each)] == []
