"""A demo of caches, from the ModelCache that was just applied to the mounts of both clusters."""

import shlex
from collections.abc import Iterator
from pathlib import Path

from adapters.cli.demo_cache_worlds import (
    NAME,
    NAMESPACE,
    WEST,
    CacheDemo,
    CacheDemoSettings,
    build_cache_worlds,
)
from adapters.cli.demo_logs import place_of
from adapters.cli.demo_telling import Stage, print_end_json, tell_demo
from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page
from adapters.cli.recordings import run
from adapters.cli.sights import Sight, entry_sight
from adapters.cli.texts import command
from engine.instants import SECOND
from machines.caches.conditions import matched_entries
from machines.caches.entries import EntryState
from machines.caches.sights import sight_of
from machines.caches.states import Cache
from machines.caches.statuses import cache_status
from machines.states import State


def run_cache_demo(
    settings: CacheDemoSettings, path: Path | None, *, force: bool, output: Format
) -> ExitCode:
    """Run a demo whose log goes to `path`. Raises Problem, WarmlogError."""
    return run(_run(settings, place_of(path, force=force), output))


async def _run(settings: CacheDemoSettings, place: Path, output: Format) -> ExitCode:
    demo = build_cache_worlds(settings)
    stage = Stage(demo.home, {WEST: demo.west}, demo.begun_at, demo.news)
    silent = output is Format.JSON
    state = await tell_demo(settings, stage, place, _sights, _is_over, silent=silent)
    [cache] = state.caches.values()
    if silent:
        print_end_json(settings, state, place, cache_status(state, cache))
    else:
        _print_end(settings, demo, state, cache, place)
    return ExitCode.OK


def _is_over(state: State) -> bool:
    """Say whether both mounts are published, and what is over was cleared."""
    entries = [entry for cache in state.caches.values() for entry in cache.entries.values()]
    jobs = [job for cluster in state.clusters.values() for job in cluster.objects["HydrationJob"]]
    ready = all(entry.state is EntryState.READY for entry in entries)
    return bool(entries) and ready and not jobs and not state.open


def _sights(state: State) -> Iterator[Sight]:
    """Give an entry's phase, why it waits, and the node that was chosen for it."""
    for cache in state.caches.values():
        for entry in cache.entries.values():
            yield entry_sight(state, cache, entry)


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
