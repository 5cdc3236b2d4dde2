"""How statuses are printed: a table for each kind, and what is behind one object's row."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from adapters.cli.printing import Page
from engine.stepping import Projection
from machines.explaining import status_headline
from machines.messages import cause_text
from machines.states import Words

Status = dict[str, Any]


class _Kind(NamedTuple):
    """How the objects of one kind are listed, and what is behind one of them."""

    heads: tuple[str, ...]
    row: Callable[[Projection], list[str]]
    detail_heads: tuple[str, ...] = ()
    details: Callable[[Status], list[list[str]]] | None = None


def print_statuses(page: Page, found: Sequence[Projection]) -> None:
    """Print one table for each kind; which cluster a row is of only where there are several."""
    many = len({each.cluster for each in found}) > 1
    for number, kind in enumerate(dict.fromkeys(each.subject.kind for each in found)):
        shown = _KINDS[kind]
        rows = [
            [*([each.cluster] if many else []), *shown.row(each)]
            for each in found
            if each.subject.kind == kind
        ]
        if number:
            page.line()
        page.table([*(["CLUSTER"] if many else []), *shown.heads], rows)


def print_details(page: Page, one: Projection) -> None:
    """Print what is behind the row of one object."""
    shown = _KINDS[one.subject.kind]
    rows = shown.details(one.status) if shown.details else []
    if rows:
        page.line()
        page.table(list(shown.detail_heads), rows)


def condition(status: Status, kind: str) -> dict[str, str]:
    """Give one condition of a status; empty where it is not there."""
    return next((row for row in status["conditions"] if row["type"] == kind), {})


def _warmup(each: Projection) -> list[str]:
    status = each.status
    counters = ("desiredNodes", "activeNodes", "succeededNodes", "failedNodes")
    return [
        each.subject.namespace,
        each.subject.name,
        status["phase"],
        *(str(status[name]) for name in counters),
        status_headline(status),
    ]


def _targets(status: Status) -> list[list[str]]:
    return [_target(detail) for detail in status["targets"]]


def _target(detail: Status) -> list[str]:
    why = cause_text(Words(detail.get("reason", ""), detail.get("message", "")))
    return [detail["nodeName"], detail["phase"], detail["lastTransitionTime"], why]


def _cache(each: Projection) -> list[str]:
    ready = condition(each.status, "Ready")
    subject = each.subject
    summary = each.status["summary"]["ready"]
    return [subject.namespace, subject.name, summary, ready["reason"], ready["message"]]


def _entries(status: Status) -> list[list[str]]:
    return [
        [
            entry["name"],
            entry["phase"],
            "retained" if entry.get("retained") else "",
            entry.get("message", ""),
        ]
        for entry in status["clusters"]
    ]


def _replica(each: Projection) -> list[str]:
    accepted, ready = condition(each.status, "ModelAccepted"), condition(each.status, "ModelReady")
    shown = ready if accepted["status"] == "True" else accepted
    whole = condition(each.status, "Terminating") or condition(each.status, "Ready")
    words = shown["message"] or accepted["message"] or whole["message"]
    subject = each.subject
    engines = each.status.get("workloads", ())
    available = f"{sum(one['available'] for one in engines)}/{len(engines)}" if engines else ""
    return [subject.namespace, subject.name, available, ready["status"], shown["reason"], words]


def _workloads(status: Status) -> list[list[str]]:
    return [
        [
            one["engine"],
            one["kind"],
            f"{one['namespace']}/{one['name']}",
            "available" if one["available"] else "not available",
            one.get("message", ""),
        ]
        for one in status.get("workloads", ())
    ]


def _cluster(each: Projection) -> list[str]:
    row = condition(each.status, "Reachable")
    return [each.subject.name, row["status"], row["lastTransitionTime"], row["message"]]


_KINDS: dict[str, _Kind] = {
    "ModelWarmup": _Kind(
        ("NAMESPACE", "NAME", "PHASE", "DESIRED", "ACTIVE", "SUCCEEDED", "FAILED", "MESSAGE"),
        _warmup,
        ("NODE", "PHASE", "SINCE", "WHY"),
        _targets,
    ),
    "ModelCache": _Kind(
        ("NAMESPACE", "NAME", "READY", "REASON", "MESSAGE"),
        _cache,
        ("CLUSTER", "PHASE", "", "MESSAGE"),
        _entries,
    ),
    "ModelReplica": _Kind(
        ("NAMESPACE", "NAME", "ENGINES", "READY", "REASON", "MESSAGE"),
        _replica,
        ("ENGINE", "KIND", "NAME", "STATE", "MESSAGE"),
        _workloads,
    ),
    "InferenceCluster": _Kind(("INFERENCECLUSTER", "REACHABLE", "SINCE", "MESSAGE"), _cluster),
}
