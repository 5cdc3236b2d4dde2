"""Specs of an InferenceCluster: what is used of them, and how little it takes to be readable."""

from typing import Any

import pytest

from machines.caches.cluster_specs import BLOCK_BY_SOURCE, ClusterSpec, parse_cluster
from tests.crds.clusters import BAD_CLUSTERS, GOOD_CLUSTERS


def existing(**fields: Any) -> dict[str, Any]:
    """The spec of a cluster that was there before."""
    return {"cluster": {"source": "Existing", "existing": fields}}


def test_an_existing_cluster_is_reached_by_a_secret() -> None:
    """The Secret's name and key, the class and the stack are read."""
    spec = existing(
        secretRef={"name": "west", "key": "value"}, cache={"storageClassName": "nfs"}
    ) | {"stack": "Dynamo", "nodePools": [{"name": "gpu"}]}
    assert parse_cluster(spec) == ClusterSpec("Existing", "west", "value", "nfs", "Dynamo")


def test_what_is_left_out_has_defaults() -> None:
    """The key is kubeconfig and the stack is Standard; there is no default class."""
    spec = existing(secretRef={"name": "west"})
    assert parse_cluster(spec) == ClusterSpec("Existing", "west", "kubeconfig", "", "Standard")


def test_the_cluster_itself_needs_no_secret() -> None:
    """InCluster is reached as it is, and may name a class as the others do."""
    cluster = {"source": "InCluster", "inCluster": {"cache": {"storageClassName": "rwx"}}}
    assert parse_cluster({"cluster": cluster}) == ClusterSpec("InCluster", storage_class="rwx")


@pytest.mark.parametrize("source", BLOCK_BY_SOURCE)
def test_the_class_is_that_of_the_source(source: str) -> None:
    """Of several blocks only the one of the source counts."""
    blocks = {
        block: {"cache": {"storageClassName": block}, "secretRef": {"name": block}}
        for block in BLOCK_BY_SOURCE.values()
    }
    read = parse_cluster({"cluster": {"source": source, **blocks}})
    assert read.storage_class == BLOCK_BY_SOURCE[source]
    assert read.secret_name == ("existing" if source == "Existing" else "")


@pytest.mark.parametrize(
    "raw",
    [
        None,
        [],
        "x",
        {"cluster": "west"},
        {"cluster": {"source": 7, "existing": {"secretRef": {"name": "west"}}}},
        {"cluster": {"source": ["Existing"]}, "stack": None},
        {"stack": "Dynamite"},
    ],
)
def test_what_cannot_be_read_is_absent(raw: Any) -> None:
    """Wrong types and unknown words count as left out, and nothing is raised."""
    assert parse_cluster(raw) == ClusterSpec()


def test_one_wrong_field_hides_no_other() -> None:
    """Beside a field of a wrong type all others are read."""
    spec = existing(secretRef={"name": "west", "key": 5}, cache=["nfs"])
    assert parse_cluster(spec) == ClusterSpec("Existing", "west")


@pytest.mark.parametrize("case", GOOD_CLUSTERS)
def test_published_shapes_are_understood(case: str) -> None:
    """The source of what is accepted is known, and an existing cluster has its Secret."""
    read = parse_cluster(GOOD_CLUSTERS[case])
    assert read.source in BLOCK_BY_SOURCE
    assert bool(read.secret_name) == (read.source == "Existing")


@pytest.mark.parametrize("case", BAD_CLUSTERS)
def test_bad_specs_are_read_as_far_as_they_go(case: str) -> None:
    """What admission refuses would be no failure of the reader, had it been stored before."""
    assert parse_cluster(BAD_CLUSTERS[case].spec).stack == "Standard"
