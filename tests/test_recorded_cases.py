"""What end-to-end tests left is decided and shown by this code as it was then."""

import re
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.store.json_lines import JsonLinesReader
from engine.verifying import verify
from machines.domain import WARMLOG
from tests.cli.commands import warmlog
from tests.recordings.reading import CASES_COURSES, LARGEST_CASE, case_paths
from tests.repository import ROOT

PATHS = case_paths()
LEAST = 30  # cases
_CASE = re.compile(r"^async def test_(\w+)|^def test_(\w+)", re.MULTILINE)


def cases() -> set[tuple[str, str]]:
    """Each end-to-end test: its file's name and its own, without what both begin with."""
    return {
        (path.stem.removeprefix("test_"), one or other)
        for path in (ROOT / "tests" / "e2e").rglob("test_*.py")
        for one, other in _CASE.findall(path.read_text())
    }


def test_each_is_named_for_a_test_that_there_is() -> None:
    """Whoever reads one finds what happened in it."""
    known = cases()
    for path in PATHS:
        module, _, name = path.stem.partition("-")
        assert any(module == one and name.startswith(case) for one, case in known), path.stem
    assert len(PATHS) >= LEAST


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_they_fit_into_a_repository(path: Path) -> None:
    """What is larger is taken as an extract, or not at all."""
    assert path.stat().st_size <= LARGEST_CASE


@pytest.mark.prove
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
async def test_decisions_stay(path: Path) -> None:
    """This code decides at every border what was decided in front of the real API server."""
    found = [str(divergence) async for divergence in verify(WARMLOG, JsonLinesReader(path))]
    assert found == []


@pytest.mark.prove
def test_courses_stay() -> None:
    """`warmlog verify` finds every object go through what it went through."""
    result = warmlog("verify", *PATHS, "--expect", CASES_COURSES)
    assert result.exit_code == ExitCode.OK, result.stdout
    assert result.stdout.count("no divergence") == len(PATHS)
