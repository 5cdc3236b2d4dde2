"""The simulated API server: claims, volumes and storage classes."""

from typing import Any

import pytest

from adapters.ports import Response
from adapters.simulator.resources import CLAIM, CLASS, VOLUME, path_of
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import (
    PODS,
    TEAM,
    causes,
    delete,
    get,
    merge,
    pass_time,
    patch,
    post,
    summary,
    world_of,
)
from tests.simulator.cases_storage import claim, pinned, storage_class, volume

CLAIMS = path_of(CLAIM, TEAM)
CLASSES, VOLUMES = path_of(CLASS), path_of(VOLUME)


def made(world: World, **spec: Any) -> Manifest:
    """A new claim `c`."""
    response = post(world, CLAIMS, claim("c", **spec))
    assert response.code == 201, response
    body: Manifest = response.body
    return body


def bound(world: World, size: str = "10Gi") -> None:
    """A claim `c` of class `like-a` that is bound to a volume."""
    made(world, storageClassName="like-a", volumeName="v")
    status = {"phase": "Bound", "capacity": {"storage": size}}
    assert merge(world, f"{CLAIMS}/c/status", {"status": status}).code == 200


def resized(world: World, size: str) -> Response:
    """Ask for another size."""
    return merge(world, f"{CLAIMS}/c", {"spec": {"resources": {"requests": {"storage": size}}}})


def mounting(name: str, node: str) -> Manifest:
    """A Pod on a node that mounts the claim `c`."""
    return {
        "metadata": {"name": name},
        "spec": {
            "nodeName": node,
            "containers": [{"name": "c", "image": "busybox:1"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}],
        },
    }


def test_a_new_claim_is_pending_and_protected() -> None:
    """Quantities are rewritten, the volume mode is added, a finalizer protects it."""
    item = made(world_of(), resources={"requests": {"storage": "1024Mi"}}, unheard=1)
    assert item["status"] == {"phase": "Pending"}
    assert item["metadata"]["finalizers"] == ["kubernetes.io/pvc-protection"]
    assert item["spec"] == {
        "accessModes": ["ReadWriteMany"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "like-nobody",
        "volumeMode": "Filesystem",
    }


def test_a_claim_without_a_class_gets_the_default_one() -> None:
    """If there is one; an empty name is a choice, too."""
    world = world_of()
    mark = {"storageclass.kubernetes.io/is-default-class": "true"}
    assert "storageClassName" not in made(world, storageClassName=None)["spec"]
    body = storage_class("like-a")
    post(world, CLASSES, {**body, "metadata": {**body["metadata"], "annotations": mark}})
    body = post(world, CLAIMS, claim("d", storageClassName=None)).body
    assert body["spec"]["storageClassName"] == "like-a"
    body = post(world, CLAIMS, claim("e", storageClassName="")).body
    assert body["spec"]["storageClassName"] == ""


def test_the_spec_of_a_claim_does_not_change() -> None:
    """Only its volume may be named, once; labels and annotations are free."""
    world = world_of()
    made(world)
    for change in (
        {"storageClassName": "other"},
        {"accessModes": ["ReadWriteOnce"]},
        {"resources": {"requests": {"storage": "9Gi"}}},
    ):
        assert causes(merge(world, f"{CLAIMS}/c", {"spec": change}))[0] == (
            "FieldValueForbidden",
            "spec",
        )
    assert merge(world, f"{CLAIMS}/c", {"spec": {"volumeName": "v"}}).code == 200
    again = merge(world, f"{CLAIMS}/c", {"spec": {"volumeName": "w"}})
    assert causes(again) == [("FieldValueForbidden", "spec")]
    assert merge(world, f"{CLAIMS}/c", {"metadata": {"labels": {"a": "b"}}}).code == 200


def test_a_guarded_patch_takes_an_annotation_off_a_claim() -> None:
    """Exactly when it still has the value that was read: the cure for a node that is gone."""
    world = world_of()
    made(world)
    path = "/metadata/annotations/volume.kubernetes.io~1selected-node"
    note = {"metadata": {"annotations": {"volume.kubernetes.io/selected-node": "n1"}}}
    version = merge(world, f"{CLAIMS}/c", note).body["metadata"]["resourceVersion"]

    def healed(node: str, at: str) -> Response:
        return patch(
            world,
            f"{CLAIMS}/c",
            {"op": "test", "path": "/metadata/resourceVersion", "value": at},
            {"op": "test", "path": path, "value": node},
            {"op": "remove", "path": path},
        )

    assert [healed("n2", version).code, healed("n1", "1").code] == [422, 422]
    assert healed("n1", version).code == 200
    assert "annotations" not in get(world, f"{CLAIMS}/c").body["metadata"]


def test_only_a_bound_claim_of_an_expandable_class_grows() -> None:
    """All else is refused, in the words of admission."""
    world = world_of()
    post(world, CLASSES, storage_class("like-a"))
    bound(world)
    refused = resized(world, "20Gi")
    assert summary(refused) == (403, "Forbidden")
    assert "the storageclass that provisions the pvc must support resize" in refused.body["message"]
    merge(world, f"{CLASSES}/like-a", {"allowVolumeExpansion": True})
    assert resized(world, "20Gi").code == 200
    assert resized(world, "15Gi").code == 200  # above what it has: a wish taken back
    assert causes(resized(world, "10Gi")) == [
        ("FieldValueForbidden", "spec.resources.requests.storage")
    ]


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"accessModes": []}, ("FieldValueRequired", "spec.accessModes")),
        ({"accessModes": ["Often"]}, ("FieldValueNotSupported", "spec.accessModes")),
        ({"resources": {}}, ("FieldValueRequired", "spec.resources[storage]")),
        (
            {"resources": {"requests": {"storage": "0"}}},
            ("FieldValueInvalid", "spec.resources[storage]"),
        ),
    ],
)
def test_bad_claims_are_refused(spec: Manifest, expected: tuple[str, str]) -> None:
    """With the field that is wrong."""
    assert causes(post(world_of(), CLAIMS, claim("c", **spec))) == [expected]


