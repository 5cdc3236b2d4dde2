"""How explanations of ModelWarmups are told: short first, detail after; or as JSON."""

from typing import Any

from adapters.explaining.chains import line_json, tell_chain
from adapters.explaining.passages import NOTE, TITLE, Passage, Sheet, Table
from adapters.explaining.places import Place, tell_place
from adapters.texts import clock, counted, moment, names
from engine.instants import rfc3339
from machines.explaining import Explanation, NodeExplanation, ignored_words, is_troubled
from machines.messages import cause_text
from machines.node_jobs import NodeJobState

_SHOWN_CHAINS = 3  # nodes whose whole way is shown, in text
_SHOWN_GROUPS = 10
_NAMED = 20  # nodes of one group


class Narrator:
    """Tells one explanation for people: short first, detail after."""

    def __init__(self, sheet: Sheet, told: Explanation, place: Place) -> None:
        """Tell it onto `sheet`, as seen from `place`."""
        self._sheet = sheet
        self._told = told
        self._place = place
        self._groups = _groups(told.nodes)

    def summarise(self) -> None:
        """Tell the phase, since when, and what to do."""
        told, sheet, subject = self._told, self._sheet, self._told.subject
        since = ""
        if told.since is not None:
            since = f" since {moment(told.since.at)}{self._place.ago(told.since.at)}"
        sheet.line(
            f"{subject.kind} {subject.namespace}/{subject.name} is {told.phase}{since}",
            role=told.phase,
        )
        sheet.line(told.headline, indent=2)
        for note in told.notes:
            sheet.line(f"Mind: {note}", role=NOTE, indent=2)
        if not any(node.waits_for for node in told.nodes):  # else each says so itself
            for words in told.waits_for:
                sheet.line(f"Waits for: {words}", indent=2)
        for words in told.advice:
            sheet.line(f"Do: {words}", indent=2)

    def tell_nodes(self) -> None:
        """Tell each cause once, with the nodes that have it."""
        for group in self._groups[:_SHOWN_GROUPS]:
            self._tell_group(group)
        left = sum(len(group) for group in self._groups[_SHOWN_GROUPS:])
        if left:
            self._sheet.line()
            self._sheet.line(f"{counted(left, 'more node')} with other causes: -o json has them")

    def tell_skipped(self) -> None:
        """Tell the nodes outside the boundary."""
        skipped = self._told.skipped
        if not skipped:
            return
        self._sheet.line()
        self._sheet.line("Skipped, for they are outside the boundary", role=TITLE)
        rows = [[each.name, each.why] for each in skipped[:_SHOWN_GROUPS]]
        self._sheet.table(["", ""], rows, indent=2)
        if len(skipped) > _SHOWN_GROUPS:
            self._sheet.line(f"and {len(skipped) - _SHOWN_GROUPS} more", indent=2)

    def tell_ways(self) -> None:
        """Tell how the whole came to this, and how one node of each troubled group did."""
        tell_chain(self._sheet, "How it came to this", self._told.causes)
        troubled = [group[0] for group in self._groups if is_troubled(group[0].view)]
        for node in troubled[:_SHOWN_CHAINS]:
            self.tell_way(node)

    def tell_way(self, node: NodeExplanation, *, whole: bool = False) -> None:
        """Tell how one node came to its state; its Job's long name is said once."""
        job = node.view.job
        title = f"How {node.view.name} came to this"
        chain = node.chain
        if job:
            title += f" (… is Job {job})"
            chain = tuple(line._replace(words=line.words.replace(job, "…")) for line in chain)
        rest = f"--node {node.view.name}"
        tell_chain(self._sheet, title, chain, whole=whole, rest=rest)

    def tell_ignored(self) -> None:
        """Tell what the machines did not take."""
        if not self._told.ignored:
            return
        self._sheet.line()
        self._sheet.line("Ignored", role=TITLE)
        rows = [[str(each.seq), clock(each.at), ignored_words(each)] for each in self._told.ignored]
        self._sheet.table(["", "", ""], rows, indent=2)

    def _tell_group(self, group: list[NodeExplanation]) -> None:
        first, sheet = group[0], self._sheet
        view = first.view
        state = view.state.value
        sheet.line()
        who = names([node.view.name for node in group], _NAMED)
        sheet.line(f"{who}: {state} since {self._since(group)}", role=state)
        words = cause_text(view.words)
        if words:
            sheet.line(words, indent=2)
        if first.waits_for and first.waits_for not in words:
            sheet.line(f"Waits for: {first.waits_for}", indent=2)
        if first.chain and view.state is NodeJobState.HYDRATING and not is_troubled(view):
            last = first.chain[-1]
            told = last.words.replace(view.job, "…") if view.job else last.words
            sheet.line(f"Last of {view.name}: {told}, {clock(last.at)}", indent=2)
        if first.advice and is_troubled(view):
            sheet.line(f"Do: {first.advice}", indent=2)

    def _since(self, group: list[NodeExplanation]) -> str:
        """Say since when a group is in its state: the earliest and the latest of its nodes."""
        earliest, latest = (pick(node.since for node in group) for pick in (min, max))
        if clock(earliest) == clock(latest):
            return f"{clock(earliest)}{self._place.ago(earliest)}"
        return f"{clock(earliest)}–{clock(latest)}"


