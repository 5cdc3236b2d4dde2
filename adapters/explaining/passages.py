"""Passages: what an explanation says to people, before it is known where that will be shown."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from adapters.texts import one_line

# What a passage is, beside a phase, that whoever shows it may want to make visible.
TITLE, NOTE, PLACE = "title", "note", "place"


class Passage(NamedTuple):
    """One line, or where lines are folded a paragraph that keeps its indent."""

    text: str = ""
    role: str = ""  # TITLE, NOTE, PLACE, or the phase that it tells of
    indent: int = 0


class Table(NamedTuple):
    """Rows under their heads, which are all empty where none are to be shown."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    indent: int = 0


class Sheet:
    """Collects the passages of one explanation."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._passages: list[Passage | Table] = []

    @property
    def passages(self) -> tuple[Passage | Table, ...]:
        """Give what was said so far."""
        return tuple(self._passages)

    def line(self, text: str = "", role: str = "", indent: int = 0) -> None:
        """Say one line."""
        self._passages.append(Passage(text, role, indent))

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[str]], indent: int = 0) -> None:
        """Show rows."""
        self._passages.append(Table(tuple(heads), tuple(tuple(row) for row in rows), indent))


def plain_lines(passages: Iterable[Passage | Table]) -> list[str]:
    """Give the lines that stand for passages where nothing is folded and nothing has a colour."""
    lines = []
    for each in passages:
        if isinstance(each, Passage):
            lines.append(plain_line(each.text, each.indent))
        else:
            lines += plain_rows(each)
    return lines


def plain_line(text: str, indent: int = 0) -> str:
    """Give a text as one line that is safe to show."""
    return f"{' ' * indent}{one_line(text)}".rstrip()


def plain_rows(table: Table) -> list[str]:
    """Give the rows of a table as lines, each column as wide as it needs."""
    cells = [[one_line(cell) for cell in row] for row in table.rows]
    lines = [list(table.heads), *cells] if any(table.heads) else cells
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    told = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        for line in lines
    )
    return [" " * table.indent + line.rstrip() for line in told]
