"""Seeing at a glance that a value fits its schema."""

from typing import Any

import pytest

from adapters.simulator.schema_fitting import fitting
from adapters.simulator.schema_values import invalid_values

NAME = {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z]*$"}
COUNT = {"type": "integer", "minimum": 1, "maximum": 3}
LIST = {"type": "array", "items": COUNT, "minItems": 1, "maxItems": 2}
OPEN = {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"a": NAME}}
MAP = {"type": "object", "additionalProperties": COUNT}
CHOICE = {"type": "string", "enum": ["a", "b"]}
OBJECT = {"type": "object", "required": ["a"], "properties": {"a": NAME, "b": LIST}}

FITTING: list[tuple[dict[str, Any], Any]] = [
    (NAME, "abc"), (COUNT, 1), (COUNT, 3), ({"type": "number"}, 1.5), ({"type": "boolean"}, False),
    (LIST, [1, 2]), (OPEN, {"a": "a", "x": [1]}), (MAP, {"x": 2}), (CHOICE, "b"),
    (OBJECT, {"a": "a", "b": [3]}), ({"description": "anything"}, [{"a": None}]),
]  # fmt: skip
OTHERS: list[tuple[dict[str, Any], Any]] = [
    (NAME, ""), (NAME, "abcd"), (NAME, "A"), (NAME, 1), (NAME, None), (COUNT, 0), (COUNT, 4),
    (COUNT, 1.0), (COUNT, True), ({"type": "boolean"}, 0), (LIST, []), (LIST, [1, 2, 3]),
    (LIST, [0]), (LIST, {}), (OPEN, {"a": "A"}), (MAP, {"x": 0}), (CHOICE, "c"), (OBJECT, {}),
    (OBJECT, {"a": "a", "b": [9]}),
]  # fmt: skip
CUT: list[tuple[dict[str, Any], Any]] = [
    (OBJECT, {"a": "a", "unknown": 1}), (OBJECT, {"a": "a", "b": None}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value"), FITTING)
def test_what_fits_is_seen_and_breaks_nothing(schema: dict[str, Any], value: Any) -> None:
    """So that it need not be looked at in detail."""
    assert fitting(schema)(value)
    assert list(invalid_values(value, schema)) == []


@pytest.mark.parametrize(("schema", "value"), OTHERS)
def test_what_breaks_a_schema_does_not_fit_it(schema: dict[str, Any], value: Any) -> None:
    """A look in detail then says why."""
    assert not fitting(schema)(value)
    assert list(invalid_values(value, schema))


@pytest.mark.parametrize(("schema", "value"), CUT)
def test_what_has_to_be_cut_does_not_fit(schema: dict[str, Any], value: Any) -> None:
    """Fields that nobody knows, and nulls."""
    assert not fitting(schema)(value)
