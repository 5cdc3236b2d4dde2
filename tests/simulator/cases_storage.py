"""Requests about claims, volumes, classes and Secrets that two API servers must answer alike.

No controller may be at work meanwhile: they would bind claims and let go what is deleted.
"""

from collections.abc import Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import CLAIM, CLASS, SECRET, VOLUME, path_of
from tests.simulator.cases import Body, delete, get, guarded, merge, operation, patch, post

TOKEN, OTHER = "aGZfZmlyc3Q=", "aGZfc2Vjb25k"


def claim(name: str, **spec: Any) -> Body:
    """A claim that nobody binds."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "labels": {"claim": name}},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "like-nobody",
            "resources": {"requests": {"storage": "10Gi"}},
            **spec,
        },
    }


def volume(name: str, **spec: Any) -> Body:
    """A volume that is there before any claim."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name},
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "like-nobody",
            "capacity": {"storage": "10Gi"},
            "hostPath": {"path": "/nowhere"},
            **spec,
        },
    }


def storage_class(name: str, **fields: Any) -> Body:
    """A class whose provisioner does not exist."""
    return {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "example.com/nobody",
        **fields,
    }


def secret(name: str, **fields: Any) -> Body:
    """A Secret with one key."""
    body = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}}
    return {**body, "data": {"HF_TOKEN": TOKEN}, **fields}


def claims(namespace: str) -> Iterator[Request]:
    """Claims: what is added, what is refused, what may change before and after they are bound."""
    path = path_of(CLAIM, namespace)
    a = f"{path}/a"
    yield post(path, claim("a"))
    yield post(path, claim("a"))
    yield post(path, claim("dry"), dryRun="All")
    yield from (post(path, claim("bad", **spec)) for spec in _bad_claim_specs())
    yield post(path, claim("Bad_Name"))
    for size in ("1024Mi", "0.5Gi", "1e3", "1500M", "1000M", "100", "0.1", "1.5", "3000Ki", 12):
        yield post(path, claim("sized", resources={"requests": {"storage": size}}), dryRun="All")
    yield get(path, labelSelector="claim=a")
    yield get(path, fieldSelector="metadata.name=a")
    yield get(path, fieldSelector="spec.volumeName=v")
    yield guarded(a, operation("add", "/metadata/annotations", value={"note": "1"}))
    yield guarded(a, operation("remove", "/metadata/annotations/note"))
    yield patch(a, operation("test", "/metadata/annotations/note", value="1"))
    yield patch(a, operation("test", "/spec/volumeName", value=None))
    yield from (merge(a, each) for each in _claim_changes())
    yield merge(a, {"spec": {"resources": {"requests": {"storage": "20Gi"}}}})
    yield guarded(f"{a}/status", operation("add", "/status", value={"phase": "Bound"}))
    capacity = {"capacity": {"storage": "5120Mi"}, "accessModes": ["ReadWriteMany"]}
    yield merge(f"{a}/status", {"spec": {"volumeName": "other"}, "status": capacity})
    yield from (merge(a, each) for each in _claim_changes())
    for size in ("20Gi", "7Gi", "5Gi", "4Gi", "much"):
        yield merge(a, {"spec": {"resources": {"requests": {"storage": size}}}})
    yield Request("PUT", a, body=claim("a", volumeName="v"))
    yield delete(a, preconditions={"uid": "other"})
    yield delete(f"{path}/missing")
    yield merge(a, {"metadata": {"finalizers": ["example.com/held"]}})
    yield delete(a)
    yield delete(a)
    yield merge(a, {"metadata": {"finalizers": ["example.com/held", "example.com/more"]}})
    yield merge(a, {"metadata": {"finalizers": None}})
    yield get(a)


def _bad_claim_specs() -> Iterator[Body]:
    yield {"accessModes": []}
    yield {"accessModes": ["ReadSometimes"]}
    yield {"accessModes": "ReadWriteMany"}
    yield {"resources": {}}
    yield {"resources": {"requests": {"storage": "0"}}}
    yield {"resources": {"requests": {"storage": "-1Gi"}}}
    yield {"resources": {"requests": {"storage": "much"}}}
    yield {"resources": {"requests": {"storage": True}}}
    yield {"volumeMode": "Sideways"}
    yield {"storageClassName": 3}


def _claim_changes() -> Iterator[Body]:
    yield {"metadata": {"labels": {"x": "y"}, "annotations": {"note": "2"}}}
    yield {"spec": {"storageClassName": "other"}}
    yield {"spec": {"accessModes": ["ReadWriteOnce"]}}
    yield {"spec": {"volumeMode": "Block"}}
    yield {"spec": {"unheard": 1}}
    yield {"spec": {"volumeName": "v"}}
    yield {"spec": {"volumeName": "w"}}
    yield {"status": {"phase": "Lost"}}


