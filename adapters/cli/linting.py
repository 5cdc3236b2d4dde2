"""`warmlog lint`: what is wrong with recordings as recordings."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.recordings import open_reader, run
from adapters.texts import counted
from machines.linting import CUT, LINE, RULES, Finding, Linter

_SHOWN = 20  # findings of one rule in one recording; the others are counted
_TITLES = {rule.code: rule.title for rule in RULES}


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("lint")(_lint)


def _lint(
    logs: Annotated[list[str], typer.Argument(metavar="LOG...", help=LOG_HELP)],
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Say what is wrong with recordings.

    Gaps in their order, clocks going back, unknown versions, kinds that were never listed, texts
    that may hold a secret. Each finding has the code of a rule, which docs/lint-rules.md explains.
    """
    linted = run(_lint_all(logs))
    if output is Format.JSON:
        print_json({"logs": [_log_json(one) for one in linted]})
    else:
        _print(linted)
    failing = {rule.code for rule in RULES if rule.is_error or strict}
    failed = any(failing & one.counts.keys() for one in linted)
    return ExitCode.DIFFERENT if failed else ExitCode.OK


class Linted:
    """One recording and what is wrong with it: how often, and where at first."""

    def __init__(self, log: str) -> None:
        """Begin with nothing found."""
        self.log = log
        self.rows = 0
        self.counts: Counter[str] = Counter()  # by the rule's code
        self.first: list[Finding] = []

    def add(self, findings: Iterable[Finding]) -> None:
        """Take in what was found, and keep the first ones by each rule."""
        for found in findings:
            self.counts[found.code] += 1
            if self.counts[found.code] <= _SHOWN:
                self.first.append(found)


async def _lint_all(logs: list[str]) -> list[Linted]:
    from adapters.store.locations import Kind, parse_location

    linted = []
    for log in logs:
        place = parse_location(log)
        found = Linted(place.name)
        if place.kind is Kind.JSON_LINES:
            _lint_file(place.path, found)
        else:
            await _lint_database(log, found)
        linted.append(found)
    return linted


def _lint_file(path: Path, linted: Linted) -> None:
    from adapters.store.json_lines import Damaged, Header, read_each

    linter, end, last = Linter(), 0, 0
    for item in read_each(path):
        if isinstance(item, Header):
            linter, end, last = Linter(item.after), 0 if item.is_open else item.position, item.after
        elif isinstance(item, Damaged):
            rule = LINE if item.whole else CUT
            linted.add([Finding(rule.code, last, f"line {item.line}: {item.words}")])
        else:
            linted.rows += 1
            last = item.seq
            linted.add(linter.take(item))
    if last < end and not linted.counts[CUT.code]:
        linted.add([Finding(CUT.code, last, f"its header says that it ends at {end}")])
    linted.add(linter.end())


async def _lint_database(log: str, linted: Linted) -> None:
    linter = Linter()
    async with await open_reader(log) as reader:
        async for batch in reader.read():
            for event in batch:
                linted.add(linter.take(event))
            linted.rows += len(batch)
    linted.add(linter.end())


def _print(linted: list[Linted]) -> None:
    page = Page()
    for one in linted:
        for found in one.first:
            place = f"{one.log}:{found.position}"
            page.line(f"{place}: {found.code} {_TITLES[found.code]}: {found.words}")
        for code, count in one.counts.items():
            if count > _SHOWN:
                page.line(f"{one.log}: {code} {counted(count - _SHOWN, 'time')} more")
    errors, warnings = (
        sum(one.counts[rule.code] for one in linted for rule in RULES if rule.is_error is error)
        for error in (True, False)
    )
    rows = counted(sum(one.rows for one in linted), "row")
    page.line(f"{counted(errors, 'error')} and {counted(warnings, 'warning')} in {rows}")


def _log_json(linted: Linted) -> dict[str, object]:
    return {
        "log": linted.log,
        "rows": linted.rows,
        "counts": dict(linted.counts),
        "first": [found._asdict() for found in linted.first],
    }
