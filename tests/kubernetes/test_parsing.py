"""Parsing: exact where it must be, and never defeated by one object."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.kubernetes.parsing import TOO_DEEP, parse, shallow
from engine.canonical_json import Number

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


def test_numbers_keep_their_text_only_when_asked() -> None:
    """Exact parsing keeps `1.50`; the fast one gives a float."""
    assert parse(b"[1.50, 2]", exact=True) == [Number("1.50"), 2]
    assert parse(b"[1.50, 2]", exact=False) == [1.5, 2]


@pytest.mark.parametrize("data", [b"", b"{", b"{} {}", b"NaN", b"[Infinity]", b"\xff"])
def test_what_is_no_json_is_a_value_error(data: bytes) -> None:
    """Both parsers refuse the same things."""
    for exact in (True, False):
        with pytest.raises(ValueError, match=r"column|is not JSON|decode"):
            parse(data, exact=exact)


def _bounded(value: Any, depth: int) -> Any:
    """The value as `shallow` has to give it, made by recursion."""
    if not isinstance(value, dict | list):
        return value
    if depth == 0:
        return TOO_DEEP
    if isinstance(value, dict):
        return {name: _bounded(inner, depth - 1) for name, inner in value.items()}
    return [_bounded(inner, depth - 1) for inner in value]


@given(_JSON, st.integers(min_value=0, max_value=4))
def test_what_lies_too_deep_is_replaced_and_nothing_else(value: Any, depth: int) -> None:
    """Cutting the text gives what cutting the value would."""
    for ascii_only in (True, False):
        data = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
        assert parse(shallow(data, depth), exact=False) == _bounded(value, depth)


def test_a_document_that_no_parser_reads_is_read() -> None:
    """Beyond the depth that parsers bear, the rest of the document still comes through."""
    deep = b"[" * 50_000 + b"]" * 50_000
    read = parse(b'{"a": ' + deep + b', "b": 1.0}', exact=True)
    assert read["b"] == Number("1.0")
    with pytest.raises(ValueError, match="column"):
        parse(b"[" * 50_000, exact=True)
