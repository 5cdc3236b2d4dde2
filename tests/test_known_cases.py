"""docs/known-cases.md and the tests that show its cases belong together.

A test shows a case by ending its docstring in the case's number in square brackets.
"""

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import pytest

from tests import repository

PAGE = "docs/known-cases.md"
FOLDERS = ("tests", "property_tests")
MOST_TAGS = 3

# The numbers that exist. The gaps are cases that turned out to be none.
REVIEWED = (*range(1, 9), *range(10, 16), *range(18, 25), 26, *range(29, 39))
READ = (
    *(*range(39, 44), 45, 46, *range(48, 58), 59, 60, 61),
    *(*range(64, 73), 74, 75, 76, 77),
)
CONTINUOUS = tuple(range(78, 87))
TWINS = (*range(87, 99), 100, *range(103, 116))
WARMING = (1, 2, 4, 5, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20)
JOBS = (
    *(40, 41, 43, 44, 46, 47, 49, 50, 52, 53, 55, 56),
    *(58, 59, 61, 62, 64, 65, 67, 68),
)
# Of ModelCaches and clusters.
CACHING = (
    *(2, 3, 5, 7, 8, 18, 19, 20, 27, 28, 29, 30, 31, 33, 34, 35, 36, 37, 38, 39, 41, 42),
    *(44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 58, 62, 63, 67, 74, 76, 78, 80, 82),
)
ENGINES = (
    *(1, 4, 6, *range(9, 18), 21, 25, 26, 59, 60, 61, 64, 65, 66, *range(68, 74), 77),
)  # of ModelReplicas
STAGING = (22, 23, 25, 26, 28, 29, 31, 32, 34, 35, 37, 38, 70, 71, 73, 74, 76)
CASES = frozenset(
    [f"W{number}" for number in (*REVIEWED, *READ, *TWINS)]
    + [f"C{number}" for number in (*CACHING, *ENGINES)]
    + [f"S{number}" for number in (*WARMING, *STAGING, *JOBS)]
)
OUT_OF_SCOPE = frozenset(f"W{number}" for number in CONTINUOUS)

HELD, LEFT_OUT = "held", "out of scope"
REASONED = re.compile(r"(decided otherwise|cannot happen): \S.{20,}")
ROW = re.compile(r"\| (?P<id>[CWS]\d+) \| (?P<fault>[^|]{20,}\.) \| (?P<here>[^|]+) \|")
TAG = re.compile(r"\[([CWS]\d+)\]")
ENDING = re.compile(r"(?:\s\[[CWS]\d+\])+\Z")


class Row(NamedTuple):
    """One line of the page."""

    id: str
    here: str


class Docstring(NamedTuple):
    """What a function, class or module says of itself."""

    place: str
    test: bool
    text: str

    @property
    def tags(self) -> list[str]:
        """Every case that it names."""
        return TAG.findall(self.text)


def rows(page: str) -> list[Row]:
    """Every line of the page that tells a case."""
    lines = (line for line in page.splitlines() if re.match(r"\| *[CWS]\d", line))
    found = [(line, ROW.fullmatch(line)) for line in lines]
    assert all(match for _, match in found), [line for line, match in found if not match]
    return [Row(match["id"], match["here"]) for _, match in found if match]


