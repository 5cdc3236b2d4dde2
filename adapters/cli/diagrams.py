"""`warmlog machines`: the state machines, drawn from their declarations."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import print_json
from adapters.cli.problems import Problem, complain
from machines.drawing import MACHINES, markdown, table_json
from machines.warmups import WARMUP_RULES

DOCUMENT = Path("docs/machines.md")


class MachinesFormat(StrEnum):
    """How machines are shown."""

    MARKDOWN = "markdown"
    JSON = "json"


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("machines")(_machines)


def _machines(
    file: Annotated[
        Path, typer.Argument(metavar="[FILE]", help="What --check looks at.")
    ] = DOCUMENT,
    check: Annotated[
        bool, typer.Option("--check", help="Print nothing; exit 1 if FILE is not up to date.")
    ] = False,
    output: Annotated[
        MachinesFormat, typer.Option("-o", "--output", help="What to print.")
    ] = MachinesFormat.MARKDOWN,
) -> ExitCode:
    """Show the state machines.

    Their states, triggers, moves and joint rules, as Markdown with diagrams.
    """
    if check:
        return _compare(file)
    if output is MachinesFormat.JSON:
        print_json({"machines": [table_json(one) for one in MACHINES], "rules": _rules()})
    else:
        sys.stdout.write(markdown())
    return ExitCode.OK


def _compare(path: Path) -> ExitCode:
    try:
        found = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Problem(ExitCode.USAGE, f"{path} cannot be read: {error}.") from error
    if found == markdown():
        return ExitCode.OK
    complain(f"{path} is not what the machines say: write it with `warmlog machines > {path}`.")
    return ExitCode.DIFFERENT


def _rules() -> list[dict[str, str]]:
    return [{"trigger": rule.trigger.value, "holds": rule.says} for rule in WARMUP_RULES]
