"""`warmlog demo`: the whole controller on a simulated cluster, with a real log."""

from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format

MOST_NODES = 1000  # what one ModelWarmup may have


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("demo")(_demo)


def _demo(
    nodes: Annotated[
        int, typer.Option(min=1, max=MOST_NODES, metavar="N", help="How many nodes the pool has.")
    ] = 5,
    seed: Annotated[
        int, typer.Option(metavar="N", help="The same seed gives the same log, byte for byte.")
    ] = 1,
    fail_rate: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="0..1",
            help="Chance of each Pod to fail; a node fails with its third Pod.",
        ),
    ] = 0.0,
    log: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the log goes; else into a new temporary folder."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace FILE if it is the log of a demo.")
    ] = False,
    output: Annotated[
        Format, typer.Option("-o", "--output", help="json: only the end, as one document.")
    ] = Format.TEXT,
) -> ExitCode:
    """Warm a simulated cluster, live: no Kubernetes needed.

    The controller is the real one, and so is its log. Time is virtual.
    """
    from adapters.cli.demo_runs import run_demo
    from adapters.cli.demo_worlds import DemoSettings

    settings = DemoSettings(nodes, seed, fail_rate)
    return run_demo(settings, log, force=force, output=output)
