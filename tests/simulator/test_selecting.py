"""Label selectors, field selectors and node affinity."""

from typing import Any

import pytest

from adapters.simulator.selecting import SelectorMalformed, affinity_matches, selector_of

FIELDS = frozenset(("metadata.name", "status.phase"))


def item(name: str = "x", **labels: str) -> dict[str, Any]:
    """An object with labels."""
    return {"metadata": {"name": name, "labels": labels}, "status": {"phase": "Running"}}


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ("a", ["1", "2", ""]),
        ("!a", [None]),
        ("a=1", ["1"]),
        ("a==1", ["1"]),
        ("a!=1", ["2", "", None]),
        ("a=", [""]),
        ("a in (1, 2)", ["1", "2"]),
        ("a notin (1,2)", ["", None]),
        ("a,a!=2", ["1", ""]),
        (" a = 1 , b!=z", ["1"]),
        ("", ["1", "2", "", None]),
    ],
)
def test_label_selectors_select(selector: str, selected: list[str | None]) -> None:
    """Existence, equality and sets mean what they mean in Kubernetes; absence is `not in`."""
    values = ["1", "2", "", None]
    selects = selector_of(selector, "", FIELDS)
    objects = {value: item() if value is None else item(a=value) for value in values}
    assert [value for value in values if selects is None or selects(objects[value])] == selected


@pytest.mark.parametrize(
    "selector", ["a b", "a in 1", "a in (1", "a=b=c", "=x", "!", "a,,b", "a,", "k/v/w=1", "-a"]
)
def test_what_is_no_selector_is_refused(selector: str) -> None:
    """A selector that cannot be read is an error, never an empty one."""
    with pytest.raises(SelectorMalformed):
        selector_of(selector, "", FIELDS)


def test_field_selectors_select_by_name_and_other_known_fields() -> None:
    """Equal and unequal, several at once, also together with labels."""
    selects = selector_of("a", "metadata.name=x,status.phase!=Failed", FIELDS)
    assert selects is not None
    assert selects(item(a="1"))
    assert not selects(item("y", a="1"))
    assert not selects(item())
    assert not selects({**item(a="1"), "status": {"phase": "Failed"}})


@pytest.mark.parametrize("selector", ["spec.x=1", "metadata.name"])
def test_unknown_fields_are_refused(selector: str) -> None:
    """What the server keeps no index of cannot be selected by, nor can half a condition."""
    with pytest.raises(SelectorMalformed):
        selector_of("", selector, FIELDS)


def expression(key: str, operator: str, *values: str) -> dict[str, Any]:
    """One expression of a node selector term."""
    return {"key": key, "operator": operator, "values": list(values)}


@pytest.mark.parametrize(
    ("terms", "matches"),
    [
        ([{"matchFields": [expression("metadata.name", "In", "x")]}], True),
        ([{"matchFields": [expression("metadata.name", "NotIn", "x")]}], False),
        ([{"matchExpressions": [expression("a", "In", "1", "2")]}], True),
        ([{"matchExpressions": [expression("a", "NotIn", "1")]}], False),
        ([{"matchExpressions": [expression("b", "NotIn", "1")]}], True),
        ([{"matchExpressions": [expression("a", "Exists")]}], True),
        ([{"matchExpressions": [expression("a", "DoesNotExist")]}], False),
        (
            [
                {
                    "matchFields": [expression("metadata.name", "In", "x")],
                    "matchExpressions": [expression("b", "Exists")],
                }
            ],
            False,
        ),
        (
            [
                {"matchExpressions": [expression("b", "Exists")]},
                {"matchExpressions": [expression("a", "Exists")]},
            ],
            True,
        ),
        ([{}], False),
        ([], False),
    ],
)
def test_node_affinity_is_any_term_and_all_of_it(terms: Any, *, matches: bool) -> None:
    """One term must hold, with all its fields and expressions; an empty term never does."""
    assert affinity_matches(terms, item(a="1")) is matches
