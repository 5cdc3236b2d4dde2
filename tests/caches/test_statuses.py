"""Statuses: what is published of a ModelCache as a whole, and of an InferenceCluster."""

import json
from typing import Any

import pytest

from adapters.kubernetes.crd_checking import missing_paths, paths_of
from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE
from engine.canonical_json import dumps
from machines.caches.entries import EntryState
from machines.caches.reaching import scope_key
from machines.caches.statuses import (
    CACHE_STATUS_PATHS,
    CLUSTER_STATUS_PATHS,
    cache_status,
    cluster_condition,
    cluster_status,
)
from machines.labels import VERSION
from machines.levels import NamespaceLevel
from tests.caches.pictures import CLAIM, EAST, FAILURE, HOME, NOON, Picture

# Byte for byte what Modelplane's replicas were composed with: another key or order restarts them.
MOUNT = (
    '{"volumes":[{"name":"model-cache","persistentVolumeClaim":{"claimName":'
    '"modelcache-ml-team-qwen-17db2"}}],"volumeMounts":[{"name":"model-cache","mountPath":'
    '"/mnt/models"}],"env":[{"name":"HF_HUB_CACHE","value":"/mnt/models"}]}'
)


def status_of(picture: Picture) -> dict[str, Any]:
    """The status of the picture's ModelCache."""
    return cache_status(picture.state, picture.cache)


def entry_of(picture: Picture) -> dict[str, Any]:
    """What is published of the first cluster."""
    found: dict[str, Any] = status_of(picture)["clusters"][0]
    return found


@pytest.mark.parametrize("state", list(EntryState))
def test_the_mount_is_there_exactly_while_ready(state: EntryState) -> None:
    """A Ready entry publishes the very mount that engines have always had, no other one any."""
    picture = Picture()
    picture.ready()
    picture.entry.state, picture.entry.failure = state, FAILURE
    entry = entry_of(picture)
    assert entry["phase"] == state.value
    if state is EntryState.READY:
        assert json.dumps(entry["mount"], separators=(",", ":")) == MOUNT
        assert "message" not in entry
    else:
        assert "mount" not in entry
        assert entry["message"]


def test_a_cluster_that_does_not_answer_keeps_phase_and_mount() -> None:
    """What was published stays published while a cluster is silent, and the entry says so [C78]"""
    picture = Picture()
    picture.ready()
    picture.east.reachable, picture.east.words = False, "timed out"
    entry = entry_of(picture)
    assert entry["phase"] == "Ready"
    assert entry["mount"]["volumes"][0]["persistentVolumeClaim"]["claimName"] == CLAIM
    assert "timed out" in entry["message"]
    assert status_of(picture)["summary"] == {"ready": "1/1"}


def test_every_selected_cluster_is_there_by_name() -> None:
    """Entries come by name, unprovisioned ones too, and the summary counts each of them [C7]"""
    picture = Picture("west", "east", "mid")
    picture.state.served["west"].spec = picture.state.served["west"].spec._replace(secret_name="")
    picture.cache.entries["mid"].state = EntryState.READY
    status = status_of(picture)
    assert [(one["name"], one["phase"]) for one in status["clusters"]] == [
        ("east", "Pending"),
        ("mid", "Ready"),
        ("west", "Pending"),
    ]
    assert "not provisioned" in status["clusters"][2]["message"]
    assert status["summary"] == {"ready": "1/3"}


def test_what_is_not_selected_any_more_stands_outside_the_summary() -> None:
    """A retained entry keeps its mount, is marked, and is not counted [C19]"""
    picture = Picture("east", "west")
    picture.ready()
    picture.entry.selected, picture.entry.users = False, ("engine-0",)
    status = status_of(picture)
    assert status["summary"] == {"ready": "1/1"}
    assert [one.get("retained") for one in status["clusters"]] == [True, None]
    assert status["clusters"][0]["mount"]


def test_where_the_status_comes_from() -> None:
    """A status names its object's generation and uid, the log, and the row that changed it."""
    picture = Picture()
    picture.cache.position = 7
    status = status_of(picture)
    assert status["observedGeneration"] == 1
    assert status["warmlog"] == {"uid": "cache-uid", "log": "log", "position": 7}


def test_the_crd_keeps_every_field() -> None:
    """Each field that is ever written is declared, and kept by the generated schema."""
    picture = Picture("east", "west")
    picture.ready()
    picture.cache.entries["west"].selected = False
    written = set(paths_of(status_of(picture)))
    assert written == set(CACHE_STATUS_PATHS)
    assert not missing_paths(MODELCACHE, VERSION, CACHE_STATUS_PATHS)
    written = set(paths_of(cluster_status(picture.state, picture.state.served[EAST])))
    assert written == set(CLUSTER_STATUS_PATHS)
    assert not missing_paths(INFERENCECLUSTER, VERSION, CLUSTER_STATUS_PATHS)


def test_a_thousand_clusters_fit() -> None:
    """With a thousand clusters every entry keeps its mount, and messages share the room left."""
    names = [f"cluster-{number:04}" for number in range(1000)]
    picture = Picture(*names)
    picture.ready()
    for cluster in picture.state.clusters.values():
        cluster.reachable, cluster.words = False, "\u20ac" * 1000
    status = status_of(picture)
    assert len(dumps(status)) < 1024 * 1024
    assert all(one["mount"] and one["message"] for one in status["clusters"])


def condition_of(picture: Picture) -> tuple[str, str, str]:
    """Status, reason and message of the first cluster's condition."""
    row = cluster_condition(picture.state, picture.state.served[picture.entry.cluster])
    return row["status"], row["reason"], row["message"]


def test_a_cluster_is_reached() -> None:
    """The condition of a cluster that is listed and answers is True, since it became so."""
    picture = Picture()
    picture.state.served[EAST].changed_at = NOON
    row = cluster_condition(picture.state, picture.state.served[EAST])
    assert row == {
        "type": "Reachable",
        "status": "True",
        "reason": "Reachable",
        "message": "",
        "lastTransitionTime": "2026-01-01T12:00:00Z",
    }


def test_a_cluster_is_not_reached() -> None:
    """The condition tells why a cluster is not reached, and does not guess before it was tried."""
    picture = Picture()
    picture.east.reachable, picture.east.words = False, "connection refused"
    assert condition_of(picture) == ("False", "Unreachable", "connection refused")
    picture.east.reachable = True
    picture.east.unread["Node"] = "nodes is forbidden"
    expected = ("False", "AccessDenied", "Node cannot be read: nodes is forbidden")
    assert condition_of(picture) == expected
    picture.east.unread.clear()
    picture.east.listed.clear()
    assert condition_of(picture) == ("Unknown", "NotContacted", "it was not read yet")
    namespace = picture.state.caching.own_namespace
    home = picture.state.clusters[HOME]
    home.listed[scope_key(namespace, "east-kubeconfig")] = True
    del home.names[f"Secret/{namespace}/east-kubeconfig"]
    secret = "Secret warmlog-system/east-kubeconfig with its kubeconfig does not exist"
    assert condition_of(picture) == ("False", "AccessMissing", secret)


def test_two_names_of_one_cluster() -> None:
    """The condition of the younger of two names of one cluster names the older."""
    picture = Picture("young", "old")
    for name in ("young", "old"):
        picture.put(f"ic/{name}", "Namespace", "", "kube-system", NamespaceLevel())
    old = picture.state.served["old"]
    old.level = old.level._replace(created="2025-01-01T00:00:00Z")
    assert "InferenceCluster old" in condition_of(picture)[2]
