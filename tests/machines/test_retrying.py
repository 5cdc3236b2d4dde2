"""Retrying: names, targets and metadata of a retry's manifest."""

from itertools import islice
from typing import Any

import pytest

from machines.retrying import Failures, failures_of_status, retry_manifest, retry_names


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("x", ["x-retry", "x-retry-2", "x-retry-3"]),
        ("x-retry", ["x-retry-2", "x-retry-3", "x-retry-4"]),
        ("x-retry-9", ["x-retry-10", "x-retry-11", "x-retry-12"]),
        ("x-retry-me", ["x-retry-me-retry", "x-retry-me-retry-2", "x-retry-me-retry-3"]),
        ("x-retry-retry", ["x-retry-retry-2", "x-retry-retry-3", "x-retry-retry-4"]),
        ("x-retry-007", ["x-retry-007-retry", "x-retry-007-retry-2", "x-retry-007-retry-3"]),
    ],
)
def test_names_count_up(name: str, first: list[str]) -> None:
    """A retry's name says what it is a retry of, and of which round."""
    assert list(islice(retry_names(name), 3)) == first


def test_a_name_stays_one() -> None:
    """The longest name is cut, and never ends in what a name may not end in before its suffix."""
    long = next(retry_names("a" * 245 + ".." + "b" * 6))
    assert len(long) <= 253
    assert long == "a" * 245 + "-retry"
    assert next(retry_names("a" * 253)) == "a" * 247 + "-retry"


def test_targets_are_entries_of_a_thousand_names() -> None:
    """More names than an entry may have are several entries."""
    nodes = [f"n{number}" for number in range(2001)]
    manifest = retry_manifest({"namespace": "ns"}, {"targets": []}, "x", nodes)
    sizes = [len(target["nodes"]["names"]) for target in manifest["spec"]["targets"]]
    assert sizes == [1000, 1000, 1]


@pytest.mark.parametrize(
    "status",
    [
        {},
        {"targets": None, "failedNodes": None},
        {"targets": {"a": 1}, "failedNodes": "3"},
        {"targets": [None, 7, {"phase": "Failed"}, {"nodeName": 3, "phase": "Failed"}]},
    ],
)
def test_a_status_of_any_shape_is_read(status: dict[str, Any]) -> None:
    """What is no detail of a failed node is none; nothing is raised."""
    assert failures_of_status(status) == Failures(())


def test_details_that_are_left_out_are_counted() -> None:
    """Failed nodes beyond those named are hidden ones, whatever was left out besides."""
    rows = [{"nodeName": f"n{number}", "phase": "Failed"} for number in range(256)]
    told = failures_of_status({"targets": rows, "failedNodes": 300, "omittedTargetDetails": 44})
    assert (len(told.names), told.hidden) == (256, 44)
    running = [*rows[:2], {"nodeName": "r", "phase": "Running"}]
    assert failures_of_status({"targets": running, "failedNodes": 2}).hidden == 0
