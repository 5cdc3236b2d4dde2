"""Chains: how the rows are printed that led to something, and where in its log one looks."""

from collections import Counter
from typing import Any

from adapters.cli.printing import Page
from adapters.cli.texts import clock, counted, moment
from engine.events import Event
from engine.instants import rfc3339
from engine.logs import LogIdentity
from machines.histories import Line

_SHOWN_LINES = 14  # of one chain, in text
_DIGITS = 6  # of a position: those of longer logs stand out
BELOW_ROW = _DIGITS + len(clock(0)) + 4  # the indent of what is printed below a row
_OFTEN = 3  # times that a row says the same, from which on it is told once


def print_row(page: Page, position: int, at: int, words: str) -> None:
    """Print one row of a log as it comes, aligned with the others though none is known yet."""
    indent = max(0, _DIGITS - len(str(position)))
    page.line(f"{position}  {clock(at)}  {words}", indent=indent)


def print_chain(
    page: Page, title: str, lines: tuple[Line, ...], *, whole: bool = False, rest: str = "-o json"
) -> None:
    """Print rows under a title, the last ones or all; `rest` says how to see those left out."""
    page.line()
    page.line(title, style="bold")
    told = _told_once(lines)
    shown = told if whole else told[-_SHOWN_LINES:]
    left = len(told) - len(shown)
    if left:
        page.line(f"({counted(left, 'earlier row')}: {rest} shows them)", indent=2)
    rows = [
        [
            str(each.position),
            clock(each.at),
            f"→ {each.moved}" if each.moved else "",
            each.words,
        ]
        for each in shown
    ]
    page.table(["", "", "", ""], rows, indent=2)


def print_place(
    page: Page,
    identity: LogIdentity,
    last: Event | None,
    cluster: str,
    recorded: str,
) -> None:
    """Print where one looks; `recorded` says by whom."""
    position = last.seq if last else 0
    page.line()
    of = f" of {identity.position}" if identity.position != position else ""
    when = f", {moment(last.at)}" if last else ""
    page.line(
        f"Position {position}{of}{when}; log {identity.log_id}, cluster {cluster}, {recorded}",
        style="dim",
    )


def until_words(identity: LogIdentity, last: Event | None) -> str:
    """Say where the last row that was folded is."""
    position = last.seq if last else 0
    return "at the log's end" if position == identity.position else f"at position {position}"


def line_json(line: Line) -> dict[str, Any]:
    """Give a row as plain JSON values."""
    return {
        "position": line.position,
        "at": rfc3339(line.at),
        "nanoseconds": line.at,
        "type": line.type,
        "words": line.words,
        "ledTo": line.moved,
        "cause": line.cause,
    }


def _told_once(lines: tuple[Line, ...]) -> list[Line]:
    """Give the lines, of those that say the same again and again only the last, with its count."""
    times = Counter(line.words for line in lines)
    first: dict[str, int] = {}
    told = []
    left = Counter(times)
    for line in lines:
        left[line.words] -= 1
        first.setdefault(line.words, line.at)
        if line.moved or times[line.words] < _OFTEN:
            told.append(line)
        elif not left[line.words]:
            since = clock(first[line.words])
            words = f"{line.words} ({times[line.words]} times since {since})"
            told.append(line._replace(words=words))
    return told
