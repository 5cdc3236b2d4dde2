"""Explaining under chaos: at every position every object is explained, by rows that there are."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given

from adapters.explaining.explained import Explained
from adapters.explaining.explaining import Explainer
from engine.canonical_json import loads
from engine.events import Event, Subject
from engine.logs import LogIdentity
from machines.explaining_things import explain_thing
from machines.things import Watcher
from property_tests import actions, cache_actions, replica_actions
from property_tests.cache_chaos import CacheChaos
from property_tests.chaos import Chaos
from property_tests.replica_chaos import ReplicaChaos
from tests.explaining.relating import Named, own, related

pytestmark = pytest.mark.timeout(900)

ENDED = frozenset({"Ready", "Failed"})
OWNER_KEYS = ("warmupUid", "controllerUid")
OWNERS = frozenset({"ModelCache", "ModelReplica"})
KINDS_OF_WARMUPS = frozenset({"ModelWarmup", "Job", "Pod", "Node", "Namespace", "Session", ""})
DONE = "Succeeded"  # the phase of a ModelWarmup of which nothing is left to do


def cited(document: Any) -> Iterator[dict[str, Any]]:
    """Every row that an explanation cites, wherever it stands."""
    if isinstance(document, dict):
        if "position" in document and "words" in document:
            yield document
        for value in document.values():
            yield from cited(value)
    elif isinstance(document, list):
        for value in document:
            yield from cited(value)


def check(found: Explained, rows: list[Event]) -> None:
    """Text and JSON say one phase, rows cited were folded, and what waits says for what."""
    document, text = found.document, found.text
    assert document["position"] == found.place.position == len(rows)
    assert text.endswith("\n")
    assert found.phase
    assert found.phase in text
    assert found.phase in {document.get(name) for name in ("phase", "reason", "standing")}
    for line in cited(document):
        assert 1 <= line["position"] <= len(rows), line
        row = rows[line["position"] - 1]
        assert line.get("type", row.type) == row.type
        assert line["words"]
        if "nanoseconds" in line:
            assert line["nanoseconds"] == row.at
    assert document["do"] or found.phase == DONE, "nobody knows what to do"
    for node in document.get("nodes", ()):
        if node["state"] not in ENDED:
            assert node["waitsFor"] or document["waitsFor"], node
    for entry in document.get("clusters", ()):
        if entry["phase"] not in ENDED:
            assert entry["message"], entry


def check_cited(found: Explained, rows: list[Event]) -> None:
    """Rows of other owners are cited only where those have to do with an object."""
    subject = found.told.subject
    jobs = jobs_of(subject.uid, rows)
    for line in cited(found.document):
        row = rows[line["position"] - 1]
        of = Subject.parse(row.subject)
        if subject.kind == "ModelWarmup":
            assert of.kind in KINDS_OF_WARMUPS, row
            assert of.kind != subject.kind or of.uid == subject.uid, row
            assert of.kind != "Namespace" or of.name == subject.namespace, row
            assert of.kind != "Job" or of.uid in jobs, row
        else:
            assert of.kind not in {"ModelWarmup", "Job", "Pod"}, row
            assert (
                of.kind not in OWNERS or of.namespace == subject.namespace or not subject.namespace
            )


def jobs_of(uid: str, rows: list[Event]) -> set[str]:
    """The uids of Jobs that say they are of a ModelWarmup, or were made for it."""
    found = set()
    for row in rows:
        subject, data = Subject.parse(row.subject), loads(row.data)
        if row.type == "JobSeen" and uid in {data["level"].get(key) for key in OWNER_KEYS}:
            found.add(subject.uid)
        if row.type == "IntentDone" and subject.uid == uid:
            found.add(data.get("uid", ""))
    return found


def check_things(rows: list[Event]) -> None:
    """What bears a name is explained at each row about it; all rows cited in the end are that."""
    told = [{**row._asdict(), "data": loads(row.data)} for row in rows]
    named = dict.fromkeys(each for row in told if (each := own(row)) is not None)
    watchers = [Watcher(*name) for name in dict.fromkeys(each[1:] for each in named)]
    explainer = Explainer(LogIdentity("chaos", len(rows), 1, rows[-1].at if rows else 0))
    for number, row in enumerate(rows, 1):
        explainer.fold(row)
        for watcher in watchers:
            watcher.note(row, explainer.state)
            for thing in watcher.things.values():
                if thing.lines[-1].position == number:
                    found = explain_thing(explainer.state, thing, explainer.chronicle)
                    check(Explained(found, explainer.place), rows[:number])
    for watcher in watchers:
        for name, thing in watcher.things.items():
            cited_rows, asked = {line.position for line in thing.lines}, Named(*name)
            assert cited_rows <= related(told, asked), asked
            assert cited_rows >= {row["seq"] for row in told if own(row) == asked}


def check_all(rows: list[Event]) -> None:
    """At every position each object that lives is explained."""
    explainer = Explainer(LogIdentity("chaos", len(rows), 1, rows[-1].at if rows else 0))
    for number, row in enumerate(rows, 1):
        for change in explainer.fold(row):
            told = explainer.chronicle.history(change.uid)
            assert told is not None
            if told.gone is not None:
                continue
            found = explainer.explain(told)
            if found is not None:
                check(found, rows[:number])
                check_cited(found, rows[:number])


@given(actions.STORIES)
def test_warmups_are_explained_at_every_position(story: list[actions.Action]) -> None:
    """Whatever happens to nodes and Jobs, a ModelWarmup is explained by rows that there are."""
    chaos = Chaos()
    for action in story:
        chaos.take(action)
    check_all(list(chaos.rows))
    check_things(list(chaos.rows))


@given(cache_actions.STORIES)
def test_caches_are_explained_at_every_position(story: list[cache_actions.Action]) -> None:
    """Whatever happens to clusters and claims, a ModelCache is explained by rows that there are."""
    chaos = CacheChaos()
    for action in story:
        chaos.take(action)
    check_all(list(chaos.rows))
    check_things(list(chaos.rows))


@given(replica_actions.STORIES)
def test_replicas_are_explained_at_every_position(story: list[cache_actions.Action]) -> None:
    """Whatever happens to engines and mounts, a ModelReplica is explained by rows of the log."""
    chaos = ReplicaChaos()
    for action in story:
        chaos.take(action)
    check_all(list(chaos.rows))
    check_things(list(chaos.rows))
