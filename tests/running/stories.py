"""Worlds and observations that the tests of the running parts share."""

from collections.abc import Mapping, Sequence
from typing import Any

from adapters.simulator.clock import SECOND
from adapters.simulator.plans import NodePlan
from adapters.simulator.worlds import World
from engine.canonical_json import dumps
from engine.events import Subject
from machines.intents import CreateJob, Effect
from machines.job_bodies import body_digest
from machines.labels import ENABLED, POOL, TARGET_NODE_UID, WARMUP_UID
from machines.levels import NamespaceLevel, NodeLevel, WarmupLevel
from machines.observations import Listed, Observation, Reachability, Seen
from machines.states import WARMUP_KINDS

NOON = 1_800_000_000 * SECOND
CLUSTER = "sim"
POOL_MARKS = tuple(sorted({POOL: "gpu", ENABLED: "true"}.items()))
WARMUP = Subject("ModelWarmup", "default", "warm", "warm-uid")
MANIFEST_SPEC: dict[str, Any] = {
    "targets": [{"nodeSelector": {"matchLabels": {POOL: "gpu"}}}],
    "imagePreload": {"images": [{"image": "busybox:1", "command": ["true"]}]},
}


def manifest(name: str = "warm", **spec: Any) -> dict[str, Any]:
    """A ModelWarmup of the pool, some fields of its spec replaced."""
    return {
        "apiVersion": "model.aibrix.ai/v1alpha1",
        "kind": "ModelWarmup",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {**MANIFEST_SPEC, **spec},
    }


def pool_world(
    *nodes: str, plan: NodePlan | None = None, plans: Mapping[str, NodePlan] | None = None
) -> World:
    """A cluster of ready nodes in the pool that the namespace `default` may warm."""
    world = World(7, name=CLUSTER)
    world.relabel_namespace("default", {POOL: "gpu"})
    for node in nodes:
        world.add_node(node, pool="gpu", plan=(plans or {}).get(node, plan))
    world.cluster.advance(world.cluster.now + 2 * SECOND)
    return world


def node_seen(name: str, version: int = 10) -> Seen:
    """A ready node of the pool."""
    subject = Subject("Node", "", name, f"{name}-uid")
    return Seen(CLUSTER, subject, str(version), NodeLevel(POOL_MARKS, ready="True"))


def warmup_seen(version: int = 40, status: Any = None, **spec: Any) -> Seen:
    """The warmup, with the status that the server holds."""
    level = WarmupLevel(1, dumps({**MANIFEST_SPEC, **spec}))
    return Seen(CLUSTER, WARMUP, str(version), level, status)


def synced(*nodes: Seen, warmups: Sequence[Seen] = ()) -> list[Observation]:
    """A cluster that has been listed whole, with one namespace in the pool."""
    namespace = Seen(
        CLUSTER, Subject("Namespace", "", "default", "ns-uid"), "5", NamespaceLevel("gpu")
    )
    items: dict[str, tuple[Seen, ...]] = {
        "Namespace": (namespace,),
        "Node": nodes,
        "ModelWarmup": tuple(warmups),
    }
    listed = [Listed(CLUSTER, kind, "50", items.get(kind, ())) for kind in WARMUP_KINDS]
    return [Reachability(CLUSTER, reachable=True), *listed]


def create_effect(seq: int = 3, *, digest: str = "", owner_uid: str = WARMUP.uid) -> Effect:
    """A create on its way out, as intended unless another digest is given."""
    owner = {
        "apiVersion": "model.aibrix.ai/v1alpha1", "kind": "ModelWarmup", "name": "warm",
        "uid": owner_uid, "controller": True,
    }  # fmt: skip
    container = {"name": "image-0", "image": "busybox:1", "command": ["true"]}
    body = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": f"warm-{seq}",
            "namespace": "default",
            "labels": {WARMUP_UID: owner_uid},
            "annotations": {TARGET_NODE_UID: "n1-uid"},
            "ownerReferences": [owner],
        },
        "spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [container]}}},
    }
    intent = CreateJob(
        owner_uid, "default", f"warm-{seq}", "n1-uid", "n1", "rev", digest or body_digest(body)
    )
    return Effect(seq, CLUSTER, intent, body)
