"""A CustomResourceDefinition's structural schema: what it refuses, and what it cuts away."""

import operator
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from adapters.simulator.answers import Cause
from adapters.simulator.schema_fitting import fitting
from adapters.simulator.schema_rules import UNCHANGED, broken_rules, ruled
from adapters.simulator.schema_values import invalid_values
from adapters.simulator.storage import Manifest

_RULES = "x-kubernetes-validations"
_NOTHING = object()  # what is not there
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
# What is wrong in these ways keeps a server from looking at the rules in CEL.
_BLOCKING = frozenset(
    (
        "FieldValueNotSupported",
        "FieldValueRequired",
        "FieldValueTooLong",
        "FieldValueTooMany",
        "FieldValueTypeInvalid",
    )
)
_SHARED = (dict, list)  # whose identity says what they are; nobody changes them once sent
_ALWAYS_KEPT = frozenset(("apiVersion", "kind", "metadata"))


class Schema:
    """The schema of one served version, as openAPIV3Schema states it."""

    def __init__(self, schema: Manifest) -> None:
        """Read `schema`; it stays the caller's and must not change."""
        self._schema = schema
        self._has_rules = _RULES in str(schema)
        self._has_defaults = _has_defaults(schema)
        self._ruled = ruled(schema)
        self._fits = {
            name: fitting(part) for name, part in (schema.get("properties") or {}).items()
        }
        self._fine: Any = None  # the part that was seen to fit last: a write asks twice

    @classmethod
    def of_definition(cls, definition: Manifest, version: str) -> "Schema":
        """Take the schema of one version out of a whole CustomResourceDefinition."""
        versions = {item["name"]: item for item in definition["spec"]["versions"]}
        return _read(_Same(versions[version]["schema"]["openAPIV3Schema"]))

    def pruned(self, item: Manifest, known: Manifest | None = None) -> Manifest:
        """Give `item` without the fields that the schema does not know.

        The very parts that it has from `known` were pruned before.
        """
        before = known or {}
        kept = {name: part for name, part in item.items() if name in _ALWAYS_KEPT}
        for name, part in item.items():
            if name in _ALWAYS_KEPT:
                continue
            if self._is_fine(name, part, before):
                kept[name] = part
            else:
                kept |= _pruned({name: part}, self._schema)
        return kept

    def invalid(
        self, item: Manifest, current: Manifest | None = None, others: Iterable[Cause] = ()
    ) -> list[Cause]:
        """Say in which fields `item` breaks the schema.

        What an update leaves as it is in `current` is not looked at again, as on a real server. Its
        rules are only looked at when nothing worse is found, `others` included.
        """
        new, old = _checked(item), None if current is None else _checked(current)
        causes = [] if self._is_valid(new, old) else [*invalid_values(new, self._schema, old=old)]
        if not any(cause.reason in _BLOCKING for cause in (*others, *causes)):
            causes += broken_rules(new, self._ruled, old=old)
        elif self._has_rules:
            words = "Invalid value: null: some validation rules were not checked"
            causes.append(Cause("<nil>", words))
        return causes

    def defaulted(self, item: Manifest) -> Manifest:
        """Give `item` with the schema's defaults in the place of what is not there."""
        given: Manifest = _defaulted(item, self._schema) if self._has_defaults else item
        return given

    def _is_valid(self, new: Manifest, old: Manifest | None) -> bool:
        """Say whether an object is seen to be valid: most of most updates is as it was."""
        required = self._schema.get("required") or ()
        return all(name in new for name in required) and all(
            self._is_fine(name, part, old or {}) for name, part in new.items()
        )

    def _is_fine(self, name: str, part: Any, before: Manifest) -> bool:
        if part is None:
            return False
        if part is before.get(name) or part is self._fine:
            return True
        fits = self._fits.get(name)
        if fits is None or not fits(part):
            return False
        if type(part) in _SHARED:
            self._fine = part
        return True


class _Same:
    """A schema by its identity: it does not change, and comparing it would take long."""

    def __init__(self, schema: Manifest) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.schema is self.schema


@lru_cache(maxsize=64)
def _read(same: _Same) -> Schema:
    """Read a schema once for all the worlds that it is installed in."""
    return Schema(same.schema)


def _checked(item: Manifest) -> Manifest:
    return {name: part for name, part in item.items() if name not in _ALWAYS_KEPT}


def _defaulted(value: Any, schema: Manifest) -> Any:
    """Give a value with its defaults; the very one that was given, when it needs none."""
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        items = [_defaulted(part, schema["items"]) for part in value]
        return value if all(map(operator.is_, items, value)) else items
    if not isinstance(value, dict):
        return value
    changed = {}
    for name, within in (schema.get("properties") or {}).items():
        part = value.get(name, within.get("default", _NOTHING))
        if part is _NOTHING:
            continue
        part = _defaulted(part, within)
        if part is not value.get(name, _NOTHING):
            changed[name] = part
    return {**value, **changed} if changed else value


def _has_defaults(schema: Manifest) -> bool:
    parts = [*(schema.get("properties") or {}).values(), schema.get("items") or {}]
    return "default" in schema or any(_has_defaults(part) for part in parts if part)


def _pruned(value: Any, schema: Manifest) -> Any:
    if isinstance(value, dict):
        if schema.get(_PRESERVE):
            return value
        known = schema.get("properties") or {}
        more = schema.get("additionalProperties")
        kept = {}
        for name, part in value.items():
            within = known.get(name, more if isinstance(more, dict) else None)
            if within is not None and (part is not None or within.get("nullable")):
                kept[name] = _pruned(part, within)
        return kept
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_pruned(part, schema["items"]) for part in value]
    return value


def _unknown(**rules: Any) -> Schema:
    """Give a schema that takes any spec and any status."""
    free = {"type": "object", _PRESERVE: True}
    return Schema({"type": "object", "properties": {"spec": {**free, **rules}, "status": free}})


# Kinds whose definition is not known here: one whose spec never changes, and the others.
LAX = _unknown(**{_RULES: [{"rule": UNCHANGED, "message": "is immutable"}]})
OPEN = _unknown()

# LeaderWorkerSets whose definition is not known here: its defaults alone.
GANGS = _unknown(
    properties={
        "replicas": {"type": "integer", "default": 1},
        "startupPolicy": {"type": "string", "default": "LeaderCreated"},
        "leaderWorkerTemplate": {
            "type": "object",
            _PRESERVE: True,
            "properties": {
                "size": {"type": "integer", "default": 1},
                "restartPolicy": {"type": "string", "default": "RecreateGroupOnPodRestart"},
            },
        },
    }
)
