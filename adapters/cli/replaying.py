"""`warmlog replay`: the statuses that a log gives, at its end or at any moment before."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import typer

from adapters.cli.exit_codes import ExitCode
from adapters.cli.options import LOG_HELP, At, OnlyObject
from adapters.cli.printing import Page, TableFormat, print_json, print_yaml
from adapters.cli.problems import Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.status_tables import print_details, print_statuses
from adapters.cli.stepping import UNTIL_HELP, Goal, GoalSeeker, StepPrinter, parse_goal
from adapters.explaining.moments import before_beginning, parse_moment
from adapters.explaining.references import Reference, listed, parse_reference
from adapters.texts import counted, moment
from engine.events import Event
from engine.logs import EventReader, LogIdentity
from engine.replaying import Moment, Replayed, replay
from engine.stepping import Projection
from machines.domain import WARMLOG
from machines.states import State

Look = Callable[[State, Event], bool]


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("replay")(_replay)


def _replay(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    at: At = None,
    only: OnlyObject = None,
    cluster: Annotated[
        str | None, typer.Option(help="Only objects of this cluster of the log.")
    ] = None,
    until_phase: Annotated[str | None, typer.Option(metavar="REF=PHASE", help=UNTIL_HELP)] = None,
    step: Annotated[
        bool, typer.Option("--step", help="Print each row, and the phases that it changed.")
    ] = False,
    output: Annotated[
        TableFormat,
        typer.Option("-o", "--output", help="json is canonical: equal statuses, equal bytes."),
    ] = TableFormat.TABLE,
) -> ExitCode:
    """Show statuses as the log gives them.

    At its end, or at any moment before. Nothing but the log is looked at.
    """
    asked = _Asked(
        at, parse_reference(only) if only else None, cluster, output,
        parse_goal(until_phase) if until_phase else None,
    )  # fmt: skip
    return run(_step(log, asked) if step else _run(log, asked))


class _Asked(NamedTuple):
    """What a person asked for."""

    at: str | None
    wanted: Reference | None
    cluster: str | None
    output: TableFormat
    goal: Goal | None


async def _run(log: str, asked: _Asked) -> ExitCode:
    _, wanted, cluster, output, _ = asked
    async with recording(log) as whole:
        identity = await whole.identify()
        replayed = await _fold(whole, asked, await _moment_of(whole, asked, identity))
        found = chosen(WARMLOG.project(replayed.state), wanted, cluster)
        one = the_one(found, wanted, whole, replayed) if wanted else None
        if output is TableFormat.TABLE:
            _print_table(found, identity, replayed, one)
        elif one is not None:
            (print_json if output is TableFormat.JSON else print_yaml)(one.status)
        else:
            _print_data(found, identity, replayed, output)
        return whole.close_account()


async def _step(log: str, asked: _Asked) -> ExitCode:
    printer = StepPrinter(asked.wanted, asked.cluster, asked.output)
    async with recording(log) as whole:
        moment = await _moment_of(whole, asked, await whole.identify())
        await _fold(whole, asked, moment, printer.look)
        return whole.close_account()


async def _moment_of(whole: Recording, asked: _Asked, identity: LogIdentity) -> Moment:
    """Give the moment that was asked for; of a phase that of the row by which it is reached.

    Raises Misasked, Problem, WarmlogError.
    """
    bound = parse_moment(asked.at, identity)
    if asked.goal is None:
        return bound
    part = await whole.sifted(asked.goal.reference, bound)
    sources: list[tuple[EventReader, Moment]] = [(part.reader, part.moment)] if part else []
    for source, end in (*sources, (whole, bound)):
        seeker = GoalSeeker(asked.goal)
        replayed = await replay(WARMLOG, source, end, look=seeker.look)
        if seeker.reached:
            return Moment(position=replayed.cursor.position)
    raise Problem(ExitCode.NOT_FOUND, _never(seeker, whole, replayed))


async def _fold(
    whole: Recording, asked: _Asked, moment: Moment, look: Look | None = None
) -> Replayed[State]:
    """Fold what can have to do with the object that was asked for, or with any, or else the whole.

    Where that gives no such object, the whole says which there are. Who looks at each row without
    asking for an object is shown them all.
    """
    everything = asked.wanted is None and look is not None
    part = None if everything else await whole.sifted(asked.wanted, moment)
    if part is not None and part.last is not None:
        replayed = await replay(WARMLOG, part.reader, part.moment, look=look)
        if look or chosen(WARMLOG.project(replayed.state), asked.wanted, asked.cluster):
            last = part.last
            cursor = replayed.cursor._replace(position=last.seq, epoch=last.epoch, at=last.at)
            return replayed._replace(cursor=cursor)
    return await _replayed(whole, moment, asked.at, look)


def _never(seeker: GoalSeeker, source: Recording, replayed: Replayed[State]) -> str:
    place = f"up to position {replayed.cursor.position} of {source.place}"
    was = ", ".join(seeker.phases)
    been = f"it was {was}" if was else "it is not known there at all"
    return f"{seeker.goal} does not come to {seeker.goal.phase} {place}: {been}."


async def replayed_at(source: Recording, at: str | None) -> tuple[LogIdentity, Replayed[State]]:
    """Fold a recording up to the moment that a person wrote. Raises Problem, WarmlogError."""
    identity = await source.identify()
    return identity, await _replayed(source, parse_moment(at, identity), at, None)


async def _replayed(
    source: Recording, moment: Moment, at: str | None, look: Look | None
) -> Replayed[State]:
    replayed = await replay(WARMLOG, source, moment, look=look)
    if replayed.events == 0 and at is not None:
        async for batch in source.read(until=1):
            raise Problem(ExitCode.NOT_FOUND, before_beginning(at, batch[0].at))
    return replayed


def chosen(projections: Any, wanted: Reference | None, cluster: str | None) -> list[Projection]:
    """Give the projections that were asked for, in their order."""
    return [
        each
        for each in projections
        if cluster in {None, each.cluster} and (wanted is None or each.subject[:3] == wanted)
    ]


def the_one(
    found: Sequence[Projection], wanted: Reference, source: Recording, replayed: Replayed[State]
) -> Projection:
    """Give the only projection of an object. Raises Problem when there is none, or several."""
    if len(found) == 1:
        return found[0]
    where = f"The log {source.place} at position {replayed.cursor.position}"
    if found:
        clusters = ", ".join(each.cluster for each in found)
        raise Problem(
            ExitCode.USAGE, f"{where} holds {wanted} in clusters {clusters}: say --cluster."
        )
    known = [Reference(*each.subject[:3]) for each in WARMLOG.project(replayed.state)]
    raise Problem(ExitCode.NOT_FOUND, f"{where} holds no {wanted}: {_instead(known)}.")


def _instead(known: list[Reference]) -> str:
    if not known:
        return "it holds no object at all; look later in it with --at"
    return f"it holds {listed(known)}"


def _print_data(
    found: Sequence[Projection],
    identity: LogIdentity,
    replayed: Replayed[State],
    output: TableFormat,
) -> None:
    document = {
        "items": [
            {
                "cluster": each.cluster,
                "kind": each.subject.kind,
                "name": each.subject.name,
                "namespace": each.subject.namespace,
                "status": each.status,
                "uid": each.subject.uid,
            }
            for each in found
        ],
        "log": identity.log_id,
        "position": replayed.cursor.position,
    }
    (print_json if output is TableFormat.JSON else print_yaml)(document)


def _print_table(
    found: Sequence[Projection],
    identity: LogIdentity,
    replayed: Replayed[State],
    one: Projection | None,
) -> None:
    page = Page()
    if not found:
        page.line("No object exists at this moment.")
    print_statuses(page, found)
    if one is not None:
        print_details(page, one)
    page.line()
    cursor = replayed.cursor
    when = f", {moment(cursor.at)}" if cursor.position else ""
    of = f" of {identity.position}" if cursor.position != identity.position else ""
    page.line(
        f"{counted(len(found), 'object')} at position {cursor.position}{of}{when}, "
        f"log {identity.log_id}"
    )
