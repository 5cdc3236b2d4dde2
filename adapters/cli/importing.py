"""`warmlog import`: a recording becomes a log in a database."""

from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import run
from adapters.cli.texts import counted
from engine.errors import LogUnreadable
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
    from adapters.store.locations import Kind, parse_location
    from adapters.store.opening import open_log

    await _require_room(log)
    async with await open_log(source, read_only=True) as reader:
        if parse_location(source).kind is Kind.JSON_LINES:
            async for _ in reader.read():  # a file that is cut or damaged makes no log at all
                pass
        return await import_log(reader, log)


async def _require_room(log: str) -> None:
    """Refuse a place that holds a log with rows. Raises Problem."""
    from adapters.store.locations import Kind, parse_location
    from adapters.store.opening import open_log

    place = parse_location(log)
    if place.kind is Kind.JSON_LINES:
        raise Misuse(f"{place.name}: a log is imported into a database; `export` makes .jsonl.")
    try:
        reader = await open_log(log, read_only=True)
    except LogUnreadable:
        return  # no log is there; what else is, the import itself says
    async with reader:
        if (await reader.identify()).position:
            raise Problem(
                ExitCode.EXISTS,
                f"The log {place.name} holds rows already: import into a new place.",
            )
