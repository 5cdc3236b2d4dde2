"""How a plan is printed: what would be done first, then node by node; or as JSON."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from adapters.cli.printing import STYLES, Page
from adapters.kubernetes.probing import Probe, Verdict
from adapters.texts import counted, span
from engine.instants import SECOND, clock_time, rfc3339
from machines.job_names import MASK, masked
from machines.messages import cause_text
from machines.node_jobs import NodeJobState
from machines.planning import Plan, PlannedNode, WaitingName
from machines.selecting import Asking
from machines.supposing import Standing

_SHOWN_SKIPPED = 20
_VERDICTS = {
    Verdict.ALLOWED: "would be accepted",
    Verdict.REFUSED: "is refused",
    Verdict.UNKNOWN: "is not known",
}
_STYLES = {Verdict.ALLOWED: "green", Verdict.REFUSED: "bold red", Verdict.UNKNOWN: "yellow"}


class Report(NamedTuple):
    """One ModelWarmup of a file: what would be done with it, and what the API server says."""

    place: str  # file and line
    plan: Plan
    standing: Standing
    basis: str  # what it was planned against
    phase: str  # of what exists already
    notes: tuple[str, ...]  # what makes it less certain
    probes: tuple[Probe, ...] = ()
    probed_node: str = ""
    as_if: bool = False  # that node gets no Job; what was asked for is the one it would get
    unprobed: str = ""  # why nothing was asked
    dated: bool = False  # deadlines are known, and not only how long a name waits

    @property
    def refused(self) -> bool:
        """Say whether the API server would not take it."""
        return any(probe.verdict is Verdict.REFUSED for probe in self.probes)


def print_report(report: Report) -> None:
    """Print one report for people."""
    page, told = Page(), report.plan
    subject = told.subject
    style = STYLES["Failed"] if told.headline.startswith("ends at once") else "bold"
    name = f"{subject.kind} {subject.namespace}/{subject.name}"
    page.line(f"{name}: {told.headline}", style=style)
    page.line(_standing(report), indent=2)
    page.line(_policies(told), indent=2)
    for note in (*told.notes, *report.notes):
        page.line(f"Mind: {note}", style="bold yellow", indent=2)
    for words in told.advice:
        page.line(f"Do: {words}", indent=2)
    _print_nodes(page, told)
    _print_waiting(page, report)
    _print_skipped(page, told)
    _print_probes(page, report)


def report_json(report: Report) -> dict[str, Any]:
    """Give one report as plain JSON values."""
    told, spec = report.plan, report.plan.spec
    uid = "" if told.is_new else told.subject.uid
    return {
        "place": report.place,
        "object": {**told.subject._asdict(), "uid": uid},
        "basis": report.basis,
        "standing": report.standing.value,
        "phase": report.phase,
        "summary": told.headline,
        "revision": told.revision,
        "pool": told.pool,
        "policies": {
            "parallelism": spec.parallelism,
            "jobTimeoutSeconds": spec.timeout_seconds,
            "retryLimit": spec.retry_limit,
            "ttlSecondsAfterFinished": spec.ttl_seconds,
            "capped": list(spec.capped),
        },
        "targetWaitSeconds": told.wait_seconds,
        "notes": [*told.notes, *report.notes],
        "do": list(told.advice),
        "nodes": [_node_json(told, node) for node in told.nodes],
        "waiting": [_waiting_json(report, each) for each in told.waiting],
        "skipped": [
            {"node": each.name, "askedBy": _askings_json(each.asked_by), "why": each.why}
            for each in told.skipped
        ],
        "dryRuns": [
            {**probe._asdict(), "verdict": probe.verdict.value, "node": _probed(report, probe)}
            for probe in report.probes
        ],
        "notAsked": report.unprobed,
    }


def _standing(report: Report) -> str:
    told = report.plan
    words = {
        Standing.NEW: "It does not exist yet.",
        Standing.SAME: f"It exists already, {report.phase} (uid {told.subject.uid}).",
        Standing.ALIKE: (
            f"It exists already, {report.phase} (uid {told.subject.uid}), its spec written"
            " otherwise: the API server refuses even that as a change."
        ),
        Standing.OTHER: (
            "It exists already with another spec, which is immutable: the API server refuses the"
            " change. Delete it first, or use another name; what follows is planned as if it were"
            " gone."
        ),
    }
    pool = f" Pool {told.pool}." if told.pool else ""
    return f"{words[report.standing]}{pool} Planned against {report.basis}."


def _policies(told: Plan) -> str:
    spec = told.spec
    return (
        f"Revision {told.revision}; {counted(spec.parallelism, 'Job')} at a time, each with"
        f" {span(spec.timeout_seconds * SECOND)} and"
        f" {spec.retry_limit} {'retry' if spec.retry_limit == 1 else 'retries'};"
        f" removed {span(spec.ttl_seconds * SECOND)} after they finished."
    )


def _print_nodes(page: Page, told: Plan) -> None:
    if not told.nodes:
        return
    page.line()
    rows = [
        [node.name, _asked(node.asked_by), masked(node.job, told.subject.uid), _when(told, node)]
        for node in told.nodes
    ]
    page.table(["NODE", "ASKED FOR BY", "JOB", "WHEN"], rows)
    if told.is_new:
        page.line(
            f"{MASK} stands for the first 8 hex digits of the ModelWarmup's uid, which the API"
            " server gives when it is created.",
            style="dim",
        )


def _when(told: Plan, node: PlannedNode) -> str:
    if node.state is not NodeJobState.PENDING:
        why = cause_text(node.words)
        return f"{node.state.value}: {why}" if why else node.state.value
    if told.ended:
        return "never"
    last = f"; after all others: {node.shunned}" if node.shunned else ""
    refused = f"; refused so far: {cause_text(node.words)}" if node.words.reason else ""
    return ("at first" if node.first else "when a slot is free") + last + refused


def _print_waiting(page: Page, report: Report) -> None:
    if not report.plan.waiting:
        return
    page.line()
    page.line("Waits", style="bold")
    rows = [
        [each.name, _asked(each.asked_by), f"{each.words.message}; {_fails(report, each)}"]
        for each in report.plan.waiting
    ]
    page.table(["", "", ""], rows, indent=2)


def _fails(report: Report, waiting: WaitingName) -> str:
    if not report.plan.wait_seconds:
        return f"it fails at once as {waiting.words.reason}"
    if report.dated:
        return f"fails as {waiting.words.reason} at {clock_time(waiting.deadline)}"
    patience = span(report.plan.wait_seconds * SECOND)
    return f"fails as {waiting.words.reason} after {patience}"


def _print_skipped(page: Page, told: Plan) -> None:
    if not told.skipped:
        return
    page.line()
    page.line("Skipped, for they are outside the boundary", style="bold")
    shown = told.skipped[:_SHOWN_SKIPPED]
    page.table(["", "", ""], [[x.name, _asked(x.asked_by), x.why] for x in shown], indent=2)
    if len(told.skipped) > _SHOWN_SKIPPED:
        more = len(told.skipped) - _SHOWN_SKIPPED
        page.line(f"and {more} more: -o json has them", indent=2)


def _print_probes(page: Page, report: Report) -> None:
    page.line()
    if report.unprobed:
        page.line(f"Dry run: none, {report.unprobed}", style="bold")
    if not report.probes:
        return
    page.line("Dry run: what the API server says to whoever runs this", style="bold")
    for probe in report.probes:
        node = _probed(report, probe)
        as_if = ", as if it got one," if report.as_if else ""
        what = f"{probe.kind} for {node}{as_if}" if node else probe.kind
        code = f" ({probe.code})" if probe.verdict is Verdict.REFUSED else ""
        words = f": {probe.words}" if probe.words else ""
        said = f"{what} {_VERDICTS[probe.verdict]}{code}{words}"
        page.line(said, style=_STYLES[probe.verdict], indent=2)
        if probe.verdict is Verdict.REFUSED:
            page.line(_consequence(probe), indent=4)


def _consequence(probe: Probe) -> str:
    match probe.kind:
        case "ModelWarmup":
            return "so it cannot be applied"
        case "Pod":
            return "so the Job would be accepted, and wait without a Pod until this is mended"
    if probe.permanent:
        return "so the node fails at once: the API server can never accept it"
    return "so the controller would try again, up to once a minute, until it is accepted"


def _probed(report: Report, probe: Probe) -> str:
    return "" if probe.kind == "ModelWarmup" else report.probed_node


def _asked(asked_by: Sequence[Asking]) -> str:
    how = [f"target[{each.entry}] by {'name' if each.named else 'selector'}" for each in asked_by]
    return ", ".join(how)


def _askings_json(asked_by: Sequence[Asking]) -> list[dict[str, Any]]:
    return [{"target": each.entry, "by": "name" if each.named else "selector"} for each in asked_by]


def _node_json(told: Plan, node: PlannedNode) -> dict[str, Any]:
    return {
        "node": node.name,
        "uid": node.uid,
        "askedBy": _askings_json(node.asked_by),
        "state": node.state.value,
        "reason": node.words.reason,
        "message": node.words.message,
        "job": masked(node.job, told.subject.uid),
        "first": node.first,
        "last": node.shunned,
    }


def _waiting_json(report: Report, waiting: WaitingName) -> dict[str, Any]:
    return {
        "node": waiting.name,
        "askedBy": _askings_json(waiting.asked_by),
        "reason": waiting.words.reason,
        "message": waiting.words.message,
        "until": rfc3339(waiting.deadline) if report.dated else None,
    }
