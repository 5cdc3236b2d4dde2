"""Whether a value fits a structural schema, seen at a glance: every schema is compiled once.

What fits is neither cut nor refused. What is not seen to fit may do so all the same, and has to be
looked at in detail.
"""

import re
from collections.abc import Callable
from typing import Any

from adapters.simulator.storage import Manifest

Fits = Callable[[Any], bool]

_PRESERVE = "x-kubernetes-preserve-unknown-fields"
_FREE = frozenset(("description", "default", _PRESERVE))  # what restricts no value


def fitting(schema: Manifest) -> Fits:
    """Compile a schema into what says whether a value is seen to fit it."""
    kind = schema.get("type")
    if schema.get("x-kubernetes-int-or-string"):
        return _never
    if kind is None:
        return _always if schema.keys() <= _FREE else _never
    fits = _BY_TYPE[kind](schema)
    return fits if "enum" not in schema else _chosen(fits, tuple(schema["enum"]))


def _always(value: Any) -> bool:
    del value
    return True


def _never(value: Any) -> bool:
    del value
    return False


def _chosen(fits: Fits, allowed: tuple[Any, ...]) -> Fits:
    return lambda value: fits(value) and value in allowed


def _object(schema: Manifest) -> Fits:
    known = {name: fitting(part) for name, part in (schema.get("properties") or {}).items()}
    more = schema.get("additionalProperties")
    others = fitting(more) if isinstance(more, dict) else None
    if schema.get(_PRESERVE) and others is None:
        others = _always
    required = tuple(schema.get("required") or ())

    def fits(value: Any) -> bool:
        if type(value) is not dict:
            return False
        for name, part in value.items():
            check = known.get(name, others)
            if check is None or part is None or not check(part):
                return False
        return all(name in value for name in required)

    return fits


def _array(schema: Manifest) -> Fits:
    check = fitting(schema.get("items") or {})
    low, high = schema.get("minItems", 0), schema.get("maxItems")

    def fits(value: Any) -> bool:
        if type(value) is not list or len(value) < low or (high is not None and len(value) > high):
            return False
        return all(map(check, value))

    return fits


def _string(schema: Manifest) -> Fits:
    low, high, pattern = schema.get("minLength"), schema.get("maxLength"), schema.get("pattern")
    found = re.compile(pattern).search if pattern is not None else None
    if low is high is found is None:
        return lambda value: type(value) is str

    def fits(value: Any) -> bool:
        if type(value) is not str or (low is not None and len(value) < low):
            return False
        return (high is None or len(value) <= high) and (found is None or bool(found(value)))

    return fits


def _number(*types: type) -> Callable[[Manifest], Fits]:
    def of_schema(schema: Manifest) -> Fits:
        low, high = schema.get("minimum"), schema.get("maximum")

        def fits(value: Any) -> bool:
            if type(value) not in types or (low is not None and value < low):
                return False
            return high is None or value <= high

        return fits

    return of_schema


def _boolean(schema: Manifest) -> Fits:
    del schema
    return lambda value: type(value) is bool


_BY_TYPE: dict[str, Callable[[Manifest], Fits]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "boolean": _boolean,
    "integer": _number(int),
    "number": _number(int, float),
}
