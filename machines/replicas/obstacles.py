"""Obstacles: what keeps a replica from being composed, or from serving, in words."""

from collections.abc import Iterator
from typing import NamedTuple

from machines.caches.changes import to_do_words
from machines.caches.obstacles import quoted, refusal_sentence
from machines.caches.owning import Ownership
from machines.caches.states import SILENCE, Said
from machines.caches.telling import thing_words
from machines.kinds import REPLICA
from machines.replicas.composing import find_part
from machines.replicas.indexing import namespace_of
from machines.replicas.kinds import NAMESPACE
from machines.replicas.leaving import ours_there
from machines.replicas.levels import WorkloadLevel
from machines.replicas.moving import is_available, is_rolling, workloads_there
from machines.replicas.names import workload_name
from machines.replicas.owning import owner_words, ownership
from machines.replicas.part_names import part_names, workload_kind
from machines.replicas.placing import place_of
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Replica
from machines.states import Known, State

NAMED = 5  # objects in a sentence
NAME_TAKEN = "NameTaken"


class Obstacle(NamedTuple):
    """An object that is refused, or that somebody else has."""

    what: str  # as it is decided: verb, kind and name
    reason: str
    words: str


def obstacles(state: State, replica: Replica) -> list[Obstacle]:
    """Name each object that somebody else has, or that is refused, with the server's words."""
    taken = list(_taken(state, replica))
    known = {one.what for one in taken}
    refused = (
        Obstacle(what, refusal.reason, refusal_sentence(what_words(state, replica, what), refusal))
        for what, refusal in sorted(replica.refusals.items())
        if what not in known
    )
    return [*taken, *refused]


def refused_words(state: State, replica: Replica) -> list[str]:
    """Give the words of all that is refused, or that somebody else has."""
    return [one.words for one in obstacles(state, replica)]


def todo_words(state: State, replica: Replica) -> str:
    """Say what is still to be done; "" when everything is as it is wanted."""
    unanswered = dict(_unanswered(state, replica))
    told = []
    for what in replica.todo:
        words = unanswered.get(what, "")
        lost = f" (no answer came: {words}; it is looked up)" if words else ""
        told.append(f"{what_words(state, replica, what)}{lost}")
    return f"still {_some(told)}" if told else ""


def awaited_words(state: State, replica: Replica) -> str:
    """Say which answers are waited for; "" when none is."""
    told = [what_words(state, replica, what) for what in replica.open]
    return f"no answer yet {_some(told)}" if told else ""


def what_words(state: State, replica: Replica, what: str) -> str:
    """Say what is to be done, as in "to apply Deployment mp-team-1/r-main-2"."""
    verb, kind, name = what.split(" ", 2)
    subject = replica.subject
    thing = thing_words(kind, namespace_of(state, replica), name)
    if kind == NAMESPACE:
        thing = thing_words(kind, "", name)
    elif kind == REPLICA:
        thing = f"{REPLICA} {subject.namespace}/{subject.name}"
    return to_do_words(verb, thing)


def left_there(state: State, replica: Replica) -> str:
    """Name what is still there of a replica; "" when nothing is known to be."""
    place = place_of(state, replica)
    there = ours_there(state, replica, place) if place is not None else []
    return _some([thing_words(*known.subject[:3]) for known in there])


def staying_words(state: State, replica: Replica) -> str:
    """Say what stays on a cluster that nobody clears any more."""
    namespace = namespace_of(state, replica)
    names = part_names(replica.subject.name, replica.spec) if replica.spec else ()
    named = _some([thing_words(kind, namespace, name) for kind, name in names])
    things = named or "what it was composed of"
    return f"left on cluster {replica.cluster_name}, if still there: {things}"


def _some(things: list[str]) -> str:
    more = f" and {len(things) - NAMED} more" if len(things) > NAMED else ""
    return f"{', '.join(things[:NAMED])}{more}"


