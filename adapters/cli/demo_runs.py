"""A demo, from the empty cluster to the last table and the log that it leaves behind."""

import asyncio
import shlex
import sys
from pathlib import Path

from adapters.cli.demo_logs import place_of
from adapters.cli.demo_screens import Lines, LiveTable, Screen, Silence
from adapters.cli.demo_worlds import DemoSettings, DemoWorld, build_world
from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import complain
from adapters.cli.recordings import run
from adapters.cli.texts import command
from adapters.code_digests import code_digest, code_version
from adapters.running.writing import Identity
from adapters.simulator.driving import Driver, Listener, start
from adapters.store.opening import open_log
from engine.canonical_json import Number
from engine.events import Event
from engine.instants import SECOND
from machines.explaining import node_views, skipped_nodes
from machines.messages import cause_text
from machines.node_jobs import NodeJobState
from machines.phases import WARMUP_PHASE
from machines.states import State, Warmup
from machines.statuses import warmup_status
from machines.warmups import TERMINAL


def run_demo(settings: DemoSettings, path: Path | None, *, force: bool, output: Format) -> ExitCode:
    """Run a demo whose log goes to `path`. Raises Problem, WarmlogError."""
    return run(_run(settings, place_of(path, force=force), output))


async def _run(settings: DemoSettings, place: Path, output: Format) -> ExitCode:
    demo = build_world(settings)
    screen = _screen(settings, demo, output)
    log = await open_log(place, create=True, log_id=settings.log_id)
    try:
        identity = Identity(code_version(), code_digest(), settings.digest())
        driver = await start(demo.world, log, identity, _listener(demo, screen))
        await _drive(driver, demo, screen)
    except asyncio.CancelledError:
        screen.close()
        complain(f"stopped; the log so far is {place}")
        raise
    finally:
        screen.close()
        await log.close()
    state = driver.writer.state
    warmup = _warmup(state, demo)
    if warmup is None:
        raise RuntimeError("the simulated cluster has lost its ModelWarmup")
    if output is Format.JSON:
        print_json(_end_json(settings, state, warmup, place))
    else:
        _print_end(settings, demo, state, warmup, place)
    return ExitCode.OK


def _screen(settings: DemoSettings, demo: DemoWorld, output: Format) -> Screen:
    if output is Format.JSON:
        return Silence()
    if not sys.stdout.isatty():
        return Lines()
    title = f"warmlog demo: {settings.nodes} nodes, seed {settings.seed}, virtual time"
    return LiveTable(title, demo.world.cluster.now)


def _listener(demo: DemoWorld, screen: Screen) -> Listener:
    def listen(rows: tuple[Event, ...], state: State) -> None:
        while demo.news:
            screen.news(*demo.news.pop(0))
        warmup = _warmup(state, demo)
        if warmup is not None:
            screen.show(rows[-1].at, state, warmup)

    return listen


async def _drive(driver: Driver, demo: DemoWorld, screen: Screen) -> None:
    """Let the controller work until the warmup has ended and all that follows is done.

    The Jobs' removal an hour later is not waited for.
    """
    while True:
        if await driver.turn():
            continue
        due = driver.next_at()
        if due is None or _is_over(driver, demo):
            return
        await screen.pass_time(driver.now, due)
        demo.world.cluster.advance(due)


def _is_over(driver: Driver, demo: DemoWorld) -> bool:
    state = driver.writer.state
    warmup = _warmup(state, demo)
    if warmup is None or warmup.state not in TERMINAL:
        return False
    busy = state.open or warmup.unstamped or warmup.unwanted or warmup.slots
    return warmup.stored and not busy


def _warmup(state: State, demo: DemoWorld) -> Warmup | None:
    for warmup in state.warmups.values():
        if warmup.subject[1:3] == (demo.namespace, demo.name):
            return warmup
    return None


def _print_end(
    settings: DemoSettings, demo: DemoWorld, state: State, warmup: Warmup, place: Path
) -> None:
    page = Page()
    views, skipped = node_views(warmup), skipped_nodes(state, warmup)
    reference = f"modelwarmup/{demo.namespace}/{demo.name}"
    page.line()
    page.line(f"{reference}: {WARMUP_PHASE[warmup.state]}", style="bold")
    rows = [[view.name, view.state.value, cause_text(view.words)] for view in views]
    rows += [[each.name, "skipped", each.why] for each in skipped]
    page.table(["NODE", "STATE", "WHY"], rows)
    unready = sum(view.state is not NodeJobState.READY for view in views)
    ready = len(views) - unready
    seconds = (state.now - warmup.started_at) / SECOND
    page.line()
    page.line(
        f"{ready} of {len(views)} nodes are Ready after {seconds:.1f} s of virtual time "
        f"(seed {settings.seed})."
    )
    log, typed = shlex.quote(str(place)), command()
    midway = f" --at -{max(1, round(seconds / 2))}s"
    then = "" if unready else midway  # what failed is best asked at the end
    page.line(f"The log is {log}; try", whole=True)
    page.line(f"{typed} replay {log}{midway}", indent=2, whole=True)
    page.line(f"{typed} explain {reference} --log {log}{then}", indent=2, whole=True)
    page.line(f"{typed} verify {log}", indent=2, whole=True)


def _end_json(
    settings: DemoSettings, state: State, warmup: Warmup, place: Path
) -> dict[str, object]:
    return {
        "failRate": Number(repr(settings.fail_rate)),
        "location": str(place),
        "log": state.log_id,
        "nodes": [
            {
                "node": view.name,
                "reason": view.words.reason,
                "message": view.words.message,
                "state": view.state.value,
            }
            for view in node_views(warmup)
        ],
        "position": state.position,
        "seed": settings.seed,
        "skipped": [each._asdict() for each in skipped_nodes(state, warmup)],
        "status": warmup_status(state, warmup),
    }
