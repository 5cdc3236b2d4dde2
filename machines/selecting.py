"""Selecting: which nodes a ModelWarmup wants, and which of those it may have.

One function decides for every caller, so that what is counted is what is worked on. The boundary
is the cluster administrator's: the namespace's pool label and the node's are equal and not empty,
the node opted in with exactly "true", and it is no control-plane node.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from machines.labels import CONTROL_PLANE, ENABLED, POOL
from machines.levels import NodeLevel
from machines.spec_parts import Requirement, TargetEntry

BLOCKING_EFFECTS = ("NoSchedule", "NoExecute")


class Wanted(NamedTuple):
    """How a spec asks for a node; no entry at all means that it does not."""

    named: bool
    first_entry: int  # index of the first entry of spec.targets that asks for it
    entries: int  # how many entries do


class Asking(NamedTuple):
    """One entry of spec.targets that asks for a node."""

    entry: int  # its index
    named: bool  # by name, and not by its labels


def askings(
    targets: Sequence[TargetEntry], name: str, labels: Mapping[str, str]
) -> tuple[Asking, ...]:
    """Give every entry of `targets` that asks for the node of this name and these labels."""
    return tuple(
        Asking(index, name in entry.names)
        for index, entry in enumerate(targets)
        if name in entry.names or (entry.requirements and _matches(entry.requirements, labels))
    )


def wanted(targets: Sequence[TargetEntry], name: str, labels: Mapping[str, str]) -> Wanted | None:
    """Say whether and how `targets` ask for the node of this name and these labels."""
    hits = askings(targets, name, labels)
    if not hits:
        return None
    return Wanted(any(hit.named for hit in hits), hits[0].entry, len(hits))


def wanted_name(targets: Sequence[TargetEntry], name: str) -> Wanted | None:
    """Say how `targets` ask for a name that no node bears; None when they do not name it."""
    hits = [index for index, entry in enumerate(targets) if name in entry.names]
    return Wanted(named=True, first_entry=hits[0], entries=len(hits)) if hits else None


def demanded_names(targets: Sequence[TargetEntry]) -> tuple[str, ...]:
    """Give every name asked for, once, sorted."""
    return tuple(sorted({name for entry in targets for name in entry.names}))


def refusal(labels: Mapping[str, str], pool: str) -> str:
    """Say why the boundary keeps this node out, or "" when it may be warmed."""
    for key in CONTROL_PLANE:
        if key in labels:
            return "it is a control-plane node"
    if not pool:
        return f"the namespace has no label {POOL}"
    node_pool = labels.get(POOL, "")
    if node_pool != pool:
        has = f"is {node_pool!r}" if node_pool else "is missing"
        return f"its label {POOL} {has}, the namespace's is {pool!r}"
    if labels.get(ENABLED) != "true":
        return f'its label {ENABLED} is not "true"'
    return ""


def shunning(level: NodeLevel) -> str:
    """Say why the scheduler would not place a Pod there now, or "" when it would."""
    if level.unschedulable:
        return "node is cordoned"
    for key, value, effect in level.taints:
        if effect in BLOCKING_EFFECTS:
            return f"node has the taint {key}{'=' if value else ''}{value}:{effect}"
    return ""


def _matches(requirements: Sequence[Requirement], labels: Mapping[str, str]) -> bool:
    return all(_holds(term, labels) for term in requirements)


def _holds(term: Requirement, labels: Mapping[str, str]) -> bool:
    if term.operator == "In":
        return term.key in labels and labels[term.key] in term.values
    if term.operator == "NotIn":
        return term.key not in labels or labels[term.key] not in term.values
    return (term.key in labels) == (term.operator == "Exists")
