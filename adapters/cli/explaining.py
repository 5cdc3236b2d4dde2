"""`warmlog explain`: why an object is in its phase, what it waits for, what to do."""

from typing import Annotated

import typer

from adapters.cli import references
from adapters.cli.exit_codes import ExitCode
from adapters.cli.explanations import explanation_json, print_explanation
from adapters.cli.moments import parse_moment
from adapters.cli.options import LOG_HELP, At
from adapters.cli.printing import Format, print_json
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.references import Reference, parse_reference
from adapters.cli.texts import moment
from engine.events import Event
from engine.replaying import Moment
from machines.domain import WARMLOG
from machines.explaining import explain
from machines.histories import Histories, History
from machines.states import State


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("explain")(_explain)


def _explain(
    reference: Annotated[str, typer.Argument(metavar="REF", help=references.HELP)],
    log: Annotated[str, typer.Option(metavar="LOG", envvar="WARMLOG_LOG", help=LOG_HELP)],
    at: At = None,
    node: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this node, ready or not.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(help="The object's cluster, where the log knows several.")
    ] = None,
    output: Annotated[Format, typer.Option("-o", "--output", help="What to print.")] = Format.TEXT,
) -> ExitCode:
    """Say why an object is not done yet.

    Its phase and since when, what it waits for or why it failed, what to do, and the rows of the
    log that led there.
    """
    return run(_run(parse_reference(reference), log, at, node, cluster, output))


async def _run(
    reference: Reference,
    log: str,
    at: str | None,
    node: str | None,
    cluster: str | None,
    output: Format,
) -> ExitCode:
    async with recording(log) as source:
        identity = await source.identify()
        bound = parse_moment(at, identity)
        state, last, histories = await _fold(source, reference, bound)
        history = _the_one(histories, reference, cluster, source, last)
        warmup = state.warmups.get(history.subject.uid)
        if warmup is None or history.gone is not None:
            raise Problem(ExitCode.NOT_FOUND, _deleted(reference, history))
        explanation = explain(state, warmup, history, only=node)
        if node is not None and not explanation.nodes and not explanation.skipped:
            raise Problem(ExitCode.NOT_FOUND, _no_node(reference, history, node))
        if output is Format.JSON:
            print_json(explanation_json(explanation, identity, last))
        else:
            versions = list(dict.fromkeys(each.version for each in source.sessions))
            print_explanation(explanation, identity, last, versions, only=node)
        return source.close_account("explained")


async def _fold(
    source: Recording, reference: Reference, bound: Moment
) -> tuple[State, Event | None, Histories]:
    """Fold up to the moment, collecting what led to the object."""
    identity = await source.identify()
    state = WARMLOG.initial(identity.log_id)
    histories = Histories(reference.namespace, reference.name)
    last: Event | None = None
    async for batch in source.read(until=bound.position):
        for event in batch:
            if bound.at is not None and event.at > bound.at:
                return state, last, histories
            state = WARMLOG.fold(state, event)
            histories.note(event, state)
            last = event
    return state, last, histories


def _the_one(
    histories: Histories,
    reference: Reference,
    cluster: str | None,
    source: Recording,
    last: Event | None,
) -> History:
    """Give the history that is meant: of the living one, else of the one that lived last."""
    found = [each for each in histories.found() if cluster in {None, each.cluster}]
    living = [each for each in found if each.gone is None]
    clusters = sorted({each.cluster for each in living or found})
    if len(clusters) > 1:
        raise Misuse(f"{reference} is in clusters {', '.join(clusters)}: say --cluster.")
    if not found:
        where = f"at position {last.seq}" if last else "at its beginning"
        raise Problem(
            ExitCode.NOT_FOUND,
            f"The log {source.place} holds no {reference} {where}: "
            f"`warmlog replay {source.place}` lists what it holds.",
        )
    return (living or found)[-1]


def _no_node(reference: Reference, history: History, node: str) -> str:
    left = history.left.get(node)
    if left is None:
        return f"{reference} has nothing to do with node {node}."
    return (
        f"Node {node} left {reference} before it had an outcome, at position {left.seq}, "
        f"{moment(left.at)}: say --at {left.seq - 1} to see it before that."
    )


def _deleted(reference: Reference, history: History) -> str:
    gone = history.gone
    if gone is None:
        return f"{reference} is deleted."
    return (
        f"{reference} was deleted at position {gone.position}, {moment(gone.at)}: "
        f"say --at {gone.position - 1} to see it before that."
    )
