"""Explaining: why a ModelCache or an InferenceCluster is as it is, and what a person can do."""

from typing import NamedTuple

from engine.events import Subject
from machines.advising import NOTHING_TO_DO, asks_nothing
from machines.caches.advising import BY_CAUSE, cluster_advice, entry_advice
from machines.caches.causes import STAGED
from machines.caches.conditions import changed_words, condition_rows
from machines.caches.entries import ENTRIES, EntryState, EntryTrigger
from machines.caches.finding import CLAIM, names_of, namespace_of
from machines.caches.histories import CacheHistory, ClusterHistory
from machines.caches.messages import entry_message
from machines.caches.obstacles import refusal_words
from machines.caches.sights import sight_of
from machines.caches.states import Cache, Entry, IgnoredTrigger, ServedCluster
from machines.caches.statuses import cache_status, cluster_row
from machines.histories import Line
from machines.replicas.histories import standing
from machines.replicas.states import Replica
from machines.states import CACHE_KINDS, State

_NAMED = 20  # clusters in a sentence


class ReplicaRow(NamedTuple):
    """A ModelReplica among others."""

    name: str  # namespace and name
    cluster: str  # InferenceCluster
    standing: str  # as in WaitingForCache or Serving
    message: str


class EntryExplanation(NamedTuple):
    """A cache on one cluster: its phase, why it does not go on, and how it came to that."""

    cluster: str
    phase: str
    since: int  # when it came to its phase
    retained: bool
    message: str
    advice: str
    chain: tuple[Line, ...]
    ignored: tuple[IgnoredTrigger, ...]


class CacheExplanation(NamedTuple):
    """Everything that `warmlog explain` has to say of one ModelCache."""

    cluster: str
    subject: Subject
    ready: str  # as in 2/3
    reason: str  # of the condition Ready
    headline: str
    notes: tuple[str, ...]  # what makes all the rest less certain, or of no use
    advice: tuple[str, ...]
    entries: tuple[EntryExplanation, ...]
    replicas: tuple[ReplicaRow, ...]  # that refer to it, or hold on to its claim
    causes: tuple[Line, ...]
    place: str  # how the names of all that it has on a cluster begin, namespace included


class ClusterExplanation(NamedTuple):
    """Everything that `warmlog explain` has to say of one InferenceCluster."""

    cluster: str
    subject: Subject
    reachable: str  # True, False or Unknown
    reason: str
    since: Line | None
    message: str
    advice: str
    caches: tuple[tuple[str, str, str], ...]  # name, phase and message of what is staged there
    replicas: tuple[ReplicaRow, ...]  # that are pinned to it
    causes: tuple[Line, ...]


def explain_cache(
    state: State, cache: Cache, history: CacheHistory, *, only: str | None = None
) -> CacheExplanation:
    """Explain one ModelCache, on every cluster or on `only` the one named."""
    ready = next(row for row in condition_rows(state, cache) if row.type == "Ready")
    entries = tuple(
        _entry(state, cache, entry, history)
        for name, entry in sorted(cache.entries.items())
        if only in {None, name}
    )
    return CacheExplanation(
        cache.cluster,
        cache.subject,
        cache_status(state, cache)["summary"]["ready"],
        ready.reason,
        ready.message,
        _notes(state, cache),
        _advice(cache, entries),
        entries,
        _rows(state, _replicas_of(state, cache)),
        tuple(history.lines),
        f"{namespace_of(state, cache)}/{names_of(cache)[CLAIM].rpartition('-')[0]}",
    )


def explain_cluster(
    state: State, served: ServedCluster, history: ClusterHistory
) -> ClusterExplanation:
    """Explain one InferenceCluster."""
    status, reason, message = cluster_row(state, served)
    name = served.subject.name
    told = cluster_advice(state, served, reason) if status == "False" else NOTHING_TO_DO
    told = "nothing: it is reached" if status == "True" else told
    caches = tuple(
        (
            f"{cache.subject.namespace}/{cache.subject.name}",
            cache.entries[name].state.value,
            entry_message(state, cache, cache.entries[name]),
        )
        for cache in sorted(state.caches.values(), key=lambda each: each.subject)
        if name in cache.entries
    )
    return ClusterExplanation(
        served.home,
        served.subject,
        status,
        reason,
        history.since,
        message,
        told,
        caches,
        _rows(state, [one for one in state.replicas.values() if one.cluster_name == name]),
        tuple(history.lines),
    )


