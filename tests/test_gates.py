"""The gates of the test run itself: what is skipped is said, and can be forbidden."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.prove  # each begins a test run of its own

REPOSITORY = Path(__file__).parent.parent

SUITE = """
import os
import pytest

@pytest.mark.postgres
@pytest.mark.parametrize("part", [1, 2])
def test_postgres(part: int) -> None:
    assert os.environ["WARMLOG_TEST_POSTGRES"]

def test_always() -> None:
    assert True
"""


def run_suite(
    folder: Path, suite: str, *arguments: str, **environment: str
) -> tuple[int, list[str]]:
    """Run a suite under this repository's rules: the exit code, and the lines printed."""
    (folder / "conftest.py").write_text((REPOSITORY / "conftest.py").read_text())
    (folder / "test_suite.py").write_text(suite)
    ours = ("WARMLOG_", "PYTEST_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-c", REPOSITORY / "pyproject.toml", f"--rootdir={folder}", folder),
            *arguments,
        ],
        env=inherited | environment,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_missing_server_is_one_line(tmp_path: Path, workers: str) -> None:
    """Without PostgreSQL its tests are skipped, the run passes, and exactly one line says why."""
    code, lines = run_suite(tmp_path, SUITE, "-n", workers)
    assert code == 0, lines
    said = [line for line in lines if "WARMLOG_TEST_POSTGRES" in line]
    assert len(said) == 1, lines
    assert "PostgreSQL: 2 tests skipped" in said[0]
    assert "1 passed, 2 skipped" in lines[-1]


def test_a_server_runs_everything(tmp_path: Path) -> None:
    """With PostgreSQL nothing is skipped and nothing is said."""
    code, lines = run_suite(tmp_path, SUITE, WARMLOG_TEST_POSTGRES="postgresql+asyncpg://x/y")
    assert (code, lines[-1].startswith("3 passed")) == (0, True), lines
    assert not [line for line in lines if "PostgreSQL" in line]


def test_a_whole_run_forbids_skips(tmp_path: Path) -> None:
    """With WARMLOG_REQUIRE_ALL=1 a run with a skip fails and names each skipped test."""
    code, lines = run_suite(tmp_path, SUITE, "-n", "2", WARMLOG_REQUIRE_ALL="1")
    assert code == 1, lines
    named = [line for line in lines if line.startswith("SKIPPED though WARMLOG_REQUIRE_ALL=1")]
    assert len(named) == 2, lines
    assert all("test_postgres" in line for line in named)


def test_a_whole_run_without_skips_passes(tmp_path: Path) -> None:
    """With WARMLOG_REQUIRE_ALL=1 a run that skips nothing passes."""
    code, lines = run_suite(tmp_path, SUITE, "-k", "always", WARMLOG_REQUIRE_ALL="1")
    assert code == 0, lines


def test_warnings_are_errors(tmp_path: Path) -> None:
    """A warning that no test expects fails the run."""
    suite = "import warnings\n\ndef test_warns() -> None:\n    warnings.warn('old', stacklevel=1)\n"
    code, lines = run_suite(tmp_path, suite)
    assert code == 1, lines
    assert any("UserWarning: old" in line for line in lines), lines
