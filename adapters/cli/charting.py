"""`warmlog timeline`: a log as one HTML page, to look at without anything else."""

import os
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import Recording, recording, run
from engine.events import Event
from engine.replaying import replay
from machines.charting import Chart
from machines.domain import WARMLOG
from machines.states import State


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("timeline")(_timeline)


def _timeline(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The HTML file to write.")
    ],
) -> ExitCode:
    """Write a log as one HTML page.

    A lane for each object, a cursor in time, and what `warmlog explain` says there.

    The page is one file and asks the network for nothing.
    """
    if str(output) in {"json", "html"}:
        raise Misuse("-o takes the FILE to write, as in `-o timeline.html`: it is always HTML.")
    return run(_run(log, output))


async def _run(log: str, output: Path) -> ExitCode:
    from adapters.timeline.documents import Source, document
    from adapters.timeline.pages import standalone_page

    async with recording(log) as source:
        identity = await source.identify()
        chart = await _chart(source)
        told = Source(identity.log_id, source.place, source.recorded_by)
        write_whole(output, standalone_page(document(chart, told)))
        return source.close_account()


async def _chart(source: Recording) -> Chart:
    """Fold the whole log, and keep its timeline."""
    chart = Chart()

    def look(state: State, event: Event) -> bool:
        chart.take(state, event)
        WARMLOG.rest(state)
        return False

    replayed = await replay(WARMLOG, source, look=look)
    chart.settle(replayed.state)
    return chart


def write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole, or as it was before. Raises Problem."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        unfinished.replace(path)
    except OSError as error:
        raise Problem(
            ExitCode.OUTPUT_FAILED,
            f"{path} cannot be written ({error.strerror}): check its folder and its volume.",
        ) from error
    finally:
        unfinished.unlink(missing_ok=True)
