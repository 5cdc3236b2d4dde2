"""The conformance suite on SQLite."""

from pathlib import Path

import pytest

from tests.store.suite import LogSuite


class TestSqlite(LogSuite):
    """A log in a SQLite file."""

    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        """Give the path of a file that is not there yet."""
        return str(tmp_path / "log.db")

    @pytest.fixture
    def other_location(self, tmp_path: Path) -> str:
        """Give another path, as a URL."""
        return f"sqlite:///{tmp_path / 'other.db'}"
