"""A demo of replicas: an engine that waits for its model, serves, and goes on whatever happens."""

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

from adapters.cli.demo_logs import place_of
from adapters.cli.demo_replica_worlds import (
    END_SECONDS,
    NAME,
    NAMESPACE,
    ReplicaDemoSettings,
    build_replica_world,
)
from adapters.cli.demo_telling import Stage, print_end_json, tell_demo
from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page
from adapters.cli.recordings import run
from adapters.cli.sights import Sight, replica_sight
from adapters.cli.texts import command
from engine.instants import SECOND
from machines.replicas.histories import standing
from machines.replicas.mounts import mount_of
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.statuses import replica_status
from machines.states import State

# Moments worth looking at: while it waits for its model, and while its switch waits for a token.
_WAITING, _SWITCHING = "00:00:08", "00:01:10"


def run_replica_demo(
    settings: ReplicaDemoSettings, path: Path | None, *, force: bool, output: Format
) -> ExitCode:
    """Run a demo whose log goes to `path`. Raises Problem, WarmlogError."""
    return run(_run(settings, place_of(path, force=force), output))


async def _run(settings: ReplicaDemoSettings, place: Path, output: Format) -> ExitCode:
    stage = build_replica_world(settings)
    silent = output is Format.JSON
    state = await tell_demo(settings, stage, place, _sights, _ending(stage), silent=silent)
    [replica] = state.replicas.values()
    if silent:
        print_end_json(settings, state, place, replica_status(state, replica))
    else:
        _print_end(settings, stage, state, replica, place)
    return ExitCode.OK


def _ending(stage: Stage) -> Callable[[State], bool]:
    end = stage.begun_at + END_SECONDS * SECOND

    def is_over(state: State) -> bool:
        serve = all(one.state is ReplicaState.SERVING for one in state.replicas.values())
        return state.now > end and serve and not state.open

    return is_over


def _sights(state: State) -> Iterator[Sight]:
    """Give where a replica stands, and why it waits, or what it goes on with."""
    for replica in state.replicas.values():
        yield replica_sight(state, replica)


def _print_end(
    settings: ReplicaDemoSettings, stage: Stage, state: State, replica: Replica, place: Path
) -> None:
    page, reference = Page(), f"modelreplica/{NAMESPACE}/{NAME}"
    seconds = (state.now - stage.begun_at) / SECOND
    page.line()
    page.line(
        f"{reference} is {standing(state, replica)[0]} after {seconds:.1f} s of virtual time "
        f"(seed {settings.seed}), with the mount of claim {mount_of(replica.kept).claim_name}.",
        style="bold",
    )
    page.line()
    log, typed = shlex.quote(str(place)), command()
    page.line(f"The log is {log}; try", whole=True)
    for at in (_WAITING, _SWITCHING):
        page.line(f"{typed} explain {reference} --log {log} --at {at}", indent=2, whole=True)
    page.line(f"{typed} verify {log}", indent=2, whole=True)
