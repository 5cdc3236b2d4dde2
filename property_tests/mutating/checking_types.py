"""Checking types: survivors that are no program at all, for `make lint` refuses them.

Where a value may be None, the type checker wants a guard also where None cannot come. Leaving it
out survives every trial, and never gets past the gate. Several mutants are checked at once, one of
a function.
"""

import ast
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from property_tests.mutating.modules import ROOT, source_of
from property_tests.mutating.mutants import Mutant

# What a condition that is always true brings about; it says nothing of types.
_OF_CONSTANTS = ("[redundant-expr]", "[unreachable]", "[comparison-overlap]", "[truthy-bool]")


def refusals(mutants: Iterable[Mutant]) -> dict[Mutant, str]:
    """Give what the type checker says of those that it refuses."""
    found: dict[Mutant, str] = {}
    for together in _rounds(mutants):
        errors = _errors({path: _applied(path, ones) for path, ones in together.items()})
        for path, ones in together.items():
            text = _applied(path, ones)
            for one in ones:
                lines = _lines_of(text, _outermost(one))
                said = [words for line, words in errors.get(path, ()) if line in lines]
                if said:
                    found[one] = said[0]
    return found


def _outermost(mutant: Mutant) -> str:
    return mutant.function.split(".<locals>")[0]


def _rounds(mutants: Iterable[Mutant]) -> Iterator[dict[str, list[Mutant]]]:
    """Give them in rounds, by path: of each function at most one, of data one of the file."""
    left = list(mutants)
    while left:
        taken: dict[str, dict[str, Mutant]] = {}
        for one in left:
            functions = taken.setdefault(one.path, {})
            is_data = not one.function or "<lambda>" in one.function
            if is_data and functions:
                continue
            if "" not in functions:
                functions.setdefault("" if is_data else _outermost(one), one)
        together = {path: list(functions.values()) for path, functions in taken.items()}
        yield together
        done = {one for ones in together.values() for one in ones}
        left = [one for one in left if one not in done]


def _applied(path: str, mutants: Iterable[Mutant]) -> str:
    text = source_of(path)
    for one in sorted(mutants, key=lambda each: -each.start):
        text = one.applied(text)
    return text


def _lines_of(text: str, function: str) -> range:
    """Give the lines of a function, or of all when it is none."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and function.split(".")[-1:] == [node.name]:
            return range(node.lineno, (node.end_lineno or node.lineno) + 1)
    return range(text.count("\n") + 2)


def _errors(texts: dict[str, str]) -> dict[str, list[tuple[int, str]]]:
    """Check files with other texts than theirs; give lines and words by path."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "mypy", "--no-error-summary", "--hide-error-context"]
        for number, (path, text) in enumerate(texts.items()):
            shadow = Path(folder, f"{number}.py")
            shadow.write_text(text, "utf-8")
            command += ["--shadow-file", path, str(shadow)]
        done = subprocess.run(
            [*command, *texts], cwd=ROOT, capture_output=True, text=True, check=False
        )
    found: dict[str, list[tuple[int, str]]] = {}
    for line in done.stdout.splitlines():
        path, _, rest = line.partition(":")
        place, _, words = rest.partition(": ")
        if "error:" in words and not words.endswith(_OF_CONSTANTS):
            found.setdefault(path, []).append((int(place), words))
    return found
