"""Splitting a stream into its JSON documents, whatever is wrong with some of them."""

import json
from itertools import islice

import pytest

from adapters.importing.documents import Damage, Document, split

ONE, TWO = {"a": 1, "b": {"c": [1, {"d": "}\n{"}]}}, {"a": 2}


def found(text: str) -> list[object]:
    """The values of the documents, and the words of what is none."""
    given = split(text.encode().splitlines(keepends=True))
    return [one.value if isinstance(one, Document) else one.words for one in given]


@pytest.mark.parametrize("first", [None, 1, 2, 4, "\t"])
@pytest.mark.parametrize("second", [None, 4])
def test_documents_may_be_printed_in_any_way(first: int | str | None, second: int | None) -> None:
    """One per line or pretty, and one way after the other."""
    text = json.dumps(ONE, indent=first) + "\n" + json.dumps(TWO, indent=second) + "\n"
    assert found(text * 2) == [ONE, TWO, ONE, TWO]


def test_documents_may_follow_without_a_line_between_them() -> None:
    """A document may begin on the line on which another ended."""
    text = json.dumps(ONE, indent=2) + json.dumps(TWO, indent=2) + json.dumps(ONE)
    assert found(text) == [ONE, TWO, ONE]


def test_numbers_and_lines_are_told() -> None:
    """A document is named by its number and by the line on which it begins."""
    text = json.dumps(ONE, indent=2) + "\n\nnoise\n" + json.dumps(TWO) + "\n"
    first, noise, second = split(text.encode().splitlines(keepends=True))
    assert (first.number, first.line) == (1, 1)
    lines = len(text.splitlines())
    assert isinstance(noise, Damage)
    assert (noise.number, noise.line) == (0, lines - 1)
    assert (second.number, second.line) == (2, lines)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_cut_last_document_costs_only_itself(indent: int | None) -> None:
    """What stands before the cut is used."""
    text = json.dumps(ONE, indent=indent) + "\n" + json.dumps(ONE, indent=indent)[:-4]
    assert found(text) == [ONE, "the material ends in the middle of it"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_damaged_document_ends_where_the_next_begins(indent: int | None) -> None:
    """What comes after it is used."""
    text = json.dumps(ONE, indent=indent)[:-3] + "\n" + json.dumps(TWO, indent=indent)
    assert found(text) == ["it is cut, or damaged", TWO]


def test_lines_that_are_no_json_stop_nothing() -> None:
    """A message of kubectl's between two documents is told, and both are used."""
    text = json.dumps(ONE) + "\nError from server (NotFound)\n" + json.dumps(TWO, indent=1)
    assert found(text) == [ONE, "it is no JSON", TWO]


def test_bytes_that_are_no_text_stop_nothing() -> None:
    """A document with bytes that are no UTF-8 is told, and the next one is used."""
    lines = [b'{"a": "\xff"}\n', b'{"a": 2}\n']
    assert [type(one) for one in split(lines)] == [Damage, Document]


def test_what_is_nested_too_deeply_is_read_as_far_as_it_can_be() -> None:
    """A document that no parser reads whole is a document all the same."""
    deep = '{"a": ' + "[" * 5000 + "]" * 5000 + "}\n"
    first, second = found(deep + json.dumps(TWO))
    assert isinstance(first, dict)
    assert second == TWO


def test_a_mark_of_byte_order_is_no_part_of_it() -> None:
    """Some editors and shells begin a file with one."""
    assert [type(one) for one in split([b'\xef\xbb\xbf{"a": 1}\n'])] == [Document]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_members_of_an_array_may_each_begin_a_line(indent: int | None) -> None:
    """Then each is a document, and the lines around them are none that is damaged."""
    members = ",\n".join(json.dumps(one, indent=indent) for one in (TWO, TWO, TWO))
    assert found(f"[\n{members}\n]\n") == [TWO, TWO, TWO]


def test_what_follows_a_document_on_its_line_costs_nothing_else() -> None:
    """The document is whole, whatever stands behind it."""
    text = json.dumps(TWO) + json.dumps(ONE) + " killed\n" + json.dumps(TWO)
    assert found(text) == [TWO, ONE, "it is no JSON", TWO]


def test_a_mark_of_byte_order_may_stand_where_files_were_joined() -> None:
    """Each of them brings its own."""
    lines = [b'\xef\xbb\xbf{"a": 1}\n', b'\xef\xbb\xbf{"a": 2}\n']
    assert [type(one) for one in split(lines)] == [Document, Document]


def test_what_can_no_more_become_a_document_is_not_held() -> None:
    """A log of some program behind a cut document is passed over line by line."""
    lines = (line for line in (b'{"a":\n', *[b"Starting up\n"] * 3, b'{"a": 2}\n'))
    assert [type(one) for one in islice(split(lines), 1)] == [Damage]
    assert next(lines) == b"Starting up\n"


@pytest.mark.parametrize(
    ("text", "documents"),
    [
        pytest.param('{"a": 1}' * 300_000, 300_000, id="documents on one line"),
        pytest.param("[\n" + "}\n" * 300_000, 0, id="ends of what never began"),
        pytest.param(
            "[{\n" + "}, {\n" * 300_000 + "}]\n", 1, id="members that end as others begin"
        ),
    ],
)
def test_nothing_is_looked_through_again_and_again(text: str, documents: int) -> None:
    """Material of millions of bytes is split in its own time, however its lines end.

    Looked through at each of its lines, any of these would take hours.
    """
    given = split(text.encode().splitlines(keepends=True))
    assert sum(isinstance(one, Document) for one in given) == documents
