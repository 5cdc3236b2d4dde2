"""The core is pure: what import-linter sees in imports, and what no import shows.

`engine/` and `machines/` may use no I/O, no clock and no chance. The modules that they may not
import are listed once, in the import-linter contract "purity" of pyproject.toml.
"""

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parent.parent

# Builtins that do I/O, run text, or answer differently in another process.
IMPURE_BUILTINS = frozenset(
    {"open", "print", "input", "breakpoint", "exec", "eval", "compile", "__import__"}
    | {"hash", "id"}
)
# Methods of datetime and date that read a clock; their other methods are welcome.
CLOCK_METHODS = frozenset({"now", "utcnow", "today"})


def forbidden_modules() -> frozenset[str]:
    """The top-level modules that the contract "purity" forbids."""
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())
    contracts = settings["tool"]["importlinter"]["contracts"]
    [purity] = [each for each in contracts if each.get("id") == "purity"]
    return frozenset(purity["forbidden_modules"])


def imported(node: ast.Import | ast.ImportFrom) -> list[str]:
    """The top-level modules that a statement imports; relative imports stay at home."""
    if isinstance(node, ast.Import):
        return [alias.name.partition(".")[0] for alias in node.names]
    return [node.module.partition(".")[0]] if node.level == 0 and node.module else []


def impure_call(node: ast.Call) -> str | None:
    """The name of the impure function that a call calls, if it does."""
    match node.func:
        case ast.Name(id=name) if name in IMPURE_BUILTINS:
            return name
        case ast.Attribute(attr=name) if name in CLOCK_METHODS:
            return name
    return None


def defining_hashes(tree: ast.AST) -> set[ast.AST]:
    """What stands inside a `__hash__`, the one place where hash() belongs."""
    return {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name == "__hash__"
        for inner in ast.walk(node)
    }


def offences(source: str, forbidden: frozenset[str]) -> Iterator[tuple[int, str]]:
    """Every line of a source that is not pure, and what it does."""
    tree = ast.parse(source)
    hashes = defining_hashes(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module in sorted(forbidden.intersection(imported(node))):
                yield node.lineno, f"imports {module}"
        elif isinstance(node, ast.Call):
            called = impure_call(node)
            if called and not (called == "hash" and node in hashes):
                yield node.lineno, f"calls {called}()"


@pytest.mark.parametrize("package", ["engine", "machines"])
def test_the_core_is_pure(package: str) -> None:
    """No module of the core imports or calls what does I/O, reads a clock or rolls dice."""
    files = sorted((REPOSITORY / package).rglob("*.py"))
    assert files
    forbidden = forbidden_modules()
    found = [
        f"{path.relative_to(REPOSITORY)}:{line} {what}"
        for path in files
        for line, what in offences(path.read_text(), forbidden)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "what"),
    [
        ("import time", "imports time"),
        ("import os.path as path", "imports os"),
        ("from asyncio import sleep", "imports asyncio"),
        ("from sqlalchemy.ext import asyncio", "imports sqlalchemy"),
        ("def f():\n    import random", "imports random"),
        ("x = open('file')", "calls open()"),
        ("print('here')", "calls print()"),
        ("x = {'a': [hash(y) for y in z]}", "calls hash()"),
        ("key = id(thing)", "calls id()"),
        ("from datetime import datetime\nx = datetime.now(UTC)", "calls now()"),
    ],
)
def test_impurity_is_found(source: str, what: str) -> None:
    """Each kind of impurity is found where it stands, however it is spelt."""
    [(line, found)] = offences(source, forbidden_modules())
    assert (line, found) == (len(source.splitlines()), what)


@pytest.mark.parametrize(
    "source",
    [
        "import hashlib\nx = hashlib.sha256(b'').hexdigest()",
        "from datetime import UTC, datetime\nx = datetime.fromtimestamp(1, tz=UTC)",
        "from .time import at",
        "import io\nx = io.StringIO()",
        "id = 3\nx = thing.open(id)",
        "class C:\n    def __hash__(self):\n        return hash(self.text)",
    ],
)
def test_purity_is_left_alone(source: str) -> None:
    """Digests, given times, relative imports, text in memory and `__hash__` are pure."""
    assert not list(offences(source, forbidden_modules()))
