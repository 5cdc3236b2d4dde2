"""Explaining: why an object is in its phase, what it waits for, and what a person can do.

A pure function of the folded state and of the history that was collected on the way.
"""

from heapq import nsmallest
from typing import Any, NamedTuple

from engine.events import Subject
from engine.instants import rfc3339
from machines.advising import (
    CORDONED,
    NO_POOL,
    NOT_LOOKED_FOR,
    NOTHING_TO_DO,
    UNCORDONED,
    advice,
    nearest,
)
from machines.annotations import ignored_annotations
from machines.crowds import CALM, in_trouble, words_of
from machines.histories import History, Line, Whole
from machines.labels import ENABLED
from machines.levels import NodeLevel
from machines.messages import cause_text
from machines.node_jobs import NODE_JOBS, OUTCOMES, NodeJobState, NodeJobTrigger
from machines.progressing import is_unresolved
from machines.reviewing import nodes_outside
from machines.selecting import shunning
from machines.states import WARMUP_KINDS, Ignored, State, Target, Warmup, Words
from machines.statuses import shown_whole
from machines.warmups import TERMINAL, WarmupState

_ORDER = {
    NodeJobState.FAILED: 0, NodeJobState.HYDRATING: 1, NodeJobState.PENDING: 2,
    NodeJobState.READY: 3,
}  # fmt: skip
WAITING_FOR_SLOT = "WaitingForSlot"
_NAMED = 3  # names in a sentence
_LISTED = 20  # names in a list of those that wait or need somebody
_CALM_AS_A_WHOLE = CALM - {"Suspended"}  # it does not go on by itself


class NodeView(NamedTuple):
    """One target as people see it. `since` is UTC nanoseconds of its last change."""

    key: str
    name: str
    state: NodeJobState
    words: Words
    since: int
    job: str


class SkippedNode(NamedTuple):
    """A node that a selector matches outside the boundary, and why it is kept out."""

    name: str
    why: str


class NodeExplanation(NamedTuple):
    """One node that is not Ready: what it waits for or why it failed, and how it came to that."""

    view: NodeView
    since: int  # when it came to its state
    waits_for: str  # "" once it has failed
    advice: str
    chain: tuple[Line, ...]


class Explanation(NamedTuple):
    """Everything that `warmlog explain` has to say of one object."""

    cluster: str
    subject: Subject
    phase: str
    since: Line | None  # None when it came to its phase before this log knew it
    headline: str
    counts: dict[str, int]
    notes: tuple[str, ...]  # what makes all the rest less certain, or of no use
    waits_for: tuple[str, ...]
    advice: tuple[str, ...]
    nodes: tuple[NodeExplanation, ...]
    skipped: tuple[SkippedNode, ...]
    causes: tuple[Line, ...]
    ignored: tuple[Ignored, ...]


def explain(
    state: State, warmup: Warmup, history: History, *, only: str | None = None
) -> Explanation:
    """Explain one ModelWarmup, node by node those that are not Ready, or `only` the one named."""
    views = [
        node_view(warmup, target)
        for target in (_unready(warmup) if only is None else warmup.targets.values())
        if target.state in _ORDER and only in {None, target.node_name}
    ]
    nodes = tuple(_explained(state, warmup, view, history) for view in views)
    skipped = skipped_nodes(state, warmup)
    return explain_whole(state, warmup, history)._replace(
        nodes=nodes, skipped=tuple(each for each in skipped if only in {None, each.name})
    )


def explain_whole(state: State, warmup: Warmup, history: History) -> Explanation:
    """Explain one ModelWarmup as a whole, without a word of any node alone."""
    whole = _whole(state, warmup, history)
    status = whole.status
    return Explanation(
        cluster=warmup.cluster,
        subject=warmup.subject,
        phase=status["phase"],
        since=history.since if warmup.recovered is None else None,
        headline=status_headline(status) + _unlisted_words(state, warmup),
        counts={
            name: status[f"{name}Nodes"]
            for name in ("desired", "active", "succeeded", "failed", "skipped")
        },
        notes=whole.notes,
        waits_for=whole.waits_for,
        advice=whole.advice,
        nodes=(),
        skipped=(),
        causes=tuple(history.lines),
        ignored=warmup.ignored,
    )


def explain_node(state: State, warmup: Warmup, target: Target, history: History) -> NodeExplanation:
    """Explain one node of a ModelWarmup."""
    return _explained(state, warmup, node_view(warmup, target), history)


def _whole(state: State, warmup: Warmup, history: History) -> Whole:
    """Say what there is to say of the whole, once a row: a row may move a thousand nodes.

    A status says which row changed it last; while that is the same row, so is the status.
    """
    if history.whole is None or history.whole[0] != state.position:
        known = history.whole[1].status if history.whole is not None else None
        same = known is not None and known["warmlog"]["position"] == warmup.position
        status = known if known is not None and same else shown_whole(state, warmup)
        waits_for = _waits_for(state, warmup, history)
        told = _notes(state, warmup), waits_for, _advice(warmup, status, history)
        history.whole = state.position, Whole(status, *told)
    return history.whole[1]


