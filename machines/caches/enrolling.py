"""Enrolling: which entries a cache has, and whether each is selected."""

from collections.abc import Collection, Iterable

from engine.events import Event
from machines.caches.entries import EntryState
from machines.caches.finding import names_of, namespace_of
from machines.caches.leaving import has_left
from machines.caches.selecting import concerned, is_abandoned, is_leaving, matches
from machines.caches.states import Cache, Entry, Said
from machines.states import State

CLUSTER_GONE = "ClusterGone"
ABANDONED = "Abandoned"


def enrol(state: State, cache: Cache, names: Collection[str], event: Event) -> None:
    """Have an entry for each of these clusters that is selected, or has something of the cache."""
    cache.enrolled = True
    here = [state.served[name] for name in names if name in state.served]
    selected = {
        served.subject.name for served in here if not is_leaving(cache) and matches(cache, served)
    }
    others = [served for served in here if served.subject.name not in selected]
    wanted = selected if is_abandoned(cache) else {*selected, *concerned(state, cache, others)}
    new = wanted - cache.entries.keys()
    for name in new:
        cache.entries[name] = _begun(cache, name, event)
    for name in names:
        if name in cache.entries:
            _select(cache.entries[name], event, selected=name in selected)
    if new:
        cache.entries = {name: cache.entries[name] for name in sorted(cache.entries)}


def dismiss(state: State, cache: Cache, entries: Iterable[Entry]) -> None:
    """Drop the entries of clusters that are not selected and have nothing of the cache left."""
    for entry in entries:
        if has_left(state, cache, entry):
            del cache.entries[entry.cluster]
            cache.recovered.pop(entry.cluster, None)


def note_abandoned(state: State, cache: Cache, entries: Iterable[Entry]) -> None:
    """Note what stays where it is, as somebody asked to let go of it; or that nobody does now."""
    abandoned = is_abandoned(cache)
    for entry in entries:
        if abandoned and entry.had:
            cache.abandoned[entry.cluster] = Said(ABANDONED, _left_words(state, cache))
        elif not abandoned:
            cache.abandoned.pop(entry.cluster, None)


def drop_entry(state: State, cache: Cache, name: str) -> None:
    """The InferenceCluster of an entry is gone: nothing can be done there any more."""
    entry = cache.entries.pop(name, None)
    if entry is not None and entry.had:
        cache.abandoned[name] = Said(CLUSTER_GONE, _left_words(state, cache))
    cache.recovered.pop(name, None)


def _left_words(state: State, cache: Cache) -> str:
    claim, job, secret = names_of(cache).values()
    copied = f" and Secret {secret}" if cache.spec is not None and cache.spec.secret_name else ""
    place = f"namespace {namespace_of(state, cache)}"
    return f"claim {claim}, and Job {job}{copied} if still there, stay as they are in {place}"


def _begun(cache: Cache, name: str, event: Event) -> Entry:
    entry = Entry(name, since=event.at, moved_at=event.at, selected=True)
    cache.abandoned.pop(name, None)
    phase = cache.recovered.get(name, "")
    if phase:
        entry.state, entry.recovered, entry.had = EntryState(phase), True, True
    return entry


def _select(entry: Entry, event: Event, *, selected: bool) -> None:
    if entry.selected is selected:
        return
    entry.selected, entry.users, entry.ended_users = selected, None, ()
    entry.left_at = 0 if selected else event.at
    if selected:
        entry.retained = False
