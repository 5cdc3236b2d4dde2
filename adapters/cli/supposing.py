"""`warmlog what-if`: what warmlog would have decided over what others recorded."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, At
from adapters.cli.printing import Format, Page, print_json
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.rows import print_row
from adapters.cli.status_tables import print_statuses
from adapters.explaining.moments import before_beginning, parse_moment
from adapters.texts import counted, moment
from engine.canonical_json import loads
from engine.events import Event, Subject
from engine.replaying import Moment
from engine.stepping import Projection
from machines.deciding_afresh import Afresh, Decided, Outcome
from machines.domain import WARMLOG
from machines.observations import Done
from machines.telling import tell


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("what-if")(_what_if)


def _what_if(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    at: At = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Show what warmlog would have decided over a recording without decisions.

    After the facts of each instant it decides, and takes the outcome from the facts that follow.
    The statuses are those that it would have written by then.
    """
    return run(_run(log, at, output))


async def _run(log: str, at: str | None, output: Format) -> ExitCode:
    async with recording(log) as source:
        identity = await source.identify()
        bound = parse_moment(at, identity)
        afresh = Afresh(identity.log_id)
        telling = _JsonLines() if output is Format.JSON else _Text()
        last: Event | None = None
        first_at = 0
        async for batch in source.read(until=bound.position):
            first_at = first_at or batch[0].at
            for event in _until(batch, bound):
                _require_fact(event, source)
                last = event
                telling.tell(afresh.take(event))
            if bound.at is not None and batch[-1].at > bound.at:
                break
        if last is None and at is not None and first_at:
            raise Problem(ExitCode.NOT_FOUND, before_beginning(at, first_at))
        telling.tell(afresh.close_border())
        telling.close(afresh, identity.log_id, last)
        return source.close_account("supposed")


def _until(batch: Any, bound: Moment) -> Iterator[Event]:
    for event in batch:
        if bound.at is None or event.at <= bound.at:
            yield event


def _require_fact(event: Event, source: Recording) -> None:
    """Refuse a log in which somebody decided. Raises Misuse."""
    if WARMLOG.is_decision(event.type):
        raise Misuse(
            f"{source.place} holds decisions, the first at position {event.seq}: `warmlog verify "
            f"{source.place}` holds them against those of this version."
        )


class _Text:
    """Prints decisions as they are made, one a line, and the statuses in the end."""

    def __init__(self) -> None:
        self._page = Page()
        self._made = 0

    def tell(self, found: Iterator[Decided | Outcome]) -> None:
        """Print what is decided; that it is done is seen in the statuses."""
        for each in found:
            if isinstance(each, Decided):
                self._made += 1
                event = each.event
                where = f" ({event.cluster})" if event.cluster else ""
                print_row(self._page, each.position, event.at, f"{tell(event)}{where}")

    def close(self, afresh: Afresh, log_id: str, last: Event | None) -> None:
        """Print the statuses, and how much is open."""
        page = self._page
        if self._made:
            page.line()
        print_statuses(page, list(_statuses(afresh)))
        page.line()
        left = len(afresh.open_numbers)
        open_words = f", {left} of them without an outcome in the recording" if left else ""
        where = f"by position {last.seq}, {moment(last.at)}" if last else "in an empty log"
        page.line(
            f"{counted(self._made, 'decision')} would have been made {where}{open_words}; "
            f"log {log_id}"
        )


class _JsonLines:
    """Prints a document for each decision and each outcome, and one with the statuses at last."""

    def tell(self, found: Iterator[Decided | Outcome]) -> None:
        """Print what is decided, and what became of it."""
        for each in found:
            print_json(_decided_json(each) if isinstance(each, Decided) else _outcome_json(each))

    def close(self, afresh: Afresh, log_id: str, last: Event | None) -> None:
        """Print the statuses."""
        print_json(
            {
                "items": [
                    {"cluster": each.cluster, **each.subject._asdict(), "status": each.status}
                    for each in _statuses(afresh)
                ],
                "log": log_id,
                "open": afresh.open_numbers,
                "position": last.seq if last else 0,
            }
        )


def _decided_json(decided: Decided) -> dict[str, Any]:
    event = decided.event
    return {
        "decision": decided.number,
        "position": decided.position,
        "at": event.at,
        "cluster": event.cluster,
        "object": Subject.parse(event.subject)._asdict(),
        "type": event.type,
        "data": loads(event.data),
    }


def _outcome_json(outcome: Outcome) -> dict[str, Any]:
    done = isinstance(outcome.answer, Done)
    uid = outcome.answer.uid if isinstance(outcome.answer, Done) else ""
    return {
        "outcomeOf": outcome.number,
        "position": outcome.position,
        "outcome": "Done" if done else "Absent",
        "uid": uid,
    }


def _statuses(afresh: Afresh) -> Iterator[Projection]:
    """Give the statuses, with positions of the recording in them."""
    for each in WARMLOG.project(afresh.state):
        ours = each.status.get("warmlog")
        if isinstance(ours, dict) and isinstance(ours.get("position"), int):
            position = afresh.recorded_position(ours["position"])
            status = {**each.status, "warmlog": {**ours, "position": position}}
            yield each._replace(status=status)
        else:
            yield each
