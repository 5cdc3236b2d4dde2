"""Storytelling: a way to a state, in plain words and as the log that it makes."""

from pathlib import Path
from typing import Any

from adapters.store.json_lines import Header
from adapters.store.row_lines import event_line
from engine.events import Event
from machines.domain import WARMLOG
from property_tests.exploring.cores import Restart, Telling
from property_tests.exploring.searching import Way
from property_tests.exploring.worlds import Game

LOG_ID = "explored"


def lines(way: Way) -> list[str]:
    """Give the story: a numbered line for each move, and what is wrong then."""
    told = ["the controller starts", *(move.words for move in way.moves)]
    numbered = [f"{number:3}. {words}" for number, words in enumerate(told, 1)]
    return [*numbered, *(f"     BROKEN: {sentence}" for sentence in way.broken)]


def rows_of(way: Way, game: Game[Any], telling: Telling) -> list[Event]:
    """Give the rows of one log in which all of that happens."""
    state = WARMLOG.initial(LOG_ID)
    rows: list[Event] = []
    for told in ((Restart(), *game.listed()), *(move.told for move in way.moves)):
        if told:
            state, made, _ = telling.tell(state, told)
            rows += made
    return rows


def save(rows: list[Event], path: Path) -> None:
    """Write the rows as `warmlog export` does."""
    last = rows[-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    header = Header(LOG_ID, 0, last.seq, last.epoch, last.at)
    path.write_bytes(header.line() + b"".join(map(event_line, rows)))
