"""`warmlog export`: a log as JSON Lines, the same bytes for the same log."""

import sys
from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, OnlyObject
from adapters.cli.problems import Misuse, Problem, complain
from adapters.cli.recordings import Recording, recording, run
from adapters.explaining.moments import HELP, parse_moment
from adapters.explaining.references import Reference, parse_reference
from adapters.texts import counted
from engine.logs import EventReader
from machines.domain import WARMLOG


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("export")(_export)


def _export(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="Where to write; else to stdout."),
    ] = None,
    only: OnlyObject = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="SEQ|TIME", help=f"Leave out what later rows do not need. {HELP}"),
    ] = None,
    redact: Annotated[
        bool,
        typer.Option("--redact", help="Replace names, values and words that tell whose it is."),
    ] = False,
) -> ExitCode:
    """Write a log as JSON Lines.

    Replay, explain and verify read them as well. Equal logs give equal bytes.

    Of a .jsonl file that is cut, the whole turns become a whole log.

    With --object, --since and --redact it is a log of its own that shows the same phases.
    """
    if output is not None and str(output) in {"json", "jsonl", "text", "table", "yaml"}:
        raise Misuse("-o takes the FILE to write, as in `-o log.jsonl`: it is always JSON Lines.")
    wanted = parse_reference(only) if only else None
    return run(_run(log, output, _Asked(wanted, since, redact)))


class _Asked(NamedTuple):
    """What of a log is to be written, and how."""

    wanted: Reference | None
    since: str | None
    redact: bool


async def _run(log: str, output: Path | None, asked: _Asked) -> ExitCode:
    from adapters.store.copying import export_file, export_log

    async with recording(log) as source:
        until = await _end(source, log)
        exported, until = await _exported(source, asked, until)
        if output is None:
            await export_log(exported, sys.stdout.buffer, until=until)
            sys.stdout.buffer.flush()
            return source.close_account("exported")
        try:
            header = await export_file(exported, output, until=until)
        except OSError as error:
            raise Problem(
                ExitCode.OUTPUT_FAILED,
                f"{output} cannot be written ({error.strerror}): check its folder and its volume.",
            ) from error
        if sys.stderr.isatty():
            sys.stderr.write(f"{counted(header.position, 'row')} written to {output}\n")
        return source.close_account("exported")


async def _exported(
    source: Recording, asked: _Asked, until: int | None
) -> tuple[EventReader, int | None]:
    """Give the log to write, and up to where. Raises Problem."""
    wanted, since, redact = asked
    found: EventReader = source
    if wanted is not None or since is not None:
        from adapters.cli.extracting import Wanted, extract

        moment = parse_moment(since, await source.identify(), "--since")
        found, until = await extract(source, Wanted(wanted, moment)), None
    if redact:
        from adapters.cli.redacting import redacted

        found = await redacted(found)
    return found, until


async def _end(source: Recording, log: str) -> int | None:
    """Give where the whole turns of a cut file end; None for every log that is whole."""
    from adapters.store.locations import Kind, parse_location

    if parse_location(log).kind is not Kind.JSON_LINES:
        return None
    end = await _whole_turns(source)
    if source.cut is None:
        return None
    if end < source.position:
        left = counted(source.position - end, "row")
        complain(f"left out after position {end}: {left} of a turn whose decisions are cut off")
    return end


async def _whole_turns(source: Recording) -> int:
    """Give the last position at which all is decided that the rows before it ask for."""
    state = WARMLOG.initial((await source.identify()).log_id)
    end = wanted = made = 0
    async for batch in source.read():
        for event in batch:
            is_decision = WARMLOG.is_decision(event.type)
            if is_decision and not made:
                WARMLOG.rest(state)
            elif made and not is_decision:
                end, made = event.seq - 1, 0  # the turn was over, whatever other code decided
            state = WARMLOG.fold(state, event)
            if is_decision:
                made += 1
            else:
                wanted = len(WARMLOG.decide(state))
            if made >= wanted:
                end = event.seq
    return end
