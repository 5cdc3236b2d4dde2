"""Logs that several tests read and none changes."""

from pathlib import Path

import pytest

from tests.cli.commands import printed


@pytest.fixture(scope="session")
def demo_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a demo in which every node ends Ready."""
    path = tmp_path_factory.mktemp("demo") / "demo.db"
    printed("demo", "--log", path)
    return path


@pytest.fixture(scope="session")
def failing_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of a demo in which every Pod fails, and so every node does."""
    path = tmp_path_factory.mktemp("failing") / "failing.db"
    printed("demo", "--nodes", "3", "--fail-rate", "1", "--log", path)
    return path


@pytest.fixture(scope="session")
def exported(demo_log: Path) -> Path:
    """The demo's log as JSON Lines."""
    path = demo_log.with_suffix(".jsonl")
    printed("export", demo_log, "-o", path)
    return path


@pytest.fixture
def cut(exported: Path, tmp_path: Path) -> Path:
    """A JSON Lines file of which the last lines, and half of the one before, are missing."""
    path = tmp_path / "cut.jsonl"
    lines = exported.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:40]) + lines[40][: len(lines[40]) // 2])
    return path