def node_views(warmup: Warmup) -> list[NodeView]:
    """Give every target that counts: failed, running, pending, ready, each by name."""
    shown = [target for target in warmup.targets.values() if target.state in _ORDER]
    shown.sort(key=lambda target: (_ORDER[target.state], target.node_name, target.key))
    return [node_view(warmup, target) for target in shown]


def node_view(warmup: Warmup, target: Target) -> NodeView:
    """Give one target; a create that is under way is said before anything else."""
    words = words_of(warmup, target)
    return NodeView(
        target.key, target.node_name, target.state, words, target.changed_at, target.job_name
    )


def _unready(warmup: Warmup) -> list[Target]:
    """Give the targets that are not Ready: failed, running, pending, each by name."""
    return [warmup.targets[key] for _, _, key in warmup.listed]


def is_troubled(view: NodeView) -> bool:
    """Say whether a node needs somebody: it failed, or waits for more than its turn."""
    return in_trouble(view.state, view.words)


def skipped_nodes(state: State, warmup: Warmup) -> tuple[SkippedNode, ...]:
    """Give the nodes that are matched outside the boundary, by name, each with its reason."""
    found = nodes_outside(state.clusters[warmup.cluster], warmup)
    return tuple(SkippedNode(name, why) for name, _, why in found)


def status_headline(status: dict[str, Any]) -> str:
    """Give the words of a status that tell most: how it ended, or how far it is."""
    words = {row["type"]: row for row in status["conditions"]}
    wanted = "Finished" if words["Finished"]["status"] == "True" else "Progressing"
    message: str = words[wanted]["message"] or words[wanted]["reason"]
    return message


def ignored_words(ignored: Ignored) -> str:
    """Say which trigger a node's machine did not take, and why."""
    state = NodeJobState(ignored.state)
    if state in OUTCOMES:
        why = "an outcome sticks"
    else:
        legal = ", ".join(each.value for each in NODE_JOBS.legal_triggers(state))
        why = f"in that state only these mean something: {legal}"
    what = NodeJobTrigger(ignored.trigger).value.replace("_", " ")
    return f"{ignored.about}: {what} while {state.value} was ignored, since {why}"


def _explained(state: State, warmup: Warmup, view: NodeView, history: History) -> NodeExplanation:
    view = view._replace(job=view.job or history.jobs.get(view.key, ""))
    told = "" if view.state is NodeJobState.READY else _node_advice(state, warmup, view, history)
    return NodeExplanation(
        view,
        history.moved_at(view.key, view.since),
        "" if view.state in OUTCOMES else _node_waits_for(state, warmup, view),
        told,
        tuple(history.nodes.get(view.key, ())),
    )


def _node_advice(state: State, warmup: Warmup, view: NodeView, history: History) -> str:
    subject, job = warmup.subject, view.job or history.jobs.get(view.key, "")
    reason = nearest(view.words)
    known = state.clusters[warmup.cluster].objects["Node"].get(view.key)
    # What a scheduler says of a cordon stands until it tries again, which may take minutes.
    level = known.level if known else None
    if reason == CORDONED and isinstance(level, NodeLevel) and not shunning(level):
        reason = UNCORDONED
    return advice(reason, namespace=subject.namespace, name=subject.name, node=view.name, job=job)


def _node_waits_for(state: State, warmup: Warmup, view: NodeView) -> str:
    seq = warmup.creating.get(view.key)
    opened = state.open.get(seq or 0)
    if opened is not None:
        doubt = "; no answer came, so it is looked up" if opened.uncertain else ""
        return f"the API server's answer to the create of its Job (position {opened.seq}){doubt}"
    if view.words.reason == WAITING_FOR_SLOT:
        return turn_words(warmup)
    if view.words.reason == "JobRunning":
        return "; ".join(filter(None, (f"Job {view.job} to end", view.words.message)))
    return cause_text(view.words)


def turn_words(warmup: Warmup) -> str:
    """Say what those nodes wait for that wait for their turn: it is the same for all of them."""
    held = [warmup.targets[key].node_name for key in warmup.slots if key in warmup.targets]
    some = _some(nsmallest(_NAMED, held), len(held))
    return f"a free slot: {some} {'has' if len(held) == 1 else 'have'} a Job now"


