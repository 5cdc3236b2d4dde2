"""Requests about ModelCaches and InferenceClusters that two API servers must answer alike."""

from collections.abc import Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import CACHE, INFERENCE_CLUSTER, path_of
from tests.simulator.cases import Body, delete, get, guarded, merge, operation, patch, post

HELD = "warmlog.dev/cache-in-use"


def cache(name: str, **source: Any) -> Body:
    """A ModelCache; the fields of its source by their names."""
    hub = {"repo": "org/model", "sizeGiB": 10, **source}
    return {
        "apiVersion": CACHE.api_version,
        "kind": CACHE.kind,
        "metadata": {"name": name},
        "spec": {"source": "HuggingFace", "huggingFace": hub},
    }


def inference_cluster(name: str, **cluster: Any) -> Body:
    """An InferenceCluster; the fields of spec.cluster by their names."""
    return {
        "apiVersion": INFERENCE_CLUSTER.api_version,
        "kind": INFERENCE_CLUSTER.kind,
        "metadata": {"name": name},
        "spec": {"cluster": {"source": "InCluster", **cluster}},
    }


def caches(namespace: str) -> Iterator[Request]:
    """Defaults, rules, what never changes, the status, and finalizers."""
    path = path_of(CACHE, namespace)
    a = f"{path}/a"
    yield post(path, cache("a"))
    yield post(path, cache("a"))
    yield post(path, cache("b", authSecret={"name": "hub"}, revision="refs/pr/3"))
    yield from (post(path, cache("bad", **source)) for source in _bad_sources())
    yield post(path, {**cache("bad"), "spec": {"source": "HuggingFace"}})
    yield post(path, {**cache("bad"), "spec": {"source": "S3"}})
    yield post(path, {**cache("bad"), "spec": {"huggingFace": {"repo": "org/model"}}})
    yield from (merge(a, {"spec": change}) for change in _cache_changes())
    yield merge(a, {"metadata": {"labels": {"x": "y"}, "annotations": {"warmlog.dev/retry": "1"}}})
    entry = {"name": "here", "phase": "Pending", "message": "waiting", "frob": 1}
    status = {"summary": {"ready": "0/1"}, "clusters": [entry]}
    yield guarded(f"{a}/status", operation("add", "/status", value=status))
    yield patch(f"{a}/status", operation("replace", "/status/clusters/0/phase", value="Nearly"))
    yield patch(f"{a}/status", operation("add", "/status", value={"clusters": [{}]}))
    yield merge(a, {"metadata": {"finalizers": [HELD]}})
    yield delete(a, propagationPolicy="Background")
    yield merge(a, {"metadata": {"finalizers": [HELD, "example.com/more"]}})
    yield merge(f"{a}/status", {"status": {"summary": {"ready": "1/1"}}})
    gone = operation("remove", "/metadata/finalizers/0")
    yield guarded(a, operation("test", "/metadata/finalizers/0", value="other"), gone)
    yield guarded(a, operation("test", "/metadata/finalizers/0", value=HELD), gone)
    yield get(a)
    yield delete(f"{path}/b")


def _bad_sources() -> Iterator[Body]:
    yield {"repo": ""}
    yield {"repo": "a/b/c"}
    yield {"repo": "org/model.git"}
    yield {"repo": "org/mo..del"}
    yield {"repo": 3}
    yield {"revision": "a b"}
    yield {"revision": "-x"}
    yield {"sizeGiB": 0}
    yield {"sizeGiB": "10"}
    yield {"sizeGiB": None}
    yield {"authSecret": {}}
    yield {"authSecret": {"name": "Bad_Name"}}
    yield {"authSecret": {"name": "hub", "key": "a b"}}


def _cache_changes() -> Iterator[Body]:
    yield {"huggingFace": {"repo": "org/other"}}
    yield {"huggingFace": {"revision": "main"}}
    yield {"huggingFace": {"revision": ""}}
    yield {"huggingFace": {"sizeGiB": 20}}
    yield {"huggingFace": {"sizeGiB": 19}}
    yield {"huggingFace": {"authSecret": {"name": "hub"}}}
    yield {"huggingFace": {"authSecret": {"key": "TOKEN"}}}
    yield {"huggingFace": {"authSecret": None}}
    yield {"huggingFace": None}
    yield {"clusterSelector": {"matchLabels": {"zone": "a"}}}
    yield {"clusterSelector": {"matchLabels": {"zone": "a b"}}}
    yield {"frob": 1}


def inference_clusters() -> Iterator[Request]:
    """Defaults, rules, the stack that never changes, and a status that is shared."""
    path = path_of(INFERENCE_CLUSTER)
    a = f"{path}/like-a"
    yield post(path, inference_cluster("like-a"))
    existing = {"secretRef": {"name": "kubeconfig"}, "more": {"kept": 1}}
    yield post(path, inference_cluster("like-b", source="Existing", existing=existing))
    yield post(path, inference_cluster("like-bad", source="Existing"))
    yield post(path, inference_cluster("like-bad", source="Elsewhere"))
    yield post(path, {**inference_cluster("like-bad"), "spec": {}})
    yield merge(a, {"spec": {"stack": "Dynamo"}})
    yield merge(a, {"spec": {"cluster": {"inCluster": {"cache": {"storageClassName": "rwx"}}}}})
    yield merge(a, {"metadata": {"labels": {"zone": "a"}}})
    ready = {"type": "Ready", "status": "True", "reason": "R", "message": ""}
    condition = {**ready, "lastTransitionTime": "2026-01-01T00:00:00Z"}
    status = {"conditions": [condition], "cache": {"storageClassName": "rwx"}, "other": {"x": 1}}
    yield merge(f"{a}/status", {"status": status})
    reachable = {**condition, "type": "Reachable"}
    yield guarded(f"{a}/status", operation("add", "/status/conditions/-", value=reachable))
    yield delete(a)
    yield delete(f"{path}/like-b")
