"""`warmlog timeline`: a log as one HTML page, to look at without anything else."""

import os
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.folding import fold_whole
from adapters.cli.options import LOG_HELP, OnlyObject
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.explaining.references import Reference, listed, parse_reference
from engine.logs import EventReader
from engine.replaying import END
from machines.charting import Chart
from machines.narrowing import Narrowed, narrowed


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("timeline")(_timeline)


def _timeline(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The HTML file to write.")
    ],
    only: OnlyObject = None,
) -> ExitCode:
    """Write a log as one HTML page.

    A lane for each object, a cursor in time, and what `warmlog explain` says there.

    The page is one file and asks the network for nothing.
    """
    if str(output) in {"json", "html"}:
        raise Misuse("-o takes the FILE to write, as in `-o timeline.html`: it is always HTML.")
    return run(_run(log, output, parse_reference(only) if only else None))


async def _run(log: str, output: Path, wanted: Reference | None) -> ExitCode:
    from adapters.timeline.documents import Source, document
    from adapters.timeline.pages import standalone_page

    async with recording(log) as whole:
        identity = await whole.identify()
        shown = await _chart(whole, wanted)
        told = Source(identity.log_id, whole.place, whole.recorded_by)
        write_whole(output, standalone_page(document(shown, told)))
        return whole.close_account()


async def _chart(whole: Recording, wanted: Reference | None) -> Chart | Narrowed:
    """Give the timeline of a log, or of it what concerns an object.

    Of a database the rows that have nothing to do with the object are not even folded. Where that
    gives no such object, the whole says which there are.
    """
    part = await whole.sifted(wanted, END) if wanted is not None else None
    if part is not None and part.last is not None and wanted is not None:
        chart = await _folded(part.reader)
        if not chart.rows or chart.rows[-1].position < part.last.seq:
            chart.keep(part.last)  # the timeline ends where the log does
        found = narrowed(chart.rows, chart.lanes, *wanted, exact=chart.exact)
        if found.lanes:
            return found
    chart = await _folded(whole)
    if wanted is None:
        return chart
    found = narrowed(chart.rows, chart.lanes, *wanted, exact=chart.exact)
    if not found.lanes:
        raise Problem(ExitCode.NOT_FOUND, _holds_no(chart, wanted, whole))
    return found


async def _folded(source: EventReader) -> Chart:
    chart = Chart()
    await fold_whole(source, chart.take)
    return chart


def _holds_no(chart: Chart, wanted: Reference, whole: Recording) -> str:
    wholes = [lane.place.subject for lane in chart.lanes if lane.parent is None]
    known = list(dict.fromkeys(Reference(*subject[:3]) for subject in wholes))
    instead = f"it holds {listed(known)}" if known else "it holds no object at all"
    return f"The log {whole.place} holds no {wanted}: {instead}."


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
