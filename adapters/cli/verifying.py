"""`warmlog verify`: whether this code would have decided as the recording did."""

from typing import Annotated

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.texts import counted
from engine.canonical_json import loads
from engine.events import Draft, Event
from engine.logs import LogIdentity
from engine.verifying import Divergence, verify
from machines.domain import WARMLOG


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("verify")(_verify)


def _verify(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Decide again, and compare.

    Wherever the recording decided, this code decides too; each difference is printed.
    """
    return run(_run(log, output))


async def _run(log: str, output: Format) -> ExitCode:
    async with recording(log) as source:
        identity = await source.identify()
        found: list[Divergence] = []
        async for divergence in verify(WARMLOG, source):
            if source.cut is not None and divergence.recorded is None:
                continue  # what the recording decided there may stand behind the cut
            found.append(divergence)
        if output is Format.JSON:
            print_json(_found_json(found, identity, source))
        else:
            _print_found(found, source)
        code = source.close_account("verified")
        return ExitCode.DIFFERENT if found else code


def _print_found(found: list[Divergence], source: Recording) -> None:
    page = Page()
    for divergence in found:
        page.line(str(divergence))
    rows = counted(source.rows, "row")
    if found:
        page.line(f"{counted(len(found), 'divergence')} in {rows}")
    else:
        page.line(f"no divergence: all of {rows} would be as recorded")


def _found_json(
    found: list[Divergence], identity: LogIdentity, source: Recording
) -> dict[str, object]:
    return {
        "divergences": [_divergence_json(each) for each in found],
        "log": identity.log_id,
        "position": source.position,
        "recordedBy": [each._asdict() for each in source.sessions],
    }


def _divergence_json(each: Divergence) -> dict[str, object]:
    return {
        "position": each.position,
        "seen": each.seen,
        "recorded": _decision_json(each.recorded),
        "decided": _decision_json(each.decided),
    }


def _decision_json(decision: Event | Draft | None) -> dict[str, object] | None:
    if decision is None:
        return None
    return {
        "type": decision.type,
        "subject": decision.subject,
        "cause": decision.cause,
        "data": loads(decision.data),
    }
