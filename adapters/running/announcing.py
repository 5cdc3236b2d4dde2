"""Announcing: what becomes a Kubernetes Event. One per change, never one per pass.

A change is a phase, a node's outcome (told together beyond twenty nodes), or the first cause that
keeps a warmup from going on. What was true when the session began has been told already.
"""

from collections.abc import Iterator
from typing import NamedTuple

from adapters.kubernetes.announcing import Announcement
from machines.conditions import conditions, first_trouble
from machines.labels import SUSPEND
from machines.messages import cause_text
from machines.node_jobs import OUTCOMES, NodeJobState
from machines.phases import WARMUP_PHASE
from machines.states import State, Target, Warmup
from machines.warmups import WarmupState

TOLD_SINGLY = 20  # nodes
TOLD = OUTCOMES | {NodeJobState.WITHDRAWN}
BAD_ENDS = frozenset({WarmupState.FAILED, WarmupState.DEGRADED})


class _Told(NamedTuple):
    """What has been told of one warmup."""

    position: int
    state: WarmupState
    cause: tuple[str, str]
    outcomes: frozenset[tuple[str, NodeJobState]]  # by the target's key
    contested_by: str = ""
    suspended: bool = False


class Announcer:
    """Keeps what was told, and finds what is new."""

    def __init__(self, state: State) -> None:
        """Take what holds now as told."""
        self._told = {uid: _summary(warmup) for uid, warmup in state.warmups.items()}

    def news(self, state: State) -> list[Announcement]:
        """Give what has changed since the last call, and take it as told."""
        found: list[Announcement] = []
        for uid, warmup in state.warmups.items():
            told = self._told.get(uid)
            if told is not None and told.position == warmup.position:
                continue
            summary = _summary(warmup)
            # What ended under another log was told by whoever wrote that one.
            if not warmup.gone and (told is not None or warmup.recovered is None):
                found += _changes(state, warmup, told, summary)
            self._told[uid] = summary
        for uid in self._told.keys() - state.warmups.keys():
            del self._told[uid]
        return found


def _summary(warmup: Warmup) -> _Told:
    cause = first_trouble(warmup)
    outcomes = frozenset(
        (key, target.state) for key, target in warmup.targets.items() if target.state in TOLD
    )
    named = (cause.node_name, cause.words.reason) if cause else ("", "")
    suspended = bool(warmup.suspended_at)
    return _Told(warmup.position, warmup.state, named, outcomes, warmup.contested_by, suspended)


def _changes(
    state: State, warmup: Warmup, told: _Told | None, now: _Told
) -> Iterator[Announcement]:
    news = now.outcomes - (told.outcomes if told else frozenset())
    ended = [warmup.targets[key] for key, _ in news]
    ended.sort(key=lambda target: target.node_name)
    if len(now.outcomes) <= TOLD_SINGLY:
        for target in ended:
            yield _node_ended(state, warmup, target)
    else:
        failed = [target for target in ended if target.state is NodeJobState.FAILED]
        if failed:
            first = f"{failed[0].node_name}: {cause_text(failed[0].words)}"
            note = f"{len(failed)} more nodes failed; first {first}"
            yield _announcement(state, warmup, "Warning", "NodesFailed", note)
    cause = first_trouble(warmup)
    is_new = now.cause != (told.cause if told else ("", ""))
    if cause is not None and is_new:
        note = f"node {cause.node_name}: {cause.words.message or cause.words.reason}"
        yield _announcement(state, warmup, "Warning", cause.words.reason, note)
    if now.contested_by and (told is None or told.contested_by != now.contested_by):
        note = f"{now.contested_by} keeps writing this status, which is warmlog's"
        yield _announcement(state, warmup, "Warning", "StatusEdited", note)
    if now.suspended != (told is not None and told.suspended):
        yield _suspension(state, warmup)
    if told is None or told.state is not now.state:
        yield _phase_changed(state, warmup)


def _suspension(state: State, warmup: Warmup) -> Announcement:
    if warmup.suspended_at:
        note = f'no Job is created while annotation {SUSPEND} is "true"'
        return _announcement(state, warmup, "Normal", "Suspended", note)
    return _announcement(state, warmup, "Normal", "Resumed", "Jobs are created again")


def _node_ended(state: State, warmup: Warmup, target: Target) -> Announcement:
    if target.state is NodeJobState.WITHDRAWN:
        note = f"node {target.node_name} is not selected or not authorised any more, and left"
        return _announcement(state, warmup, "Normal", "NodeWithdrawn", note)
    if target.state is NodeJobState.READY:
        note = f"node {target.node_name}: its Job is complete"
        return _announcement(state, warmup, "Normal", "NodeSucceeded", note)
    note = f"node {target.node_name}: {cause_text(target.words)}"
    return _announcement(state, warmup, "Warning", "NodeFailed", note)


def _phase_changed(state: State, warmup: Warmup) -> Announcement:
    kind = "Warning" if warmup.state in BAD_ENDS else "Normal"
    told = [row for row in conditions(warmup) if row["status"] == "True"]
    note = next((row["message"] for row in told if row["message"]), "")
    phase = WARMUP_PHASE[warmup.state]
    return _announcement(state, warmup, kind, phase, note or f"phase is {phase}")


def _announcement(state: State, warmup: Warmup, kind: str, reason: str, note: str) -> Announcement:
    return Announcement(warmup.subject, kind, reason, note, state.now, warmup.position)
