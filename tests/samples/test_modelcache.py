"""samples/modelcache/: what the manifests say, and the rules that all of them keep."""

import copy
import re

import pytest
import yaml

from machines.caches.cluster_specs import ClusterSpec, parse_cluster
from machines.caches.specs import CacheSpec, parse_cache
from tests.repository import ROOT
from tests.samples.manifests import Json, read_all, unknown_fields

FOLDER = ROOT / "samples" / "modelcache"
NAMES = ("in-cluster", "second-cluster", "gated-model", "cluster-selector")
PLACEHOLDER = "example.com/placeholder"
# Sample -> the cache in it: repository, revision, Secret, size and clusters.
CACHES = {
    "in-cluster": CacheSpec("HuggingFace", "Qwen/Qwen2.5-0.5B-Instruct", "", "", "HF_TOKEN", 2, ()),
    "second-cluster": CacheSpec(
        "HuggingFace", "Qwen/Qwen2.5-7B-Instruct", "main", "", "HF_TOKEN", 20, ()
    ),
    "gated-model": CacheSpec(
        "HuggingFace", "meta-llama/Llama-3.1-8B-Instruct", "", "hf-token", "HF_TOKEN", 40, ()
    ),
    "cluster-selector": CacheSpec(
        *("HuggingFace", "Qwen/Qwen2.5-1.5B-Instruct", "main", "", "HF_TOKEN", 5),
        (("example.com/region", "west"),),
    ),
}
CLUSTERS = {
    "in-cluster": ClusterSpec("InCluster", storage_class="modelplane-rwx"),
    "second-cluster": ClusterSpec("Existing", "west-kubeconfig", storage_class="modelplane-rwx"),
}


def objects(name: str, kind: str) -> list[Json]:
    """The objects of a kind in a sample."""
    documents = read_all((FOLDER / f"{name}.yaml").read_text())
    return [document for document in documents if document["kind"] == kind]


def readme() -> str:
    """The page beside the samples."""
    return (FOLDER / "README.md").read_text()


def test_the_folder_holds_the_samples_and_their_readme() -> None:
    """There are the four manifests and a README, and nothing that no test looks at."""
    expected = {"README.md", *(f"{name}.yaml" for name in NAMES)}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_samples_cache_is_understood(name: str) -> None:
    """The controller finds no fault in the spec, and reads out of it what the file says."""
    [cache] = objects(name, "ModelCache")
    parsed = parse_cache(cache["spec"])
    assert parsed.faults == ()
    assert parsed.spec == CACHES[name]
    assert cache["metadata"]["namespace"] == "default"


@pytest.mark.parametrize("name", CLUSTERS)
def test_a_samples_cluster_is_understood(name: str) -> None:
    """How the cluster is reached, and the class of its claims, are read out of the file."""
    [cluster] = objects(name, "InferenceCluster")
    assert parse_cluster(cluster["spec"]) == CLUSTERS[name]
    assert "namespace" not in cluster["metadata"]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_has_no_field_that_nobody_knows(name: str) -> None:
    """As kubectl reads it, strictly: an InferenceCluster keeps any field, but here none is odd."""
    for kind in ("ModelCache", "InferenceCluster"):
        for document in objects(name, kind):
            assert unknown_fields(document) == []


def test_the_strict_reading_finds_misspelt_fields() -> None:
    """A field that is misspelt is found in both kinds."""
    [cache], [cluster] = (objects("second-cluster", k) for k in ("ModelCache", "InferenceCluster"))
    changed = copy.deepcopy(cache)
    changed["spec"]["huggingFace"]["sizeGib"] = 1
    assert unknown_fields(changed) == ["spec.huggingFace.sizeGib"]
    changed = copy.deepcopy(cluster)
    changed["spec"]["cluster"]["existing"]["secretref"] = {}
    assert unknown_fields(changed) == ["spec.cluster.existing.secretref"]


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_holds_no_secret(name: str) -> None:
    """A Secret has places to fill in, and a label by which the README leaves it out."""
    for secret in objects(name, "Secret"):
        assert secret["metadata"]["labels"] == {PLACEHOLDER: "true"}
        for value in secret["stringData"].values():
            assert "REPLACE-ME" in value
        assert f"samples/modelcache/{name}.yaml -l '!{PLACEHOLDER}'" in readme()


def test_the_second_cluster_is_reached_by_its_secret() -> None:
    """The Secret in the file is the one that the cluster names, and holds a kubeconfig in shape."""
    [secret] = objects("second-cluster", "Secret")
    [cluster] = objects("second-cluster", "InferenceCluster")
    read = parse_cluster(cluster["spec"])
    assert secret["metadata"]["name"] == read.secret_name
    kubeconfig = yaml.safe_load(secret["stringData"][read.secret_key])
    [context] = kubeconfig["contexts"]
    assert kubeconfig["current-context"] == context["name"]
    assert [context["context"]["cluster"]] == [each["name"] for each in kubeconfig["clusters"]]
    assert [context["context"]["user"]] == [each["name"] for each in kubeconfig["users"]]


def test_the_gated_model_has_its_token_beside_it() -> None:
    """The Secret in the file is the one that the cache names, with its key."""
    [secret] = objects("gated-model", "Secret")
    spec = CACHES["gated-model"]
    assert secret["metadata"]["name"] == spec.secret_name
    assert list(secret["stringData"]) == [spec.secret_key]


def test_the_selector_matches_the_second_cluster_alone() -> None:
    """With all samples applied, one of the two clusters is chosen."""
    wanted = set(CACHES["cluster-selector"].selector)
    matching = [
        name
        for name in CLUSTERS
        for cluster in objects(name, "InferenceCluster")
        if wanted <= set(cluster["metadata"]["labels"].items())
    ]
    assert matching == ["second-cluster"]


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_has_the_command_for_each_sample(name: str) -> None:
    """One line applies it, and all that it makes is cleaned up by its name."""
    assert f"kubectl apply -f samples/modelcache/{name}.yaml" in readme()
    clean_up = readme().partition("## 7. Clean up")[2]
    for kind in ("ModelCache", "InferenceCluster", "Secret"):
        for document in objects(name, kind):
            assert re.search(rf"\b{document['metadata']['name']}\b", clean_up)
