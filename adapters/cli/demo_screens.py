"""What a demo shows while it runs: a live table on a terminal, else one line per change."""

import asyncio
import sys
import time
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from adapters.cli.printing import STYLES
from adapters.cli.sights import change_words, told
from adapters.texts import clock, one_line, safe
from engine.instants import SECOND
from machines.explaining import NodeView, SkippedNode, node_view, node_views, skipped_nodes
from machines.messages import cause_text
from machines.phases import WARMUP_PHASE
from machines.states import State, Target, Warmup

_SPEED = 2.0  # virtual seconds in one second of the viewer's, at the beginning
_DOUBLED_EVERY_SECONDS = 8.0  # so that a long demo does not try anybody's patience
_LONGEST_PAUSE_SECONDS = 0.8
_FRAME_SECONDS = 0.1
_OTHER_LINES = 8  # of the screen, besides the table's rows


class Screen(Protocol):
    """Shows a demo."""

    def show(self, at: int, state: State, warmup: Warmup, /) -> None:
        """Show the state after a batch of rows."""
        ...

    def news(self, at: int, node: str, words: str) -> None:
        """Tell what somebody did to a node."""
        ...

    async def pass_time(self, now: int, until: int) -> None:
        """Let virtual time pass, as fast as it suits the viewer."""
        ...

    def close(self) -> None:
        """Leave the screen to others."""
        ...


class Silence:
    """Shows nothing: for programs, which want the end."""

    def show(self, at: int, state: State, warmup: Warmup, /) -> None:
        """Show nothing."""

    def news(self, at: int, node: str, words: str) -> None:
        """Tell nothing."""

    async def pass_time(self, now: int, until: int) -> None:
        """Take no time."""

    def close(self) -> None:
        """Hold nothing."""


class Lines(Silence):
    """One plain line per change, at once: for pipes and logs."""

    def __init__(self) -> None:
        """Begin with nothing shown."""
        self._phase = ""
        self._targets: dict[str, Target] = {}

    def show(self, at: int, _state: State, warmup: Warmup, /) -> None:
        """Print what is not as it was."""
        for key, target in warmup.targets.items():
            old = self._targets.get(key)
            if old is target:  # records are replaced, never changed
                continue
            self._targets[key] = target
            if old is None or told(old) != told(target):
                words = change_words(node_view(warmup, target))
                _print(f"{clock(at)}  {target.node_name}  {words}")
        phase = WARMUP_PHASE[warmup.state]
        if phase != self._phase:
            self._phase = phase
            subject = warmup.subject
            _print(f"{clock(at)}  {subject.kind} {subject.namespace}/{subject.name}  {phase}")

    def news(self, at: int, node: str, words: str) -> None:
        """Print what somebody did."""
        _print(f"{clock(at)}  {node}  ({words})")


class LiveTable:
    """A table that moves, at a pleasant pace: for people at a terminal."""

    def __init__(self, title: str, begun_at: int) -> None:
        """Take the screen; `begun_at` is the virtual instant of the beginning."""
        self._console = Console(file=sys.stdout, highlight=False)
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._title = title
        self._begun_at = begun_at
        self._begun = time.monotonic()
        self._now = begun_at
        self._state: State | None = None
        self._warmup: Warmup | None = None
        self._news = ""
        self._drawn_at = 0.0
        self._live.start()

    def show(self, at: int, state: State, warmup: Warmup, /) -> None:
        """Draw the state."""
        self._now, self._state, self._warmup = at, state, warmup
        if time.monotonic() - self._drawn_at >= _FRAME_SECONDS:
            self._draw()

    def news(self, at: int, node: str, words: str) -> None:
        """Tell what somebody did, until there are other news."""
        self._news = f"{clock(at)}  {node}: {words}"

    async def pass_time(self, now: int, until: int) -> None:
        """Wait, drawing the clock as it goes."""
        waited = time.monotonic() - self._begun
        speed = _SPEED * 2 ** (waited / _DOUBLED_EVERY_SECONDS)
        pause = min((until - now) / SECOND / speed, _LONGEST_PAUSE_SECONDS)
        frames = max(1, round(pause / _FRAME_SECONDS))
        for frame in range(1, frames + 1):
            await asyncio.sleep(pause / frames)
            self._now = now + (until - now) * frame // frames
            self._draw()

    def close(self) -> None:
        """Take the table away; what follows is printed in its place."""
        self._live.stop()

    def _draw(self) -> None:
        if self._state is None or self._warmup is None:
            return
        self._drawn_at = time.monotonic()
        views, skipped = node_views(self._warmup), skipped_nodes(self._state, self._warmup)
        room = max(4, self._console.height - _OTHER_LINES)
        heads = Text(f"{self._title}   {clock(self._now)[:-5]}Z", style="bold")
        phase = WARMUP_PHASE[self._warmup.state]
        summary = Text.assemble((phase, STYLES[phase]), "   ", _counts(views))
        table = nodes_table(views, skipped, room)
        self._live.update(
            Group(heads, summary, Text(), table, Text(self._news, "dim")), refresh=True
        )


def nodes_table(
    views: list[NodeView], skipped: tuple[SkippedNode, ...], room: int | None = None
) -> Table:
    """Give the nodes as a table of at most `room` rows; those that are ready give way first."""
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold")
    for head in ("NODE", "STATE", "WHY"):
        table.add_column(head, no_wrap=head != "WHY", overflow="ellipsis" if room else "fold")
    rows = [(view.name, view.state.value, cause_text(view.words)) for view in views]
    rows += [(each.name, "skipped", each.why) for each in skipped]
    left = 0
    if room is not None and len(rows) > room:
        unready = [row for row in rows if row[1] not in {"Ready", "skipped"}]
        calm = [row for row in rows if row[1] in {"Ready", "skipped"}]
        left = len(rows) - room + 1
        rows = (unready + calm)[: room - 1]
    if room is not None:
        rows.sort()
    for name, state, why in rows:
        style = STYLES.get(state, "")
        words = Text(one_line(why), no_wrap=room is not None, overflow="ellipsis")
        table.add_row(name, Text(state, style=style), words)
    if left:
        table.add_row(f"and {left} more", "", "")
    return table


def _counts(views: list[NodeView]) -> str:
    states = [view.state.value for view in views]
    words = ("Ready", "Hydrating", "Pending", "Failed")
    return "  ".join(f"{states.count(word)} {word.lower()}" for word in words)


def _print(line: str) -> None:
    sys.stdout.write(safe(line) + "\n")
    sys.stdout.flush()
