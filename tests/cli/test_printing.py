"""Printing: plain tables in a pipe, canonical JSON, YAML."""

import json

import pytest
import yaml

from adapters.cli.printing import Page, print_json, print_manifest, print_yaml
from adapters.manifests.reading import read
from engine.canonical_json import Number, loads


def test_a_table_in_a_pipe_is_one_line_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Columns are as wide as they need, no line ends with blanks, and long words stay whole."""
    long = "word " * 50
    Page().table(["A", "LONG HEAD"], [["1", "x"], ["22", long], ["line\nend", ""]], indent=1)
    assert capsys.readouterr().out.splitlines() == [
        " A         LONG HEAD",
        " 1         x",
        f" 22        {long.strip()}",
        " line end",
    ]


def test_a_table_without_heads_has_no_line_for_them(capsys: pytest.CaptureFixture[str]) -> None:
    """Where no column has a head, the rows stand alone."""
    Page().table(["", ""], [["a", "b"]])
    assert capsys.readouterr().out == "a  b\n"


def test_a_table_without_rows_is_its_heads(capsys: pytest.CaptureFixture[str]) -> None:
    """No rows at all are no error."""
    Page().table(["A", "B"], [])
    assert capsys.readouterr().out == "A  B\n"


def test_json_and_yaml_keep_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON keeps the text of a number; YAML gives its value."""
    value = {"b": Number("1.50"), "a": [1, None, "é"]}
    print_json(value)
    text = capsys.readouterr().out
    assert text == '{"a":[1,null,"\\u00e9"],"b":1.50}\n'
    assert loads(text) == value
    print_yaml(value)
    assert yaml.safe_load(capsys.readouterr().out) == json.loads(text)


def test_words_from_outside_are_made_safe(capsys: pytest.CaptureFixture[str]) -> None:
    """Neither a line nor a cell lets an escape sequence through."""
    page = Page()
    page.line("\x1b[2J")
    page.table(["A"], [["\x07"]])
    assert capsys.readouterr().out == "\\x1b[2J\nA\n\\x07\n"


def test_in_a_narrow_window_the_last_column_stands_below(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On 80 columns a message with no room beside its row gets lines of its own, all of them."""
    _be_a_terminal(monkeypatch)
    long = "several words " * 20
    Page().table(["NAME", "MESSAGE"], [["n" * 60, long], ["short", ""]])
    head, below, name, *lines, last = capsys.readouterr().out.splitlines()
    assert (head, below, name, last) == ("NAME", "    MESSAGE", "n" * 60, "short")
    assert " ".join(" ".join(lines).split()) == long.strip()
    assert all(line.startswith("    ") and 30 < len(line) <= 80 for line in lines)


def test_a_last_column_with_room_is_folded_beside_its_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where 30 columns or more are left, the table keeps its shape."""
    _be_a_terminal(monkeypatch)
    Page().table(["NAME", "MESSAGE"], [["n", "word " * 30]])
    head, first, *_ = capsys.readouterr().out.splitlines()
    assert head.split() == ["NAME", "MESSAGE"]
    assert first.startswith("n     word word")


def test_a_command_is_never_folded(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is to be copied has no line end of ours in it, however narrow the window is."""
    _be_a_terminal(monkeypatch)
    long = "warmlog explain " + "x" * 90
    Page().line(long, indent=2, whole=True)
    Page().line(f"Do: read `{long}`")
    Page().line("word " * 30)
    whole, told, *folded = capsys.readouterr().out.splitlines()
    assert (whole, told) == (f"  {long}", f"Do: read `{long}`")
    assert len(folded) == 2


def _be_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have standard output pass for a terminal of 80 columns without styles."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.parametrize(
    "text",
    ["y", "1e3", "012", "0x1f", "1_0", "~", "", "null", "2001-01-01", "a: b", "# a", "- a", " a ",
     "a " * 99, "two\nlines\n", "\x85 ", "\u2028", "\ufeff", "\x00", "é", "*a", "<<",
     "=", "'", '"', "---"],
)  # fmt: skip
def test_a_manifest_is_read_as_it_was(capsys: pytest.CaptureFixture[str], text: str) -> None:
    """Whatever a text looks like, as a value, an item and a key, it is read as the same text."""
    value = {"key": text, "list": [text, 1, True, None], f"x{text}": {text: 1}}
    print_manifest(value)
    found = read(capsys.readouterr().out.encode())
    assert found.misreadings == ()
    assert [document.value for document in found.documents] == [value]
