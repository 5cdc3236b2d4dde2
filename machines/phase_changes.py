"""Phase changes: which published phases a row of the log changed, while it is folded.

A phase is that of a whole object or of a part of it: a node of a ModelWarmup, a cluster of a
ModelCache, an engine of a ModelReplica. The whole of a ModelCache, a ModelReplica and an
InferenceCluster stands in a condition, whose reason counts as its phase.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.events import Event, Subject
from machines.projecting import changed_projections
from machines.states import State

WHOLE = ""  # the part that is the object itself
GONE = "Gone"  # the phase of what was deleted, and of a part that left

Phases = dict[str, str]  # by part
_Object = tuple[str, Subject]  # of a cluster


class PhaseChange(NamedTuple):
    """A phase that became another; an empty `before` says that there was none."""

    cluster: str
    subject: Subject
    part: str
    before: str
    after: str


def phases_of(kind: str, status: dict[str, Any]) -> Phases:
    """Give the published phases of a status by part, that of the whole first."""
    match kind:
        case "ModelWarmup":
            parts = {target["nodeName"]: target["phase"] for target in status["targets"]}
            return {WHOLE: status["phase"], **parts}
        case "ModelCache":
            parts = {entry["name"]: entry["phase"] for entry in status["clusters"]}
            return {WHOLE: _reason(status, "Ready"), **parts}
        case "ModelReplica":
            accepted = _condition(status, "ModelAccepted")
            named = "ModelReady" if accepted.get("status") == "True" else "ModelAccepted"
            parts = {
                one["engine"]: "Available" if one["available"] else "NotAvailable"
                for one in status.get("workloads", ())
            }
            return {WHOLE: _reason(status, named), **parts}
    return {WHOLE: _reason(status, "Reachable")}


class PhaseChanges:
    """The phases of every object so far, and what each row changes of them."""

    def __init__(self) -> None:
        """Begin before the first row."""
        self._phases: dict[_Object, Phases] = {}

    def note(self, event: Event, state: State) -> list[PhaseChange]:
        """Give what the row that was just folded into `state` changed, object by object.

        A state that is never at rest in between makes this slower with each object touched.
        """
        found: list[PhaseChange] = []
        for one in changed_projections(state, event):
            key = one.cluster, one.subject
            now = phases_of(one.subject.kind, one.status)
            found += _changes(key, self._phases.get(key, {}), now)
            self._phases[key] = now
        if event.type == "Gone":
            key = event.cluster, Subject.parse(event.subject)
            found += _changes(key, self._phases.pop(key, {}), {})
        return found


def _changes(key: _Object, before: Phases, after: Phases) -> Iterator[PhaseChange]:
    for part in {**before, **after}:
        old, new = before.get(part, ""), after.get(part, GONE)
        if old != new:
            yield PhaseChange(*key, part, old, new)


def _condition(status: dict[str, Any], name: str) -> dict[str, str]:
    return next((row for row in status["conditions"] if row["type"] == name), {})


def _reason(status: dict[str, Any], name: str) -> str:
    return _condition(status, name).get("reason", "")
