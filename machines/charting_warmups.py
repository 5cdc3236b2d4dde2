"""Charting ModelWarmups: a lane for the whole, and one for each node."""

from machines.charting_parts import Book, add_causes, add_dropped, end
from machines.explaining import (
    WAITING_FOR_SLOT,
    explain_node,
    explain_whole,
    ignored_words,
    turn_words,
)
from machines.histories import History
from machines.messages import cause_text
from machines.node_jobs import NODE_JOBS, NodeJobState
from machines.phases import TARGET_PHASE, WARMUP_PHASE
from machines.states import State, Target, Warmup
from machines.timelines import LEFT, Lane, Place, Said, Span, Tone, Turn
from machines.warmups import WARMUPS, WarmupState

WARMUP_TONES = {
    WarmupState.PENDING: Tone.WAITING,
    WarmupState.HYDRATING: Tone.WORKING,
    WarmupState.READY: Tone.DONE,
    WarmupState.DEGRADED: Tone.DEGRADED,
    WarmupState.FAILED: Tone.FAILED,
}
NODE_TONES = {
    NodeJobState.PENDING: Tone.WAITING,
    NodeJobState.HYDRATING: Tone.WORKING,
    NodeJobState.READY: Tone.DONE,
    NodeJobState.FAILED: Tone.FAILED,
}


class ChartedWarmup:
    """A ModelWarmup, with a lane for each node.

    A node is said anew when a row is about it. What its words have to do with other nodes is whose
    turn it is, which the lane of the whole holds for all that wait for theirs.
    """

    def __init__(self, book: Book, history: History) -> None:
        """Keep the lanes of the object that `history` is of."""
        self._book, self._history = book, history
        self._place = Place(history.cluster, history.subject, machine=WARMUPS.name)
        self._lane = book.open(self._place)
        self._nodes: dict[str, Lane] = {}  # by the node's name
        self._fresh: dict[str, bool] = {}  # keys of which something is to be said

    @property
    def is_over(self) -> bool:
        """Say whether it is gone."""
        return self._history.gone is not None

    def note(self, position: int, state: State) -> None:
        """Take in the row at a position, which `state` and the history hold."""
        history = self._history
        add_causes(self._lane, history.lines, position)
        warmup = state.warmups.get(history.subject.uid)
        if self.is_over or warmup is None or warmup.gone:
            end((self._lane, *self._nodes.values()), position)
            return
        phase, tone = WARMUP_PHASE[warmup.state], WARMUP_TONES[warmup.state]
        self._lane.become(Span(position, warmup.state.value, phase, "", tone))
        # A row about no node may be about each whose create is open: a session that starts.
        for key in history.told or warmup.creating:
            self._note_node(position, key, warmup.targets.get(key))
        for target in history.dropped:
            self._drop(position, target, warmup)
        self._note_ignored(warmup)

    def say(self, state: State) -> None:
        """Note what is said of it now, and of those nodes that changed."""
        warmup = state.warmups.get(self._history.subject.uid)
        if self.is_over or warmup is None or warmup.gone:
            return
        at = state.position
        told = explain_whole(state, warmup, self._history)
        self._lane.say(Said(at, told.headline, told.notes, (), told.waits_for, told.advice))
        turn = ""
        if self._history.crowds.holds(WAITING_FOR_SLOT):
            turn = turn_words(warmup)
            self._lane.take_turns(Turn(at, turn))
        for key in self._fresh:
            target = warmup.targets.get(key)
            if target is not None and target.state is not NodeJobState.WITHDRAWN:
                self._say_node(state, warmup, target, turn)
        self._fresh.clear()

    def _note_node(self, position: int, key: str, target: Target | None) -> None:
        if target is None:
            return
        self._fresh[key] = True
        lane = self._nodes.get(target.node_name)
        if lane is None:
            place = self._place._replace(part=target.node_name, machine=NODE_JOBS.name)
            lane = self._nodes[target.node_name] = self._book.open(place, self._lane)
        lane.become(_span(position, target))
        add_causes(lane, self._history.nodes.get(key, []), position)

    def _drop(self, position: int, dropped: Target, warmup: Warmup) -> None:
        name = dropped.node_name
        if all(target.node_name != name for target in warmup.targets.values()):
            self._nodes[name].become(Span(position, "", LEFT, "", Tone.OVER))

    def _note_ignored(self, warmup: Warmup) -> None:
        if not warmup.ignored:
            return
        add_dropped(self._lane, ((one.seq, ignored_words(one)) for one in warmup.ignored))

    def _say_node(self, state: State, warmup: Warmup, target: Target, turn: str) -> None:
        told = explain_node(state, warmup, target, self._history)
        in_turn = bool(turn) and told.waits_for == turn
        waits = (told.waits_for,) if told.waits_for and not in_turn else ()
        advice = (told.advice,) if told.advice else ()
        words = cause_text(told.view.words)
        said = Said(state.position, words, (), (), waits, advice, turn=in_turn)
        self._nodes[target.node_name].say(said)


def _span(position: int, target: Target) -> Span:
    if target.state is NodeJobState.WITHDRAWN:
        return Span(position, target.state.value, LEFT, "", Tone.OVER)
    phase, tone = TARGET_PHASE[target.state], NODE_TONES[target.state]
    return Span(position, target.state.value, phase, target.words.reason, tone)