def going_words(state: State, replica: Replica) -> list[str]:
    """Name what is being deleted by somebody, and comes back."""
    place = place_of(state, replica)
    names = part_names(replica.subject.name, replica.spec) if replica.spec and place else ()
    found = []
    for kind, name in names:
        known = find_part(place, kind, name) if place else None
        if known is not None and getattr(known.level, "deleting", False):
            words = "is being deleted, and is composed anew once it is gone"
            found.append(f"{thing_words(*known.subject[:3])} {words}")
    return found


def unseen_words(state: State, replica: Replica) -> list[str]:
    """Name the workload of each engine that is known not to be on the cluster."""
    place = place_of(state, replica)
    listed = place.cluster.listed if place is not None else {}
    there = workloads_there(state, replica, place) if place is not None else {}
    engines = replica.spec.engines if replica.spec else ()
    return [
        f"engine {engine.name}: {workload_words_of(state, replica, engine)} is not there yet"
        for engine in engines
        if workload_kind(engine) in listed and there.get(engine.name) is None
    ]


def starting_words(state: State, replica: Replica) -> list[str]:
    """Name each workload that is not available, and why."""
    place = place_of(state, replica)
    if place is None or replica.spec is None:
        return []
    there = workloads_there(state, replica, place)
    told = []
    for engine in replica.spec.engines:
        known = there[engine.name]
        if known is None or not is_available(known):
            thing = workload_words_of(state, replica, engine)
            told.append(f"engine {engine.name}: {thing} {availability_words(replica, known)}")
    return told


class Rollout(NamedTuple):
    """A rollout that does not come to an end, and why."""

    engine: str
    reason: str
    words: str


def waiting_rollouts(state: State, replica: Replica) -> list[Rollout]:
    """Give the rollouts that do not come to an end, where their Pods tell why."""
    place = place_of(state, replica)
    there = workloads_there(state, replica, place) if place is not None else {}
    waiting = []
    for name, known in there.items():
        heard = replica.heard.get(known.subject.uid) if known is not None else None
        if known is not None and heard is not None and heard.said.reason and is_rolling(known):
            said = quoted(heard.said)
            words = f"engine {name}: its rollout waits, and what was there serves on: {said}"
            waiting.append(Rollout(name, heard.said.reason, words))
    return waiting


def workload_words_of(state: State, replica: Replica, engine: EngineSpec) -> str:
    """Name the workload of an engine."""
    name = workload_name(replica.subject.name, engine.name)
    return thing_words(workload_kind(engine), namespace_of(state, replica), name)


def availability_words(replica: Replica, known: Known | None) -> str:
    """Say that a workload is not available, and why, if anybody tells."""
    if known is None:
        return "is not there yet"
    words = quoted(said_of(replica, known))
    return f"is not available{f': {words}' if words else ''}"


def said_of(replica: Replica, known: Known) -> Said:
    """Give why a workload is not available, as its Pods tell, or else its own conditions."""
    heard, level = replica.heard.get(known.subject.uid), known.level
    if heard is not None and heard.said != SILENCE:
        return heard.said
    return Said(level.reason, level.message) if isinstance(level, WorkloadLevel) else SILENCE


def _taken(state: State, replica: Replica) -> Iterator[Obstacle]:
    place = place_of(state, replica)
    names = part_names(replica.subject.name, replica.spec) if replica.spec and place else ()
    for kind, name in names:
        known = find_part(place, kind, name) if place else None
        if known is not None and ownership(state, replica, known) is Ownership.OTHERS:
            owner = owner_words(known)
            thing = thing_words(*known.subject[:3])
            words = f"{thing} belongs to {owner}: rename one of the two"
            yield Obstacle(f"apply {kind} {name}", NAME_TAKEN, words)


def _unanswered(state: State, replica: Replica) -> Iterator[tuple[str, str]]:
    for what, seq in replica.open.items():
        opened = state.open.get(seq)
        if opened is not None and opened.unanswered:
            yield what, opened.unanswered
