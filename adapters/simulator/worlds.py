"""Building simulated worlds, and doing by hand in them what people and machines do."""

from collections.abc import Mapping, Sequence

from adapters.simulator import answers
from adapters.simulator.clock import Chance
from adapters.simulator.cluster import Cluster
from adapters.simulator.conditions import with_condition
from adapters.simulator.plans import NodePlan, Timing
from adapters.simulator.resources import (
    BY_KIND,
    JOB,
    NAMESPACE,
    NODE,
    POD,
    WARMUP,
)
from adapters.simulator.schemas import Schema
from adapters.simulator.serving_deeds import ServingDeeds
from adapters.simulator.storage import Manifest
from machines import labels

Taint = tuple[str, str, str]  # key, value, effect

_SYSTEM = "kube-system"
_ALLOCATABLE = {"cpu": "32", "memory": "256Gi", "pods": "110"}
_NEW_NODE_STATUS = {
    "capacity": _ALLOCATABLE,
    "allocatable": _ALLOCATABLE,
    "conditions": [
        {
            "type": "Ready",
            "status": "False",
            "reason": "KubeletNotReady",
            "message": "container runtime network not ready",
        }
    ],
}


class World(ServingDeeds):
    """A cluster with people in it. Whatever a person asks for must work, else Refusal is raised."""

    def __init__(self, seed: int, *, name: str = "sim", timing: Timing | None = None) -> None:
        """Begin with an empty cluster that has the namespace `default`."""
        super().__init__(Cluster(name, seed, timing=timing))
        self._seed = seed
        self._timing = timing
        self.add_namespace("default")

    def beside(self, name: str) -> "World":
        """Build another cluster, which stands at the same instant and shares nothing else.

        Both get the namespace by whose uid clusters are told apart, where it is missing.
        """
        seed = Chance(self._seed).number("world", name)
        other = World(seed, name=name, timing=self._timing)
        other.cluster.advance(self.cluster.now)
        for world in (self, other):
            if world.find(NAMESPACE.kind, "", _SYSTEM) is None:
                world.add_namespace(_SYSTEM)
        return other

    def install(self, definition: Manifest) -> None:
        """Install a CustomResourceDefinition: its kind's objects are checked and pruned by it."""
        self.apply(definition)
        kind = definition["spec"]["names"]["kind"]
        version = BY_KIND[kind].api_version.rpartition("/")[2]
        self.cluster.registry.use_schema(kind, Schema.of_definition(definition, version))
        self.serve(kind)

    def lose_api(self, words: str = "no route to host") -> None:
        """Cut the API server off: no request gets through and every watch breaks."""
        self.api.faults.unreachable = words
        self.api.cut_watches(words)

    def regain_api(self) -> None:
        """Let requests through again."""
        self.api.faults.unreachable = ""

    def forbid(self, kind: str, namespace: str, words: str) -> None:
        """Refuse new objects with 403, as quota and Pod Security do, until `allow`."""
        self.cluster.registry.refusals[kind, namespace] = lambda resource, name: answers.forbidden(
            resource, name, words
        )

    def deny(self, kind: str, namespace: str, words: str) -> None:
        """Refuse them with 422 and a cause without field, as a ValidatingAdmissionPolicy does."""
        self.cluster.registry.refusals[kind, namespace] = lambda resource, name: answers.denied(
            resource, name, words
        )

    def allow(self, kind: str, namespace: str) -> None:
        """Let new objects through again."""
        self.cluster.registry.refusals.pop((kind, namespace), None)

    def add_namespace(self, name: str, *, pool: str = "") -> Manifest:
        """Create a namespace, in a pool of nodes when `pool` is given."""
        marks = {labels.POOL: pool} if pool else {}
        return self._create(NAMESPACE, "", {"metadata": {"name": name, "labels": marks}})

    def add_node(
        self,
        name: str,
        *,
        pool: str = "",
        enabled: bool = True,
        marks: Mapping[str, str] | None = None,
        taints: Sequence[Taint] = (),
        plan: NodePlan | None = None,
    ) -> Manifest:
        """Have a machine join: in a pool, opted in unless told otherwise, with more labels."""
        if plan is not None:
            self.cluster.plans[name] = plan
        given = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}
        if pool:
            given[labels.POOL] = pool
        if enabled:
            given[labels.ENABLED] = "true"
        body = {
            "metadata": {"name": name, "labels": {**given, **(marks or {})}},
            "spec": {"taints": [_taint(taint) for taint in taints]},
            "status": _NEW_NODE_STATUS,
        }
        return self._create(NODE, "", body)

    def add_control_plane_node(self, name: str, *, pool: str = "") -> Manifest:
        """Have a control-plane machine join, labelled and tainted as kubeadm does."""
        mark = labels.CONTROL_PLANE[0]
        return self.add_node(name, pool=pool, marks={mark: ""}, taints=[(mark, "", "NoSchedule")])

    def relabel_node(self, name: str, changes: Mapping[str, str | None]) -> Manifest:
        """Set labels of a node; None takes one off."""
        return self._patch(NODE, "", name, {"metadata": {"labels": dict(changes)}})

    def relabel_namespace(self, name: str, changes: Mapping[str, str | None]) -> Manifest:
        """Set labels of a namespace; None takes one off."""
        return self._patch(NAMESPACE, "", name, {"metadata": {"labels": dict(changes)}})

    def cordon(self, name: str) -> Manifest:
        """Let no new Pods onto a node."""
        return self._patch(NODE, "", name, {"spec": {"unschedulable": True}})

    def uncordon(self, name: str) -> Manifest:
        """Let Pods onto a node again."""
        return self._patch(NODE, "", name, {"spec": {"unschedulable": None}})

    def taint(self, name: str, taints: Sequence[Taint]) -> Manifest:
        """Replace a node's taints."""
        return self._patch(NODE, "", name, {"spec": {"taints": [_taint(each) for each in taints]}})

    def delete_node(self, name: str) -> None:
        """Have a machine leave for good."""
        self._delete(NODE, "", name)

    def replace_node(self, name: str, *, plan: NodePlan | None = None) -> Manifest:
        """Have another machine take the name, the labels and the taints of one that leaves."""
        old = self.must_find(NODE.kind, "", name)
        self.delete_node(name)
        if plan is not None:
            self.cluster.plans[name] = plan
        taints = [
            taint
            for taint in old["spec"].get("taints") or ()
            if not taint["key"].startswith("node.kubernetes.io/")
        ]
        body = {
            "metadata": {"name": name, "labels": old["metadata"].get("labels") or {}},
            "spec": {"taints": taints},
            "status": _NEW_NODE_STATUS,
        }
        return self._create(NODE, "", body)

    def stop_job_controller(self) -> None:
        """Have nobody make Pods for Jobs or end them, as on an API server without controllers."""
        self.cluster.jobs.stop()

    def stop_kubelet(self, name: str) -> None:
        """Have a machine fall silent: its Pods stay as they are, its Node becomes Unknown."""
        self.cluster.kubelets.stop(name)
        self.cluster.nodes.lose_contact(name)

    def start_kubelet(self, name: str) -> None:
        """Have a silent machine come back."""
        self.cluster.nodes.regain_contact(name)
        self.cluster.kubelets.start(name)

    def heartbeat(self, name: str) -> None:
        """Have a kubelet say that it is still there: a new version that means nothing."""
        node = self.must_find(NODE.kind, "", name)
        beat = {"type": "MemoryPressure", "status": "False"}
        at = str(self.cluster.now)
        self.cluster.nodes.change_status(
            node,
            lambda status: with_condition(
                status, {**beat, "lastHeartbeatTime": at}, self.cluster.now
            ),
        )

    def evict_pod(self, namespace: str, name: str, words: str = "") -> None:
        """Have the kubelet evict a Pod because its node runs low."""
        words = words or "The node was low on resource: ephemeral-storage."
        self.cluster.kubelets.evict(self.must_find(POD.kind, namespace, name), words)

    def delete_job(self, namespace: str, name: str, propagation: str = "Background") -> None:
        """Delete a Job as `kubectl delete job` does."""
        self._delete(JOB, namespace, name, propagation)

    def delete_pod(self, namespace: str, name: str) -> None:
        """Delete a Pod as `kubectl delete pod` does."""
        self._delete(POD, namespace, name)

    def delete_warmup(self, namespace: str, name: str, propagation: str = "Background") -> None:
        """Delete a ModelWarmup; what it owns follows, unless it is orphaned."""
        self._delete(WARMUP, namespace, name, propagation)

    def delete_namespace(self, name: str) -> None:
        """Delete a namespace; it goes once everything in it has gone."""
        self._delete(NAMESPACE, "", name)


def _taint(taint: Taint) -> Manifest:
    key, value, effect = taint
    named = {"key": key, "value": value, "effect": effect}
    return {field: text for field, text in named.items() if text}
