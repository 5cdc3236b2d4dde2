"""`warmlog explain`: why an object is in its phase, what it waits for, what to do."""

from typing import Annotated, NamedTuple

import typer

from adapters.cli import references
from adapters.cli.cache_explanations import (
    Asked,
    cache_json,
    cluster_json,
    print_cache,
    print_cluster,
)
from adapters.cli.exit_codes import ExitCode
from adapters.cli.explanations import explanation_json, print_explanation
from adapters.cli.moments import parse_moment
from adapters.cli.options import LOG_HELP, At
from adapters.cli.printing import Format, print_json
from adapters.cli.problems import Misuse, Problem
from adapters.cli.recordings import Recording, recording, run
from adapters.cli.references import CACHE, WARMUP, Reference, parse_reference
from adapters.cli.replica_explanations import print_replica, replica_json
from adapters.cli.texts import moment
from engine.events import Event
from engine.replaying import Moment
from machines.caches.explaining import explain_cache, explain_cluster
from machines.caches.histories import CacheHistory, ClusterHistory, Stories
from machines.domain import WARMLOG
from machines.explaining import explain
from machines.histories import Histories, History, Line
from machines.replicas.explaining import explain_replica
from machines.replicas.histories import ReplicaHistory
from machines.replicas.mounting import cache_of
from machines.states import State

Told = History | CacheHistory | ClusterHistory | ReplicaHistory


def register(app: typer.Typer) -> None:
    """Hang the command onto `warmlog`."""
    app.command("explain")(_explain)


