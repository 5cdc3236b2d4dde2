"""Canonical JSON: one text per value."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.canonical_json import MOST_DIGITS, Number, dumps, loads

TEXTS = st.text(st.characters(codec=None, categories=None), max_size=20)
NUMBERS = st.one_of(
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: Number(json.dumps(value))),
    st.sampled_from([Number(text) for text in ("1.0", "1.00", "1e3", "1E+3", "-0", "-0.0")]),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=20,
)


def test_the_shape_of_the_text() -> None:
    """Keys are sorted, there are no blanks, and everything beyond ASCII is an escape."""
    assert dumps({"b": [1, "é"], "a": {"d": None, "c": True}}) == (
        '{"a":{"c":true,"d":null},"b":[1,"\\u00e9"]}'
    )


def test_keys_are_sorted_by_code_point() -> None:
    """Not by locale, and not by what their escapes look like."""
    assert list(loads(dumps({"é": 1, "z": 1, "Z": 1, "\U0001f600": 1, "\uffff": 1}))) == [
        "Z", "z", "é", "\uffff", "\U0001f600",
    ]  # fmt: skip


@given(VALUES)
def test_a_value_comes_back(value: Any) -> None:
    """What was written is read as it was, whatever characters it holds."""
    assert loads(dumps(value)) == value


@given(VALUES)
def test_a_text_is_ascii(value: Any) -> None:
    """No text holds a character that any terminal, database or file could change."""
    text = dumps(value)
    assert text.isascii()
    assert text.isprintable()


@given(VALUES)
def test_equal_values_are_equal_bytes(value: Any) -> None:
    """Writing what was read gives the same bytes again, with or without numbers kept as texts."""
    text = dumps(value)
    assert dumps(loads(text)) == text
    assert dumps([value, Number("1.0")]) == f"[{text},1.0]"


@pytest.mark.parametrize("text", ["1.0", "1.00", "1e3", "1E+3", "0.1", "-0", "-0.0", "1e999"])
def test_numbers_stay_as_they_were_written(text: str) -> None:
    """A number that is no plain integer is kept as its text."""
    assert loads(text) == Number(text)
    assert dumps(loads(f'{{"a":[{text}]}}')) == f'{{"a":[{text}]}}'


def test_long_integers_stay_texts() -> None:
    """An integer that Python would not convert is kept as its text."""
    text = "9" * 5000
    assert loads(text) == Number(text)
    assert dumps(loads(text)) == text
    assert loads("9" * MOST_DIGITS) == int("9" * MOST_DIGITS)


def test_numbers_are_compared_by_their_text() -> None:
    """Two numbers written differently are two values; their float is there for arithmetic."""
    assert Number("1.0") == Number("1.0")
    assert Number("1.0") != Number("1.00")
    assert Number("1.0") != 1.0
    assert len({Number("1.0"), Number("1.0"), Number("1.00")}) == 2
    assert float(Number("1e3")) == 1000.0
    assert repr(Number("1.0")) == "Number('1.0')"


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_has_not(value: float) -> None:
    """NaN and the infinities are refused in both directions."""
    with pytest.raises(ValueError, match="JSON"):
        dumps({"a": value})
    with pytest.raises(ValueError, match="is not JSON"):
        loads(json.dumps(value))


@pytest.mark.parametrize("value", [object(), {1, 2}, b"x", [Number("1.0"), object()]])
def test_other_types_are_refused(value: Any) -> None:
    """What JSON has no form for raises TypeError, beside numbers kept as texts, too."""
    with pytest.raises(TypeError):
        dumps(value)


@pytest.mark.parametrize("text", ["", "{", '{"a":}', "[1,]", "1 2", "'a'", "\ufeff1"])
def test_what_is_no_document(text: str) -> None:
    """Anything else than one JSON document raises ValueError."""
    with pytest.raises(ValueError):  # noqa: PT011 -- the words are the standard library's
        loads(text)


def test_tuples_are_lists() -> None:
    """A tuple is written as a list is, in both encoders."""
    assert dumps((1, (2,))) == "[1,[2]]"
    assert dumps((1, (Number("2.0"),))) == "[1,[2.0]]"
