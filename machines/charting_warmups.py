"""Charting ModelWarmups: a lane for the whole, and one for each node."""

from machines.charting_parts import Book, add_causes, add_dropped, end
from machines.explaining import explain_node, explain_whole, ignored_words
from machines.histories import History
from machines.messages import cause_text
from machines.node_jobs import NODE_JOBS, NodeJobState
from machines.phases import TARGET_PHASE, WARMUP_PHASE
from machines.states import State, Target, Warmup
from machines.timelines import LEFT, Lane, Place, Said, Span, Tone
from machines.warmups import WARMUPS, WarmupState

AT_ONCE = 32  # so many nodes may have a warmup whose words are told anew at each row
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

    Of one with many nodes the whole is said anew only once as many rows as one in `AT_ONCE` of its
    nodes touched it, or its phase changed: what is said of a thousand nodes costs a thousand looks.
    """

    def __init__(self, book: Book, history: History) -> None:
        """Keep the lanes of the object that `history` is of."""
        self._book, self._history = book, history
        self._place = Place(history.cluster, history.subject, machine=WARMUPS.name)
        self._lane = book.open(self._place)
        self._nodes: dict[str, Lane] = {}  # by the node's name
        self._names: dict[str, str] = {}  # by the target's key
        self._fresh: dict[str, bool] = {}  # keys of which something is to be said
        self._unsaid = 0  # rows that touched it since the whole was said

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
        self._unsaid += 1
        phase, tone = WARMUP_PHASE[warmup.state], WARMUP_TONES[warmup.state]
        if self._lane.become(Span(position, warmup.state.value, phase, "", tone)):
            self._unsaid = len(warmup.targets)
        for key in history.told:
            self._note_node(position, key, warmup.targets.get(key))
        for key in self._names.keys() - warmup.targets.keys():
            self._drop(position, key, warmup)
        self._note_ignored(warmup)

    def say(self, state: State, *, all_parts: bool) -> None:
        """Note what is said of it now, and of those nodes that changed or of all."""
        warmup = state.warmups.get(self._history.subject.uid)
        if self.is_over or warmup is None or warmup.gone:
            return
        if all_parts or self._unsaid * AT_ONCE >= len(warmup.targets):
            self._unsaid = 0
            told = explain_whole(state, warmup, self._history)
            said = Said(state.position, told.headline, told.notes, (), told.waits_for, told.advice)
            self._lane.say(said)
        everything = all_parts and len(warmup.targets) <= AT_ONCE
        for key in warmup.targets if everything else self._fresh:
            target = warmup.targets.get(key)
            if target is not None and target.state is not NodeJobState.WITHDRAWN:
                self._say_node(state, warmup, target)
        self._fresh.clear()

    def _note_node(self, position: int, key: str, target: Target | None) -> None:
        if target is None:
            return
        self._names[key] = target.node_name
        self._fresh[key] = True
        lane = self._nodes.get(target.node_name)
        if lane is None:
            place = self._place._replace(part=target.node_name, machine=NODE_JOBS.name)
            lane = self._nodes[target.node_name] = self._book.open(place, self._lane)
        lane.become(_span(position, target))
        add_causes(lane, self._history.nodes.get(key, []), position)

    def _drop(self, position: int, key: str, warmup: Warmup) -> None:
        name = self._names.pop(key)
        if all(target.node_name != name for target in warmup.targets.values()):
            self._nodes[name].become(Span(position, "", LEFT, "", Tone.OVER))

    def _note_ignored(self, warmup: Warmup) -> None:
        if not warmup.ignored:
            return
        add_dropped(self._lane, ((one.seq, ignored_words(one)) for one in warmup.ignored))

    def _say_node(self, state: State, warmup: Warmup, target: Target) -> None:
        told = explain_node(state, warmup, target, self._history)
        waits = (told.waits_for,) if told.waits_for else ()
        advice = (told.advice,) if told.advice else ()
        said = Said(state.position, cause_text(told.view.words), (), (), waits, advice)
        self._nodes[target.node_name].say(said)


def _span(position: int, target: Target) -> Span:
    if target.state is NodeJobState.WITHDRAWN:
        return Span(position, target.state.value, LEFT, "", Tone.OVER)
    phase, tone = TARGET_PHASE[target.state], NODE_TONES[target.state]
    return Span(position, target.state.value, phase, target.words.reason, tone)