def _explain(
    reference: Annotated[str, typer.Argument(metavar="REF", help=references.HELP)],
    log: Annotated[str, typer.Option(metavar="LOG", envvar="WARMLOG_LOG", help=LOG_HELP)],
    at: At = None,
    node: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a ModelWarmup only this node."),
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of a ModelCache only this InferenceCluster."),
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
    wanted = _Wanted(parse_reference(reference), log, at, node, on, cluster, output)
    if node is not None and wanted.reference.kind != WARMUP:
        raise Misuse(f"--node is about a {WARMUP}: of a {CACHE} say --on CLUSTER.")
    if on is not None and wanted.reference.kind != CACHE:
        raise Misuse(f"--on is about a {CACHE}: of a {WARMUP} say --node NODE.")
    return run(_run(wanted))


class _Wanted(NamedTuple):
    """What a person asked for."""

    reference: Reference
    log: str
    at: str | None
    node: str | None
    on: str | None
    cluster: str | None
    output: Format


async def _run(wanted: _Wanted) -> ExitCode:
    reference = wanted.reference
    async with recording(wanted.log) as source:
        identity = await source.identify()
        bound = parse_moment(wanted.at, identity)
        state, last, histories = await _fold(source, reference, bound)
        history = _the_one(histories, reference, wanted.cluster, source, last)
        asked = Asked(identity, last, source.recorded_by)
        if isinstance(history, History):
            _tell_warmup(state, history, wanted, asked)
        elif isinstance(history, CacheHistory):
            _tell_cache(state, history, wanted, asked)
        elif isinstance(history, ReplicaHistory):
            cache_history = await _history_of_cache(source, state, history, bound)
            _tell_replica(state, history, cache_history, wanted, asked)
        else:
            _tell_cluster(state, history, wanted, asked)
        return source.close_account("explained")


def _tell_warmup(state: State, history: History, wanted: _Wanted, asked: Asked) -> None:
    reference, node = wanted.reference, wanted.node
    warmup = state.warmups.get(history.subject.uid)
    if warmup is None or history.gone is not None:
        raise Problem(ExitCode.NOT_FOUND, _deleted(reference, history.gone))
    explanation = explain(state, warmup, history, only=node)
    if node is not None and not explanation.nodes and not explanation.skipped:
        raise Problem(ExitCode.NOT_FOUND, _no_node(reference, history, node))
    if wanted.output is Format.JSON:
        print_json(explanation_json(explanation, asked.identity, asked.last))
    else:
        print_explanation(explanation, asked.identity, asked.last, asked.recorded, only=node)


def _tell_cache(state: State, history: CacheHistory, wanted: _Wanted, asked: Asked) -> None:
    reference, only = wanted.reference, wanted.on
    cache = state.caches.get(history.subject.uid)
    if cache is None or history.gone is not None:
        raise Problem(ExitCode.NOT_FOUND, _deleted(reference, history.gone))
    told = explain_cache(state, cache, history, only=only)
    if only is not None and not told.entries:
        known = f"it is on {', '.join(sorted(cache.entries))}" if cache.entries else "it is on none"
        raise Problem(ExitCode.NOT_FOUND, f"{reference} is not staged to cluster {only}: {known}.")
    if wanted.output is Format.JSON:
        print_json(cache_json(told, asked))
    else:
        print_cache(told, asked, only=only)


def _tell_replica(
    state: State,
    history: ReplicaHistory,
    cache_history: CacheHistory | None,
    wanted: _Wanted,
    asked: Asked,
) -> None:
    replica = state.replicas.get(history.subject.uid)
    if replica is None or history.gone is not None:
        raise Problem(ExitCode.NOT_FOUND, _deleted(wanted.reference, history.gone))
    told = explain_replica(state, replica, history, cache_history)
    if wanted.output is Format.JSON:
        print_json(replica_json(told, asked))
    else:
        print_replica(told, asked)


async def _history_of_cache(
    source: Recording, state: State, history: ReplicaHistory, bound: Moment
) -> CacheHistory | None:
    """Read the log once more, for the cache that the replica refers to at that moment."""
    replica = state.replicas.get(history.subject.uid)
    cache = cache_of(state, replica) if replica is not None else None
    if cache is None:
        return None
    _, _, stories = await _fold(source, Reference(*cache.subject[:3]), bound)
    found = (each for each in stories.found() if each.subject.uid == cache.subject.uid)
    return next((each for each in found if isinstance(each, CacheHistory)), None)


def _tell_cluster(state: State, history: ClusterHistory, wanted: _Wanted, asked: Asked) -> None:
    served = state.served.get(history.subject.name)
    if served is None or history.gone is not None:
        raise Problem(ExitCode.NOT_FOUND, _deleted(wanted.reference, history.gone))
    told = explain_cluster(state, served, history)
    if wanted.output is Format.JSON:
        print_json(cluster_json(told, asked))
    else:
        print_cluster(told, asked)


async def _fold(
    source: Recording, reference: Reference, bound: Moment
) -> tuple[State, Event | None, Histories | Stories]:
    """Fold up to the moment, collecting what led to the object."""
    identity = await source.identify()
    state = WARMLOG.initial(identity.log_id)
    histories = _histories(reference)
    last: Event | None = None
    async for batch in source.read(until=bound.position):
        for event in batch:
            if bound.at is not None and event.at > bound.at:
                return state, last, histories
            state = WARMLOG.fold(state, event)
            histories.note(event, state)
            last = event
    return state, last, histories


def _histories(reference: Reference) -> Histories | Stories:
    if reference.kind == WARMUP:
        return Histories(reference.namespace, reference.name)
    return Stories(*reference)


def _the_one(
    histories: Histories | Stories,
    reference: Reference,
    cluster: str | None,
    source: Recording,
    last: Event | None,
) -> Told:
    """Give the history that is meant: of the living one, else of the one that lived last."""
    found: list[Told] = [each for each in histories.found() if cluster in {None, each.cluster}]
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


def _deleted(reference: Reference, gone: Line | None) -> str:
    if gone is None:
        return f"{reference} is deleted."
    return (
        f"{reference} was deleted at position {gone.position}, {moment(gone.at)}: "
        f"say --at {gone.position - 1} to see it before that."
    )
