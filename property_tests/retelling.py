"""Retelling: each log folded once more from its beginning, and decided again on the way.

What its rows say of statuses must be so, too: a divergence of either sort is told.
"""

from typing import Any, NamedTuple

from adapters.running.publications import published
from engine.canonical_json import dumps
from engine.verifying import Verification
from machines.attesting import Attesting
from machines.caches.statuses import cluster_status
from machines.domain import WARMLOG
from machines.projecting import status_of
from machines.states import State
from property_tests.evidence import Evidence, Sent, written_status

VERSION = "0"  # of the worlds' controllers


class Retold(NamedTuple):
    """One log, told again."""

    state: State
    divergences: tuple[str, ...]


class Projected(NamedTuple):
    """A status that was sent, and what the log alone gave for that object then."""

    sent: Sent
    status: Any  # None: the log knew no such object


class Retelling(NamedTuple):
    """All logs, told again."""

    logs: list[Retold]
    statuses: list[Projected]


def retell(evidence: Evidence) -> Retelling:
    """Fold all logs again; done once."""
    found: Retelling | None = evidence.__dict__.get("_retelling")
    if found is None:
        found = evidence.__dict__["_retelling"] = _retell(evidence)
    return found


def _retell(evidence: Evidence) -> Retelling:
    retelling = Retelling([], [])
    for index, log in enumerate(evidence.logs):
        waiting = [one for one in reversed(evidence.statuses) if one.log == index]
        judge = Attesting(VERSION)
        verification = Verification(WARMLOG, evidence.log_ids[index], judge)
        found = []
        for row in log:
            found.append(verification.take(row))
            while waiting and waiting[-1].position <= row.seq:
                retelling.statuses.append(_project(verification.state, waiting.pop()))
        found.append(verification.end())
        told = tuple(str(one) for one in found if one is not None)
        retelling.logs.append(Retold(verification.state, told))
    return retelling


def _project(state: State, sent: Sent) -> Projected:
    uid = sent.request.body[0]["value"]
    if sent.kind == "InferenceCluster":
        for served in state.served.values():
            if served.subject.uid == uid:
                return Projected(sent, cluster_status(state, served)["conditions"][0])
        return Projected(sent, None)
    for other, one in published(state):
        if other == uid:
            return Projected(sent, status_of(state, one))
    return Projected(sent, None)


def sent_value(sent: Sent) -> str:
    """Give what was to stand in the status afterwards, as text."""
    status = written_status(sent)
    if sent.kind != "InferenceCluster":
        return dumps(status)
    value = sent.request.body[-1]["value"]
    if isinstance(value, dict) and "conditions" in value:
        value = value["conditions"]
    return dumps(value[0] if isinstance(value, list) else value)


def shown_by(state: State) -> dict[str, str]:
    """Give all statuses that a state gives, by uid, as text."""
    return {one.subject.uid: dumps(one.status) for one in WARMLOG.project(state)}


def rested(state: State) -> State:
    """Give a state as it is once all in it has been decided upon."""
    copied = WARMLOG.copy(state)
    WARMLOG.rest(copied)
    return copied
