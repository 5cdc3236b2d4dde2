"""ModelCaches and InferenceClusters in the simulated API server."""

from adapters.simulator.resources import CACHE, INFERENCE_CLUSTER, path_of
from adapters.simulator.storage import Manifest
from tests.simulator.building import TEAM, delete, get, merge, patch, post, put, world_of

CACHES, CLUSTERS = path_of(CACHE, TEAM), path_of(INFERENCE_CLUSTER)


def cache_body(name: str) -> Manifest:
    """A ModelCache."""
    source = {"repo": "org/model", "sizeGiB": 10}
    return {
        "apiVersion": CACHE.api_version,
        "kind": CACHE.kind,
        "metadata": {"name": name, "finalizers": ["warmlog.dev/cache-in-use"]},
        "spec": {"source": "HuggingFace", "huggingFace": source},
    }


def cluster_body(name: str) -> Manifest:
    """An InferenceCluster."""
    return {
        "apiVersion": INFERENCE_CLUSTER.api_version,
        "kind": INFERENCE_CLUSTER.kind,
        "metadata": {"name": name},
        "spec": {"cluster": {"source": "InCluster"}},
    }


def test_a_cache_goes_when_its_last_finalizer_is_off() -> None:
    """Until then it is marked, readable, and nobody can hold it anew."""
    world = world_of()
    post(world, CACHES, cache_body("qwen"))
    marked = delete(world, f"{CACHES}/qwen").body["metadata"]
    assert (marked["generation"], "deletionTimestamp" in marked) == (2, True)
    held = {"metadata": {"finalizers": ["warmlog.dev/cache-in-use", "a.b/c"]}}
    assert merge(world, f"{CACHES}/qwen", held).code == 422
    version = get(world, f"{CACHES}/qwen").body["metadata"]["resourceVersion"]
    freed = patch(
        world,
        f"{CACHES}/qwen",
        {"op": "test", "path": "/metadata/resourceVersion", "value": version},
        {"op": "test", "path": "/metadata/finalizers/0", "value": "warmlog.dev/cache-in-use"},
        {"op": "remove", "path": "/metadata/finalizers/0"},
    )
    assert (freed.code, get(world, f"{CACHES}/qwen").code) == (200, 404)


def test_a_cluster_is_in_no_namespace() -> None:
    """Its status is apart, and its spec may change: each change is a new generation."""
    world = world_of()
    assert post(world, CLUSTERS, cluster_body("here")).body["metadata"]["generation"] == 1
    conditions = [{"type": "Reachable", "status": "True"}]
    status = {"op": "add", "path": "/status", "value": {"conditions": conditions}}
    assert patch(world, f"{CLUSTERS}/here/status", status).body["metadata"]["generation"] == 1
    stack = {"spec": {"cluster": {"source": "Existing"}}}
    changed = merge(world, f"{CLUSTERS}/here", stack).body
    assert (changed["metadata"]["generation"], changed["status"]["conditions"]) == (2, conditions)
    assert put(world, f"{CLUSTERS}/here", cluster_body("here")).code == 422  # names no version
    assert get(world, f"{path_of(INFERENCE_CLUSTER, TEAM)}/here").code == 404