def _notes(state: State, warmup: Warmup) -> tuple[str, ...]:
    cluster = state.clusters[warmup.cluster]
    notes = []
    if warmup.gone:
        notes.append("the object is deleted; what it left is being cleaned up")
    if not cluster.reachable:
        notes.append(
            f"cluster {cluster.name} does not answer ({cluster.words or 'no words'}): "
            "all this is what was known last"
        )
    missing = _unlisted(state, warmup)
    if missing:
        notes.append(
            f"not yet listed since the last start: {', '.join(missing)}; "
            "nothing is decided before every kind is"
        )
    if warmup.spec_changed:
        notes.append("the spec was edited after it was accepted: the edit is not acted on")
    if warmup.spec is not None and warmup.spec.capped:
        notes.append(f"policies are capped: {'; '.join(warmup.spec.capped)}")
    if ignored := ignored_annotations(warmup.level.annotations):
        notes.append(ignored)
    if warmup.contested_by:
        notes.append(f"{warmup.contested_by} keeps writing its status, which is warmlog's")
    if warmup.recovered is not None:
        when = f" at {warmup.recovered.completed_at}" if warmup.recovered.completed_at else ""
        notes.append(f"it ended{when}, under another log: only its status tells how")
    return tuple(notes)


def _unlisted(state: State, warmup: Warmup) -> list[str]:
    synced = state.clusters[warmup.cluster].synced
    return [kind for kind in WARMUP_KINDS if kind not in synced]


def _unlisted_words(state: State, warmup: Warmup) -> str:
    """Name the kinds for want of which nothing was ever looked for, after words that say so."""
    missing = _unlisted(state, warmup) if is_unresolved(warmup) else []
    return f" ({', '.join(missing)})" if missing else ""


def _waits_for(state: State, warmup: Warmup, history: History) -> tuple[str, ...]:
    if warmup.state in TERMINAL:
        return _leftovers(state, warmup)
    if warmup.blocked:
        return (warmup.blocked,)
    if warmup.resolving:
        return (f"a last look at all nodes (position {warmup.resolving})",)
    if warmup.resolve_at:
        return (f"the next try of a last look at all nodes, at {rfc3339(warmup.resolve_at)}",)
    if is_unresolved(warmup) and (missing := _unlisted(state, warmup)):
        return (f"lists of {', '.join(missing)}",)
    waits = [
        f"{_some(one.names, one.size)} ({one.state.value}: {one.reason or 'on its way'})"
        for one in history.crowds.waiting(_LISTED)
    ]
    return tuple(waits) or ("a node that spec.targets asks for and the pool allows",)


def _leftovers(state: State, warmup: Warmup) -> tuple[str, ...]:
    """Say what is still to be done for an object that has ended."""
    if not warmup.stored:
        return ("the API server to take the final status",)
    uid = warmup.subject.uid
    left = [opened.owner.uid for opened in state.open.values()].count(uid)
    left += len(warmup.unwanted) + len(warmup.unstamped)
    return (f"the clean-up of {left} Job{'s' if left != 1 else ''}",) if left else ()


def _advice(warmup: Warmup, status: dict[str, Any], history: History) -> tuple[str, ...]:
    """Say what to do about the whole; what to do about a node stands beside the node."""
    rows = {row["type"]: row for row in status["conditions"]}
    subject = warmup.subject
    reasons = [rows["Valid"]["reason"]] if rows["Valid"]["status"] == "False" else []
    if warmup.state in (WarmupState.FAILED, WarmupState.DEGRADED):
        reasons.append(rows["Finished"]["reason"])
    elif warmup.state is not WarmupState.READY:
        reason = rows["Progressing"]["reason"]
        no_pool = reason == "NoTargetsResolved" and not warmup.pooled
        reason = NO_POOL if no_pool else reason
        reasons.append(NOT_LOOKED_FOR if is_unresolved(warmup) else reason)
    told = [
        advice(reason, namespace=subject.namespace, name=subject.name)
        for reason in dict.fromkeys(reasons)
        if reason not in _CALM_AS_A_WHOLE
    ]
    if status["skippedNodes"] and not status["desiredNodes"] and warmup.pooled:
        told.append(f"label the skipped nodes if they should be warmed ({ENABLED}=true, the pool)")
    beside = [
        advice(reason, namespace=subject.namespace, name=subject.name)
        for reason in _reasons_beside(warmup, rows)
    ]
    if told or warmup.state in TERMINAL:
        return (*told, *beside)
    names, count = history.crowds.troubled(_LISTED)
    if names:
        beside.insert(0, f"see to {_some(names, count)}, below")
    return tuple(beside) or (NOTHING_TO_DO,)


def _reasons_beside(warmup: Warmup, rows: dict[str, dict[str, Any]]) -> list[str]:
    """Give what somebody should see to, though no node waits for it."""
    is_contested = rows.get("Contested", {}).get("status") == "True"
    is_ignored = rows["Valid"]["reason"] == "AnnotationIgnored" and warmup.state not in TERMINAL
    return ["StatusEdited"] * is_contested + ["AnnotationIgnored"] * is_ignored


def _some(names: list[str], count: int) -> str:
    """Name the first of so many."""
    more = f" and {count - len(names)} more" if count > len(names) else ""
    return ", ".join(names) + more
