"""Truth accounts: what logs tell and count, beside what there was in the clusters."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.simulator.storage import DELETED, Change, Manifest
from engine.canonical_json import dumps
from machines import labels
from property_tests.evidence import Changed, Evidence, Restored, Row, annotations, uid_of
from property_tests.reading_statuses import OF_JOBS
from property_tests.retelling import retell

_OWN = ("ModelWarmup", "ModelCache", "ModelReplica")  # kinds whose status is ours, whole
_ONLY_WATCHED = ("Node", "Namespace")
_ENDS = {"Ready": "Complete", "Failed": "Failed"}


class Ended(NamedTuple):
    """A row that tells how a Job has ended, and the ways in which it ever had."""

    row: Row
    ways: frozenset[str]


class Counted(NamedTuple):
    """A node that a warmup counts by its Job, and the machines whose Jobs ended in that way."""

    node: str
    node_uid: str
    outcome: str
    machines: frozenset[str]  # by uid


class Known(NamedTuple):
    """An object whose status is ours, and how often it was told and changed."""

    uid: str
    levels: int  # different ones, in the log that has most of them
    changes: int  # of anything but its status, the first included


class _Jobs:
    """How the Jobs of warmups ended, and the machines that they were made for."""

    def __init__(self, evidence: Evidence) -> None:
        self.ways: dict[str, set[str]] = defaultdict(set)  # by uid of the Job
        self.machines: dict[str, set[str]] = defaultdict(set)  # by the way
        made_for: dict[str, str] = {}
        for one in evidence.changes("Job"):
            if isinstance(one, Restored):
                continue
            job = one.change.object
            uid = uid_of(job)
            machine = made_for.setdefault(uid, annotations(job).get(labels.TARGET_NODE_UID, ""))
            for row in (job.get("status") or {}).get("conditions") or ():
                if row["status"] == "True":
                    self.ways[uid].add(row["type"])
                    self.machines[row["type"]].add(machine)


def _jobs(evidence: Evidence) -> _Jobs:
    found: _Jobs | None = evidence.__dict__.get("_jobs")
    if found is None:
        found = evidence.__dict__["_jobs"] = _Jobs(evidence)
    return found


def endings_told(evidence: Evidence) -> Iterator[Ended]:
    """Every row that tells that a warmup's Job is Complete or Failed."""
    ways = _jobs(evidence).ways
    for rows in evidence.rows:
        for row in rows:
            if row.event.type == "JobSeen" and row.data["level"].get("outcome") in _ENDS.values():
                yield Ended(row, frozenset(ways[row.subject.uid]))


def counted(evidence: Evidence) -> Iterator[Counted]:
    """Every node that a warmup counts by its Job at the end, unless by what its status told."""
    if evidence.ending is None:
        return
    told = {row.subject.uid for row in evidence.rows[-1] if row.event.type == "Recovered"}
    machines = _jobs(evidence).machines
    for uid, warmup in retell(evidence).logs[-1].state.warmups.items():
        for target in warmup.targets.values() if uid not in told else ():
            outcome = _ENDS.get(target.state.value, "")
            if outcome == "Complete" or (outcome and target.words.reason in OF_JOBS):
                yield Counted(target.node_name, target.key, outcome, frozenset(machines[outcome]))


def our_objects(evidence: Evidence) -> Iterator[Known]:
    """Every object whose status is ours, with all that was told of it and all that it was."""
    changes: dict[str, int] = defaultdict(int)
    for one in evidence.changes(*_OWN):
        if isinstance(one, Changed):
            changes[uid_of(one.change.object)] += _is_changed(one.change)
    most: dict[str, int] = {}
    for rows in evidence.rows:
        levels: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            if row.subject.kind in _OWN and row.event.type.endswith("Seen"):
                levels[row.subject.uid].add(dumps(row.data["level"]))
        most |= {uid: max(most.get(uid, 0), len(found)) for uid, found in levels.items()}
    yield from (Known(uid, most.get(uid, 0), count) for uid, count in changes.items())


def _is_changed(change: Change) -> bool:
    """Say whether anything but an object's status is another now; what goes loses its marks."""
    before = change.previous
    return before is None or change.type == DELETED or _kept(before) != _kept(change.object)


def _kept(item: Manifest) -> tuple[Any, ...]:
    metadata = item["metadata"]
    marks = ("generation", "annotations", "labels", "finalizers", "deletionTimestamp")
    return item.get("spec"), *(metadata.get(mark) for mark in marks)


def rows_of_what_stands(evidence: Evidence) -> Iterator[Row]:
    """Every row about an object that stands at the end and bears no label.

    Of what does bear one, a watch shows no more when somebody takes it off; and what is known of
    an InferenceCluster goes when it is led to another cluster. Of a cluster that was restored, or
    that answered with its past, only the last row of each wish is given.
    """
    if evidence.ending is None:
        return
    standing = evidence.ending.of(*_ONLY_WATCHED, "InferenceCluster", *_OWN)
    there = {uid_of(item): cluster for cluster, item in standing}
    restored = {one.cluster for one in evidence.happened if isinstance(one, Restored)}
    misled = restored | evidence.misled
    last: dict[str, Row] = {}
    for row in evidence.rows[-1]:
        uid, name = row.subject.uid, row.event.type
        if row.event.cluster == there.get(uid) and (name == "Gone" or name.endswith("Seen")):
            if there[uid] not in misled:
                yield row
            elif row.subject.kind not in _ONLY_WATCHED:
                last[uid] = row
    yield from last.values()
