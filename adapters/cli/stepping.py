"""Steps: a log's rows one by one, each with the phases that it changed.

For people one line for a row and one below it for each change; with -o json a document for each
row, one a line. Nothing is kept but the phases that the objects have now.
"""

from typing import Any, NamedTuple

from adapters.cli.printing import STYLES, Page, TableFormat, print_json
from adapters.cli.problems import Misuse
from adapters.cli.references import Reference, parse_reference
from adapters.cli.texts import clock
from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.domain import WARMLOG
from machines.intents import INTENT_BY_TYPE, Intent
from machines.phase_changes import GONE, WHOLE, PhaseChange, PhaseChanges
from machines.states import State
from machines.telling import intent_of, tell

UNTIL_HELP = (
    "Stop at the first row by which an object, or a part of it, comes to a phase: "
    "mw/ml-team/warm=Succeeded, mw/ml-team/warm@gpu-07=Failed (a node), mc/ml-team/qwen@east=Ready "
    "(a cluster). A ModelCache's, a ModelReplica's own phase is the REASON that `replay` shows."
)

_DIGITS = 6  # of a position: those of longer logs stand out


class Goal(NamedTuple):
    """The phase that is waited for."""

    reference: Reference
    part: str
    phase: str

    def __str__(self) -> str:
        """Give what is to come to it."""
        return f"{self.reference}@{self.part}" if self.part else str(self.reference)


def parse_goal(text: str) -> Goal:
    """Read what stands after `--until-phase`. Raises Misuse."""
    named, equals, phase = text.rpartition("=")
    reference, _, part = named.partition("@")
    if not equals or not phase.strip():
        raise Misuse(f"--until-phase {text!r} is not REF=PHASE, as in mw/ml-team/warm=Succeeded.")
    return Goal(parse_reference(reference), part.strip(), phase.strip())


class GoalSeeker:
    """Says at which row a phase is reached, and in which phases it was before."""

    def __init__(self, goal: Goal) -> None:
        """Begin before the first row."""
        self.goal = goal
        self.reached = False
        self.phases: dict[str, None] = {}  # those that it was in so far
        self._changes = PhaseChanges()

    def look(self, state: State, event: Event) -> bool:
        """Take in a row that was just folded; say whether it is the one."""
        for change in self._changes.note(event, state):
            if (change.subject[:3], change.part) == (self.goal.reference, self.goal.part):
                self.phases[change.after] = None
                self.reached = self.reached or change.after == self.goal.phase
        WARMLOG.rest(state)
        return self.reached


class StepPrinter:
    """Prints each row as it is folded, or those that are about one object or change it."""

    def __init__(self, wanted: Reference | None, cluster: str | None, output: TableFormat) -> None:
        """Print as `output` says; YAML is for documents that are whole. Raises Misuse."""
        if output is TableFormat.YAML:
            raise Misuse("--step prints row by row: -o table or -o json.")
        self._wanted = wanted
        self._cluster = cluster
        self._page = Page() if output is TableFormat.TABLE else None
        self._changes = PhaseChanges()
        self._intents: dict[int, Intent] = {}
        self._home = ""  # the cluster that need not be named

    def look(self, state: State, event: Event) -> bool:
        """Take in a row that was just folded, and print it; the end is not here."""
        changes = [each for each in self._changes.note(event, state) if self._is_wanted(each)]
        WARMLOG.rest(state)
        if event.type in INTENT_BY_TYPE:
            self._intents[event.seq] = intent_of(event)
        words = tell(event, self._intents.get(event.cause or 0))
        if event.cause is not None and not WARMLOG.is_decision(event.type):
            self._forget(event)
        if changes or self._is_about(event):
            self._print(event, words, changes)
        return False

    def _forget(self, event: Event) -> None:
        """Let go of an intent that is answered, but for an answer that is not the last."""
        if event.type != "IntentUnknown":
            self._intents.pop(event.cause or 0, None)

    def _is_wanted(self, change: PhaseChange) -> bool:
        here = self._cluster in {None, change.cluster}
        return here and (self._wanted is None or change.subject[:3] == self._wanted)

    def _is_about(self, event: Event) -> bool:
        here = self._cluster in {None, event.cluster, ""}
        about = self._wanted is None or Subject.parse(event.subject)[:3] == self._wanted
        return here and about

    def _print(self, event: Event, words: str, changes: list[PhaseChange]) -> None:
        if self._page is None:
            print_json(_step_json(event, words, changes))
            return
        place = f"{event.seq}  {clock(event.at)}  "
        self._home = self._home or event.cluster
        there = f" ({event.cluster})" if event.cluster not in {"", self._home} else ""
        self._page.line(f"{place}{words}{there}", indent=_DIGITS - len(str(event.seq)))
        for change in changes:
            told = _change_words(change)
            self._page.line(told, STYLES.get(change.after, ""), indent=_DIGITS + len(clock(0)) + 4)


def _change_words(change: PhaseChange) -> str:
    thing = Reference(*change.subject[:3])
    part = f" {change.part}" if change.part != WHOLE else ""
    came = f"{change.before} → {change.after}" if change.before else f"→ {change.after}"
    return f"{thing}{part}: {came}"


def _step_json(event: Event, words: str, changes: list[PhaseChange]) -> dict[str, Any]:
    return {
        "position": event.seq,
        "at": event.at,
        "cluster": event.cluster,
        "subject": event.subject,
        "type": event.type,
        "data": loads(event.data),
        "cause": event.cause,
        "words": words,
        "changes": [_change_json(each) for each in changes],
    }


def _change_json(change: PhaseChange) -> dict[str, Any]:
    kind, namespace, name, uid = change.subject
    return {
        "cluster": change.cluster, "kind": kind, "namespace": namespace, "name": name, "uid": uid,
        "part": change.part or None, "before": change.before or None,
        "after": None if change.after == GONE else change.after,
    }  # fmt: skip
