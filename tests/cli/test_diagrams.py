"""`warmlog machines`: the machines as a document and as data."""

import json
from pathlib import Path
from typing import Any

from adapters.cli.exit_codes import ExitCode
from machines.drawing import markdown
from machines.node_jobs import NODE_JOBS
from machines.warmups import WARMUPS
from tests.cli.commands import printed, warmlog
from tests.repository import ROOT


def test_the_document_is_the_drawing() -> None:
    """Without options the Markdown page is printed, and nothing else."""
    assert printed("machines") == markdown()


def test_a_document_is_compared(tmp_path: Path) -> None:
    """--check says nothing of a page that is up to date, and names one that is not."""
    page = tmp_path / "machines.md"
    page.write_text(printed("machines"))
    assert printed("machines", page, "--check") == ""
    page.write_text("old")
    result = warmlog("machines", page, "--check")
    assert result.exit_code == ExitCode.DIFFERENT
    assert f"`warmlog machines > {page}`" in result.stderr
    missing = warmlog("machines", tmp_path / "none.md", "--check")
    assert missing.exit_code == ExitCode.USAGE


def test_the_repositorys_document_is_up_to_date() -> None:
    """docs/machines.md is what the command prints."""
    assert printed("machines", ROOT / "docs/machines.md", "--check") == ""


def test_the_data_hold_every_move() -> None:
    """-o json has each machine's states, triggers and legal pairs."""
    document = json.loads(printed("machines", "-o", "json"))
    told = {table["name"]: table for table in document["machines"]}
    assert told[NODE_JOBS.name]["initial"] == NODE_JOBS.initial.value
    assert moves_of(told[NODE_JOBS.name]) == {
        (state.value, trigger.value): dest.value
        for (state, trigger), dest in NODE_JOBS.moves.items()
    }
    assert moves_of(told[WARMUPS.name]) == {
        (state.value, trigger.value): dest.value for (state, trigger), dest in WARMUPS.moves.items()
    }


def moves_of(told: dict[str, Any]) -> dict[tuple[str, str], str]:
    """Give the legal pairs of a machine that was printed as JSON."""
    return {
        (source, move["trigger"]): move["to"] for move in told["moves"] for source in move["from"]
    }
