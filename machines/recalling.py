"""Recalling: whether an object's own status tells of what the log does not know."""

from typing import Any

from engine.instants import rfc3339
from machines.caches.recovering import tells_of, tells_of_later
from machines.observations import Seen
from machines.origins import is_later, is_of
from machines.phases import PUBLISHED_WARMUP_PHASES, WARMUP_STATE_BY_PHASE
from machines.recovering import recovered_of
from machines.replicas.recovering import tells_of as replica_tells_of
from machines.replicas.recovering import tells_of_later as replica_tells_of_later
from machines.states import Known, State, Warmup
from machines.warmups import TERMINAL


def tells_a_past(state: State, seen: Seen, known: Known | None) -> bool:
    """Say whether the status tells of this very object what the log does not know.

    It does when the log has no history of the object, whoever wrote the status; else only when it
    says that the object ended, in another log or at a later position than this log knows of this
    object, as after a restored backup, or before this log began with the object anew, as after
    lists from the past that did not show it.
    """
    status = seen.recovered
    if seen.subject.kind == "ModelCache":
        cache = state.caches.get(seen.subject.uid)
        if cache is not None and known is not None:
            return tells_of_later(state, cache, status)
        return known is None and tells_of(seen.subject.uid, status)
    if seen.subject.kind == "ModelReplica":
        replica = state.replicas.get(seen.subject.uid)
        if replica is not None and known is not None:
            return replica_tells_of_later(state, replica, status)
        return known is None and replica_tells_of(seen.subject.uid, status)
    if not isinstance(status, dict) or status.get("phase") not in PUBLISHED_WARMUP_PHASES:
        return False
    mine = is_of(seen.subject.uid, status)
    if known is None:
        return mine or status.get("warmlog") is None
    warmup = state.warmups.get(seen.subject.uid)
    ended = WARMUP_STATE_BY_PHASE[status["phase"]] in TERMINAL
    if warmup is None or warmup.state in TERMINAL or not ended or not mine:
        return False
    return is_later(status, state.log_id, warmup.position) or _is_forgotten(status, warmup)


def _is_forgotten(status: dict[str, Any], warmup: Warmup) -> bool:
    """Say whether our own status is from before this log began with the warmup once more."""
    began = recovered_of(status).started_at
    is_earlier = not is_later(status, status["warmlog"].get("log"), warmup.position - 1)
    return is_earlier and "" < began < rfc3339(warmup.started_at)
