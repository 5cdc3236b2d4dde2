"""A demo of caches, from the ModelCache that was just applied to the mounts of both clusters.

Each change is a line, on a terminal as in a pipe: what an entry waits for is a sentence, and would
not fit into a table that moves.
"""

import asyncio
import shlex
from pathlib import Path

from adapters.cli.demo_cache_worlds import (
    NAME,
    NAMESPACE,
    WEST,
    CacheDemo,
    CacheDemoSettings,
    build_cache_worlds,
)
from adapters.cli.demo_logs import command, place_of
from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import STYLES, Format, Page, print_json
from adapters.cli.problems import complain
from adapters.cli.recordings import run
from adapters.cli.texts import clock
from adapters.code_digests import code_digest, code_version
from adapters.kubernetes.vaults import SecretVault
from adapters.running.writing import Identity, open_writer
from adapters.simulator.driving import Driver
from adapters.store.opening import open_log
from engine.events import Event
from engine.instants import SECOND
from machines.caches.causes import Cause, own_cause
from machines.caches.conditions import matched_entries
from machines.caches.entries import EntryState
from machines.caches.messages import entry_message
from machines.caches.sights import sight_of
from machines.caches.states import Cache, Entry
from machines.caches.statuses import cache_status
from machines.states import State

_PAUSE_SECONDS = 0.4  # on a terminal, before each line

_Told = tuple[EntryState, Cause, str]


def run_cache_demo(
    settings: CacheDemoSettings, path: Path | None, *, force: bool, output: Format
) -> ExitCode:
    """Run a demo whose log goes to `path`. Raises Problem, WarmlogError."""
    return run(_run(settings, place_of(path, force=force), output))


async def _run(settings: CacheDemoSettings, place: Path, output: Format) -> ExitCode:
    demo = build_cache_worlds(settings)
    screen = _Screen(demo, silent=output is Format.JSON)
    log = await open_log(place, create=True, log_id=settings.log_id)
    try:
        identity = Identity(code_version(), code_digest(), settings.digest(), settings.caching)
        others = {WEST: demo.west}
        writer = await open_writer(log, identity, demo.begun_at)
        # Digests of Secrets are keyed, and a key of chance would make each log another one.
        vault = SecretVault(settings.log_id.encode())
        driver = Driver(demo.home, writer, screen.listen, others=others, vault=vault)
        await _drive(driver, screen)
    except asyncio.CancelledError:
        complain(f"stopped; the log so far is {place}")
        raise
    finally:
        await log.close()
    state = driver.writer.state
    [cache] = state.caches.values()
    if output is Format.JSON:
        told = {"location": str(place), "log": state.log_id, "position": state.position}
        print_json({**told, "seed": settings.seed, "status": cache_status(state, cache)})
    else:
        _print_end(settings, demo, state, cache, place)
    return ExitCode.OK


async def _drive(driver: Driver, screen: "_Screen") -> None:
    """Let the controller work until both mounts are published, and what is over was cleared."""
    while True:
        if await driver.turn():
            continue
        await screen.pause()
        due = driver.next_at()
        if due is None or _is_over(driver.writer.state):
            return
        driver.advance(due)


def _is_over(state: State) -> bool:
    entries = [entry for cache in state.caches.values() for entry in cache.entries.values()]
    jobs = [job for cluster in state.clusters.values() for job in cluster.objects["HydrationJob"]]
    ready = all(entry.state is EntryState.READY for entry in entries)
    return bool(entries) and ready and not jobs and not state.open


class _Screen:
    """Says what changes: an entry's phase, why it waits, the node that was chosen for it."""

    def __init__(self, demo: CacheDemo, *, silent: bool) -> None:
        """Begin with nothing told."""
        self._demo = demo
        self._silent = silent
        self._page = Page()
        self._told: dict[str, _Told] = {}
        self._lines: list[tuple[str, str]] = []

    def listen(self, rows: tuple[Event, ...], state: State) -> None:
        """Note what is to be said after a batch of rows."""
        while self._demo.news:
            at, words = self._demo.news.pop(0)
            self._lines.append((f"{clock(at)}  ({words})", ""))
        for cache in state.caches.values():
            for name, entry in cache.entries.items():
                told = _telling(state, cache, entry)
                if self._told.get(name) != told:
                    self._told[name] = told
                    self._lines.append(_line(rows[-1].at, state, cache, entry))

    async def pause(self) -> None:
        """Say it, on a terminal at a pleasant pace."""
        lines, self._lines = self._lines, []
        for text, style in lines:
            if self._silent:
                continue
            if self._page.is_terminal:
                await asyncio.sleep(_PAUSE_SECONDS)
            self._page.line(text, style=style)


def _telling(state: State, cache: Cache, entry: Entry) -> _Told:
    """Give what is worth a line when it changes; other words alone are not."""
    return entry.state, own_cause(sight_of(state, cache, entry)), entry.chosen.node_name


def _line(at: int, state: State, cache: Cache, entry: Entry) -> tuple[str, str]:
    message = entry_message(state, cache, entry)
    words = f"{entry.state.value}{': ' if message else ''}{message}"
    return f"{clock(at)}  {entry.cluster}  {words}", STYLES[entry.state.value]


def _print_end(
    settings: CacheDemoSettings, demo: CacheDemo, state: State, cache: Cache, place: Path
) -> None:
    page, reference = Page(), f"modelcache/{NAMESPACE}/{NAME}"
    entries = matched_entries(cache)
    seconds = (state.now - demo.begun_at) / SECOND
    page.line()
    page.line(
        f"{reference} is Ready on {cache_status(state, cache)['summary']['ready']} clusters after "
        f"{seconds:.1f} s of virtual time (seed {settings.seed}).",
        style="bold",
    )
    claims = [sight_of(state, cache, entry).claim_words for entry in entries]
    rows = [[entry.cluster, words] for entry, words in zip(entries, claims, strict=True)]
    page.table(["CLUSTER", "MOUNT"], rows)
    page.line()
    log, typed = shlex.quote(str(place)), command()
    midway = f" --at -{round(seconds / 2)}s"
    page.line(f"The log is {log}; try", whole=True)
    page.line(f"{typed} replay {log}{midway}", indent=2, whole=True)
    page.line(f"{typed} explain {reference} --log {log}{midway}", indent=2, whole=True)
    page.line(f"{typed} verify {log}", indent=2, whole=True)
