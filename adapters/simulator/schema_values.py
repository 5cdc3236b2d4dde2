"""What a value breaks of its schema: types, choices, counts, lengths, bounds and patterns."""

import re
from collections.abc import Iterator
from typing import Any

from adapters.simulator.answers import Cause
from adapters.simulator.storage import Manifest


def invalid_values(
    value: Any, schema: Manifest, path: str = "", old: Any = None
) -> Iterator[Cause]:
    """Say where a value breaks its schema; what is as it was (`old`) is not looked at again."""
    if (value is None and schema.get("nullable")) or (old is not None and old == value):
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
        yield from _invalid_object(value, schema, path, old)
    elif isinstance(value, list):
        yield from _beyond_count(value, schema, path)
        for index, part in enumerate(value):
            yield from invalid_values(part, schema.get("items") or {}, f"{path}[{index}]")
    elif isinstance(value, str):
        yield from _beyond_length(value, schema, path)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield from _beyond_bounds(value, schema, path)


def _invalid_object(value: Manifest, schema: Manifest, path: str, old: Any) -> Iterator[Cause]:
    before = old if isinstance(old, dict) else {}
    known = schema.get("properties") or {}
    more = schema.get("additionalProperties")
    for name in schema.get("required") or ():
        if name not in value:
            yield Cause(joined(path, name), "Required value", "FieldValueRequired")
    for name, part in value.items():
        within = known.get(name, more if isinstance(more, dict) else None)
        if within is not None:
            yield from invalid_values(part, within, joined(path, name), before.get(name))


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
    pattern = schema.get("pattern")
    if pattern is not None and not re.search(pattern, value):
        words = f"{path} in body should match '{pattern}'"
        yield Cause(path, f'Invalid value: "{value}": {words}')


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


def joined(path: str, name: str) -> str:
    """Give the path of a member."""
    return f"{path}.{name}" if path else name
