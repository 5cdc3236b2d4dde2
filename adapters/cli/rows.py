"""Rows of a log as they come, one line each, aligned with the others though none is known yet."""

from adapters.cli.printing import Page
from adapters.texts import clock

_DIGITS = 6  # of a position: those of longer logs stand out
BELOW_ROW = _DIGITS + len(clock(0)) + 4  # the indent of what is printed below a row


def print_row(page: Page, position: int, at: int, words: str) -> None:
    """Print one row."""
    indent = max(0, _DIGITS - len(str(position)))
    page.line(f"{position}  {clock(at)}  {words}", indent=indent)
