"""Steps: a log's rows one by one, each with what it changed of any object.

For people one line for a row and one below it for each change; with -o json a document for each
row, one a line.
"""

from typing import Any, NamedTuple

from adapters.cli.printing import STYLES, Page, TableFormat, print_json
from adapters.cli.problems import Misuse
from adapters.cli.rows import BELOW_ROW, print_row
from adapters.explaining.references import Reference, parse_reference
from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.courses import GONE, LEFT, New, Recorder
from machines.domain import WARMLOG
from machines.intents import INTENT_BY_TYPE, Intent
from machines.states import State
from machines.telling import intent_of, tell

UNTIL_HELP = (
    "Stop at the first row by which an object, or a part of it, comes to a phase: "
    "mw/ml-team/warm=Succeeded, mw/ml-team/warm@gpu-07=Failed (a node), mc/ml-team/qwen@east=Ready "
    "(a cluster). Of a ModelReplica Waiting, Deploying and Serving count, and of whatever has "
    "conditions the reason of each that says whether it is ready, as in `replay`."
)


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
        self._recorder = Recorder()
        self._aspects = _aspects(goal)

    def look(self, state: State, event: Event) -> bool:
        """Take in a row that was just folded; say whether it is the one."""
        for new in self._recorder.take(state, event):
            if new.place[1] == "/".join(self.goal.reference) and new.aspect in self._aspects:
                phase = new.step.value.partition(":")[0]
                self.phases[phase] = None
                self.reached = self.reached or phase == self.goal.phase
        WARMLOG.rest(state)
        return self.reached


def _aspects(goal: Goal) -> frozenset[str]:
    """Give the aspects in which the phase may be found: of a part, or of the whole."""
    if goal.part:
        return frozenset({f"node {goal.part}", f"cluster {goal.part}"})
    return frozenset({
        "phase", "stage", "condition Ready", "condition ModelReady", "condition ModelAccepted",
        "condition Reachable",
    })  # fmt: skip


class _Change(NamedTuple):
    """What a row changed of an object."""

    cluster: str
    name: str  # kind/namespace/name
    uid: str
    aspect: str
    before: str  # "" when there was nothing
    after: str


class StepPrinter:
    """Prints each row as it is folded, or those that are about one object or change it."""

    def __init__(self, wanted: Reference | None, cluster: str | None, output: TableFormat) -> None:
        """Print as `output` says; YAML is for documents that are whole. Raises Misuse."""
        if output is TableFormat.YAML:
            raise Misuse("--step prints row by row: -o table or -o json.")
        self._wanted = wanted
        self._cluster = cluster
        self._page = Page() if output is TableFormat.TABLE else None
        self._recorder = Recorder()
        self._intents: dict[int, Intent] = {}
        self._home = ""  # the cluster that need not be named

    def look(self, state: State, event: Event) -> bool:
        """Take in a row that was just folded, and print it; the end is not here."""
        made = self._recorder.take(state, event)
        changes = [self._change(new) for new in made if self._is_wanted(new)]
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

    def _is_wanted(self, new: New) -> bool:
        cluster, name = new.place
        here = self._cluster in {None, cluster}
        return here and (self._wanted is None or name == "/".join(self._wanted))

    def _change(self, new: New) -> _Change:
        return _Change(*new.place, new.uid, new.aspect, self._recorder.before(new), new.step.value)

    def _is_about(self, event: Event) -> bool:
        here = self._cluster in {None, event.cluster, ""}
        about = self._wanted is None or Subject.parse(event.subject)[:3] == self._wanted
        return here and about

    def _print(self, event: Event, words: str, changes: list[_Change]) -> None:
        if self._page is None:
            print_json(_step_json(event, words, changes))
            return
        self._home = self._home or event.cluster
        there = f" ({event.cluster})" if event.cluster not in {"", self._home} else ""
        print_row(self._page, event.seq, event.at, f"{words}{there}")
        for change in changes:
            told = _change_words(change)
            style = STYLES.get(change.after.partition(":")[0], "")
            self._page.line(told, style, indent=BELOW_ROW)


def _change_words(change: _Change) -> str:
    name = Reference(*change.name.split("/"))
    came = f"{change.before} → {change.after}" if change.before else f"→ {change.after}"
    return f"{name} {change.aspect}: {came}"


def _step_json(event: Event, words: str, changes: list[_Change]) -> dict[str, Any]:
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


def _change_json(change: _Change) -> dict[str, Any]:
    kind, namespace, name = change.name.split("/")
    return {
        "cluster": change.cluster, "kind": kind, "namespace": namespace, "name": name,
        "uid": change.uid, "aspect": change.aspect, "before": change.before or None,
        "after": None if change.after in {GONE, LEFT} else change.after,
    }  # fmt: skip
