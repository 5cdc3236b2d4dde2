"""Levels: what is kept of an object, and its shape in the log."""

import pytest

from engine.canonical_json import dumps, loads
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    ClusterLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    Owner,
    SecretLevel,
    StorageClassLevel,
)
from machines.levels import (
    LEVEL_BY_KIND,
    JobLevel,
    Level,
    NamespaceLevel,
    NodeLevel,
    PodLevel,
    WarmupLevel,
)
from machines.replicas.levels import PartLevel, ReplicaLevel, WorkloadLevel

_OWNER = Owner("ns", "cache", "u")

_WORKLOAD = WorkloadLevel(
    _OWNER, "r", "digest", "fields", 2, 3, "hpa", "{}", "False", "R", "words", deleting=True
)._replace(rolling=True)

FULL: dict[str, Level] = {
    "ModelCache": CacheLevel(3, "{}", (("warmlog.dev/x", "y"),), deleting=True, held=True),
    "InferenceCluster": ClusterLevel(
        (("a", "b"),), "{}", "config", "class", "2026-01-01T00:00:00Z", deleting=True
    ),
    "PersistentVolumeClaim": ClaimLevel(
        _OWNER, "cache", "Lost", "pv", "class", "5Gi", "6Gi", "node", "u/f", "words", deleting=True
    ),
    "StorageClass": StorageClassLevel("p", "WaitForFirstConsumer", expandable=True),
    "Secret": SecretLevel((("a", "0f"), ("b", "")), _OWNER, "cache", deleting=True),
    "HydrationJob": HydrationJobLevel(
        _OWNER, "cache", "c", "f", "Failed", "R", "words", 4, deleting=True
    ),
    "HydrationPod": HydrationPodLevel("j", "node", "Failed", "R", "words", 1, deleting=True),
    "Namespace": NamespaceLevel("p", terminating=True),
    "Node": NodeLevel(
        (("a", "1"), ("b", "")),
        (("k", "v", "NoSchedule"),),
        "False",
        unschedulable=True,
        created="2026-01-01T00:00:00Z",
    ),
    "Job": JobLevel(
        "w",
        "w",
        "n",
        "node",
        "rev",
        "Failed",
        "R",
        "words",
        3,
        60,
        deleting=True,
        created="2026-01-01T00:00:00Z",
        misnamed=True,
        unlabelled_pods=True,
    ),
    "Pod": PodLevel("w", "j", "node", "Failed", "R", "words\x00\ud800", 137, deleting=True),
    "ModelReplica": ReplicaLevel(
        3, '{"a":1.0}', (("warmlog.dev/x", "y"),), deleting=True, held=True
    ),
    "Deployment": _WORKLOAD,
    "LeaderWorkerSet": _WORKLOAD,
    "Service": PartLevel(_OWNER, "r", "digest", "fields", deleting=True),
    "ResourceClaimTemplate": PartLevel(_OWNER, "r", "digest", "fields", deleting=True),
    "ModelWarmup": WarmupLevel(3, '{"a":1.0}', (("warmlog.dev/x", "y"),), deleting=True),
}


@pytest.mark.parametrize("kind", LEVEL_BY_KIND)
def test_a_level_comes_back_from_the_log(kind: str) -> None:
    """What the log keeps of a level gives an equal level again, full or as empty as can be."""
    for level in (FULL[kind], LEVEL_BY_KIND[kind]()):
        text = dumps(level.to_json())
        assert LEVEL_BY_KIND[kind].from_json(loads(text)) == level


@pytest.mark.parametrize("kind", LEVEL_BY_KIND)
def test_what_is_empty_takes_no_room(kind: str) -> None:
    """Empty fields are left out of the log."""
    level = LEVEL_BY_KIND[kind]()
    assert all(value for value in level.to_json().values())


def test_a_level_is_compared_by_value() -> None:
    """Two levels of the same object are one fact when nothing that matters differs."""
    assert NodeLevel((("a", "1"),)) == NodeLevel((("a", "1"),))
    assert NodeLevel((("a", "1"),)) != NodeLevel((("a", "2"),))


def test_ended_pods() -> None:
    """Only Succeeded and Failed are ends: a Pod of an unknown phase may still run."""
    ended = [phase for phase in ("Pending", "Running", "Succeeded", "Failed", "Unknown", "")
             if PodLevel(phase=phase).ended]  # fmt: skip
    assert ended == ["Succeeded", "Failed"]
