"""Where `warmlog watch` shows what it knows: a page on a terminal, else lines of what is new."""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.live import Live

from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import complain
from adapters.cli.watch_pages import Standing, page
from adapters.cli.watch_states import Change, Following, Wanted
from adapters.store.tailing import Begun, Lost, News, Rested
from adapters.texts import clock
from engine.instants import rfc3339

_FRAME_SECONDS = 0.25  # between two drawings, however fast rows come
_QUITTING = b"qQ"


class Screen(Protocol):
    """Shows a log that is followed."""

    def take(self, news: News) -> None:
        """Take in what was read, or that nothing can be."""
        ...


class Lines:
    """Where everything stands at first, then a line for each change: for pipes and programs."""

    def __init__(self, place: str, wanted: Wanted, output: Format) -> None:
        """Begin with nothing shown."""
        self._place = place
        self._wanted = wanted
        self._say = _say_json if output is Format.JSON else _say_text(Page())
        self._following: Following | None = None
        self._stood = False
        self._trouble = ""

    def take(self, news: News) -> None:
        """Print what is new."""
        if isinstance(news, Begun):
            if self._following is not None:
                complain(f"{self._place} holds another log now, {news.identity.log_id}")
            self._following, self._stood = Following(news.identity.log_id, self._wanted), False
        elif isinstance(news, Lost):
            self._tell_trouble(news.words)
        elif self._following is None:
            return
        elif isinstance(news, Rested):
            self._stand(self._following)
            self._tell_trouble(news.words)
        elif self._stood:
            self._print(self._following.changes(news.events))
        else:
            self._following.fold(news.events)

    def _stand(self, following: Following) -> None:
        if not self._stood:
            self._stood = True
            self._print(following.standing())

    def _print(self, changes: Iterator[Change]) -> None:
        for change in changes:
            self._say(change)
        sys.stdout.flush()

    def _tell_trouble(self, words: str) -> None:
        """Say what is wrong once, and that it is over."""
        if words == self._trouble:
            return
        told = f"lost, and tried again: {words}" if words else f"{self._place} is back"
        self._trouble = words
        complain(told)


def _say_text(to: Page) -> Callable[[Change], None]:
    def say(change: Change) -> None:
        part = f" {change.part}" if change.part else ""
        line = f"{clock(change.at)}  {change.reference}{part}  {change.words}"
        to.line(line, change.style)

    return say


def _say_json(change: Change) -> None:
    told = change._asdict() | {"at": rfc3339(change.at), "nanoseconds": change.at}
    del told["reference"], told["style"]
    print_json(told | change.reference._asdict())


class LivePage:
    """A page that is drawn anew when something is new, and when the window has another size."""

    def __init__(self, live: Live, place: str, wanted: Wanted) -> None:
        """Draw through `live`."""
        self._live = live
        self._wanted = wanted
        self._standing = Standing(place)
        self._following = Following("", wanted)
        self._drawn: tuple[object, ...] = ()

    def take(self, news: News) -> None:
        """Take in what is to be drawn next."""
        now = self._standing
        if isinstance(news, Begun):
            self._following = Following(news.identity.log_id, self._wanted)
        elif isinstance(news, Lost):
            self._standing = now._replace(words=f"lost, and tried again: {news.words}")
        elif isinstance(news, Rested):
            self._standing = now._replace(words=news.words, loading=None)
        else:
            self._following.fold(news.events)
            position, end = self._following.state.position, news.identity.position
            loading = (position, end) if now.loading or position < end else None
            self._standing = now._replace(loading=loading)

    async def draw(self) -> None:
        """Draw for ever, a few times a second."""
        while True:
            size = self._live.console.size
            seen = size, self._standing, self._following, self._following.state.position
            if self._following.state.log_id and seen != self._drawn:
                self._drawn = seen
                self._live.update(page(self._following, self._standing, size.height), refresh=True)
            await asyncio.sleep(_FRAME_SECONDS)


def is_for_people(output: Format) -> bool:
    """Say whether somebody sits at a terminal that a page can be drawn on."""
    console = Console(file=sys.stdout)
    return output is Format.TEXT and console.is_terminal and not console.is_dumb_terminal


@contextmanager
def live_page(place: str, wanted: Wanted) -> Iterator[LivePage]:
    """Take the terminal's other screen while the context lasts."""
    console = Console(file=sys.stdout, highlight=False)
    with Live(console=console, screen=True, auto_refresh=False) as live:
        yield LivePage(live, place, wanted)


@contextmanager
def keys(quitting: Callable[[], None]) -> Iterator[None]:
    """Call `quitting` when q is typed, while the context lasts; Ctrl-C stays a signal."""
    if not sys.stdin.isatty():
        yield
        return
    import termios
    import tty

    descriptor, loop = sys.stdin.fileno(), asyncio.get_running_loop()

    def read() -> None:
        typed = os.read(descriptor, 64)
        if not typed or set(typed) & set(_QUITTING):
            loop.remove_reader(descriptor)
            quitting()

    before = termios.tcgetattr(descriptor)
    tty.setcbreak(descriptor, termios.TCSADRAIN)  # what was typed already counts
    loop.add_reader(descriptor, read)
    try:
        yield
    finally:
        loop.remove_reader(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
