"""`warmlog watch`: where everything stands, live, while a log grows."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, OnlyObject
from adapters.cli.printing import Format
from adapters.cli.recordings import run
from adapters.explaining.references import parse_reference

if TYPE_CHECKING:
    from adapters.cli.watch_screens import Screen
    from adapters.cli.watch_states import Wanted
    from adapters.store.opening import OpenReader


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("watch")(_watch)


def _watch(
    log: Annotated[str, typer.Argument(metavar="LOG", envvar="WARMLOG_LOG", help=LOG_HELP)],
    namespace: Annotated[
        str | None, typer.Option("-n", "--namespace", help="Only objects of this namespace.")
    ] = None,
    only: OnlyObject = None,
    output: Annotated[
        Format, typer.Option("-o", "--output", help="json: a document for each change, one a line.")
    ] = Format.TEXT,
) -> ExitCode:
    """Show where everything stands and what it waits for, live, while a log grows.

    On a terminal a page, until q or Ctrl-C; in a pipe a line for each change.
    """
    from adapters.cli.watch_states import Wanted

    wanted = Wanted(namespace, parse_reference(only) if only else None)
    run(_run(log, wanted, output))
    return ExitCode.OK


async def _run(log: str, wanted: "Wanted", output: Format) -> None:
    from adapters.cli.watch_screens import Lines, is_for_people, live_page
    from adapters.running.stopping import until_signalled
    from adapters.store.locations import parse_location

    place = parse_location(log).name
    if not is_for_people(output):
        await until_signalled(_follow(log, Lines(place, wanted, output)))
        return
    await _require_log(log)
    with live_page(place, wanted) as shown:
        await until_signalled(_until_quit(_follow(log, shown), shown.draw()))


async def _until_quit(*works: Coroutine[Any, Any, None]) -> None:
    """Work until somebody types q; what was begun is let go of before this returns."""
    from adapters.cli.watch_screens import keys

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]

        def quit_all() -> None:
            for task in tasks:
                task.cancel()

        with keys(quit_all):
            await asyncio.wait(tasks)


async def _open(log: str) -> "OpenReader":
    from adapters.store.opening import open_log

    return await open_log(log, read_only=True)


async def _require_log(log: str) -> None:
    """Say what is wrong with the place before the terminal's other screen is taken."""
    async with await _open(log) as reader:
        await reader.identify()


async def _follow(log: str, screen: "Screen") -> None:
    """Read what there is and what comes, and give the others their turn in between."""
    from adapters.store.tailing import tail

    async with aclosing(tail(lambda: _open(log), asyncio.sleep)) as news:
        async for each in news:
            screen.take(each)
            await asyncio.sleep(0)
