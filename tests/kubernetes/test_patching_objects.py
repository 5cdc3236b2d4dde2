"""What each kind of change writes onto an object as it was read, and what it leaves alone."""

from typing import Any

import pytest

from adapters.kubernetes.patching_objects import Nothing, is_so, patch_of
from machines.caches.changes import ChangeKind
from tests.kubernetes import cache_objects as objects
from tests.kubernetes.objects import Raw

NODE = "volume.kubernetes.io/selected-node"
HEAL = {"selectedNode": "n1"}
OURS = {"finalizer": "warmlog.dev/cache-in-use"}
OWN = {"labels": {"modelplane.ai/modelcache": "qwen"}, "annotations": objects.OWNER}


def _patched(change: ChangeKind, body: Raw, found: Raw) -> Any:
    return patch_of(change, body, found, None)


def test_our_finalizer_is_added_beside_others() -> None:
    """And never onto an object that is being deleted: no API server takes it then."""
    path = "/metadata/finalizers"
    value = OURS["finalizer"]
    assert _patched(ChangeKind.HOLD, OURS, objects.cache()) == [
        {"op": "add", "path": path, "value": [value]}
    ]
    others = objects.cache(finalizers=["a/b"])
    assert _patched(ChangeKind.HOLD, OURS, others) == [
        {"op": "add", "path": f"{path}/-", "value": value}
    ]
    held = objects.cache(finalizers=["a/b", value])
    assert _patched(ChangeKind.HOLD, OURS, held) is Nothing.HOLDS
    going = objects.cache(deletionTimestamp="2026")
    assert _patched(ChangeKind.HOLD, OURS, going) is Nothing.UNFIT


def test_our_finalizer_alone_is_taken_off() -> None:
    """Where it stands, if it still stands there."""
    held = objects.cache(finalizers=["a/b", OURS["finalizer"], "c/d"])
    path = "/metadata/finalizers/1"
    assert _patched(ChangeKind.RELEASE, OURS, held) == [
        {"op": "test", "path": path, "value": OURS["finalizer"]},
        {"op": "remove", "path": path},
    ]
    assert _patched(ChangeKind.RELEASE, OURS, objects.cache()) is Nothing.HOLDS


def test_marks_are_written_one_by_one() -> None:
    """What others wrote beside them, before or since the read, stays. [S26]"""
    found = objects.claim(notes={"other": "x", "warmlog.dev/cache-name": "wrong"})
    assert _patched(ChangeKind.OWN, OWN, found) == [
        {"op": "add", "path": f"/metadata/annotations/warmlog.dev~1{name}", "value": value}
        for name, value in (
            ("cache-namespace", "ml-team"),
            ("cache-name", "qwen"),
            ("cache-uid", objects.CACHE_UID),
        )
    ]
    assert _patched(ChangeKind.OWN, OWN, objects.claim()) is Nothing.HOLDS
    bare = {"metadata": {"name": "c"}}
    assert _patched(ChangeKind.OWN, OWN, bare) == [
        {"op": "add", "path": "/metadata/labels", "value": OWN["labels"]},
        {"op": "add", "path": "/metadata/annotations", "value": OWN["annotations"]},
    ]


@pytest.mark.parametrize(
    ("wanted", "written"),
    [("60Gi", False), ("59Gi", False), ("61Gi", True), ("1000Gi", True)],
)
def test_a_claim_only_grows(wanted: str, written: bool) -> None:  # noqa: FBT001 -- a case
    """Amounts are compared, not texts: 1Ti is more than 1000Gi."""
    found = _patched(ChangeKind.GROW, {"storage": wanted}, objects.claim())
    path = "/spec/resources/requests/storage"
    expected = [{"op": "replace", "path": path, "value": wanted}]
    assert found == (expected if written else Nothing.HOLDS)
    large = objects.claim()
    large["spec"]["resources"]["requests"]["storage"] = "1Ti"
    assert _patched(ChangeKind.GROW, {"storage": wanted}, large) is Nothing.HOLDS


def test_only_a_claim_that_still_waits_for_that_node_is_healed() -> None:
    """The annotation is taken off, if it says the same when the patch comes."""
    path = "/metadata/annotations/volume.kubernetes.io~1selected-node"
    waiting = objects.claim(notes={NODE: "n1"})
    assert _patched(ChangeKind.HEAL, HEAL, waiting) == [
        {"op": "test", "path": path, "value": "n1"},
        {"op": "remove", "path": path},
    ]
    assert not is_so(ChangeKind.HEAL, HEAL, waiting)
    bound, named = (
        objects.claim(phase="Bound", notes={NODE: "n1"}),
        objects.claim(notes={NODE: "n1"}),
    )
    named["spec"]["volumeName"] = "pv-1"
    chosen = objects.claim(notes={NODE: "n2"})
    for found in (bound, named, chosen, objects.claim()):
        assert _patched(ChangeKind.HEAL, HEAL, found) is Nothing.UNFIT
    assert is_so(ChangeKind.HEAL, HEAL, chosen)
    assert is_so(ChangeKind.HEAL, HEAL, objects.claim())


def test_a_change_that_is_none_is_an_error() -> None:
    """It would be a bug of ours."""
    with pytest.raises(ValueError, match="Melt"):
        patch_of("Melt", {}, objects.claim(), None)
