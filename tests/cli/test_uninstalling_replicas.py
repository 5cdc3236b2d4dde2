"""`warmlog uninstall` of ModelReplicas: what they have on every cluster, and letting go of them."""

from pathlib import Path
from typing import Any

from adapters.cli.exit_codes import ExitCode
from adapters.ports import Request
from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from adapters.simulator.worlds import World
from machines.labels import CACHE_IN_USE, REPLICA_WORKLOADS
from machines.replicas import bodies
from machines.replicas.mounts import NO_MOUNT
from machines.replicas.names import ReplicaNames
from tests.cli.leavings import PLACE, cache, home_world, told, two_served, uninstalled, west_world
from tests.cli.serving import served
from tests.replicas.composing import engines
from tests.replicas.specs import replica


def replica_of(world: World, name: str, *finalizers: str) -> ReplicaNames:
    """A ModelReplica with these finalizers, that is pinned to cluster west."""
    metadata = {"name": name, "namespace": "ml-team", "finalizers": list(finalizers)}
    body = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica", "metadata": metadata}
    made = world.apply({**body, "spec": replica()})
    return ReplicaNames("ml-team", name, made["metadata"]["uid"], PLACE)


def composed(world: World, names: ReplicaNames) -> None:
    """A cluster on which a replica has its Deployment, its Service and its claim template."""
    if world.find("Namespace", "", PLACE) is None:
        world.add_namespace(PLACE)
    [engine] = engines(replica())
    workload = bodies.workload(names, engine, NO_MOUNT, dynamo=False, replicas=True)
    for body in (bodies.service(names), *bodies.claim_templates(names, engine), workload):
        world.apply(bodies.stamped(body))


def kinds(place: dict[str, Any], owner: str) -> list[str]:
    """The kinds of what is left of an owner on a cluster."""
    return [each["kind"] for each in place["left"] if each["owner"]["name"] == owner]


ALL = ["Deployment", "ResourceClaimTemplate", "Service"]


def test_what_replicas_have_is_listed(tmp_path: Path) -> None:
    """Of one that exists, of one that is gone, and of nobody else; nothing is changed."""
    home, west = home_world("west"), west_world()
    composed(west, replica_of(home, "r", REPLICA_WORKLOADS))
    composed(west, ReplicaNames("ml-team", "old", "an-old-uid", PLACE))
    plain = bodies.service(ReplicaNames("ml-team", "web", "u", PLACE))
    del plain["metadata"]["annotations"]
    west.apply(plain)
    with two_served(home, west, tmp_path) as (server, second):
        result, found = uninstalled(server), told(server)
        assert server.writes + second.writes == []
    assert (result.exit_code, result.stderr) == (ExitCode.OK, "")
    assert [each["name"] for each in found["replicas"]] == ["r"]
    _, there = found["clusters"]
    assert (kinds(there, "r"), kinds(there, "old")) == (ALL, ALL)
    assert {each["ownerStanding"] for each in there["left"]} == {"EXISTS", "GONE"}
    assert {each["ownerKind"] for each in there["left"]} == {"ModelReplica"}
    assert there["others"] == 0
    assert f"1 ModelReplica with the finalizer {REPLICA_WORKLOADS}\n" in result.stdout
    assert "Deployment, ResourceClaimTemplate, Service on InferenceCluster west\n" in result.stdout
    assert "not available  ModelReplica ml-team/old is gone\n" in result.stdout
    assert "takes the finalizer off 1 ModelReplica, and deletes nothing" in result.stdout


def test_replicas_are_let_go_with_caches(tmp_path: Path) -> None:
    """With --yes both lose our finalizer and nothing else, and what they have stays."""
    home, west = home_world("west"), west_world()
    cache(home, "qwen", CACHE_IN_USE)
    composed(west, replica_of(home, "r", "else.example/first", REPLICA_WORKLOADS))
    with two_served(home, west, tmp_path) as (server, second):
        result = uninstalled(server, "--yes")
        assert {each.method for each in server.writes} == {"PATCH"}
        assert second.writes == []
    assert result.exit_code == ExitCode.OK
    assert "Let go: 2 of 2, 1 ModelCache and 1 ModelReplica." in result.stdout
    left = home.must_find("ModelReplica", "ml-team", "r")["metadata"]["finalizers"]
    assert left == ["else.example/first"]
    assert len(west.listed("Deployment")) == 1


def test_a_replica_that_is_being_deleted_goes_at_once(tmp_path: Path) -> None:
    """Nothing but our finalizer held it."""
    home = home_world()
    replica_of(home, "r", REPLICA_WORKLOADS)
    path = "/apis/modelplane.ai/v1alpha1/namespaces/ml-team/modelreplicas/r"
    assert home.api.handle(Request("DELETE", path)).ok
    with served(home, tmp_path) as server:
        result = uninstalled(server, "--yes")
    assert result.exit_code == ExitCode.OK
    assert home.find("ModelReplica", "ml-team", "r") is None


def test_a_cluster_without_gangs_or_claim_templates_is_no_trouble(tmp_path: Path) -> None:
    """Kinds that are not served hold nothing; what may not be read is told."""
    home = home_world()
    composed(home, replica_of(home, "r", REPLICA_WORKLOADS))
    missing = failure(404, "NotFound", "the server could not find the requested resource", {})
    for kind in ("leaderworkersets", "resourceclaimtemplates"):
        home.api.faults.add(every("GET", f"/{kind}"), missing, times=9)
    with served(home, tmp_path) as server:
        assert uninstalled(server).exit_code == ExitCode.OK
        fault = failure(403, "Forbidden", "services is forbidden")
        home.api.faults.add(every("GET", "/v1/services"), fault, times=9)
        result = uninstalled(server)
    assert result.exit_code == ExitCode.CLUSTER_UNUSABLE
    assert "services cannot be read: services is forbidden" in result.stdout
