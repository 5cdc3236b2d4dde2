"""What `warmlog watch` shows on a terminal: as much of each table as fits into it. Pure."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from adapters.cli.printing import STYLES
from adapters.cli.watch_sections import Section, sections_of
from adapters.cli.watch_states import Following
from adapters.texts import clock, one_line

_PART_FOR_ROWS = 3  # of the room, one part of so many is for the last rows of the log
_LEAST_ROWS = 2  # of them that are shown
_AROUND = 2  # lines of a table besides its rows: a blank one and its heads
_LINES_ABOVE = 2  # of the page, for where it is and how it stands


class Standing(NamedTuple):
    """How the following stands: what is followed, and in words what is wrong with it."""

    place: str
    words: str = ""
    loading: tuple[int, int] | None = None  # position, and where the log ends


def page(following: Following, now: Standing, height: int) -> RenderableType:
    """Give what fits into so many lines."""
    sections = sections_of(following)
    room = height - _LINES_ABOVE
    least = min(max(_LEAST_ROWS, room // _PART_FOR_ROWS - _AROUND), len(following.rows))
    given = rooms([len(each.rows) for each in sections], room - least - (_AROUND if least else 0))
    told: list[RenderableType] = [*_head(following, now)]
    for section, shown in zip(sections, given, strict=True):
        if shown:
            told += [Text(), _table(section, shown)]
    used = sum(shown + _AROUND for shown in given if shown) + (0 if sections else _AROUND)
    lasts = min(max(0, room - used - _AROUND), len(following.rows))
    if not sections:
        told += [Text(), Text("no object yet", "dim")]
    if lasts:
        told += [Text(), _last_rows(following, lasts)]
    return Group(*told)


def rooms(counts: Sequence[int], left: int) -> list[int]:
    """Give how many rows each table may show: all share alike, and none has more than it needs.

    A table that there is no line for has none, nor have those behind it.
    """
    shown = [0] * len(counts)
    for number in range(len(counts)):
        if left <= _AROUND:
            break
        shown[number] = 1
        left -= _AROUND + 1
    while left > 0:
        hungry = [number for number, many in enumerate(counts) if 0 < shown[number] < many]
        if not hungry:
            break
        for number in hungry[:left]:
            shown[number] += 1
        left -= len(hungry)
    return shown


def _head(following: Following, now: Standing) -> list[Text]:
    state, wanted = following.state, str(following.wanted)
    place = Text.assemble(("warmlog watch ", "bold"), one_line(now.place))
    if wanted:
        place.append(f"  only {one_line(wanted)}", "cyan")
    if now.loading is not None:
        position, end = now.loading
        stand = Text(f"reads the log: {position:,} of {end:,} rows", "yellow")
    else:
        when = f"  {clock(state.now)}" if state.position else ""
        stand = Text(f"position {state.position}{when}")
    stand.append("  q quits", "dim")
    if now.words:  # first, where it is not cut
        stand = Text.assemble((one_line(now.words), "bold red"), "  ", stand)
    for line in (place, stand):
        line.no_wrap, line.overflow = True, "ellipsis"
    return [place, stand]


def _table(section: Section, room: int) -> Table:
    table = _grid(section.heads)
    left = len(section.rows) - room
    for row in section.rows[: room - 1 if left else room]:
        table.add_row(*(Text(one_line(cell), STYLES.get(cell, "")) for cell in row()))
    if left:
        table.add_row(Text(f"and {left + 1} more", "dim"))
    return table


def _last_rows(following: Following, count: int) -> Table:
    table = _grid(("ROW", "AT", "WHAT"))
    for row in list(following.rows)[-count:]:
        cells = str(row.event.seq), clock(row.event.at), one_line(row.words)
        table.add_row(*(Text(cell, "dim") for cell in cells))
    return table


def _grid(heads: Sequence[str]) -> Table:
    """Give a table as wide as the terminal, of which the last column takes what is left."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold", expand=True)
    for head in heads[:-1]:
        table.add_column(head, no_wrap=True, overflow="ellipsis")
    table.add_column(heads[-1], no_wrap=True, overflow="ellipsis", ratio=1)
    return table
