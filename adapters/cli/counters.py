"""Counters: a bar on stderr, once something takes longer than a moment, and only on a terminal."""

import sys
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress

_AFTER_SECONDS = 0.5


class Counter:
    """Counts up to `total`, of rows or of bytes; `words` say what is done."""

    def __init__(self, words: str, total: int = 0, *, of_bytes: bool = False) -> None:
        """Begin at zero; nothing is shown yet."""
        self._words = words
        self.total = total
        self._of_bytes = of_bytes
        self._done = 0
        self._begun = time.monotonic()
        self._bar: Progress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, by: int) -> None:
        """Show that so much more is done."""
        self.show(self._done + by)

    def show(self, done: int) -> None:
        """Show that so much is done."""
        self._done = done
        if self._bar is None:
            if not sys.stderr.isatty() or time.monotonic() - self._begun < _AFTER_SECONDS:
                return
            self._bar = self._made()
            self._bar.add_task(self._words, total=self.total)
            self._bar.start()
        for task in self._bar.task_ids:
            self._bar.update(task, completed=min(done, self.total))

    def _made(self) -> "Progress":
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
        )

        count = DownloadColumn() if self._of_bytes else MofNCompleteColumn()
        columns = (TextColumn("{task.description}"), BarColumn(), count)
        return Progress(*columns, console=Console(stderr=True), transient=True)