def docstrings(place: str, source: str) -> Iterator[Docstring]:
    """Every docstring of a Python file."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module):
            yield Docstring(place, test=False, text=ast.get_docstring(node) or "")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            test = not isinstance(node, ast.ClassDef) and node.name.startswith("test_")
            yield Docstring(f"{place}::{node.name}", test, ast.get_docstring(node) or "")


def row_faults(listed: Iterable[Row]) -> Iterator[str]:
    """What is wrong with the page by itself."""
    seen: set[str] = set()
    for row in listed:
        if row.id in seen:
            yield f"{row.id} stands twice"
        seen.add(row.id)
        if row.id in OUT_OF_SCOPE:
            if row.here != LEFT_OUT:
                yield f"{row.id} is out of scope, not {row.here!r}"
        elif row.id not in CASES:
            yield f"{row.id} is no case"
        elif row.here != HELD and not REASONED.fullmatch(row.here):
            yield f"{row.id} is neither held nor has it a reason: {row.here!r}"
    yield from (f"{case} is missing" for case in sorted((CASES | OUT_OF_SCOPE) - seen))


def tag_faults(said: Iterable[Docstring]) -> Iterator[str]:
    """What is wrong with the tags by themselves."""
    for docstring in said:
        tags = docstring.tags
        if not tags:
            continue
        if not docstring.test:
            yield f"{docstring.place} is no test and shows nothing: {tags}"
            continue
        ending = ENDING.search(docstring.text)
        if ending is None or TAG.findall(ending[0]) != tags:
            yield f"{docstring.place} does not end in its tags"
        if len(tags) > MOST_TAGS or len(set(tags)) < len(tags):
            yield f"{docstring.place} has more than {MOST_TAGS} tags, or one twice: {tags}"
        yield from (f"{docstring.place}: [{tag}] is no case" for tag in tags if tag not in CASES)


def match_faults(listed: Iterable[Row], shown: frozenset[str]) -> Iterator[str]:
    """Where the page and the tests say different things."""
    for row in listed:
        if row.here != LEFT_OUT and row.id not in shown:
            yield f"{row.id} is called {row.here.partition(':')[0]}, and no test ends in its number"


def the_docstrings() -> list[Docstring]:
    """Every docstring of the tests."""
    paths = [path for path in repository.files() if path.suffix == ".py"]
    read = [
        docstrings(str(path), (repository.ROOT / path).read_text())
        for path in paths
        if path.parts[0] in FOLDERS
    ]
    return list(chain.from_iterable(read))


def the_rows() -> list[Row]:
    """Every case of the page."""
    return rows((repository.ROOT / PAGE).read_text())


def test_every_case_has_one_line() -> None:
    """The page tells each case once, no other, and whether it is held or why it is not."""
    assert (len(REVIEWED) + len(READ) + len(TWINS), len(WARMING) + len(JOBS)) == (91, 34)
    assert (len(CACHING), len(ENGINES), len(STAGING)) == (43, 28, 17)
    assert not list(row_faults(the_rows()))


def test_tags_stand_at_the_ends_of_tests() -> None:
    """Each tag is that of a case, ends the docstring of a test, and has at most two beside it."""
    assert not list(tag_faults(the_docstrings()))


def test_each_line_has_its_tests() -> None:
    """What the page calls held, or gives a reason for, has a test that ends in its number."""
    shown = frozenset(chain.from_iterable(each.tags for each in the_docstrings() if each.test))
    assert not list(match_faults(the_rows(), shown))


@pytest.mark.parametrize(
    ("source", "faults"),
    [
        ('def test_a():\n    """It holds [W1] [S2]"""', 0),
        ('class A:\n    async def test_a(self):\n        """It holds\n\n        [W1]"""', 0),
        ('def test_a():\n    """It [W1] holds."""', 1),
        ('def test_a():\n    """It holds [W1]."""', 1),
        ('def test_a():\n    """It [W1] holds [W2]"""', 1),
        ('def test_a():\n    """It holds [W1] [W2] [W3] [W4]"""', 1),
        ('def test_a():\n    """It holds [W1] [W1]"""', 1),
        ('def test_a():\n    """It holds [W9]"""', 1),
        ('def a():\n    """It holds [W1]"""', 1),
        ('class TestA:\n    """It holds [W1]"""', 1),
        ('"""It holds [W1]"""', 1),
    ],
)
def test_tags_are_looked_at(source: str, faults: int) -> None:
    """A tag in a wrong place, of no case, or among too many is found."""
    assert len(list(tag_faults(docstrings("x.py", source)))) == faults


@pytest.mark.parametrize(
    ("here", "shown", "faults"),
    [
        ("held", True, 0),
        ("held", False, 1),
        ("cannot happen: a Job names its node by itself", True, 0),
        ("cannot happen: a Job names its node by itself", False, 1),
        ("decided otherwise: no", True, 1),
        ("maybe", True, 1),
        ("out of scope", False, 1),
    ],
)
def test_lines_are_looked_at(here: str, *, shown: bool, faults: int) -> None:
    """A line without its test, or without a real reason, is found."""
    listed = rows(f"| W1 | Something went very wrong. | {here} |")
    others = [Row(case, HELD) for case in CASES - {"W1"}]
    others += [Row(case, LEFT_OUT) for case in OUT_OF_SCOPE]
    found = [*row_faults(listed + others), *match_faults(listed, frozenset(["W1"] * shown))]
    assert len(found) == faults


def test_missing_and_doubled_lines_are_found() -> None:
    """A case without a line, a line without a case, and a case told twice are named."""
    whole = [Row(case, HELD) for case in CASES] + [Row(case, LEFT_OUT) for case in OUT_OF_SCOPE]
    assert not list(row_faults(whole))
    assert list(row_faults([*whole[1:], whole[2]])) == [
        f"{whole[2].id} stands twice",
        f"{whole[0].id} is missing",
    ]
    assert list(row_faults([*whole, Row("W9", HELD)])) == ["W9 is no case"]
