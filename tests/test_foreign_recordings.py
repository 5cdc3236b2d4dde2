"""What `kubectl` and an audit log recorded of a real cluster still explains itself."""

import re
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from machines.domain import WARMLOG
from tests.cli.commands import printed, warmlog
from tests.recordings import reading

LARGEST = 60_000  # bytes
PATHS = reading.foreign_paths()
PULLING = [path for path in PATHS if "cannot_pull" in path.stem]
VANISHING = [path for path in PATHS if "vanished" in path.stem]
IMAGE, WORDS = 'image "busybox:1.36"', 'failed to resolve reference "busybox:1.36"'
UNPULLABLE, CHOSEN = "unpullable", "hanging-first"


def explained(path: Path) -> str:
    """What `explain` says of the one object whose story a recording is."""
    text = path.read_text("ascii")
    [(kind, name)] = set(re.findall(r'"(ModelWarmup|ModelCache)/([^/"]+/[^/"]+)/', text))
    return printed("explain", f"{kind.lower()}/{name}", "--log", path)


def test_both_stories_are_there_from_both_recorders() -> None:
    """Each was recorded with `kubectl` and in an audit log, and is described."""
    for paths in (PULLING, VANISHING):
        by = {re.findall(r'"recorder":"(\w+)"', path.read_text("ascii"))[0] for path in paths}
        assert by == {"kubectl", "audit"}
    assert sorted(PULLING + VANISHING) == PATHS
    readme = (reading.FOLDER / "README.md").read_text()
    assert all(f"| `foreign/{path.stem}` |" in readme for path in PATHS)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_they_are_small_and_hold_facts_alone(path: Path) -> None:
    """Nobody decided anything."""
    text = path.read_text("ascii")
    assert len(text) < LARGEST
    types = set(re.findall(r'"type":"(\w+)"', text))
    assert [each for each in types if WARMLOG.is_decision(each)] == []


def test_their_courses_stay() -> None:
    """`warmlog verify` finds every object go through what it went through."""
    result = warmlog("verify", *PATHS, "--expect", reading.FOREIGN_COURSES)
    assert result.exit_code == ExitCode.OK, result.stdout
    assert result.stdout.count("rows and no decision") == len(PATHS)


@pytest.mark.parametrize("path", PULLING, ids=lambda path: path.stem)
def test_a_node_that_cannot_pull_is_explained(path: Path) -> None:
    """Image, node and the registry's words are told, with the position at which they came."""
    told = explained(path)
    assert f"{UNPULLABLE}: Hydrating" in told
    assert IMAGE in told
    seen = rf"^ +\d+ .* Pod .* seen: Pending on {UNPULLABLE}: ImagePullBackOff.*"
    assert re.search(seen + re.escape(WORDS), told, re.MULTILINE)


@pytest.mark.parametrize("path", VANISHING, ids=lambda path: path.stem)
def test_a_cache_whose_node_vanished_is_explained(path: Path) -> None:
    """Claim and node are told, with the positions at which it was chosen and at which it left."""
    told = explained(path)
    waits = rf"waiting for claim \S+/\S+ to bind; the scheduler chose node {CHOSEN}, which is gone"
    assert re.search(waits, told)
    assert re.search(rf"^ +\d+ .* claim .* the scheduler chose node {CHOSEN}", told, re.MULTILINE)
    assert re.search(rf"^ +\d+ .* Node {CHOSEN} is gone", told, re.MULTILINE)
