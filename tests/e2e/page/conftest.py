"""Fixtures of the tests of the timeline page: its tools, and pages of recordings."""

import shutil
import subprocess
from pathlib import Path

import pytest

from adapters.timeline.documents import Source, document
from adapters.timeline.pages import standalone_page
from tests.cli.commands import warmlog
from tests.recordings.reading import FOLDER
from tests.repository import ROOT
from tests.timeline.wide import chart_of, wide_log

FEW, MANY = 60, 400  # nodes
RECORDINGS = ("one_node_cannot_pull", "demo_replicas")


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the page's sources with exactly the packages of its lock file."""
    folder = tmp_path_factory.mktemp("tools") / "page"
    shutil.copytree(ROOT / "page", folder, ignore=shutil.ignore_patterns("node_modules"))
    (folder.parent / "adapters" / "timeline").mkdir(parents=True)
    subprocess.run(["npm", "ci", "--silent"], cwd=folder, check=True, timeout=100)
    return folder


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The pages of a few recordings, written by the command."""
    folder = tmp_path_factory.mktemp("pages")
    for name in RECORDINGS:
        done = warmlog("timeline", FOLDER / f"{name}.jsonl", "-o", folder / f"{name}.html")
        assert done.exit_code == 0, done.stderr
    return {name: folder / f"{name}.html" for name in RECORDINGS}


@pytest.fixture(scope="session")
def wide_pages(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """The pages of a ModelWarmup on few nodes and of one on many, by how many they are."""
    folder = tmp_path_factory.mktemp("wide")
    pages = {nodes: folder / f"{nodes}.html" for nodes in (FEW, MANY)}
    for nodes, path in pages.items():
        told = document(chart_of(wide_log(nodes)), Source("log", f"{nodes}.db", "nobody"))
        path.write_text(standalone_page(told))
    return pages
