"""What `warmlog record` says while it records: sentences, and on a terminal one line that moves."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.cli.problems import complain
from adapters.texts import clock, counted
from engine.canonical_json import Number, loads
from engine.events import Event
from machines.blind_spots import BlindSpot, barred_clusters, blind_spots
from machines.states import State

if TYPE_CHECKING:
    from adapters.recording.composing import Recorded
    from adapters.running.writing import Writer

_REFRESHES = 2  # a second


class Account:
    """What a session has recorded so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.rows = 0
        self.paths: tuple[Path, ...] = ()
        self.example = ""  # an object that may be explained
        self.missing: tuple[BlindSpot, ...] = ()  # what could not be read when it ended
        self._log_id = ""
        self._position = 0

    def add(self, state: State, rows: int) -> None:
        """Count rows, and take note of an object that they are about."""
        self.rows += rows
        owners = (state.warmups, state.caches, state.replicas)
        subjects = [one.subject for found in owners for one in found.values()][:1]
        for kind, namespace, name, _ in subjects:
            self.example = f"{kind.lower()}/{namespace}/{name}"

    def end(self, recorded: "Recorded", missing: Iterable[BlindSpot]) -> None:
        """Take note of what is left behind."""
        self.paths, self._log_id, self._position, self.rows = recorded
        self.missing = tuple(missing)

    def to_json(self, seconds: float) -> dict[str, Any]:
        """Give it for programs."""
        return {
            "files": [str(path) for path in self.paths],
            "log": self._log_id,
            "missing": [one._asdict() for one in self.missing],
            "position": self._position,
            "rows": self.rows,
            "seconds": Number(f"{seconds:.1f}"),
        }


class Screen:
    """Says what is worth a sentence, each once; on a terminal one line moves as well."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        self.account = Account()
        self._path = Path()
        self._state: State | None = None
        self._news_at = time.monotonic()
        self._told: set[tuple[str, str, str]] = set()

    def begin(self, path: Path, writer: "Writer", cut_bytes: int) -> None:
        """Say what a file holds that is gone on with."""
        self._path = path
        self._show(writer.state, 1)
        if cut_bytes:
            complain(
                f"{path} ended in the middle of a row, as after a kill: "
                f"{counted(cut_bytes, 'byte')} were cut off"
            )
        if writer.cursor.position > 1:
            complain(f"{path} goes on after position {writer.cursor.position - 1}")

    def show(self, state: State, rows: Sequence[Event]) -> None:
        """Take note of rows, and say what could not be read."""
        self._show(state, len(rows))
        for row in rows:
            self._complain_of(row, state)

    def turn(self, path: Path, rows: Sequence[Event]) -> None:
        """Take note of another file. Its first rows are no news."""
        self._path = path
        self.account.rows += len(rows) + 1
        complain(f"the recording goes on in {path}")

    def ended(self, recorded: "Recorded") -> Account:
        """Give what is left behind."""
        self.account.end(recorded, blind_spots(self._state) if self._state else ())
        return self.account

    def _show(self, state: State, rows: int) -> None:
        self._state = state
        if rows:
            self._news_at = time.monotonic()
        self.account.add(state, rows)

    def _complain_of(self, row: Event, state: State) -> None:
        if row.type not in {"Unread", "Unreachable"}:
            return
        said = loads(row.data)
        words, what = str(said.get("words", "")), str(said.get("kind", ""))
        if not words or (row.cluster, what, words) in self._told:
            return
        self._told.add((row.cluster, what, words))
        if row.type == "Unreachable":
            complain(f"cluster {row.cluster} does not answer, which is recorded: {words}")
        elif said.get("served") is False:
            complain(f"{what} is not recorded: {words}")
        elif barred := barred_clusters(state, what):
            names = ", ".join(one.cluster for one in barred)
            complain(f"nothing of cluster {names} is recorded: {barred[0].words}")
        else:
            complain(f"{what} of cluster {row.cluster} may not be read, which is recorded: {words}")

    def __rich__(self) -> str:
        """Give the line as it is now."""
        from rich.markup import escape

        return escape(self.line())

    def line(self) -> str:
        """Give in one line what was recorded, of what, and how current that is."""
        state = self._state
        if state is None:
            return "warmlog record: begins"
        kinds: Counter[str] = Counter()
        for cluster in state.clusters.values():
            kinds.update({kind: len(known) for kind, known in cluster.objects.items() if known})
        objects = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common())
        seconds = time.monotonic() - self._news_at
        return (
            f"{self._path.name}: {counted(self.account.rows, 'row')}; {objects or 'no objects yet'}"
            f"; last news {clock(state.now)}, {seconds:.0f} s ago"
        )


@contextmanager
def screen() -> Iterator[Screen]:
    """Show a recording while the context lasts; quiet where nobody looks."""
    if not sys.stderr.isatty():
        yield Screen()
        return
    from rich.console import Console
    from rich.live import Live

    live = Live(console=Console(stderr=True), transient=True, refresh_per_second=_REFRESHES)
    shown = Screen()
    with live:
        live.update(shown)
        yield shown
