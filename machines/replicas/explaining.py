"""Explaining: why a ModelReplica is as it is, from itself through its cache to the root of it."""

from typing import NamedTuple

from engine.events import Subject
from machines.advising import NOTHING_TO_DO, asks_nothing
from machines.caches.explaining import EntryExplanation, explain_cache
from machines.caches.histories import CacheHistory
from machines.caches.telling import thing_words
from machines.condition_rows import Row
from machines.histories import Line
from machines.replicas.advising import FOR_CACHE, RUNS_ON, engine_advice, replica_advice
from machines.replicas.conditions import condition_rows
from machines.replicas.histories import ReplicaHistory, standing
from machines.replicas.holding import kept_words
from machines.replicas.indexing import namespace_of
from machines.replicas.leaving import is_leaving
from machines.replicas.mounting import cache_of
from machines.replicas.mounts import mount_of
from machines.replicas.moving import is_available, workloads_there
from machines.replicas.names import workload_name
from machines.replicas.obstacles import refused_words, said_of, waiting_rollouts
from machines.replicas.part_names import workload_kind
from machines.replicas.placing import place_of, silence_words
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Engine, Replica
from machines.states import REPLICA_KINDS, Known, State


class EngineExplanation(NamedTuple):
    """One engine: its workload, what it has of a cache, and why it is not available."""

    engine: str
    workload: str  # kind, namespace and name
    there: bool
    available: bool
    claim: str  # of the mount that it was composed with last; "" for none
    reason: str
    message: str
    advice: str


class CachePart(NamedTuple):
    """What the cache that a replica refers to is about, on its cluster."""

    subject: Subject
    entry: EntryExplanation
    causes: tuple[Line, ...]
    place: str  # how the names of all that it has on the cluster begin


class ReplicaExplanation(NamedTuple):
    """Everything that `warmlog explain` has to say of one ModelReplica."""

    cluster: str
    subject: Subject
    on: str  # InferenceCluster
    standing: str  # as in WaitingForCache or Serving
    since: Line | None
    headline: str
    conditions: tuple[Row, ...]
    keeps: str  # what a running one goes on with while its cache offers nothing, and why
    notes: tuple[str, ...]
    advice: str
    engines: tuple[EngineExplanation, ...]
    cache_name: str  # "" when it refers to none
    cache: CachePart | None
    causes: tuple[Line, ...]


def explain_replica(
    state: State, replica: Replica, history: ReplicaHistory, cache_history: CacheHistory | None
) -> ReplicaExplanation:
    """Explain one ModelReplica; the history of its cache, if it has one, explains that."""
    stands, words = standing(state, replica)
    engines = tuple(_engines(state, replica))
    return ReplicaExplanation(
        replica.cluster,
        replica.subject,
        replica.cluster_name,
        stands,
        history.since,
        words,
        tuple(condition_rows(state, replica)),
        kept_words(state, replica),
        _notes(state, replica),
        _advice(state, replica, engines),
        engines,
        replica.spec.cache_name if replica.spec else "",
        _cache(state, replica, cache_history),
        tuple(history.lines),
    )


def _advice(state: State, replica: Replica, engines: tuple[EngineExplanation, ...]) -> str:
    """Say what to do about the whole; what to do about an engine stands beside the engine."""
    told = replica_advice(state, replica)
    troubled = [one.engine for one in engines if one.advice and not asks_nothing(one.advice)]
    if not troubled:
        return told
    see_to = f"see to engine {', '.join(troubled)}, below"
    if told.startswith(RUNS_ON + FOR_CACHE):
        # Whoever reads this first wants the engine back; its cache comes after that.
        return see_to + told.removeprefix(RUNS_ON)
    return see_to if told == NOTHING_TO_DO else told


def _engines(state: State, replica: Replica) -> list[EngineExplanation]:
    place = place_of(state, replica)
    there = workloads_there(state, replica, place) if place is not None else {}
    engines = replica.spec.engines if replica.spec else ()
    return [_engine(state, replica, each, there.get(each.name)) for each in engines]


def _engine(
    state: State, replica: Replica, engine: EngineSpec, known: Known | None
) -> EngineExplanation:
    name = workload_name(replica.subject.name, engine.name)
    available = known is not None and is_available(known)
    silent = known is None or available
    reason, message = ("", "") if known is None or available else said_of(replica, known)
    return EngineExplanation(
        engine.name,
        thing_words(workload_kind(engine), namespace_of(state, replica), name),
        known is not None,
        available,
        mount_of(replica.engines.get(engine.name, Engine()).kept).claim_name,
        reason,
        message,
        "" if silent else engine_advice(state, replica, engine, reason),
    )


def _cache(state: State, replica: Replica, history: CacheHistory | None) -> CachePart | None:
    cache = cache_of(state, replica)
    if cache is None or history is None or history.subject.uid != cache.subject.uid:
        return None
    told = explain_cache(state, cache, history, only=replica.cluster_name)
    if not told.entries:
        return None
    return CachePart(cache.subject, told.entries[0], told.causes, told.place)


def _notes(state: State, replica: Replica) -> tuple[str, ...]:
    notes = []
    home = state.clusters.get(replica.cluster)
    missing = [kind for kind in REPLICA_KINDS if home is None or kind not in home.synced]
    if replica.gone:
        notes.append("the object is deleted; what it left is being cleaned up")
    elif is_leaving(replica):
        notes.append("the object is being deleted")
    if missing:
        notes.append(
            f"not yet listed since the last start: {', '.join(missing)}; nothing is decided before"
        )
    if replica.composed and silence_words(state, replica):
        notes.append(silence_words(state, replica))
    if replica.spec_changed:
        notes += [
            row.message for row in condition_rows(state, replica) if row.type == "SpecChanged"
        ]
    if replica.contested_by:
        notes.append(f"{replica.contested_by} keeps writing its status, which is warmlog's")
    notes += refused_words(state, replica)
    notes += [one.words for one in waiting_rollouts(state, replica)]
    if replica.left.words:
        notes.append(replica.left.words)
    return tuple(notes)
