"""Selecting: which nodes a ModelWarmup wants, and which of those it may have."""

from typing import Any

import pytest

from machines import labels
from machines.levels import NodeLevel
from machines.selecting import Wanted, demanded_names, refusal, shunning, wanted, wanted_name
from machines.spec_parts import TargetEntry
from machines.specs import parse

GOOD = {labels.POOL: "p", labels.ENABLED: "true"}


def entries(*targets: dict[str, Any]) -> tuple[TargetEntry, ...]:
    """Read targets as a spec's."""
    images = {"images": [{"image": "x", "command": ["true"]}]}
    spec = parse({"targets": list(targets), "imagePreload": images}).spec
    assert spec is not None
    return spec.targets


def matches(marks: dict[str, str], key: str, operator: str, *values: str) -> bool:
    """Say whether one requirement selects a node of these labels."""
    expression = {"key": key, "operator": operator, "values": list(values)}
    selector = {"nodeSelector": {"matchExpressions": [expression]}}
    return wanted(entries(selector), "n", marks) is not None


@pytest.mark.parametrize(
    ("operator", "values", "selected"),
    [
        ("In", ("a", "b"), {"one of them"}),
        ("NotIn", ("a", "b"), {"another", "none"}),
        ("Exists", (), {"one of them", "another"}),
        ("DoesNotExist", (), {"none"}),
    ],
)
def test_operators(operator: str, values: tuple[str, ...], selected: set[str]) -> None:
    """Each operator means what it means to Kubernetes; NotIn holds without the label, too."""
    marks = {"one of them": {"k": "a"}, "another": {"k": "z"}, "none": {"other": "a"}}
    assert {name for name in marks if matches(marks[name], "k", operator, *values)} == selected


def test_all_terms_must_hold() -> None:
    """A selector's terms are all needed, its entries' any one is enough."""
    both = {"nodeSelector": {"matchLabels": {"a": "1", "b": "2"}}}
    assert wanted(entries(both), "n", {"a": "1"}) is None
    assert wanted(entries(both, {"nodes": {"names": ["n"]}}), "n", {"a": "1"}) == Wanted(
        named=True, first_entry=1, entries=1
    )


def test_sources_are_counted() -> None:
    """A node is wanted once, and it is known which entry asked first, and how many did."""
    targets = entries(
        {"nodes": {"names": ["x"]}},
        {"nodeSelector": {"matchLabels": {"a": "1"}}},
        {"nodes": {"names": ["n", "n"]}},
    )
    assert wanted(targets, "n", {"a": "1"}) == Wanted(named=True, first_entry=1, entries=2)
    assert wanted(targets, "m", {"a": "1"}) == Wanted(named=False, first_entry=1, entries=1)
    assert wanted_name(targets, "n") == Wanted(named=True, first_entry=2, entries=1)
    assert demanded_names(targets) == ("n", "x")


def test_within_the_boundary() -> None:
    """A node in the namespace's pool that opted in may be warmed."""
    assert refusal(GOOD, "p") == ""


@pytest.mark.parametrize(
    ("changes", "pool", "words"),
    [
        ({}, "", f"the namespace has no label {labels.POOL}"),
        ({labels.POOL: ""}, "p", f"its label {labels.POOL} is missing, the namespace's is 'p'"),
        ({labels.POOL: "q"}, "p", f"its label {labels.POOL} is 'q', the namespace's is 'p'"),
        ({labels.POOL: ""}, "", f"the namespace has no label {labels.POOL}"),
        ({labels.ENABLED: "false"}, "p", f'its label {labels.ENABLED} is not "true"'),
        ({labels.ENABLED: "True"}, "p", f'its label {labels.ENABLED} is not "true"'),
        ({labels.CONTROL_PLANE[0]: ""}, "p", "it is a control-plane node"),
        ({labels.CONTROL_PLANE[1]: "x"}, "p", "it is a control-plane node"),
    ],
)
def test_outside_the_boundary(changes: dict[str, str], pool: str, words: str) -> None:
    """Everybody else is kept out, and told why: an empty pool equals nothing [W12]"""
    assert refusal({**GOOD, **changes}, pool) == words


def test_without_the_opt_in() -> None:
    """A node that never opted in is kept out."""
    assert "warmup-enabled" in refusal({labels.POOL: "p"}, "p")


def test_shunned_nodes() -> None:
    """A cordon, and a taint that keeps Pods away, are named; a preference is none."""
    assert shunning(NodeLevel()) == ""
    assert shunning(NodeLevel(taints=(("k", "v", "PreferNoSchedule"),))) == ""
    assert shunning(NodeLevel(unschedulable=True)) == "node is cordoned"
    assert shunning(NodeLevel(taints=(("k", "v", "NoSchedule"),))) == (
        "node has the taint k=v:NoSchedule"
    )
    assert shunning(NodeLevel(taints=(("k", "", "NoExecute"),))) == "node has the taint k:NoExecute"
