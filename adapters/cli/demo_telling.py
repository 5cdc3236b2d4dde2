"""Demos that are told line by line, on a terminal as in a pipe.

What an object of theirs waits for is a sentence, and would not fit into a table that moves.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from adapters.cli.printing import Page, print_json
from adapters.cli.problems import complain
from adapters.cli.sights import Sight
from adapters.code_digests import code_digest, code_version
from adapters.kubernetes.vaults import SecretVault
from adapters.running.writing import Identity, open_writer
from adapters.simulator.driving import Driver
from adapters.simulator.worlds import World
from adapters.store.opening import open_log
from adapters.texts import clock
from engine.events import Event
from machines.caches.settings import CachingSettings
from machines.states import State

_PAUSE_SECONDS = 0.4  # on a terminal, before each line

News = list[tuple[int, str]]  # (instant, what somebody did), as it happens


class ToldSettings(Protocol):
    """What makes one demo different from another."""

    @property
    def seed(self) -> int:
        """Give what everything random follows from."""
        ...

    @property
    def caching(self) -> CachingSettings:
        """Give what the controller is told of caches."""
        ...

    def digest(self) -> str:
        """Give the sha256 hex for `SessionStarted`."""
        ...

    @property
    def log_id(self) -> str:
        """Give the log's id, the same for the same settings."""
        ...


class Stage(NamedTuple):
    """Where a demo plays."""

    home: World
    others: Mapping[str, World]
    begun_at: int
    news: News


Sights = Callable[[State], Iterable[Sight]]


async def tell_demo(
    settings: ToldSettings,
    stage: Stage,
    place: Path,
    sights: Sights,
    is_over: Callable[[State], bool],
    *,
    silent: bool,
) -> State:
    """Let the controller work until the story is over, and tell it; give the state at its end."""
    screen = _Screen(stage.news, sights, silent=silent)
    log = await open_log(place, create=True, log_id=settings.log_id)
    try:
        identity = Identity(code_version(), code_digest(), settings.digest(), settings.caching)
        writer = await open_writer(log, identity, stage.begun_at)
        # Digests of Secrets are keyed, and a key of chance would make each log another one.
        vault = SecretVault(settings.log_id.encode())
        driver = Driver(stage.home, writer, screen.listen, others=stage.others, vault=vault)
        await _drive(driver, screen, is_over)
    except asyncio.CancelledError:
        complain(f"stopped; the log so far is {place}")
        raise
    finally:
        await log.close()
    return driver.writer.state


def print_end_json(
    settings: ToldSettings, state: State, place: Path, status: dict[str, Any]
) -> None:
    """Print where a demo's log is, and the status with which it ended."""
    told = {"location": str(place), "log": state.log_id, "position": state.position}
    print_json({**told, "seed": settings.seed, "status": status})


async def _drive(driver: Driver, screen: "_Screen", is_over: Callable[[State], bool]) -> None:
    while True:
        if await driver.turn():
            continue
        await screen.pause(driver.writer.state)
        due = driver.next_at()
        if due is None or is_over(driver.writer.state):
            return
        driver.advance(due)


class _Screen:
    """Says what changes."""

    def __init__(self, news: News, sights: Sights, *, silent: bool) -> None:
        """Begin with nothing told."""
        self._news = news
        self._sights = sights
        self._silent = silent
        self._page = Page()
        self._told: dict[str, tuple[object, ...]] = {}
        self._at = 0

    def listen(self, rows: tuple[Event, ...], _state: State) -> None:
        """Note when something was written last."""
        self._at = rows[-1].at

    async def pause(self, state: State) -> None:
        """Say what is new, now that the controller has done what it can for the moment."""
        while self._news:
            at, words = self._news.pop(0)
            await self._say(f"{clock(at)}  ({words})")
        for sight in self._sights(state):
            if self._told.get(sight.name) != sight.key:
                self._told[sight.name] = sight.key
                await self._say(f"{clock(self._at)}  {sight.name}  {sight.words}", sight.style)

    async def _say(self, text: str, style: str = "") -> None:
        """Print a line, on a terminal at a pleasant pace."""
        if self._silent:
            return
        if self._page.is_terminal:
            await asyncio.sleep(_PAUSE_SECONDS)
        self._page.line(text, style=style)
