"""ModelCaches, ModelReplicas and InferenceClusters in the simulated API server."""

import pytest
import yaml

from adapters.simulator.resources import CACHE, INFERENCE_CLUSTER, REPLICA, path_of
from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.repository import ROOT
from tests.simulator.building import TEAM, causes, delete, get, merge, patch, post, put, world_of
from tests.simulator.cases_replicas import member, replica

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


def with_definitions() -> World:
    """A world that knows the definitions of both kinds."""
    world = world_of()
    for kind in ("modelcache", "inferencecluster"):
        world.install(yaml.safe_load((ROOT / "crds" / f"{kind}.yaml").read_text()))
    return world


def test_definitions_add_their_defaults() -> None:
    """At creation and at each change; a null is as good as nothing."""
    world = with_definitions()
    source: Manifest = {"authSecret": {"name": "hub", "key": None}, "revision": None}
    item = world.make_cache(TEAM, "qwen", **source)
    assert item["spec"]["huggingFace"]["authSecret"] == {"name": "hub", "key": "HF_TOKEN"}
    assert "revision" not in item["spec"]["huggingFace"]
    world.make_cache(TEAM, "other")
    changed = world.make_cache(TEAM, "other", authSecret={"name": "hub"})
    assert changed["spec"]["huggingFace"]["authSecret"]["key"] == "HF_TOKEN"
    assert world.add_inference_cluster("here")["spec"]["stack"] == "Standard"


@pytest.mark.parametrize(
    ("source", "field"),
    [
        ({"repo": "org/other"}, "repo"),
        ({"revision": "main"}, "revision"),
        ({"sizeGiB": 9}, "sizeGiB"),
    ],
)
def test_what_a_cache_is_of_does_not_change(source: Manifest, field: str) -> None:
    """Repository and revision stay, and the size only grows."""
    world = with_definitions()
    world.make_cache(TEAM, "qwen")
    refused = merge(world, f"{CACHES}/qwen", {"spec": {"huggingFace": source}})
    assert causes(refused) == [("FieldValueForbidden", f"spec.huggingFace.{field}")]
    world.make_cache(TEAM, "qwen", sizeGiB=11, authSecret={"name": "hub"})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ({"repo": "a/b/c"}, ("FieldValueInvalid", "spec.huggingFace.repo")),
        ({"repo": "org/model.git"}, ("FieldValueInvalid", "spec.huggingFace.repo")),
        ({"revision": "a b"}, ("FieldValueInvalid", "spec.huggingFace.revision")),
        (
            {"authSecret": {"name": "Bad"}},
            ("FieldValueInvalid", "spec.huggingFace.authSecret.name"),
        ),
    ],
)
def test_bad_sources_are_refused(source: Manifest, expected: tuple[str, str]) -> None:
    """By patterns and by rules, each with the field that is wrong."""
    body = cache_body("qwen")
    body["spec"]["huggingFace"] |= source
    assert causes(post(with_definitions(), CACHES, body)) == [expected]


def test_what_was_accepted_once_is_not_asked_again() -> None:
    """A field from before its rule can stay, whatever else is changed."""
    world = world_of()
    world.make_cache(TEAM, "qwen", repo="a/b/c", authSecret={"name": "Bad"})
    for kind in ("modelcache", "inferencecluster"):
        world.install(yaml.safe_load((ROOT / "crds" / f"{kind}.yaml").read_text()))
    grown = merge(world, f"{CACHES}/qwen", {"spec": {"huggingFace": {"sizeGiB": 20}}})
    assert grown.code == 200


def test_a_cluster_needs_what_its_source_names() -> None:
    """A kubeconfig for one that exists; and its stack stays."""
    world = with_definitions()
    body = cluster_body("there")
    body["spec"]["cluster"]["source"] = "Existing"
    assert causes(post(world, CLUSTERS, body)) == [("FieldValueRequired", "spec.cluster.existing")]
    world.add_inference_cluster("there", source="Existing", secret="kubeconfig")
    changed = merge(world, f"{CLUSTERS}/there", {"spec": {"stack": "Dynamo"}})
    assert causes(changed) == [("FieldValueForbidden", "spec.stack")]


def test_a_replica_can_be_changed_but_for_its_cluster() -> None:
    """The definition's rules on engines are no rules that engines stay as they are."""
    world = world_of()
    world.install(yaml.safe_load((ROOT / "crds" / "modelreplica.yaml").read_text()))
    path = path_of(REPLICA, TEAM)
    made = post(world, path, replica("a"))
    assert made.body["spec"]["engines"][0]["copies"] == 1
    engines = [{"name": name, "members": [member()], "copies": 2} for name in ("main", "more")]
    assert merge(world, f"{path}/a", {"spec": {"engines": engines}}).ok
    refused = merge(world, f"{path}/a", {"spec": {"clusterName": "there"}})
    assert causes(refused) == [("FieldValueForbidden", "spec.clusterName")]
