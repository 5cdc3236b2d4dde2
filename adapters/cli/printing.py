"""Printing: tables and lines for people, canonical JSON and YAML for programs.

On a terminal the last column of a table is folded, or stands below its row where the window is
too narrow; commands to copy are never folded; phases have a colour (none where NO_COLOR is set).
In a pipe every row is one line of plain text.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Any

from adapters.explaining.passages import (
    NOTE,
    PLACE,
    TITLE,
    Passage,
    Table,
    plain_line,
    plain_rows,
)
from adapters.texts import one_line, safe
from engine.canonical_json import dumps

# Ends of lines to YAML alone, which its writer folds unless they are escaped.
_LINE_ENDS = frozenset("\x85\u2028\u2029\ufeff")
_NARROWEST = 30  # columns of a last column that is folded beside the others

STYLES = {
    "Ready": "green", "Succeeded": "green", "Hydrating": "cyan", "Running": "cyan",
    "Serving": "green", "ModelStarting": "cyan", "Deploying": "cyan", "WaitingForCache": "yellow",
    "WaitingForCluster": "yellow", "InvalidSpec": "red", "Unsupported": "red", "Pending": "yellow",
    "Degraded": "red", "Failed": "bold red", "skipped": "dim",
}  # fmt: skip
_ROLE_STYLES = {TITLE: "bold", NOTE: "bold yellow", PLACE: "dim"}


class Format(StrEnum):
    """What a command prints."""

    TEXT = "text"
    JSON = "json"


class ManifestFormat(StrEnum):
    """What a command prints that makes a manifest."""

    YAML = "yaml"
    JSON = "json"


class TableFormat(StrEnum):
    """What a command prints whose data are rows."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"


class Page:
    """Standard output for people."""

    def __init__(self) -> None:
        """Look at what standard output is now."""
        from rich.console import Console

        self.console = Console(file=sys.stdout, highlight=False, soft_wrap=True)
        self.is_terminal = self.console.is_terminal

    def line(
        self, text: str = "", style: str = "", indent: int = 0, *, whole: bool = False
    ) -> None:
        """Print one line, or on a terminal a paragraph that keeps its indent.

        `whole`, and whatever holds a command in backticks, gets no line end on a terminal either,
        so that it can be copied.
        """
        if not self.is_terminal:
            sys.stdout.write(plain_line(text, indent) + "\n")
            return
        if not text:
            self.console.print()
            return
        from rich.padding import Padding
        from rich.text import Text

        if whole or "`" in text:
            told = Text(" " * indent + one_line(text), style=style)
            self.console.print(told, soft_wrap=True)
            return
        padded = Padding(Text(safe(text), style=style), (0, 0, 0, indent), expand=False)
        self.console.print(padded, soft_wrap=False)

    def table(self, heads: Sequence[str], rows: Sequence[Sequence[str]], indent: int = 0) -> None:
        """Print rows under their heads, as wide as they need."""
        if self.is_terminal:
            self._rich_table(heads, [[one_line(cell) for cell in row] for row in rows], indent)
            return
        for line in plain_rows(Table(tuple(heads), tuple(map(tuple, rows)), indent)):
            sys.stdout.write(line + "\n")

    def show(self, passages: Iterable[Passage | Table]) -> None:
        """Print what an explanation says."""
        for each in passages:
            if isinstance(each, Passage):
                style = _ROLE_STYLES.get(each.role) or STYLES.get(each.role, "")
                self.line(each.text, style, each.indent)
            else:
                self.table(each.heads, each.rows, each.indent)

    def _rich_table(self, heads: Sequence[str], rows: list[list[str]], indent: int) -> None:
        from rich.cells import cell_len
        from rich.padding import Padding
        from rich.table import Table
        from rich.text import Text

        widths = [max(map(cell_len, column)) for column in zip(heads, *rows, strict=True)]
        left = self.console.width - indent - sum(width + 2 for width in widths[:-1])
        if left < min(widths[-1], _NARROWEST):
            self._rows_with_last_below(heads, rows, widths, indent)
            return
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=any(heads))
        for index, head in enumerate(heads):
            last = index == len(heads) - 1
            table.add_column(head, overflow="fold", no_wrap=not last, header_style="bold")
        for row in rows:
            table.add_row(*(Text(cell, style=STYLES.get(cell, "")) for cell in row))
        self.console.print(Padding(table, (0, 0, 0, indent), expand=False), soft_wrap=False)

    def _rows_with_last_below(
        self, heads: Sequence[str], rows: list[list[str]], widths: list[int], indent: int
    ) -> None:
        """Print each row without its last cell, which follows as a paragraph of its own."""
        from rich.text import Text

        for number, row in enumerate([list(heads), *rows] if any(heads) else rows):
            is_head = number == 0 and any(heads)
            told = Text(" " * indent)
            for cell, width in zip(row[:-1], widths[:-1], strict=True):
                told.append(cell, "bold" if is_head else STYLES.get(cell, ""))
                told.append(" " * (width - Text(cell).cell_len + 2))
            told.rstrip()
            self.console.print(told, soft_wrap=True)
            if row[-1]:
                self.line(row[-1], style="bold" if is_head else "", indent=indent + 4)


def print_json(value: Any) -> None:
    """Print one canonical JSON document and a line end."""
    sys.stdout.write(dumps(value) + "\n")


def print_yaml(value: Any) -> None:
    """Print one YAML document, keys in the order of the alphabet."""
    import yaml

    # Through JSON, because YAML's writer does not know numbers that keep their own text.
    plain = json.loads(dumps(value))
    sys.stdout.write(yaml.safe_dump(plain, sort_keys=True, allow_unicode=True, width=100))


def print_manifest(value: Any) -> None:
    """Print one YAML document as `kubectl` reads it: what it would take for no text is quoted."""
    import yaml

    from adapters.manifests.scalars import resolve

    class Dumper(yaml.SafeDumper):
        """YAML's own writer leaves out quotes around `y` and `1e3`, which others need."""

    def represent(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        quoted = resolve(text, None, plain=True) != text or _LINE_ENDS & set(text)
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if quoted else None)

    Dumper.add_representer(str, represent)
    plain = json.loads(dumps(value))
    sys.stdout.write(yaml.dump(plain, Dumper=Dumper, allow_unicode=True, width=100))
