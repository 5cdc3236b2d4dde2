"""`warmlog watch`: where everything stands, live, while a log grows."""

import asyncio
from collections.abc import Coroutine
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, LOG_VARIABLE, OnlyObject
from adapters.cli.printing import Format
from adapters.cli.problems import Misuse
from adapters.cli.recordings import CA_FILE, TOKEN_FILE, credentials, open_reader, run
from adapters.explaining.references import parse_reference

if TYPE_CHECKING:
    from adapters.cli.watch_screens import Screen
    from adapters.cli.watch_states import Wanted
    from adapters.store.tailing import Opening


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("watch")(_watch)


def _watch(
    log: Annotated[str, typer.Argument(metavar="LOG", envvar=LOG_VARIABLE, help=LOG_HELP)],
    namespace: Annotated[
        str | None, typer.Option("-n", "--namespace", help="Only objects of this namespace.")
    ] = None,
    only: OnlyObject = None,
    token_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"The token for a controller; else {TOKEN_FILE}."),
    ] = None,
    ca_file: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help=f"Whom to trust for https; else {CA_FILE}."),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Only where everything stands now.")] = False,
    output: Annotated[
        Format, typer.Option("-o", "--output", help="json: a document for each change, one a line.")
    ] = Format.TEXT,
) -> ExitCode:
    """Show where everything stands and what it waits for, live, as a log or a controller goes on.

    On a terminal a page, until q or Ctrl-C; in a pipe a line for each change, until Ctrl-C. With
    --once a line for each object, and that is all.
    """
    from adapters.cli.watch_states import Wanted

    wanted = Wanted(namespace, parse_reference(only) if only else None)
    place = _place(log, is_asked=bool(token_file or ca_file))
    given = credentials(token_file, ca_file)
    shown = _Shown(place, wanted, output, once=once)
    run(_run(shown, lambda: open_reader(log, given)))
    return ExitCode.OK


class _Shown(NamedTuple):
    """What is shown, and how."""

    place: str
    wanted: "Wanted"
    output: Format
    once: bool


def _place(log: str, *, is_asked: bool) -> str:
    """Give what the log is called. Raises LogUnreadable, Misuse."""
    from adapters.store.locations import Kind, parse_location

    place = parse_location(log)
    if is_asked and place.kind is not Kind.CONTROLLER:
        raise Misuse("--token-file and --ca-file are for a controller's address, http://HOST:PORT.")
    return place.name


async def _run(asked: _Shown, opening: "Opening") -> None:
    from adapters.cli.watch_screens import Lines, is_for_people, live_page
    from adapters.running.stopping import until_signalled

    place, wanted, output, once = asked
    if once or not is_for_people(output):
        await until_signalled(_follow(opening, Lines(place, wanted, output), once=once))
        return
    async with await opening() as reader:  # what is wrong is said before the screen is taken
        await reader.identify()
    with live_page(place, wanted) as shown:
        await until_signalled(_until_quit(_follow(opening, shown), shown.draw()))


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


async def _follow(opening: "Opening", screen: "Screen", *, once: bool = False) -> None:
    """Read what there is and what comes, and give the others their turn in between."""
    from adapters.store.tailing import Rested, tail

    async with aclosing(tail(opening, asyncio.sleep)) as news:
        async for each in news:
            screen.take(each)
            if once and isinstance(each, Rested):
                return
            await asyncio.sleep(0)
