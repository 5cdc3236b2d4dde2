"""`warmlog import`: a recording becomes a log in a database."""

from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.recordings import run
from adapters.cli.replaying import LOG_HELP
from adapters.cli.texts import counted
from engine.logs import LogIdentity


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("import")(_import)


def _import(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help=LOG_HELP)],
    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A new SQLite file, or the URL of a database.")
    ],
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Make a log from a recording.

    It gets the rows and the identity of SOURCE, whole or not at all.
    """
    identity = run(_run(source, log))
    if output is Format.JSON:
        print_json({"epoch": identity.epoch, "log": identity.log_id, "rows": identity.position})
    else:
        Page().line(f"{counted(identity.position, 'row')} of log {identity.log_id} imported")
    return ExitCode.OK


async def _run(source: str, log: str) -> LogIdentity:
    from adapters.store.copying import import_log
    from adapters.store.opening import open_log

    reader = await open_log(source, read_only=True)
    try:
        return await import_log(reader, log)
    finally:
        await reader.close()
