"""`warmlog replay`: the statuses that a log gives, at its end or at any moment before."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from adapters.cli import references
from adapters.cli.exit_codes import ExitCode
from adapters.cli.moments import before_beginning, parse_moment
from adapters.cli.options import LOG_HELP, At
from adapters.cli.printing import Page, TableFormat, print_json, print_yaml
from adapters.cli.problems import Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.references import Reference, parse_reference
from adapters.cli.texts import counted, moment
from engine.logs import LogIdentity
from engine.replaying import Replayed, replay
from engine.stepping import Projection
from machines.domain import WARMLOG
from machines.explaining import status_headline
from machines.messages import cause_text
from machines.states import State, Words


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("replay")(_replay)


def _replay(
    log: Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)],
    at: At = None,
    only: Annotated[
        str | None,
        typer.Option(
            "--object", metavar="REF", help=f"Only the status of this object: {references.HELP}"
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="Only objects of this cluster of the log.")
    ] = None,
    output: Annotated[
        TableFormat,
        typer.Option("-o", "--output", help="json is canonical: equal statuses, equal bytes."),
    ] = TableFormat.TABLE,
) -> ExitCode:
    """Show statuses as the log gives them.

    At its end, or at any moment before. Nothing but the log is looked at.
    """
    wanted = parse_reference(only) if only else None
    return run(_run(log, at, wanted, cluster, output))


async def _run(
    log: str, at: str | None, wanted: Reference | None, cluster: str | None, output: TableFormat
) -> ExitCode:
    async with recording(log) as source:
        identity, replayed = await replayed_at(source, at)
        found = chosen(WARMLOG.project(replayed.state), wanted, cluster)
        one = the_one(found, wanted, source, replayed) if wanted else None
        if output is TableFormat.TABLE:
            _print_table(found, identity, replayed, one)
        elif one is not None:
            (print_json if output is TableFormat.JSON else print_yaml)(one.status)
        else:
            _print_data(found, identity, replayed, output)
        return source.close_account()


async def replayed_at(source: Recording, at: str | None) -> tuple[LogIdentity, Replayed[State]]:
    """Fold a recording up to the moment that a person wrote. Raises Problem, WarmlogError."""
    identity = await source.identify()
    bound = parse_moment(at, identity)
    replayed = await replay(WARMLOG, source, bound)
    if replayed.events == 0 and at is not None:
        async for batch in source.read(until=1):
            raise Problem(ExitCode.NOT_FOUND, before_beginning(at, batch[0].at))
    return identity, replayed


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
    known = [
        f"{p.subject.kind}/{p.subject.namespace}/{p.subject.name}"
        for p in WARMLOG.project(replayed.state)
    ]
    raise Problem(ExitCode.NOT_FOUND, f"{where} holds no {wanted}: {_instead(known)}.")


def _instead(known: list[str], shown: int = 5) -> str:
    if not known:
        return "it holds no object at all; look later in it with --at"
    more = f" and {len(known) - shown} more" if len(known) > shown else ""
    return f"it holds {', '.join(known[:shown])}{more}"


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
    else:
        many = len({each.cluster for each in found}) > 1
        heads = [
            "NAMESPACE",
            "NAME",
            "PHASE",
            "DESIRED",
            "ACTIVE",
            "SUCCEEDED",
            "FAILED",
            "MESSAGE",
        ]
        rows = [_row(each) for each in found]
        if many:
            heads.insert(0, "CLUSTER")
            rows = [[each.cluster, *row] for each, row in zip(found, rows, strict=True)]
        page.table(heads, rows)
    if one is not None and one.status["targets"]:
        page.line()
        page.table(["NODE", "PHASE", "SINCE", "WHY"], [_target(t) for t in one.status["targets"]])
    page.line()
    cursor = replayed.cursor
    when = f", {moment(cursor.at)}" if cursor.position else ""
    of = f" of {identity.position}" if cursor.position != identity.position else ""
    page.line(
        f"{counted(len(found), 'object')} at position {cursor.position}{of}{when}, "
        f"log {identity.log_id}"
    )


def _row(each: Projection) -> list[str]:
    status = each.status
    counters = ("desiredNodes", "activeNodes", "succeededNodes", "failedNodes")
    return [
        each.subject.namespace,
        each.subject.name,
        status["phase"],
        *(str(status[name]) for name in counters),
        status_headline(status),
    ]


def _target(detail: dict[str, Any]) -> list[str]:
    why = cause_text(Words(detail.get("reason", ""), detail.get("message", "")))
    return [detail["nodeName"], detail["phase"], detail["lastTransitionTime"], why]
