"""Chains: how the rows are told that led to something."""

from collections import Counter
from typing import Any

from adapters.explaining.passages import TITLE, Sheet
from adapters.texts import clock, counted
from engine.instants import rfc3339
from machines.histories import Line

_SHOWN_LINES = 14  # of one chain, in text
_OFTEN = 3  # times that a row says the same, from which on it is told once


def tell_chain(
    sheet: Sheet, title: str, lines: tuple[Line, ...], *, whole: bool = False, rest: str = "-o json"
) -> None:
    """Tell rows under a title, the last ones or all; `rest` says how to see those left out."""
    sheet.line()
    sheet.line(title, role=TITLE)
    told = _told_once(lines)
    shown = told if whole else told[-_SHOWN_LINES:]
    left = len(told) - len(shown)
    if left:
        sheet.line(f"({counted(left, 'earlier row')}: {rest} shows them)", indent=2)
    rows = [
        [
            str(each.position),
            clock(each.at),
            f"→ {each.moved}" if each.moved else "",
            each.words,
        ]
        for each in shown
    ]
    sheet.table(["", "", "", ""], rows, indent=2)


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