def test_a_claim_in_use_stays_until_its_last_pod_is_gone() -> None:
    """Also when the Pod has ended; one that has no node does not count."""
    world = world_of("n1")
    made(world)
    post(world, PODS, mounting("user", "n1"))
    merge(world, f"{PODS}/user/status", {"status": {"phase": "Succeeded"}})
    assert "deletionTimestamp" in delete(world, f"{CLAIMS}/c").body["metadata"]
    pass_time(world, 60)
    assert get(world, f"{CLAIMS}/c").code == 200
    delete(world, f"{PODS}/user", gracePeriodSeconds=0)
    pass_time(world, 1)
    assert get(world, f"{CLAIMS}/c").code == 404


def test_a_claim_that_nobody_uses_goes_soon() -> None:
    """The delete marks it, and the protection lets it go."""
    world = world_of()
    made(world)
    delete(world, f"{CLAIMS}/c")
    assert get(world, f"{CLAIMS}/c").code == 200
    pass_time(world, 1)
    assert get(world, f"{CLAIMS}/c").code == 404


def test_a_volume_in_use_stays() -> None:
    """Until its claim is gone, too."""
    world = world_of()
    world.add_volume("v", class_name="like-nobody", claim=(TEAM, "c"))
    made(world)
    pass_time(world, 20)
    delete(world, f"{VOLUMES}/v")
    pass_time(world, 10)
    assert get(world, f"{VOLUMES}/v").body["status"]["phase"] == "Bound"
    delete(world, f"{CLAIMS}/c")
    pass_time(world, 1)
    assert get(world, f"{VOLUMES}/v").code == 404


def test_where_a_volume_lies_does_not_change() -> None:
    """Neither its source nor, once it has one, its node."""
    world = world_of()
    post(world, VOLUMES, volume("v"))
    moved = merge(world, f"{VOLUMES}/v", {"spec": {"hostPath": {"path": "/other"}}})
    assert causes(moved) == [("FieldValueForbidden", "spec.persistentvolumesource")]
    assert merge(world, f"{VOLUMES}/v", {"spec": {"nodeAffinity": pinned("n1")}}).code == 200
    moved = merge(world, f"{VOLUMES}/v", {"spec": {"nodeAffinity": pinned("n2")}})
    assert causes(moved) == [("FieldValueInvalid", "nodeAffinity")]


def test_a_class_says_when_it_binds_and_keeps_to_it() -> None:
    """At once unless told otherwise; only whether its volumes grow may change."""
    world = world_of()
    item = post(world, CLASSES, storage_class("s")).body
    assert (item["reclaimPolicy"], item["volumeBindingMode"]) == ("Delete", "Immediate")
    changed = merge(world, f"{CLASSES}/s", {"volumeBindingMode": "WaitForFirstConsumer"})
    assert causes(changed) == [("FieldValueInvalid", "volumeBindingMode")]
    assert merge(world, f"{CLASSES}/s", {"allowVolumeExpansion": True}).code == 200
