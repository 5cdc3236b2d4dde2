"""`warmlog db`: looking after the database that holds a log."""

from typing import TYPE_CHECKING, Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Problem
from adapters.cli.recordings import open_reader, run
from adapters.texts import counted, moment, size, span
from engine.instants import rfc3339

if TYPE_CHECKING:
    from adapters.store.statistics import LogStatistics

DATABASE_HELP = "A database URL or a SQLite file."

app = typer.Typer(no_args_is_help=True, help="Look after the database that holds a log.")


@app.command("upgrade")
def _upgrade(
    log: Annotated[str, typer.Argument(metavar="LOG", help=DATABASE_HELP)],
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Bring a log's tables to this version.

    All steps in one transaction. Stop the controller first.
    """
    before, after, name = run(_run_upgrade(log))
    if output is Format.JSON:
        print_json({"from": before, "log": name, "to": after})
    elif before == after:
        Page().line(f"{name} is at revision {after} already")
    else:
        Page().line(f"{name} is upgraded from revision {before} to {after}")
    return ExitCode.OK


async def _run_upgrade(log: str) -> tuple[str | None, str | None, str]:
    from adapters.store.locations import parse_location
    from adapters.store.migrating import current, upgrade

    return await current(log), await upgrade(log), parse_location(log).name


@app.command("stats")
def _stats(
    log: Annotated[str, typer.Argument(metavar="LOG", help=DATABASE_HELP)],
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Count a log's rows, by type."""
    return run(_run_stats(log, output))


async def _run_stats(log: str, output: Format) -> ExitCode:
    from adapters.store.databases import SqlReader
    from adapters.store.statistics import gather_statistics

    reader = await open_reader(log)
    try:
        if not isinstance(reader, SqlReader):
            raise _no_database(log)
        found = await gather_statistics(reader)
        (_print_json if output is Format.JSON else _print_text)(found, reader.location.name)
    finally:
        await reader.close()
    return ExitCode.OK


def _no_database(log: str) -> Problem:
    return Problem(
        ExitCode.LOG_UNREADABLE,
        f"{log} is no database: make it one with `warmlog import {log} LOG`.",
    )


def _print_text(found: "LogStatistics", place: str) -> None:
    page = Page()
    page.line(
        f"{place}: {counted(found.rows, 'row')}, {size(found.size_bytes)}, "
        f"{counted(found.identity.epoch, 'term')}, log {found.identity.log_id}"
    )
    if found.first_at is not None and found.last_at is not None:
        lasted = span(found.last_at - found.first_at)
        page.line(f"from {moment(found.first_at)} to {moment(found.last_at)} ({lasted})")
        page.line()
        rows = [[each.type, f"{each.rows:,}", size(each.data_bytes)] for each in found.types]
        page.table(["TYPE", "ROWS", "DATA"], rows)


def _print_json(found: "LogStatistics", place: str) -> None:
    print_json(
        {
            "epoch": found.identity.epoch,
            "firstAt": None if found.first_at is None else rfc3339(found.first_at),
            "lastAt": None if found.last_at is None else rfc3339(found.last_at),
            "location": place,
            "log": found.identity.log_id,
            "position": found.identity.position,
            "rows": found.rows,
            "sizeBytes": found.size_bytes,
            "types": [
                {"dataBytes": each.data_bytes, "rows": each.rows, "type": each.type}
                for each in found.types
            ],
        }
    )