def secrets(namespace: str) -> Iterator[Request]:
    """Secrets: base64, text, what never changes, and selecting by name and by type."""
    path = path_of(SECRET, namespace)
    a = f"{path}/a"
    yield post(path, secret("a"))
    yield post(path, secret("a"))
    yield post(path, secret("b", stringData={"HF_TOKEN": "hf_text", "more": ""}))
    yield post(path, secret("c", data=None, type="example.com/kind", unheard=1))
    yield post(path, secret("d", data={"empty": "", "null": None}))
    yield from (post(path, secret("bad", **fields)) for fields in _bad_secrets())
    yield get(path, fieldSelector="metadata.name=a")
    yield get(path, fieldSelector="type=example.com/kind")
    yield get(path, fieldSelector="data.HF_TOKEN=x")
    yield guarded(a, operation("replace", "/data/HF_TOKEN", value=OTHER))
    yield guarded(a, operation("replace", "/data/HF_TOKEN", value="not base64"))
    yield merge(a, {"stringData": {"HF_TOKEN": "hf_third"}})
    yield merge(a, {"data": {"HF_TOKEN": None}})
    yield merge(a, {"type": "example.com/kind"})
    yield merge(a, {"type": None})
    yield merge(a, {"metadata": {"labels": {"x": "y"}}})
    yield merge(f"{a}/status", {"metadata": {"labels": {"x": "y"}}})
    yield Request("PUT", a, body=secret("a", data={"other": OTHER}))
    yield merge(a, {"immutable": True})
    yield merge(a, {"data": {"other": TOKEN}})
    yield merge(a, {"immutable": None, "metadata": {"labels": {"x": "z"}}})
    yield delete(a)
    yield get(a)
    yield from (delete(f"{path}/{name}") for name in "bcd")


def _bad_secrets() -> Iterator[Body]:
    yield {"data": {"HF_TOKEN": "not base64"}}
    yield {"data": {"HF_TOKEN": 3}}
    yield {"data": {"a b": TOKEN}}
    yield {"data": [TOKEN]}
    yield {"stringData": {"HF_TOKEN": 3}}
    yield {"immutable": "yes"}


def classes() -> Iterator[Request]:
    """Storage classes: defaults, and what never changes."""
    path = path_of(CLASS)
    a = f"{path}/like-a"
    yield post(path, storage_class("like-a"))
    yield post(path, storage_class("like-a"))
    yield post(path, storage_class("like-b", volumeBindingMode="WaitForFirstConsumer"))
    yield post(path, storage_class("like-bad", volumeBindingMode="Later"))
    yield post(path, storage_class("like-bad", reclaimPolicy="Recycle"))
    yield post(path, storage_class("like-bad", provisioner=""))
    yield post(path, storage_class("like-bad", allowVolumeExpansion="yes"))
    yield merge(a, {"allowVolumeExpansion": True, "unheard": 1})
    yield merge(a, {"volumeBindingMode": "WaitForFirstConsumer"})
    yield merge(a, {"provisioner": "example.com/other", "parameters": {"a": "b"}})
    yield merge(a, {"reclaimPolicy": "Retain"})
    yield guarded(a, operation("add", "/metadata/labels", value={"x": "y"}))
    yield delete(a)
    yield delete(f"{path}/like-b")
    yield get(a)


def volumes() -> Iterator[Request]:
    """Volumes: defaults, and what is refused."""
    path = path_of(VOLUME)
    yield post(path, volume("like-a"))
    yield post(path, volume("like-a"))
    yield from (post(path, volume("like-bad", **spec)) for spec in _bad_volume_specs())
    yield merge(f"{path}/like-a", {"spec": {"hostPath": {"path": "/elsewhere"}}})
    yield merge(f"{path}/like-a", {"spec": {"volumeMode": "Block"}})
    yield merge(f"{path}/like-a", {"spec": {"capacity": {"storage": "20Gi"}}})
    ref = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": "c"}
    yield merge(f"{path}/like-a", {"spec": {"claimRef": ref}})
    yield merge(f"{path}/like-a", {"spec": {"nodeAffinity": pinned("n1")}})
    yield merge(f"{path}/like-a", {"spec": {"nodeAffinity": pinned("n2")}})
    yield merge(f"{path}/like-a/status", {"status": {"phase": "Bound"}})
    yield delete(f"{path}/like-a", preconditions={"uid": "other"})
    yield delete(f"{path}/like-a")
    yield merge(f"{path}/like-a", {"metadata": {"finalizers": None}})
    yield get(f"{path}/like-a")


def pinned(node: str) -> Body:
    """The affinity of a volume that lies on one node."""
    expression = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
    return {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}


def _bad_volume_specs() -> Iterator[Body]:
    yield {"accessModes": None}
    yield {"capacity": None}
    yield {"capacity": {"memory": "1Gi"}}
    yield {"capacity": {"storage": "0"}}
    yield {"hostPath": None}
    yield {"persistentVolumeReclaimPolicy": "Sometimes"}
    yield {"nodeAffinity": {}}
    yield {"hostPath": None, "local": {"path": "/p"}}
