"""The ModelWarmup machine: the phase of the whole, as a joint rule over its targets.

States
    Pending    nothing to do yet: nothing is resolved, or every target waits for its machine
    Hydrating  at least one target has a Job, or could have one
    Ready      every target ended Ready, confirmed by a fresh look at the cluster
    Degraded   ended, some Ready and some Failed (or the target limit was crossed on the way)
    Failed     ended with nothing Ready, or the spec can never work

Invariants
    Ready, Degraded and Failed are terminal: no trigger leads out of them, whatever happens to
    Nodes, Jobs, labels, the log or the controller afterwards.
    A terminal state is reached only from a fresh look (`Resolve`) at which no target was
    unfinished, because the spec itself is refused, or from the object's own status, which says
    that it ended under another log (`Recovered`).
    The phase is a function of the targets' counts, never of which of them moved last.
"""

from enum import StrEnum
from typing import NamedTuple

from engine.joint_rules import JointRule, compile_rules
from engine.machine_tables import Move, compile_table


class WarmupState(StrEnum):
    """Where a ModelWarmup stands."""

    PENDING = "Pending"
    HYDRATING = "Hydrating"
    READY = "Ready"
    DEGRADED = "Degraded"
    FAILED = "Failed"


class WarmupTrigger(StrEnum):
    """What the targets, taken together, say."""

    WORK_APPEARED = "work_appeared"
    ONLY_WAITING = "only_waiting"
    ALL_READY = "all_ready"
    PARTLY_FAILED = "partly_failed"
    ALL_FAILED = "all_failed"
    SPEC_REFUSED = "spec_refused"


class Children(NamedTuple):
    """What the joint rules look at."""

    waiting: int = 0  # Pending, and their machine does not exist or is not authorised
    startable: int = 0  # Pending otherwise
    hydrating: int = 0
    ready: int = 0
    failed: int = 0
    confirmed: bool = False  # a fresh look at the cluster found nothing new
    refused: bool = False  # the spec can never work, or names too many targets at once
    overflowed: bool = False  # the target limit was crossed after work had begun

    @property
    def unfinished(self) -> int:
        """Count the targets without an outcome."""
        return self.waiting + self.startable + self.hydrating

    @property
    def ended(self) -> bool:
        """Say whether there was work, all of it has an outcome, and the cluster agrees."""
        return self.confirmed and self.unfinished == 0 and self.ready + self.failed > 0


_S = WarmupState
_T = WarmupTrigger
_OPEN = (_S.PENDING, _S.HYDRATING)

WARMUP_MOVES: tuple[Move[WarmupState, WarmupTrigger], ...] = (
    Move(_T.WORK_APPEARED, (_S.PENDING,), _S.HYDRATING, "a target can have a Job, or had one"),
    Move(_T.ONLY_WAITING, (_S.HYDRATING,), _S.PENDING, "no target is left but waiting ones"),
    Move(_T.ALL_READY, _OPEN, _S.READY, "every target is Ready"),
    Move(_T.PARTLY_FAILED, _OPEN, _S.DEGRADED, "ended, some Ready and some not"),
    Move(_T.ALL_FAILED, _OPEN, _S.FAILED, "ended, nothing Ready"),
    Move(_T.SPEC_REFUSED, _OPEN, _S.FAILED, "the spec can never work"),
)

WARMUPS = compile_table("ModelWarmup", _S, _T, _S.PENDING, WARMUP_MOVES)

WARMUP_RULES: tuple[JointRule[WarmupTrigger, Children], ...] = (
    JointRule(_T.SPEC_REFUSED, lambda c: c.refused, "the spec is invalid or names too many"),
    JointRule(
        _T.ALL_READY,
        lambda c: c.ended and c.failed == 0 and not c.overflowed,
        "all targets ended Ready",
    ),
    JointRule(
        _T.PARTLY_FAILED,
        lambda c: c.ended and c.ready > 0 and (c.failed > 0 or c.overflowed),
        "ended, some Ready, and some Failed or never admitted",
    ),
    JointRule(_T.ALL_FAILED, lambda c: c.ended and c.ready == 0, "all targets ended Failed"),
    JointRule(
        _T.WORK_APPEARED,
        lambda c: c.startable + c.hydrating + c.ready + c.failed > 0,
        "some target can have a Job, has one, or has an outcome",
    ),
    JointRule(
        _T.ONLY_WAITING,
        lambda c: c.startable + c.hydrating + c.ready + c.failed == 0,
        "nothing but waiting targets, or none at all",
    ),
)

WARMUPS_JOINTLY = compile_rules(WARMUPS, WARMUP_RULES)

TERMINAL = frozenset({_S.READY, _S.DEGRADED, _S.FAILED})
