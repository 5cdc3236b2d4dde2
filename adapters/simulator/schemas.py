"""A CustomResourceDefinition's structural schema: what it refuses, and what it cuts away."""

from collections.abc import Iterator
from typing import Any

from adapters.simulator.answers import Cause
from adapters.simulator.storage import Manifest

_RULES = "x-kubernetes-validations"
_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_IMMUTABLE = "self == oldSelf"
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
_ALWAYS_KEPT = frozenset(("apiVersion", "kind", "metadata"))


class Schema:
    """The schema of one served version, as openAPIV3Schema states it."""

    def __init__(self, schema: Manifest) -> None:
        """Read `schema`; it stays the caller's and must not change."""
        self._schema = schema
        self._has_rules = _RULES in str(schema)

    @classmethod
    def of_definition(cls, definition: Manifest, version: str) -> "Schema":
        """Take the schema of one version out of a whole CustomResourceDefinition."""
        versions = {item["name"]: item for item in definition["spec"]["versions"]}
        return cls(versions[version]["schema"]["openAPIV3Schema"])

    def pruned(self, item: Manifest) -> Manifest:
        """Give `item` without the fields that the schema does not know."""
        kept = {name: part for name, part in item.items() if name in _ALWAYS_KEPT}
        rest = {name: part for name, part in item.items() if name not in _ALWAYS_KEPT}
        return {**kept, **_pruned(rest, self._schema)}

    def invalid(self, item: Manifest, current: Manifest | None = None) -> list[Cause]:
        """Say in which fields `item` breaks the schema.

        What an update leaves as it is in `current` is not looked at again, as on a real server.
        """
        rest = {
            name: part
            for name, part in item.items()
            if name not in _ALWAYS_KEPT and (current is None or current.get(name) != part)
        }
        schema = self._schema
        if current is not None:
            required = [name for name in schema.get("required") or () if name not in item]
            schema = {**schema, "required": required}
        return [*_invalid(rest, schema, ""), *self._changed(rest, current)]

    def left_unchecked(self, causes: list[Cause]) -> list[Cause]:
        """Say, as one more cause, that rules in CEL were not looked at because of these causes."""
        if not self._has_rules or not any(cause.reason in _BLOCKING for cause in causes):
            return []
        words = "Invalid value: null: some validation rules were not checked"
        return [Cause("<nil>", words)]

    def _changed(self, rest: Manifest, current: Manifest | None) -> Iterator[Cause]:
        """Say which fields changed that must not: the one rule in CEL that is understood here."""
        if current is None:
            return
        for name, schema in (self._schema.get("properties") or {}).items():
            for rule in schema.get(_RULES) or ():
                if rule["rule"] == _IMMUTABLE and name in rest and name in current:
                    yield _refused_by(rule, name)


def _unknown(**rules: Any) -> Schema:
    """Give a schema that takes any spec and any status."""
    free = {"type": "object", _PRESERVE: True}
    return Schema({"type": "object", "properties": {"spec": {**free, **rules}, "status": free}})


# Kinds whose definition is not known here: one whose spec never changes, and the others.
LAX = _unknown(**{_RULES: [{"rule": _IMMUTABLE, "message": "is immutable"}]})
OPEN = _unknown()


def _refused_by(rule: Manifest, path: str) -> Cause:
    reason, words = rule.get("reason", "FieldValueInvalid"), rule["message"]
    begin = {"FieldValueForbidden": "Forbidden"}.get(reason, 'Invalid value: "object"')
    return Cause(path, f"{begin}: {words}", reason)


def _pruned(value: Any, schema: Manifest) -> Any:
    if isinstance(value, dict):
        if schema.get(_PRESERVE):
            return value
        known = schema.get("properties") or {}
        more = schema.get("additionalProperties")
        kept = {}
        for name, part in value.items():
            within = known.get(name, more if isinstance(more, dict) else None)
            if within is not None:
                kept[name] = _pruned(part, within)
        return kept
    if isinstance(value, list) and isinstance(schema.get("items"), dict):
        return [_pruned(part, schema["items"]) for part in value]
    return value


def _invalid(value: Any, schema: Manifest, path: str) -> Iterator[Cause]:
    if value is None and schema.get("nullable"):
        return
    wanted = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        wanted = None
    if wanted and not _has_type(value, wanted):
        shown = _type_name(value)
        words = f'{path} in body must be of type {wanted}: "{shown}"'
        yield Cause(path, f'Invalid value: "{shown}": {words}', "FieldValueTypeInvalid")
        yield from _beyond_enum(value, schema, path)
        return
    yield from _beyond_enum(value, schema, path)
    if isinstance(value, dict):
        yield from _invalid_object(value, schema, path)
    elif isinstance(value, list):
        yield from _beyond_count(value, schema, path)
        for index, part in enumerate(value):
            yield from _invalid(part, schema.get("items") or {}, f"{path}[{index}]")
    elif isinstance(value, str):
        yield from _beyond_length(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _beyond_bounds(value, schema, path)


def _invalid_object(value: Manifest, schema: Manifest, path: str) -> Iterator[Cause]:
    known = schema.get("properties") or {}
    more = schema.get("additionalProperties")
    for name in schema.get("required") or ():
        if name not in value:
            yield Cause(_joined(path, name), "Required value", "FieldValueRequired")
    for name, part in value.items():
        within = known.get(name, more if isinstance(more, dict) else None)
        if within is not None:
            yield from _invalid(part, within, _joined(path, name))


def _beyond_enum(value: Any, schema: Manifest, path: str) -> Iterator[Cause]:
    allowed = schema.get("enum")
    if allowed is not None and value not in allowed:
        listed = ", ".join(f'"{choice}"' for choice in allowed)
        words = f'Unsupported value: "{value}": supported values: {listed}'
        yield Cause(path, words, "FieldValueNotSupported")


def _beyond_count(value: list[Any], schema: Manifest, path: str) -> Iterator[Cause]:
    count, low, high = len(value), schema.get("minItems"), schema.get("maxItems")
    if low is not None and count < low:
        words = f"Invalid value: {count}: {path} in body should have at least {low} items"
        yield Cause(path, words)
    if high is not None and count > high:
        words = f"Too many: {count}: must have at most {high} items"
        yield Cause(path, words, "FieldValueTooMany")


def _beyond_length(value: str, schema: Manifest, path: str) -> Iterator[Cause]:
    low, high = schema.get("minLength"), schema.get("maxLength")
    if low is not None and len(value) < low:
        words = f'Invalid value: "{value}": {path} in body should be at least {low} chars long'
        yield Cause(path, words)
    if high is not None and len(value) > high:
        words = f"Too long: may not be more than {high} bytes"
        yield Cause(path, words, "FieldValueTooLong")


def _beyond_bounds(value: float, schema: Manifest, path: str) -> Iterator[Cause]:
    low, high = schema.get("minimum"), schema.get("maximum")
    if low is not None and value < low:
        words = f"{path} in body should be greater than or equal to {low}"
        yield Cause(path, f"Invalid value: {value}: {words}")
    if high is not None and value > high:
        words = f"{path} in body should be less than or equal to {high}"
        yield Cause(path, f"Invalid value: {value}: {words}")


_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def _has_type(value: Any, wanted: str) -> bool:
    if isinstance(value, bool):
        return wanted == "boolean"
    return isinstance(value, _PYTHON_TYPES[wanted])


def _type_name(value: Any) -> str:
    if value is None:
        return "null"
    return next(name for name in _PYTHON_TYPES if _has_type(value, name))


def _joined(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
