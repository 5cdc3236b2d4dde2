"""How a Job, a claim, a node, a workload … is chosen by its name, and told, or as JSON."""

from typing import Any

from adapters.explaining.chains import line_json, tell_chain
from adapters.explaining.errors import Misasked, NotHeld
from adapters.explaining.passages import NOTE, Passage, Sheet, Table
from adapters.explaining.places import Place, tell_place
from adapters.explaining.references import Reference, near_names
from adapters.texts import clock, moment
from engine.instants import rfc3339
from machines.caches.reaching import names_of_cluster
from machines.explaining_things import Bearing, ThingExplanation
from machines.states import State
from machines.things import Name, Thing, Watcher


def the_thing(
    watcher: Watcher, state: State, reference: Reference, clusters: tuple[str, ...], where: str
) -> Thing:
    """Give the one that is meant, if there is one alone: of those that are there, else of all.

    `clusters` are names that its cluster has to have, its own in the log or an InferenceCluster's;
    `where` says that nothing of the name is held. Raises Misasked, NotHeld.
    """
    found = [
        thing for name, thing in watcher.things.items() if _is_on(state, name.cluster, clusters)
    ]
    there = [thing for thing in found if thing.gone is None] or found
    if not there:
        near = near_names(reference, map(_reference, watcher.met), cutoff=0.6)
        on = f" on cluster {', '.join(clusters)}" if clusters else ""
        raise NotHeld(f"{where}{on}{f', but {near}' if near else ''}.")
    if len(there) > 1:
        raise Misasked(_several(reference, state, [thing.name for thing in there]))
    return there[0]


def _several(reference: Reference, state: State, found: list[Name]) -> str:
    """Say which objects a name may mean, and how to tell them apart."""
    places = [f"{_reference(name)} on {_called(state, name.cluster)}" for name in found]
    how = ["write the namespace"] * (len({name.namespace for name in found}) > 1)
    how += ["say --on CLUSTER"] * (len({name.cluster for name in found}) > 1)
    return f"{reference} may be {' or '.join(places)}: {' and '.join(how)}."


def tell_thing(told: ThingExplanation, place: Place) -> tuple[Passage | Table, ...]:
    """Tell how it is, whose it is, what it bears on, and how it came to this."""
    sheet, subject = Sheet(), told.subject
    name = "/".join(filter(None, (subject.namespace, subject.name)))
    since = f" since {moment(told.since.at)}{place.ago(told.since.at)}" if told.since else ""
    on = ", ".join(told.on) or told.cluster
    sheet.line(f"{subject.kind} {name} on {on} is {told.standing}{since}", role=told.standing)
    if told.last is not None:
        when = f"position {told.last.position}, {clock(told.last.at)}"
        sheet.line(f"Last seen at {when}: {told.last.words}", indent=2)
    if told.gone is not None:
        when = f"position {told.gone.position}, {clock(told.gone.at)}"
        sheet.line(f"Gone at {when}: {told.gone.words}", indent=2)
    for note in told.notes:
        sheet.line(f"Mind: {note}", role=NOTE, indent=2)
    if not any(each.advice for each in told.bearings):  # else each says so itself
        for words in told.advice:
            sheet.line(f"Do: {words}", indent=2)
    for bearing in told.bearings:
        _tell_bearing(sheet, bearing, place)
    tell_chain(sheet, "How it came to this", told.causes)
    tell_place(sheet, place, told.cluster)
    return sheet.passages


def thing_json(told: ThingExplanation, place: Place) -> dict[str, Any]:
    """Give the explanation as plain JSON values."""
    return {
        **place.head(told.cluster, told.subject),
        "on": list(told.on),
        "standing": told.standing,
        "since": rfc3339(told.since.at) if told.since else None,
        "sincePosition": told.since.position if told.since else None,
        "lastSeen": line_json(told.last) if told.last else None,
        "gone": line_json(told.gone) if told.gone else None,
        "notes": list(told.notes),
        "do": list(told.advice),
        "of": [_bearing_json(each, place) for each in told.bearings],
        "causes": [line_json(line) for line in told.causes],
    }


def _tell_bearing(sheet: Sheet, bearing: Bearing, place: Place) -> None:
    subject, at = bearing.subject, bearing.since
    name = "/".join(filter(None, (subject.namespace, subject.name)))
    since = f" since {clock(at)}{place.ago(at)}" if at is not None else ""
    who = f"{subject.kind} {name}"
    if bearing.part:
        who = f"{bearing.part} of {who}"
    whole = f"; the whole is {bearing.whole}" if bearing.whole else ""
    sheet.line()
    sheet.line(f"{who}: {bearing.phase}{since}{whole}", role=bearing.phase)
    if bearing.message:
        sheet.line(bearing.message, indent=2)
    if bearing.waits_for and bearing.waits_for not in bearing.message:
        sheet.line(f"Waits for: {bearing.waits_for}", indent=2)
    if bearing.advice:
        sheet.line(f"Do: {bearing.advice}", indent=2)
    sheet.line(f"More: `{place.typed(bearing.command)}`", indent=2)


def _bearing_json(bearing: Bearing, place: Place) -> dict[str, Any]:
    subject = bearing.subject
    return {
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "uid": subject.uid,
        "part": bearing.part,
        "phase": bearing.phase,
        "since": None if bearing.since is None else rfc3339(bearing.since),
        "whole": bearing.whole,
        "message": bearing.message,
        "waitsFor": bearing.waits_for,
        "do": bearing.advice,
        "more": place.typed(bearing.command),
    }


def _is_on(state: State, cluster: str, wanted: tuple[str, ...]) -> bool:
    return {cluster, *names_of_cluster(state, cluster)}.issuperset(wanted)


def _called(state: State, cluster: str) -> str:
    return ", ".join(names_of_cluster(state, cluster)) or cluster


def _reference(name: Name) -> Reference:
    return Reference(*name[1:])
