"""Mutants: one change each, as a piece of text that takes the place of another."""

import ast
from collections.abc import Iterator
from typing import NamedTuple

from property_tests.mutating.changes import Change, changes_in
from property_tests.mutating.modules import MODULES, TABLES, source_of
from property_tests.mutating.tables import changes_of_data


class Mutant(NamedTuple):
    """One change: `old`, at these bytes of a file, becomes `new`."""

    path: str
    function: str  # its qualified name; "" in data
    line: int
    lines: tuple[int, ...]  # by any of which a trial comes that may notice; () when all may
    start: int
    end: int
    old: str
    new: str
    context: str  # the line on which it stands, without its indentation
    wide: bool  # it is neither a row of a machine's table nor a branch

    def applied(self, source: str) -> str:
        """Give the module's text with the change in it."""
        text = source.encode()
        return (text[: self.start] + self.new.encode() + text[self.end :]).decode()

    def __str__(self) -> str:
        """Say where it is and what it does."""
        where = f"{self.path}:{self.line}"
        name = f" {self.function}" if self.function else ""
        return f"{where}{name}: {_short(self.old)} → {_short(self.new)}"


def all_mutants(*, wide: bool = False) -> Iterator[Mutant]:
    """Give every mutant of every module, in the order in which they stand."""
    for path in MODULES:
        yield from (one for one in mutants_of(path, source_of(path)) if wide or not one.wide)


def mutants_of(path: str, source: str) -> list[Mutant]:
    """Give the mutants of one module; none twice, and none that is no Python."""
    tree = ast.parse(source)
    starts = _line_starts(source)
    lines = source.splitlines()
    found: dict[tuple[int, int, str], Mutant] = {}
    for change in [*changes_in(tree), *changes_of_data(tree)]:
        mutant = _mutant(path, source.encode(), starts, lines, change)
        is_sound = bool(mutant.function) or _is_python(mutant.applied(source))
        if mutant.old != mutant.new and is_sound:
            found.setdefault((mutant.start, mutant.end, mutant.new), mutant)
    return sorted(found.values(), key=lambda one: (one.start, one.end, one.new))


def _mutant(path: str, text: bytes, starts: list[int], lines: list[str], change: Change) -> Mutant:
    (line, column), (end_line, end_column) = change.start, change.end
    start, end = starts[line - 1] + column, starts[end_line - 1] + end_column
    return Mutant(
        path,
        change.function,
        line,
        change.lines,
        start,
        end,
        text[start:end].decode(),
        change.new,
        lines[line - 1].strip(),
        change.wide and path not in TABLES,
    )


def _line_starts(source: str) -> list[int]:
    starts = [0]
    for line in source.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return starts


def _is_python(source: str) -> bool:
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= 70 else f"{words[:67]}…"
