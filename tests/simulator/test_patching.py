"""JSON patch and merge patch."""

from typing import Any

import pytest

from adapters.simulator.patching import PatchFailed, PatchMalformed, json_patched, merge_patched

DOCUMENT: dict[str, Any] = {"a": {"b": [1, 2], "c": "x"}, "d": None, "e": True}


def operation(op: str, path: str, **more: Any) -> dict[str, Any]:
    """One operation."""
    return {"op": op, "path": path, **more}


@pytest.mark.parametrize(
    ("patch", "path", "expected"),
    [
        (operation("add", "/a/z", value=1), ("a", "z"), 1),
        (operation("add", "/a/b/0", value=0), ("a", "b"), [0, 1, 2]),
        (operation("add", "/a/b/-", value=3), ("a", "b"), [1, 2, 3]),
        (operation("add", "/a/b/2", value=3), ("a", "b"), [1, 2, 3]),
        (operation("replace", "/a/b/1", value=9), ("a", "b"), [1, 9]),
        (operation("replace", "/a/new", value=9), ("a", "new"), 9),
        (operation("remove", "/a/b/0"), ("a", "b"), [2]),
        (operation("remove", "/a/c"), ("a",), {"b": [1, 2]}),
        (operation("copy", "/f", **{"from": "/a/c"}), ("f",), "x"),
        (operation("move", "/f", **{"from": "/a/c"}), ("a",), {"b": [1, 2]}),
        (operation("add", "/x~1y", value=1), ("x/y",), 1),
        (operation("add", "/x~01", value=1), ("x~1",), 1),
    ],
)
def test_operations_do_as_they_say(
    patch: dict[str, Any], path: tuple[str, ...], expected: Any
) -> None:
    """Each operation changes the place it names, and `replace` puts a member that is missing."""
    found: Any = json_patched(DOCUMENT, [patch])
    for part in path:
        found = found[part]
    assert found == expected


@pytest.mark.parametrize(
    "patch",
    [
        operation("test", "/a/c", value="y"),
        operation("test", "/e", value=1),
        operation("test", "/a/b/0", value=1.0),
        operation("test", "/a/b/0", value=True),
        operation("test", "/nowhere/x", value=None),
        operation("test", "/missing", value=1),
        operation("remove", "/missing"),
        operation("remove", "/a/b/2"),
        operation("remove", ""),
        operation("add", "", value={}),
        operation("replace", "/a/b/2", value=1),
        operation("add", "/a/b/3", value=1),
        operation("add", "/a/b/01x", value=1),
        operation("add", "/nowhere/x", value=1),
        operation("add", "/e/x", value=1),
        operation("add", "a", value=1),
        operation("frobnicate", "/a"),
        {"op": "add", "value": 1},
    ],
)
def test_what_does_not_fit_fails(patch: dict[str, Any]) -> None:
    """A failed test, a missing place, a number of another type, an unknown operation: refused."""
    with pytest.raises(PatchFailed):
        json_patched(DOCUMENT, [patch])


@pytest.mark.parametrize(
    "patch",
    [
        operation("test", "/a/b", value=[1, 2]),
        operation("test", "/a", value={"c": "x", "b": [1, 2]}),
        operation("test", "/d", value=None),
        operation("test", "/missing", value=None),
        operation("test", "", value=DOCUMENT),
    ],
)
def test_a_test_that_holds_changes_nothing(patch: dict[str, Any]) -> None:
    """Equal values pass, in any order of members, and a missing member is null."""
    assert json_patched(DOCUMENT, [patch]) is DOCUMENT


@pytest.mark.parametrize("patch", [{"op": "add"}, "add", [3], None])
def test_what_is_no_patch_is_told_apart(patch: Any) -> None:
    """Something else than a list of objects is malformed, not failed."""
    with pytest.raises(PatchMalformed):
        json_patched(DOCUMENT, patch)


def test_what_lies_inside_a_list_can_be_removed() -> None:
    """The element stays, without the part that was removed."""
    document = {"items": [{"a": 1, "b": 2}, {"a": 3}]}
    patched = json_patched(document, [operation("remove", "/items/0/b")])
    assert patched == {"items": [{"a": 1}, {"a": 3}]}


def test_one_failed_operation_undoes_all() -> None:
    """Nothing of a patch remains when one of its operations fails."""
    with pytest.raises(PatchFailed):
        json_patched(
            DOCUMENT, [operation("add", "/a/z", value=1), operation("test", "/e", value=False)]
        )
    assert DOCUMENT == {"a": {"b": [1, 2], "c": "x"}, "d": None, "e": True}


def test_what_a_patch_leaves_alone_is_shared() -> None:
    """Only the containers on the way to a change are copied."""
    patched = json_patched(DOCUMENT, [operation("add", "/f", value=1)])
    assert patched["a"] is DOCUMENT["a"]
    assert merge_patched(DOCUMENT, {"e": False})["a"] is DOCUMENT["a"]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        ({"a": {"c": None}}, {"a": {"b": [1, 2]}, "d": None, "e": True}),
        ({"a": {"b": [3]}}, {"a": {"b": [3], "c": "x"}, "d": None, "e": True}),
        ({"a": 1, "d": {"x": None, "y": 2}}, {"a": 1, "d": {"y": 2}, "e": True}),
        ([1], [1]),
    ],
)
def test_a_merge_patch_merges_objects_and_replaces_the_rest(patch: Any, expected: Any) -> None:
    """Objects merge, null removes, lists and everything else are replaced."""
    assert merge_patched(DOCUMENT, patch) == expected
