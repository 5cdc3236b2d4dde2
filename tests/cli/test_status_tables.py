"""Tables of statuses: each kind has its own, in a pipe as plain text."""

import pytest

from adapters.cli.printing import Page
from adapters.cli.status_tables import print_details, print_statuses
from machines.caches.entries import EntryState
from machines.domain import WARMLOG
from tests.caches.pictures import CLAIM, FAILURE, THERE, Picture


def drawn() -> Picture:
    """A ModelCache that is staged on one of two clusters, and is kept on a third."""
    picture = Picture("east", "north", "west")
    picture.ready()
    picture.cache.entries["north"].selected = False
    picture.cache.entries["north"].users = ("engine-0",)
    west = picture.cache.entries["west"]
    west.state, west.failure = EntryState.FAILED, FAILURE
    return picture


def test_each_kind_has_its_table(capsys: pytest.CaptureFixture[str]) -> None:
    """InferenceClusters and ModelCaches are listed apart, each with what is said of it."""
    found = list(WARMLOG.project(drawn().state))
    print_statuses(Page(), found)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["INFERENCECLUSTER", "REACHABLE", "SINCE", "MESSAGE"]
    assert [line.split()[:2] for line in lines[1:4]] == [
        ["east", "True"],
        ["north", "True"],
        ["west", "True"],
    ]
    assert lines[5].split() == ["NAMESPACE", "NAME", "READY", "REASON", "MESSAGE"]
    assert lines[6].split()[:4] == ["ml-team", "qwen", "1/2", "Failed"]
    assert f"west Failed: Job {THERE}/" in lines[6]


def test_the_entries_of_one_cache(capsys: pytest.CaptureFixture[str]) -> None:
    """Behind the row of one ModelCache stands each cluster with its message."""
    found = {each.subject.kind: each for each in WARMLOG.project(drawn().state)}
    print_details(Page(), found["ModelCache"])
    print_details(Page(), found["InferenceCluster"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["CLUSTER", "PHASE", "MESSAGE"]
    assert lines[2].split() == ["east", "Ready"]
    assert lines[3].split()[:3] == ["north", "Ready", "retained"]
    assert lines[3].endswith(f"claim {THERE}/{CLAIM} is kept for Pod engine-0")
    assert lines[4].startswith("west     Failed            Job")
    assert len(lines) == 5
