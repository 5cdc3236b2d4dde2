"""`warmlog explain`: why an object is in its phase, what it waits for, what to do."""

import os
from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, At
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
    log: Annotated[str, typer.Option(metavar="LOG", envvar="WARMLOG_LOG", help=LOG_HELP)],
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
    named = parse_thing(reference)
    if node is not None and named.kind not in PARTS["node"]:
        raise Misuse(f"--node is about {kinds_of('node')}: of a {CACHE} say --on CLUSTER.")
    if on is not None and named.kind not in PARTS["on"]:
        raise Misuse(f"--on is about {kinds_of('on')}: of a {WARMUP} say --node NODE.")
    return run(_run(log, Question(named, node if node is not None else on, cluster), at, output))


async def _run(log: str, question: Question, at: str | None, output: Format) -> ExitCode:
    async with recording(log) as source:
        bound = parse_moment(at, await source.identify())
        found = await explain_object(source, question, bound, log=source.place, sift=source.sifted)
        if log != os.environ.get("WARMLOG_LOG"):
            found = found.found_in(source.place)
        if output is Format.JSON:
            print_json(found.document)
        else:
            Page().show(found.passages)
        return source.close_account("explained")
