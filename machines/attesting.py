"""Attesting: what a recording says of its own statuses, held against what this code makes of it.

A log holds facts, decisions and answers, and few statuses: these rows tell of one.

    StatusStored       the ModelWarmup had ended, with a status of that position
    Recovered          a ModelWarmup had ended under another log
    StampTtlIntended   the ModelWarmup had ended, and its end was stored
    ChangeIntended     a Latch: the claim held the whole of that very content, so that its mount
                       may be published

Whichever version wrote them, they must be so here as well. The rest of what it decided is compared
only where this version decided it: words and requests may change from one to the next. A recording
of another's facts (`recorder`) has no decisions at all, so none are missed in it.
"""

from collections.abc import Iterator

from engine.canonical_json import loads
from engine.events import Event, Subject
from engine.verifying import Claim
from machines.caches.changes import ChangeKind
from machines.deciding import effect_of, is_as_intended
from machines.intents import Change
from machines.phases import WARMUP_PHASE, WARMUP_STATE_BY_PHASE
from machines.states import State, Warmup
from machines.warmups import TERMINAL

ENDED = "an end"
_POSITIONS_KEPT = 64  # of each warmup that has ended


class Attesting:
    """Reads one log from its beginning on. `version` is that of this code."""

    def __init__(self, version: str) -> None:
        """Begin before the first row."""
        self._version = version
        self._own = True
        # Where the statuses of warmups that have ended changed, by uid.
        self._ends: dict[str, tuple[int, ...]] = {}

    def compares(self, event: Event) -> bool | None:
        """Say of a session whether its decisions are compared: this version made them."""
        if event.type != "SessionStarted":
            return None
        data = loads(event.data)
        self._own = data.get("version") == self._version and not data.get("recorder")
        return self._own

    def claims(self, state: State, event: Event) -> Iterator[Claim]:
        """Give what this row says of a status that is otherwise here."""
        self._note_ends(state, event)
        match event.type:
            case "StatusStored":
                yield from self._stored(state, event)
            case "Recovered" | "StampTtlIntended":
                yield from _ended(state, event)
            case "ChangeIntended":
                yield from _latched(state, event)

    def _note_ends(self, state: State, event: Event) -> None:
        for uid, seq in state.dirty.items():
            if seq != event.seq:
                continue
            warmup = state.warmups.get(uid)
            if warmup is None or warmup.state not in TERMINAL:
                self._ends.pop(uid, None)
            elif warmup.position == event.seq:
                self._ends[uid] = (*self._ends.get(uid, ()), event.seq)[-_POSITIONS_KEPT:]

    def _stored(self, state: State, event: Event) -> Iterator[Claim]:
        uid = Subject.parse(event.subject).uid
        warmup = state.warmups.get(uid)
        if warmup is None:
            return
        if warmup.state not in TERMINAL:
            yield _claim(event, "phase", ENDED, WARMUP_PHASE[warmup.state])
            return
        recorded, known = loads(event.data).get("position"), self._ends.get(uid, ())
        if self._own and recorded not in known and len(known) < _POSITIONS_KEPT:
            here = f"{warmup.position}, with phase {WARMUP_PHASE[warmup.state]}"
            yield _claim(event, "last status's position", str(recorded), here)


def _ended(state: State, event: Event) -> Iterator[Claim]:
    warmup: Warmup | None = state.warmups.get(Subject.parse(event.subject).uid)
    if warmup is None or warmup.state in TERMINAL:
        return
    phase = loads(event.data).get("phase", "") if event.type == "Recovered" else ENDED
    if phase == ENDED or WARMUP_STATE_BY_PHASE.get(phase) in TERMINAL:
        yield _claim(event, "phase", phase, WARMUP_PHASE[warmup.state])


def _latched(state: State, event: Event) -> Iterator[Claim]:
    opened = state.open.get(event.seq)
    if opened is None or not isinstance(opened.intent, Change):
        return
    intent = opened.intent
    if intent.change == ChangeKind.LATCH and not is_as_intended(effect_of(state, event.seq)):
        what = f"content in {intent.kind} {intent.namespace}/{intent.name}"
        yield _claim(event, what, f"whole, with latch {intent.digest[:8]}", "another, or not whole")


def _claim(event: Event, what: str, recorded: str, here: str) -> Claim:
    return Claim(event.cluster, event.subject, what, recorded, here)
