"""The commands on a log in PostgreSQL."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import REF, printed, warmlog
from tests.store.databases import fresh_database

pytestmark = pytest.mark.postgres


@pytest.fixture
def database() -> Iterator[str]:
    """The URL of an empty database."""
    with asyncio.Runner() as runner:
        made = fresh_database()
        url = runner.run(made.__aenter__())
        yield url
        runner.run(made.__aexit__(None, None, None))


def test_a_server_is_a_log_like_any_other(database: str, exported: Path) -> None:
    """Every command that reads a log gives the same for a server as for a file."""
    printed("import", exported, database)
    for command in (
        ("replay", "LOG", "-o", "json"),
        ("explain", REF, "--log", "LOG"),
        ("verify", "LOG"),
        ("export", "LOG"),
    ):
        of_server, of_file = (
            printed(*(str(log) if word == "LOG" else word for word in command))
            for log in (database, exported)
        )
        assert of_server == of_file
    statistics = json.loads(printed("db", "stats", database, "-o", "json"))
    assert statistics["rows"] == len(exported.read_bytes().splitlines()) - 1
    assert ":***@" in statistics["location"]
    assert "already" in printed("db", "upgrade", database)


def test_an_empty_database_is_said(database: str) -> None:
    """A server's database without a log says how one is started, and shows no password."""
    result = warmlog("replay", database)
    assert result.exit_code == ExitCode.LOG_UNREADABLE
    assert "holds no log yet" in result.stderr
    assert ":***@" in result.stderr
