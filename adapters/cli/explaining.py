"""`warmlog explain`: why an object is in its phase, what it waits for, what to do."""

import os
from pathlib import Path
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, LOG_VARIABLE, At
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse
from adapters.cli.recordings import recording, run
from adapters.explaining import references
from adapters.explaining.explaining import Question, explain_object
from adapters.explaining.moments import parse_moment
from adapters.explaining.references import PARTS, kinds_of, parse_thing
from machines.kinds import CACHE, WARMUP

ON_HELP = f"Only this InferenceCluster: of {kinds_of('on')}."


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("explain")(_explain)


def _explain(
    reference: Annotated[str, typer.Argument(metavar="REF", help=references.THING_HELP)],
    behind: Annotated[str | None, typer.Argument(metavar="LOG", help=LOG_HELP)] = None,
    log: Annotated[
        str | None, typer.Option(metavar="LOG", envvar=LOG_VARIABLE, help="LOG, said otherwise.")
    ] = None,
    at: At = None,
    node: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a ModelWarmup only this node."),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=ON_HELP),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="The object's cluster, where the log knows several.")
    ] = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Say why an object is not done yet.

    Its phase and since when, what it waits for or why it failed, what to do, and the rows of the
    log that led there.
    """
    place = _place(reference, behind, log)
    return run(_run(place, _question(reference, node, on, cluster), at, output))


def _place(reference: str, behind: str | None, log: str | None) -> str:
    """Give the log that was named. Raises Misuse."""
    if "://" in reference or Path(reference).is_file():
        raise Misuse(f"{reference} is a log: name the object first, `warmlog explain REF LOG`.")
    if behind and log and log != os.environ.get(LOG_VARIABLE):
        raise Misuse("The log is named twice: behind the object and by --log. Leave one out.")
    place = behind or log
    if not place:
        raise Misuse(f"Say which log: `warmlog explain {reference} LOG`, or set {LOG_VARIABLE}.")
    return place


def _question(reference: str, node: str | None, on: str | None, cluster: str | None) -> Question:
    named = parse_thing(reference)
    if node is not None and named.kind not in PARTS["node"]:
        raise Misuse(f"--node is about {kinds_of('node')}: of a {CACHE} say --on CLUSTER.")
    if on is not None and named.kind not in PARTS["on"]:
        raise Misuse(f"--on is about {kinds_of('on')}: of a {WARMUP} say --node NODE.")
    return Question(named, node if node is not None else on, cluster)


async def _run(log: str, question: Question, at: str | None, output: Format) -> ExitCode:
    async with recording(log) as source:
        bound = parse_moment(at, await source.identify())
        found = await explain_object(source, question, bound, log=source.place, sift=source.sifted)
        if log != os.environ.get(LOG_VARIABLE):
            found = found.found_in(source.place)
        if output is Format.JSON:
            print_json(found.document)
        else:
            Page().show(found.passages)
        return source.close_account("explained")