def tell_warmup(
    told: Explanation, place: Place, *, only: str | None = None
) -> tuple[Passage | Table, ...]:
    """Tell why a ModelWarmup is as it is; of `only` one node its whole way."""
    sheet = Sheet()
    narrator = Narrator(sheet, told, place)
    narrator.summarise()
    narrator.tell_nodes()
    narrator.tell_skipped()
    if only is None:
        narrator.tell_ways()
        narrator.tell_ignored()
    else:
        for node in told.nodes:
            narrator.tell_way(node, whole=True)
    tell_place(sheet, place, told.cluster)
    return sheet.passages


def warmup_json(told: Explanation, place: Place) -> dict[str, Any]:
    """Give the explanation of a ModelWarmup as plain JSON values."""
    return {
        **place.head(told.cluster, told.subject),
        "phase": told.phase,
        "since": rfc3339(told.since.at) if told.since else None,
        "sincePosition": told.since.position if told.since else None,
        "summary": told.headline,
        "counts": told.counts,
        "notes": list(told.notes),
        "waitsFor": list(told.waits_for),
        "do": list(told.advice),
        "nodes": [_node_json(node) for node in told.nodes],
        "skipped": [each._asdict() for each in told.skipped],
        "causes": [line_json(line) for line in told.causes],
        "ignored": [
            {"position": each.seq, "at": rfc3339(each.at), "words": ignored_words(each)}
            for each in told.ignored
        ],
    }


def _node_json(node: NodeExplanation) -> dict[str, Any]:
    view = node.view
    return {
        "node": view.name,
        "key": view.key,
        "state": view.state.value,
        "since": rfc3339(node.since),
        "reason": view.words.reason,
        "message": view.words.message,
        "job": view.job,
        "waitsFor": node.waits_for,
        "do": node.advice,
        "chain": [line_json(line) for line in node.chain],
    }


def _groups(nodes: tuple[NodeExplanation, ...]) -> list[list[NodeExplanation]]:
    """Put nodes together that have the same words: five hundred of a kind are one cause.

    Those that need somebody come first.
    """
    groups: dict[tuple[str, str, str], list[NodeExplanation]] = {}
    for node in nodes:
        view = node.view
        message = view.words.message.replace(view.name, "").replace(view.job or "\0", "")
        groups.setdefault((view.state.value, view.words.reason, message), []).append(node)
    return sorted(groups.values(), key=lambda group: not is_troubled(group[0].view))
