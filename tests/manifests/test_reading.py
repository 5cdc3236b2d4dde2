"""Whatever a file holds is read where kubectl would read it, with the place of every field."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.manifests.composing import MAX_DEPTH
from adapters.manifests.documents import Position
from adapters.manifests.reading import Reading, read

SEVERAL = """\
a: 1
--- # with a comment
b: [
---
# nothing but a comment
---
---
null
---
c: 3
"""


def texts(text: str) -> Reading:
    """Read a text."""
    return read(text.encode())


def told(text: str) -> list[tuple[int, int, str]]:
    """Where faults of a text stand, and their words."""
    return [(each.at.line, each.at.column, each.words) for each in texts(text).misreadings]


def test_every_field_has_its_place() -> None:
    """A field stands where its name does, an item where it begins, both counted from one."""
    text = 'a:\n  - b: 1\n    "c.d/e": |\n      long\n      text\n  - [x, {f: 2}]\n'
    [document] = texts(text).documents
    assert document.value == {"a": [{"b": 1, "c.d/e": "long\ntext\n"}, ["x", {"f": 2}]]}
    assert document.positions == {
        "": (1, 1),
        "a": (1, 1),
        "a[0]": (2, 5),
        "a[0].b": (2, 5),
        "a[0].c.d/e": (3, 5),
        "a[1]": (6, 5),
        "a[1][0]": (6, 6),
        "a[1][1]": (6, 9),
        "a[1][1].f": (6, 10),
    }


def test_what_does_not_stand_there_is_told_of_where_it_would() -> None:
    """The place of an absent field is that of the nearest one around it."""
    [document] = texts("x: 1\nspec:\n  targets:\n    - nodes: {}\n").documents
    assert document.where("spec.targets[0].nodes.names") == Position(4, 7)
    assert document.where("spec.targets[7].nodes") == Position(3, 3)
    assert document.where("status") == Position(1, 1)


def test_a_broken_document_hides_no_other() -> None:
    """Documents are cut as kubectl cuts them; the fault has its line in the file."""
    reading = texts(SEVERAL)
    assert [each.value for each in reading.documents] == [{"a": 1}, None, {"c": 3}]
    assert reading.documents[2].positions["c"] == Position(10, 1)
    [fault] = reading.misreadings
    assert fault.at.line == 4
    assert fault.words.startswith("is not YAML: did not find expected node content")


def test_what_kubectl_does_not_read_is_told() -> None:
    """A document on the line of its separator, and one behind the end of another, are faults."""
    assert told("a: 1\n--- {b: 1}\n")[0][:2] == (2, 1)
    assert told("a: 1\n...\nb: 2\n")[0][:2] == (3, 1)


def test_line_ends_and_byte_order_marks_do_not_matter() -> None:
    """CRLF, UTF-8 with a mark, and UTF-16 with one, are read as the same text."""
    plain = texts("a: ä\nb:\n- 1\n---\nc: 2\n")
    assert len(plain.documents) == 2
    text = "a: ä\r\nb:\r\n- 1\r\n---\r\nc: 2\r\n"
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        assert read(data) == plain


def test_equal_names_of_fields_are_told_with_both_lines() -> None:
    """Of a field that stands twice the last one counts, as to kubectl, and it is a fault."""
    reading = texts("a: 1\nb: {c: 1, c: 2}\n'a': 3\n")
    assert reading.documents[0].value == {"a": 3, "b": {"c": 2}}
    assert [(each.at, each.field, each.words) for each in reading.misreadings] == [
        ((2, 11), "b.c", "stands twice: line 2 has it already"),
        ((3, 1), "a", "stands twice: line 1 has it already"),
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("{<<: *x, b: 2}", {"b": 2, "d": 3}),
        ("{b: 2, <<: *x}", {"b": 1, "d": 3}),  # go-yaml merges where it stands
        ("{<<: [*x, *y]}", {"b": 1, "d": 3, "e": 5}),
        ("{'<<': 1}", {"<<": 1}),
        ("*x", {"b": 1, "d": 3}),
    ],
)
def test_anchors_and_merge_keys_mean_what_they_mean_to_kubectl(text: str, value: object) -> None:
    """What comes from elsewhere has the place where it stands there."""
    [document] = texts(f"x: &x {{b: 1, d: 3}}\ny: &y {{b: 4, e: 5}}\nz: {text}\n").documents
    assert document.value["z"] == value
    if "*x" in text:
        assert document.positions["z.d"].line == 1


def bomb(first: str, each: str) -> str:
    """Aliases of aliases, ten of each in the next."""
    lines = [f"a0: &a0 {first}"]
    for number in range(1, 12):
        again = ", ".join([f"*a{number - 1}"] * 10)
        lines.append(f"a{number}: &a{number} " + each.replace("AGAIN", again))
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        bomb("x", "[AGAIN]"),
        bomb("{x: 1}", "{<<: [AGAIN]}"),
        bomb("{}", "{<<: [AGAIN]}"),
        "a: &a [*a]",
        "a: &a {b: *a}",
        "a: &a {<<: *a}",
        "a: *nothing",
        "a: &b 1\n---\nc: *b",
        "<<: 1",
        "{[a]: b}",
        "[" * 5_000,
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "- " * 5_000 + "x",
        "\n".join(" " * depth + "a:" for depth in range(400)),
        "a0: &a0 x\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 400)),
        '{"a":' * 5_000,
        '{"a":' * (MAX_DEPTH + 1) + "1" + "}" * (MAX_DEPTH + 1),
        "a: 'unclosed",
        "a: b: c",
        "%YAML 9.9\n---\na: 1",
        '{"a": 1]',
        '{"a": 1}{"b": 2}{"c": NaN}',
    ],
    ids=range(22),
)
def test_nothing_exhausts_or_stops_the_reader(text: str) -> None:
    """Bombs, loops, depths and halves of documents are one fault each, with a line."""
    reading = texts(text)
    assert len(reading.misreadings) == 1
    assert reading.misreadings[0].at.line >= 1


def test_a_name_of_a_megabyte_makes_no_path_of_a_megabyte() -> None:
    """Paths are bounded: what lies below a monstrous name is told of under what is around it."""
    [document] = texts(json.dumps({"a": {"k" * 1_000_000: list(range(10_000))}})).documents
    assert max(map(len, document.positions)) < 3000
    assert document.where("a." + "k" * 1_000_000 + "[9].x" * 1000) == Position(1, 2)


@pytest.mark.parametrize(
    ("data", "at", "words"),
    [
        (b"a: 1\nb: \xc3\xa4\xff", (2, 5), "byte 0xff"),
        (b"a: 1\nSQLite\x00b", (2, 7), "a NUL byte"),
        (b"a: 1\n---\nb: \x01\n", (3, 4), "U+0001"),
    ],
)
def test_what_is_no_text_is_told(data: bytes, at: tuple[int, int], words: str) -> None:
    """Bytes that are no text have a line and a column, too."""
    [fault] = read(data).misreadings
    assert fault.at == at
    assert words in fault.words


def test_json_is_read_as_json() -> None:
    """Tabs, escapes, several values in a row: what is JSON needs not be YAML."""
    text = '{\n\t"a": {"b": "\\ud83d\\ude00\\/\\ud800"},\n\t"yes": "no"}\n{"a": 1e3} {"a": null}'
    reading = texts(text)
    assert reading.misreadings == ()
    assert [each.value for each in reading.documents] == [
        {"a": {"b": "😀/\ufffd"}, "yes": "no"},
        {"a": 1000},
        {"a": None},
    ]
    assert reading.documents[0].positions["a.b"] == Position(2, 8)
    assert reading.documents[1].positions["a"] == Position(4, 2)


def test_a_brace_may_begin_yaml_as_well() -> None:
    """What is no JSON is YAML, and of two complaints the one that came further is given."""
    assert texts("{a: 1, b: yes}\n---\nc: 2\n").documents[0].value == {"a": 1, "b": True}
    assert [each.value for each in texts('{"a": 1}\n---\nb: 2\n').documents] == [{"a": 1}, {"b": 2}]
    [(line, _, words)] = told('{"a": 1,\n "b": 2\n "c": 3}')
    assert line == 3
    assert words.startswith("is not ")


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a:\n\tb: 1\n", "indented with spaces"),
        ("a: @b\n", "put quotes around what begins with @"),
        ("a: b: c\n", "needs quotes"),
        ("a: {{ .Values.name }}\n", "if it is a template"),
    ],
)
def test_a_common_mistake_is_named(text: str, hint: str) -> None:
    """The parser's words are its own; what such a fault mostly comes from is added."""
    assert hint in told(text)[0][2]


TEXTS = st.text(st.characters(codec="utf-8"), max_size=9)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner),
    max_leaves=20,
)


@given(st.dictionaries(TEXTS, JSON))
def test_json_comes_back_as_it_was(value: dict[str, object]) -> None:
    """Whatever JSON says is read as that."""
    reading = read(json.dumps(value).encode())
    assert reading.misreadings == ()
    assert [each.value for each in reading.documents] == [value]


@given(st.binary() | st.text("a:-[]{}&*!|>'\"%@`#,?\n\t <", max_size=60).map(str.encode))
def test_no_bytes_stop_the_reader(data: bytes) -> None:
    """Whatever the bytes are, they are documents, or faults with their place."""
    for fault in read(data).misreadings:
        assert fault.at.line >= 1
        assert fault.at.column >= 1