def _replicas_of(state: State, cache: Cache) -> list[Replica]:
    """Give the replicas that refer to a cache, or that its claim is kept for."""
    namespace, name = cache.subject.namespace, cache.subject.name
    found = [one for one in state.replicas.values() if one.subject.namespace == namespace]
    claim = names_of(cache)[CLAIM]
    return [
        one
        for one in found
        if one.cluster == cache.cluster
        and ((one.spec and one.spec.cache_name == name) or claim in one.claims)
    ]


def _rows(state: State, replicas: list[Replica]) -> tuple[ReplicaRow, ...]:
    return tuple(
        ReplicaRow(
            f"{one.subject.namespace}/{one.subject.name}", one.cluster_name, *standing(state, one)
        )
        for one in sorted(replicas, key=lambda each: each.subject)
    )


def is_calm(entry: EntryExplanation) -> bool:
    """Say whether nobody has to do anything about an entry."""
    return asks_nothing(entry.advice)


def ignored_words(ignored: IgnoredTrigger) -> str:
    """Say which trigger an entry's machine did not take, and why."""
    legal = ", ".join(each.value for each in ENTRIES.legal_triggers(EntryState(ignored.state)))
    what = EntryTrigger(ignored.trigger).value.replace("_", " ")
    return f"{what} while {ignored.state} was ignored: in that state only these count: {legal}"


def _entry(state: State, cache: Cache, entry: Entry, history: CacheHistory) -> EntryExplanation:
    return EntryExplanation(
        entry.cluster,
        entry.state.value,
        entry.moved_at,
        not entry.selected,
        entry_message(state, cache, entry),
        entry_advice(sight_of(state, cache, entry)),
        tuple(history.entries.get(entry.cluster, ())),
        entry.ignored,
    )


def _notes(state: State, cache: Cache) -> tuple[str, ...]:
    notes = []
    home = state.clusters.get(cache.cluster)
    missing = [kind for kind in CACHE_KINDS if home is None or kind not in home.synced]
    if cache.gone:
        notes.append("the object is deleted; what it left is being cleaned up")
    elif cache.level.deleting:
        notes.append("the object is being deleted")
    if missing:
        notes.append(
            f"not yet listed since the last start: {', '.join(missing)}; nothing is decided before"
        )
    if cache.spec_changed:
        notes.append(changed_words(cache))
    if cache.contested_by:
        notes.append(f"{cache.contested_by} keeps writing its status, which is warmlog's")
    some = next(iter(cache.entries.values()), None)
    notes += [
        refusal_words(sight_of(state, cache, some), what, refusal) if some else refusal.words
        for what, refusal in sorted(cache.refusals.items())
    ]
    notes += [f"cluster {name}: {said.words}" for name, said in sorted(cache.abandoned.items())]
    return tuple(notes)


def _advice(cache: Cache, entries: tuple[EntryExplanation, ...]) -> tuple[str, ...]:
    """Say what to do about the whole; what to do about a cluster stands beside the cluster."""
    if not cache.entries:
        selector = cache.spec.selector if cache.spec else ()
        wanted = ", ".join(f"{key}={value}" for key, value in selector) or "any will do"
        labels = "`kubectl get inferenceclusters --show-labels`"
        return (f"see which InferenceClusters the selector is to hold ({wanted}): {labels}",)
    troubled = [entry.cluster for entry in entries if not is_calm(entry)]
    if not troubled:
        staged = all(entry.advice == BY_CAUSE[STAGED] for entry in entries)
        return (BY_CAUSE[STAGED] if staged else NOTHING_TO_DO,)
    more = f" and {len(troubled) - _NAMED} more" if len(troubled) > _NAMED else ""
    return (f"see to {', '.join(troubled[:_NAMED])}{more}, below",)
