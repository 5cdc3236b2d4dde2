"""`warmlog import`: a recording, or foreign material, becomes a log in a database."""

from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.importing_material import (
    absent_kinds,
    import_material,
    require_log,
    require_room,
)
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse
from adapters.cli.recordings import open_reader, run
from adapters.importing.sources import clusters_of, is_log, is_material, parse_source
from adapters.texts import counted
from engine.logs import LogIdentity

SOURCE_HELP = (
    "A log; or files with the output of kubectl or an audit log, - for stdin. NAME=PATH is of "
    "the InferenceCluster NAME."
)


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("import")(_import)


def _import(
    sources: Annotated[list[str], typer.Argument(metavar="SOURCE...", help=SOURCE_HELP)],
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A new SQLite file, or the URL of a database.")
    ],
    cluster: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The cluster that foreign material is of; else local."),
    ] = None,
    none: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND", help="Foreign material is silent on it, as there was none."),
    ] = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Make a log of a recording, or of what kubectl or an API server recorded.

    Of a log it gets the rows and the identity, whole or not at all.

    Of foreign material it gets what a controller would have recorded that only watched. What
    cannot be used is counted and named.
    """
    named = [parse_source(source) for source in sources]
    if len(named) == 1 and not named[0].name and not is_material(named[0].path):
        if cluster is not None or none:
            raise Misuse(f"{named[0].path} is a log: leave out --cluster and --none.")
        require_log(named[0].path)
        return _import_log(named[0].path, log, output)
    for source in named:
        if is_log(source.path):
            raise Misuse(f"{source.path} is a log of warmlog: it is imported alone.")
    absent = absent_kinds(none or ())
    return import_material(named, clusters_of(named, cluster), log, output, absent)


def _import_log(source: str, log: str, output: Format) -> ExitCode:
    identity = run(_run(source, log))
    if output is Format.JSON:
        print_json({"epoch": identity.epoch, "log": identity.log_id, "rows": identity.position})
    else:
        Page().line(f"{counted(identity.position, 'row')} of log {identity.log_id} imported")
    return ExitCode.OK


async def _run(source: str, log: str) -> LogIdentity:
    from adapters.store.copying import import_log
    from adapters.store.locations import Kind, parse_location

    await require_room(log)
    async with await open_reader(source) as reader:
        if parse_location(source).kind is Kind.JSON_LINES:
            async for _ in reader.read():  # a file that is cut or damaged makes no log at all
                pass
        return await import_log(reader, log)
