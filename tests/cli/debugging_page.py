"""The commands of docs/debugging.md and what they print: `python -m tests.cli.debugging_page`."""

import re
import shlex
import sys
from collections.abc import Iterator

from tests.cli.commands import warmlog
from tests.repository import ROOT

PAGE = ROOT / "docs/debugging.md"
_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
_RECORDINGS = "tests/recordings/"


def commands(text: str) -> Iterator[str]:
    """Give the command lines of a page, in order."""
    for block in _BLOCK.findall(text):
        yield from (line[2:] for line in block.splitlines() if line.startswith("$ "))


def output(command: str) -> str:
    """Run a command line of the page, which must end well, and give what it prints."""
    program, *arguments = shlex.split(command)
    assert program == "warmlog", command
    here = [each.replace(_RECORDINGS, f"{ROOT / _RECORDINGS}/") for each in arguments]
    result = warmlog(*here)
    assert result.exit_code == 0, f"{command}: {result.stderr}"
    return result.stdout.replace(f"{ROOT}/", "")  # the page is the same on every machine


def rewritten(text: str) -> str:
    """Give the page with what its commands print today."""

    def block(found: re.Match[str]) -> str:
        lines = [line for line in found[1].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{output(line[2:])}" for line in lines) + "```"

    return _BLOCK.sub(block, text)


if __name__ == "__main__":
    PAGE.write_text(rewritten(PAGE.read_text()))
    sys.stdout.write(f"{PAGE} is written\n")
