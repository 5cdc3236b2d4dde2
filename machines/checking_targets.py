"""Checking spec.targets: which nodes are asked for, and whether they can be."""

from collections.abc import Iterator
from typing import Any

from machines.faults import Faults
from machines.spec_parts import MAX_ENTRIES, MAX_TARGETS, OPERATORS, Requirement, TargetEntry
from machines.syntaxes import DNS_SUBDOMAIN, LABEL_VALUE, label_key_refusal

_FIELD = "spec.targets"


def checked_targets(faults: Faults, raw: Any) -> tuple[TargetEntry, ...]:
    """Read every entry; those with faults as far as they go."""
    items = list(faults.items(raw, _FIELD, MAX_ENTRIES))
    if not items:
        faults.add(_FIELD, "must have at least one entry")
    entries = tuple(_target(faults, path, faults.mapping(item, path)) for path, item in items)
    counts = [len(entry.names) for entry in entries]
    if sum(counts) > MAX_TARGETS >= max(counts):
        faults.add(_FIELD, f"must not name more than {MAX_TARGETS} nodes in all entries together")
    return entries


def _target(faults: Faults, path: str, entry: dict[str, Any]) -> TargetEntry:
    nodes, selector = entry.get("nodes"), entry.get("nodeSelector")
    if (nodes is None) == (selector is None):
        faults.add(path, "must have exactly one of nodes and nodeSelector")
    names = () if nodes is None else _names(faults, nodes, f"{path}.nodes")
    if selector is None:
        return TargetEntry(names)
    field = f"{path}.nodeSelector"
    terms = faults.mapping(selector, field)
    requirements = tuple(_requirements(faults, terms, field))
    unread = faults.has(f"{field}.matchLabels") or terms.get("matchExpressions")
    if not requirements and not unread:
        faults.add(field, "must not be empty: it would select every node")
    return TargetEntry(names, requirements)


def _names(faults: Faults, raw: Any, path: str) -> tuple[str, ...]:
    field = f"{path}.names"
    names = faults.texts(faults.mapping(raw, path).get("names"), field, MAX_TARGETS)
    if not names:
        faults.add(field, "must name at least one node")
    for index, name in enumerate(names):
        faults.unless_fine(f"{field}[{index}]", DNS_SUBDOMAIN.refusal(name))
    return names


def _requirements(faults: Faults, selector: dict[str, Any], path: str) -> Iterator[Requirement]:
    field = f"{path}.matchLabels"
    labels = faults.mapping(selector.get("matchLabels"), field)
    for key in sorted(key for key, value in labels.items() if value is not None):
        place = f"{field}.{key}"
        faults.unless_fine(place, label_key_refusal(key))
        yield Requirement(key, "In", (_value(faults, labels[key], place),))
    terms = selector.get("matchExpressions")
    for place, term in faults.objects(terms, f"{path}.matchExpressions"):
        yield _expression(faults, place, term)


def _expression(faults: Faults, path: str, term: dict[str, Any]) -> Requirement:
    key = faults.text(term.get("key"), f"{path}.key")
    faults.unless_fine(f"{path}.key", label_key_refusal(key))
    operator = faults.text(term.get("operator"), f"{path}.operator")
    field = f"{path}.values"
    values = tuple(
        _value(faults, value, place) for place, value in faults.items(term.get("values"), field)
    )
    if operator not in OPERATORS:
        faults.add(f"{path}.operator", f"must be one of {', '.join(OPERATORS)}")
    elif operator in ("In", "NotIn") and not values:
        faults.add(field, f"must not be empty: {operator} compares the label with values")
    elif operator not in ("In", "NotIn") and values:
        faults.add(field, f"must be empty: {operator} looks at no value")
    return Requirement(key, operator, values)


def _value(faults: Faults, raw: Any, field: str) -> str:
    value = faults.element(raw, field)
    faults.unless_fine(field, LABEL_VALUE.refusal(value))
    return value
