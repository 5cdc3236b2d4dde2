"""The sizes that keep each file readable, and the words that no file may hold.

Functions have at most 40 lines, Python files 400, lines 100. Generated files are exempt from
sizes, and pure tables (imports and constants, nothing else) from the length of the file.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests import repository

FUNCTION_LINES = 40
FILE_LINES = 400
LINE_LENGTH = 100

# Files that are taken over as they are: a licence, and the checksums of Go modules.
FOREIGN = frozenset({"LICENSE", "go.sum"})
UNFINISHED = re.compile(r"\b(T[O]DO|F[I]XME|X[X]X)\b")
# Where some machine keeps things, and where its packages come from.
PLACES = re.compile(
    r"(?<![\w.-])/(work|root)/"
    r"|\b(pypi|files\.pythonhosted|proxy\.golang|sum\.golang|registry\.npmjs|deb\.debian)\.org\b"
)

Finding = tuple[int, str]


def is_table(text: str) -> bool:
    """Whether a module holds nothing but a docstring, imports and constants."""
    body = ast.parse(text).body
    if ast.get_docstring(ast.Module(body, [])) is not None:
        body = body[1:]
    return all(
        isinstance(each, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign) for each in body
    )


def long_functions(text: str) -> Iterator[Finding]:
    """Functions with too many lines, from `def` to their end, docstring included."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield node.lineno, f"{node.name} has {lines} lines, more than {FUNCTION_LINES}"


def long_file(text: str) -> Iterator[Finding]:
    """The file itself, if it has too many lines and is no pure table."""
    lines = len(text.splitlines())
    if lines > FILE_LINES and not is_table(text):
        yield lines, f"the file has {lines} lines, more than {FILE_LINES}"


def long_lines(text: str) -> Iterator[Finding]:
    """Lines that are too long."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LINE_LENGTH:
            yield number, f"the line has {len(line)} characters, more than {LINE_LENGTH}"


def matches(pattern: re.Pattern[str]) -> Callable[[str], Iterator[Finding]]:
    """A check that finds each line which a pattern matches."""

    def check(text: str) -> Iterator[Finding]:
        for number, line in enumerate(text.splitlines(), start=1):
            found = pattern.search(line)
            if found:
                yield number, f"the line says {found[0]!r}"

    return check


SIZES = [long_functions, long_file, long_lines]
WORDS = {"unfinished": matches(UNFINISHED), "places": matches(PLACES)}


def report(path: Path, findings: Iterator[Finding]) -> list[str]:
    """Findings as lines to click on."""
    return [f"{path}:{number}: {what}" for number, what in findings]


def texts() -> dict[Path, str]:
    """What every file of the repository holds, but for those taken over as they are."""
    names = [path for path in repository.files() if path.name not in FOREIGN]
    return {path: (repository.ROOT / path).read_text(errors="replace") for path in names}


@pytest.mark.parametrize("check", SIZES)
def test_python_files_keep_their_sizes(check: Callable[[str], Iterator[Finding]]) -> None:
    """No function, file or line of Python is too long, unless it was generated."""
    sources = {path: text for path, text in texts().items() if path.suffix == ".py"}
    assert Path("tests/test_sizes.py") in sources
    written = {p: text for p, text in sources.items() if not repository.is_generated(text)}
    found = [line for path, text in written.items() for line in report(path, check(text))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("words", WORDS)
def test_no_file_holds_a_banned_word(words: str) -> None:
    """Nothing is left unfinished in words, and nothing names one machine or its registries."""
    check = WORDS[words]
    found = [line for path, text in texts().items() for line in report(path, check(text))]
    assert not found, "\n".join(found)


def function_of(lines: int, before: str = "") -> str:
    """A function with so many lines, its docstring among them."""
    return f'{before}def f():\n    """Doc."""\n' + "    x = 1\n" * (lines - 2)


@pytest.mark.parametrize("before", ["", "async ", "@cache\n@other\n"])
def test_function_sizes(before: str) -> None:
    """Forty lines pass and forty-one do not; decorators do not count."""
    assert not list(long_functions(function_of(40, before)))
    [(line, what)] = long_functions(function_of(41, before))
    assert (line, what) == (1 + before.count("\n"), "f has 41 lines, more than 40")


def test_a_method_has_the_size_of_a_function() -> None:
    """A method that is too long is found inside its class."""
    source = "class C:\n" + "".join(f"    {line}\n" for line in function_of(50).splitlines())
    assert [line for line, _ in long_functions(source)] == [2]


def test_file_sizes() -> None:
    """Four hundred lines pass and one more does not; a table may be longer, code beside it not."""
    code = "print(1)\n"
    assert not list(long_file(code * 400))
    assert list(long_file(code * 401)) == [(401, "the file has 401 lines, more than 400")]
    table = '"""Doc."""\nfrom a import B\nC: int = 1\n' + "D = B\n" * 600
    assert not list(long_file(table))
    assert list(long_file(table + "def f(): ...\n"))


def test_line_lengths() -> None:
    """A hundred characters pass, in any script, and one more does not."""
    assert not list(long_lines("é" * 100 + "\n" + "x" * 100))
    assert list(long_lines("x\n" + "x" * 101)) == [
        (2, "the line has 101 characters, more than 100")
    ]


def test_generated_files_say_so_at_their_top() -> None:
    """Only a file whose first lines say that it was generated is exempt."""
    assert repository.is_generated("# Generated by make crds; do not edit.\nkind: X\n")
    assert not repository.is_generated("x = 1\n" * 3 + "# as generated by the server\n")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("unfinished", "# todo: later".upper()),
        ("unfinished", "# fixme".upper()),
        ("places", "open('/ROOT/.kube/config')".lower()),
        ("places", "cd /WORK/main".lower()),
        ("places", "https://PYPI.org/simple".lower()),
    ],
)
def test_banned_words_are_found(words: str, line: str) -> None:
    """Each kind of banned word is found, with its line."""
    assert [number for number, _ in WORDS[words](f"fine\n{line}\n")] == [2]


@pytest.mark.parametrize("line", ["mktemp tmp.XXXXXX", "https://x.dev/work/page", "./root/x"])
def test_other_words_are_left_alone(line: str) -> None:
    """A template of mktemp, and folders inside an address or a relative path, are no findings."""
    assert not any(list(check(line)) for check in WORDS.values())
