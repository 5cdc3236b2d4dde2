"""Label selectors, field selectors, and the node affinity of Pods."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from adapters.simulator.storage import Manifest

Labels = Mapping[str, str]


class SelectorMalformed(Exception):
    """A selector that cannot be read; the text says why, in the server's words."""


class Requirement(NamedTuple):
    """One condition on one label."""

    key: str
    operator: str  # In, NotIn, Exists, DoesNotExist
    values: frozenset[str] = frozenset()

    def matches(self, labels: Labels) -> bool:
        """Say whether `labels` fulfil it; NotIn is fulfilled by absence, as in Kubernetes."""
        match self.operator:
            case "In":
                return labels.get(self.key) in self.values
            case "NotIn":
                return labels.get(self.key) not in self.values
            case "Exists":
                return self.key in labels
            case _:
                return self.key not in labels


Selector = Callable[[Manifest], bool]


@lru_cache(maxsize=4096)
def selector_of(
    label_selector: str, field_selector: str, known_fields: frozenset[str]
) -> Selector | None:
    """Give what tells whether an object is selected; None when all are.

    Only `known_fields` can be selected by: the API server keeps no index of others.
    """
    requirements = parse_labels(label_selector)
    fields = parse_fields(field_selector)
    for path, _, _ in fields:
        if path not in known_fields:
            raise SelectorMalformed(f'field label not supported: "{path}"')
    if not requirements and not fields:
        return None
    if not fields:
        return lambda item: _fulfils(item, requirements)

    def selects(item: Manifest) -> bool:
        for path, equal, value in fields:
            if (_field(item, path) == value) is not equal:
                return False
        return _fulfils(item, requirements)

    return selects


def _fulfils(item: Manifest, requirements: tuple[Requirement, ...]) -> bool:
    labels = item["metadata"].get("labels") or {}
    return all(requirement.matches(labels) for requirement in requirements)


def parse_labels(text: str) -> tuple[Requirement, ...]:
    """Read `a=b,c!=d,e,!f,g in (h,i),j notin (k)`."""
    return tuple(_requirement(part) for part in _split(text))


def parse_fields(text: str) -> tuple[tuple[str, bool, str], ...]:
    """Read `metadata.name=x,spec.nodeName!=y` as (path, wanted equal, value)."""
    found = []
    for part in filter(None, text.split(",")):
        path, equals, value = part.partition("=")
        if not equals:
            raise SelectorMalformed(f"invalid selector: '{text}'; can't understand '{part}'")
        found.append((path.rstrip("!"), not path.endswith("!"), value.removeprefix("=")))
    return tuple(found)


def affinity_matches(terms: Iterable[Mapping[str, Any]], node: Manifest) -> bool:
    """Say whether a node fulfils one of the terms of a required node affinity."""
    return any(_term_matches(term, node) for term in terms)


def _term_matches(term: Mapping[str, Any], node: Manifest) -> bool:
    expressions = term.get("matchExpressions") or ()
    fields = term.get("matchFields") or ()
    if not expressions and not fields:
        return False  # an empty term selects nothing
    metadata = node["metadata"]
    names = {"metadata.name": metadata["name"]}
    labels = metadata.get("labels") or {}
    return all(_expressed(item).matches(labels) for item in expressions) and all(
        _expressed(item).matches(names) for item in fields
    )


def _expressed(item: Mapping[str, Any]) -> Requirement:
    return Requirement(item["key"], item["operator"], frozenset(item.get("values") or ()))


def _field(item: Manifest, path: str) -> str:
    value: Any = item
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return "" if value is None else str(value)


def _split(text: str) -> list[str]:
    """Split at the commas that stand outside brackets."""
    if not text.strip():
        return []
    parts, depth, begin = [], 0, 0
    for index, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[begin:index])
            begin = index + 1
    return [*parts, text[begin:]]


_KEY = r"([A-Za-z0-9.-]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
_VALUE = r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?"
_FORMS = (
    (re.compile(rf"(?P<key>{_KEY})"), "Exists"),
    (re.compile(rf"!\s*(?P<key>{_KEY})"), "DoesNotExist"),
    (re.compile(rf"(?P<key>{_KEY})\s*==?\s*(?P<value>{_VALUE})"), "In"),
    (re.compile(rf"(?P<key>{_KEY})\s*!=\s*(?P<value>{_VALUE})"), "NotIn"),
    (re.compile(rf"(?P<key>{_KEY})\s+in\s*\((?P<values>[^()]*)\)"), "In"),
    (re.compile(rf"(?P<key>{_KEY})\s+notin\s*\((?P<values>[^()]*)\)"), "NotIn"),
)


def _requirement(part: str) -> Requirement:
    text = part.strip()
    for form, operator in _FORMS:
        found = form.fullmatch(text)
        if found is None:
            continue
        named = found.groupdict()
        values = frozenset(value.strip() for value in named.get("values", "").split(","))
        if "values" not in named:
            values = frozenset((named["value"],)) if "value" in named else frozenset()
        return Requirement(named["key"], operator, values)
    raise SelectorMalformed(f"unable to parse requirement: {text!r}")
