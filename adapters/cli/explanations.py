"""How an explanation is printed: short first, detail after; or as JSON."""

from typing import Any

from adapters.cli.printing import STYLES, Page
from adapters.cli.recordings import Recording
from adapters.cli.texts import clock, counted, moment, names, span
from engine.events import Event
from engine.instants import rfc3339
from engine.logs import LogIdentity
from machines.explaining import Explanation, NodeExplanation, ignored_words
from machines.histories import Line

_SHOWN_LINES = 14  # of one chain, in text
_SHOWN_CHAINS = 3  # nodes whose whole way is shown, in text
_SHOWN_GROUPS = 10


def print_explanation(
    page: Page,
    told: Explanation,
    identity: LogIdentity,
    last: Event | None,
    source: Recording,
    *,
    only: str | None = None,
) -> None:
    """Print an explanation for people."""
    now = last.at if last else 0
    subject = told.subject
    since = f" since {moment(told.since.at)} ({span(now - told.since.at)})" if told.since else ""
    page.line(
        f"{subject.kind} {subject.namespace}/{subject.name} is {told.phase}{since}",
        style=STYLES.get(told.phase, ""),
    )
    page.line(told.headline, indent=2)
    for note in told.notes:
        page.line(f"Mind: {note}", style="bold yellow", indent=2)
    for words in told.waits_for:
        page.line(f"Waits for: {words}", indent=2)
    for words in told.advice:
        page.line(f"Do: {words}", indent=2)
    _print_nodes(page, told, now)
    if only is None:
        _print_chain(page, "How it came to this", told.causes)
    chains = told.nodes if only else _first_of_each_group(told.nodes)[:_SHOWN_CHAINS]
    for node in chains:
        _print_chain(page, f"Node {node.view.name}", node.chain, whole=only is not None)
    if told.ignored:
        page.line()
        page.line("Ignored", style="bold")
        rows = [[str(each.seq), clock(each.at), ignored_words(each)] for each in told.ignored]
        page.table(["", "", ""], rows, indent=2)
    page.line()
    page.line(_where(told, identity, last, source), style="dim")


def explanation_json(
    told: Explanation, identity: LogIdentity, last: Event | None
) -> dict[str, Any]:
    """Give an explanation as plain JSON values."""
    subject = told.subject
    return {
        "object": {"cluster": told.cluster, **subject._asdict()},
        "log": identity.log_id,
        "position": last.seq if last else 0,
        "at": rfc3339(last.at) if last else None,
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
        "causes": [_line_json(line) for line in told.causes],
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
        "chain": [_line_json(line) for line in node.chain],
    }


def _line_json(line: Line) -> dict[str, Any]:
    return {
        "position": line.position,
        "at": rfc3339(line.at),
        "nanoseconds": line.at,
        "type": line.type,
        "words": line.words,
        "ledTo": line.moved,
        "cause": line.cause,
    }


def _print_nodes(page: Page, told: Explanation, now: int) -> None:
    groups = _groups(told.nodes)
    for group in groups[:_SHOWN_GROUPS]:
        first = group[0]
        page.line()
        who = names([node.view.name for node in group])
        state = first.view.state.value
        ago = f"since {clock(first.since)} ({span(now - first.since)})"
        page.line(f"{who}: {state} {ago}", style=STYLES.get(state, ""))
        words = first.view.words
        if words.reason:
            page.line(": ".join(filter(None, words)), indent=2)
        if first.waits_for and first.waits_for not in ": ".join(words):
            page.line(f"Waits for: {first.waits_for}", indent=2)
        if first.advice:
            page.line(f"Do: {first.advice}", indent=2)
    left = sum(len(group) for group in groups[_SHOWN_GROUPS:])
    if left:
        page.line()
        page.line(f"{counted(left, 'more node')}, each with a cause of its own: -o json has them")
    if told.skipped:
        page.line()
        page.line("Skipped, for they are outside the boundary", style="bold")
        page.table(
            ["", ""], [[each.name, each.why] for each in told.skipped[:_SHOWN_GROUPS]], indent=2
        )
        if len(told.skipped) > _SHOWN_GROUPS:
            page.line(f"and {len(told.skipped) - _SHOWN_GROUPS} more", indent=2)


def _groups(nodes: tuple[NodeExplanation, ...]) -> list[list[NodeExplanation]]:
    """Put nodes together that have the same words: five hundred of a kind are one cause."""
    groups: dict[tuple[str, str, str], list[NodeExplanation]] = {}
    for node in nodes:
        view = node.view
        message = view.words.message.replace(view.name, "").replace(view.job or "\0", "")
        groups.setdefault((view.state.value, view.words.reason, message), []).append(node)
    return list(groups.values())


def _first_of_each_group(nodes: tuple[NodeExplanation, ...]) -> list[NodeExplanation]:
    return [group[0] for group in _groups(nodes)]


def _print_chain(page: Page, title: str, lines: tuple[Line, ...], *, whole: bool = False) -> None:
    page.line()
    page.line(title, style="bold")
    shown = lines if whole else lines[-_SHOWN_LINES:]
    left = len(lines) - len(shown)
    if left:
        page.line(f"({counted(left, 'earlier row')}: -o json has them)", indent=2)
    rows = [
        [str(line.position), clock(line.at), f"→ {line.moved}" if line.moved else "", line.words]
        for line in shown
    ]
    page.table(["", "", "", ""], rows, indent=2)


def _where(told: Explanation, identity: LogIdentity, last: Event | None, source: Recording) -> str:
    position = last.seq if last else 0
    of = f" of {identity.position}" if identity.position != position else ""
    when = f", {moment(last.at)}" if last else ""
    by = " and ".join(dict.fromkeys(each.version for each in source.sessions))
    return (
        f"Position {position}{of}{when}; log {identity.log_id}, cluster {told.cluster}, "
        f"recorded by warmlog {by}"
    )
