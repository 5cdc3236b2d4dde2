"""What was promised of replicas, checked once worlds have come to rest."""

from collections.abc import Iterator, Mapping
from typing import Any

from adapters.kubernetes.fields import mapping
from adapters.simulator.resources import REPLICA
from adapters.simulator.storage import Manifest
from engine.canonical_json import dumps
from machines import labels
from machines.caches.child_names import workload_namespace
from property_tests.cache_rest import NOBODY
from property_tests.served_worlds import NAMESPACE, SERVING, WORKLOAD_KINDS, ServedWorld, is_let_go

WORKLOADS = workload_namespace(NAMESPACE, "")
# Why a replica may not serve in a world in which all is well: its cache, its cluster, or a name.
WAITING = ("ModelCache", "InferenceCluster", "kubeconfig", "belongs to", "PrefillDecode",
           "LeaderWorkerSet", "older one", "does not answer", "exists already", "token",
           "Secret", "claim", "is not supported", "no longer", "abandon")  # fmt: skip


def check_replicas(home: ServedWorld, worlds: Mapping[str, ServedWorld], left: set[str]) -> None:
    """Every replica serves or says what it waits for, and nothing is left of those that went."""
    alive = {item["metadata"]["uid"]: item for item in home.listed(REPLICA.kind)}
    for item in alive.values():
        rows = conditions(item)
        ready = rows["Ready"]
        assert ready["status"] == "True" or ready["message"], dumps(item["status"])
        if ready["status"] != "True":
            words = f"{ready['message']} {rows['ModelAccepted']['message']}"
            assert any(one in words for one in WAITING), dumps(item["status"])
        if "deletionTimestamp" in item["metadata"]:
            assert rows["Terminating"]["reason"] != "CleaningUp", dumps(item["status"])
    for world in worlds.values():
        for thing in things(world):
            check_thing(world, thing, alive, left)


def check_thing(
    world: ServedWorld, thing: Manifest, alive: Mapping[str, Any], left: set[str]
) -> None:
    """What bears our annotations is of a ModelReplica that runs, or may stay."""
    uid = mapping(thing["metadata"].get("annotations")).get(labels.REPLICA_UID)
    if not uid or uid in left or uid in {"z", NOBODY}:  # an unknown owner's stays
        return
    words = f"{thing['kind']} {thing['metadata']['name']} in {world.cluster.api.cluster}"
    assert uid in alive, f"{words} is left over"
    held = conditions(alive[uid])["ModelAccepted"]["reason"] == "WaitingForCache"
    runs = thing["kind"] in WORKLOAD_KINDS and not is_let_go(alive[uid])
    assert not (held and runs), f"{words} is of a held replica"


def things(world: ServedWorld) -> Iterator[Manifest]:
    """Give everything that replicas are composed of."""
    for kind in SERVING:
        yield from world.listed(kind)


def conditions(item: Manifest) -> dict[str, Any]:
    """Give the conditions of a ModelReplica by type."""
    return {row["type"]: row for row in item["status"]["conditions"]}
