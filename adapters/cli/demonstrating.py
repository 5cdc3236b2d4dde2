"""`warmlog demo`: the whole controller on a simulated cluster, with a real log."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format
from adapters.cli.problems import Misuse

MOST_NODES = 1000  # what one ModelWarmup may have
NODES, FAIL_RATE = 5, 0.0


class Story(StrEnum):
    """What is told."""

    WARMUP = "warmup"
    CACHES = "caches"
    REPLICAS = "replicas"


Told = Annotated[
    Story,
    typer.Option(
        help="caches: a model for two clusters, of which one loses a node; replicas: an engine "
        "that waits for its model, and serves on while that is switched, and deleted."
    ),
]
Nodes = Annotated[
    int, typer.Option(min=1, max=MOST_NODES, metavar="N", help="How many nodes the pool has.")
]
Seed = Annotated[
    int, typer.Option(metavar="N", help="The same seed gives the same log, byte for byte.")
]
FailRate = Annotated[
    float,
    typer.Option(
        min=0,
        max=1,
        metavar="0..1",
        help="Chance of each Pod to fail; a node fails with its third Pod.",
    ),
]
Log = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where the log goes; else into a new temporary folder."),
]
Force = Annotated[bool, typer.Option("--force", help="Replace FILE if it is the log of a demo.")]
Output = Annotated[
    Format, typer.Option("-o", "--output", help="json: only the end, as one document.")
]


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("demo")(_demo)


def _demo(
    story: Told = Story.WARMUP,
    nodes: Nodes = NODES,
    seed: Seed = 1,
    fail_rate: FailRate = FAIL_RATE,
    log: Log = None,
    force: Force = False,
    output: Output = Format.TEXT,
) -> ExitCode:
    """Warm a simulated cluster, stage a model on two, or serve one, live: no Kubernetes needed.

    The controller is the real one, and so is its log. Time is virtual.
    """
    if story is not Story.WARMUP and (nodes, fail_rate) != (NODES, FAIL_RATE):
        raise Misuse("--nodes and --fail-rate are about the story of a warmup.")
    if story is Story.CACHES:
        from adapters.cli.demo_cache_runs import run_cache_demo
        from adapters.cli.demo_cache_worlds import CacheDemoSettings

        return run_cache_demo(CacheDemoSettings(seed), log, force=force, output=output)
    if story is Story.REPLICAS:
        from adapters.cli.demo_replica_runs import run_replica_demo
        from adapters.cli.demo_replica_worlds import ReplicaDemoSettings

        return run_replica_demo(ReplicaDemoSettings(seed), log, force=force, output=output)
    from adapters.cli.demo_runs import run_demo
    from adapters.cli.demo_worlds import DemoSettings

    settings = DemoSettings(nodes, seed, fail_rate)
    return run_demo(settings, log, force=force, output=output)
