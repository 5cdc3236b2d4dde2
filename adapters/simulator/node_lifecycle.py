"""The node lifecycle controller, the taint evictions and the Pod garbage collector."""

from functools import partial

from adapters.simulator.clock import SECOND, timestamp
from adapters.simulator.conditions import (
    condition_of,
    has_ended,
    is_deleting,
    with_condition,
)
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.defaulting import NOT_READY_TAINT, UNREACHABLE_TAINT
from adapters.simulator.deleting import DeleteOptions
from adapters.simulator.resources import NODE, POD
from adapters.simulator.scheduler import tolerated
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

_CORDON_TAINT = "node.kubernetes.io/unschedulable"
_OURS = frozenset((NOT_READY_TAINT, UNREACHABLE_TAINT, _CORDON_TAINT))
_FORCED = DeleteOptions(propagation="Background", grace_seconds=0)


class NodeLifecycle(Controller):
    """Taints nodes by their conditions, and clears Pods from nodes that are lost."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Nodes and Pods."""
        super().__init__(around)
        around.storage.subscribe(self._on_change, NODE.kind, POD.kind)

    def lose_contact(self, node_name: str) -> None:
        """The kubelet stopped: after the grace period its Node is Unknown."""
        at = self.agenda.now + self.timing.node_grace
        self.agenda.put(at, ("unknown", node_name), lambda: self._say_unknown(node_name))

    def regain_contact(self, node_name: str) -> None:
        """The kubelet is back before the grace period was over."""
        self.agenda.drop(("unknown", node_name))

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == NODE.kind:
            name = change.object["metadata"]["name"]
            if change.type == DELETED:
                self._quarantine(name)
            elif change.previous is None or _conditions_differ(change):
                at = self._soon(name)
                self.agenda.put(at, ("taints", name), lambda: self._taint(name))
                if _evicting(change.object):
                    self._evict_from(change.object)
        elif kind == POD.kind and change.type != DELETED:
            self._on_pod(change)

    def _on_pod(self, change: Change) -> None:
        pod = change.object
        node_name = pod["spec"].get("nodeName")
        if not node_name:
            if is_deleting(pod):
                self._collect_later(pod, "PodGC: unscheduled")
            return
        node = self.storage.get(NODE.kind, key_of("", node_name))
        bound_now = change.previous is None or not change.previous["spec"].get("nodeName")
        if bound_now and node is not None and _evicting(node):
            self._evict_from(node)

    def _soon(self, name: str) -> int:
        span = self.timing.lifecycle
        return self.agenda.now + self.chance.between(span, "taint", name, self.storage.version)

    def _say_unknown(self, node_name: str) -> None:
        node = self.storage.get(NODE.kind, key_of("", node_name))
        if node is None:
            return
        condition = {
            "type": "Ready",
            "status": "Unknown",
            "reason": "NodeStatusUnknown",
            "message": "Kubelet stopped posting node status.",
        }
        self.change_status(node, lambda status: with_condition(status, condition, self.agenda.now))

    def _taint(self, node_name: str) -> None:
        """Make a node's taints what its conditions and its cordon call for."""
        node = self.storage.get(NODE.kind, key_of("", node_name))
        if node is None:
            return
        spec = node.get("spec") or {}
        standing = {(taint["key"], taint["effect"]): taint for taint in spec.get("taints") or ()}
        kept = [taint for taint in standing.values() if taint["key"] not in _OURS]
        now = timestamp(self.agenda.now)
        wanted = [
            standing.get((key, effect), {"key": key, "effect": effect, "timeAdded": now})
            for key, effect in _called_for(node)
        ]

        def tainted(current: Manifest) -> Manifest:
            return {**current, "spec": {**spec, "taints": [*kept, *wanted]}}

        self.change_item(node, tainted)

    def _evict_from(self, node: Manifest) -> None:
        """Delete the Pods that do not bear a NoExecute taint, at once or when they no longer do.

        Pods that have ended are deleted as well.
        """
        for pod in self.pods_on(node["metadata"]["name"]):
            seconds = _borne_seconds(pod, node)
            if seconds is not None and not is_deleting(pod):
                at = self.agenda.now + seconds * SECOND
                uid = pod["metadata"]["uid"]
                self.agenda.put(at, ("evict", uid), partial(self._evict, pod))

    def _evict(self, pod: Manifest) -> None:
        metadata = pod["metadata"]
        current = self.storage.get(POD.kind, key_of(metadata["namespace"], metadata["name"]))
        node = self.storage.get(NODE.kind, key_of("", pod["spec"]["nodeName"]))
        if current is None or node is None or _borne_seconds(pod, node) is None:
            return  # the taint is gone again
        if is_deleting(current):
            return
        words = "Taint manager: deleting due to NoExecute taint"
        self.disrupt(current, "DeletionByTaintManager", words)
        self.delete(current)

    def _quarantine(self, node_name: str) -> None:
        for pod in self.pods_on(node_name):
            self._collect_later(pod, "PodGC: node no longer exists")

    def _collect_later(self, pod: Manifest, words: str) -> None:
        uid = pod["metadata"]["uid"]
        span = self.timing.orphan_quarantine
        at = self.agenda.now + self.chance.between(span, "orphan", uid)
        self.agenda.put(at, ("collect", uid), lambda: self._collect(pod, words))

    def _collect(self, pod: Manifest, words: str) -> None:
        """Fail and remove a Pod that nobody will ever run or end."""
        metadata = pod["metadata"]
        current = self.storage.get(POD.kind, key_of(metadata["namespace"], metadata["name"]))
        if current is None or current["metadata"]["uid"] != metadata["uid"]:
            return
        node_name = current["spec"].get("nodeName", "")
        if node_name and self.storage.get(NODE.kind, key_of("", node_name)) is not None:
            return  # a machine of that name is back
        if not has_ended(current):
            if node_name:
                self.disrupt(current, "DeletionByPodGC", words, phase="Failed")
            else:
                self.change_status(current, lambda status: {**status, "phase": "Failed"})
        self.delete(current, _FORCED)


def _conditions_differ(change: Change) -> bool:
    old, new = change.previous or {}, change.object
    return condition_of(old, "Ready") != condition_of(new, "Ready") or old.get("spec") != new.get(
        "spec"
    )


def _called_for(node: Manifest) -> list[tuple[str, str]]:
    """Give key and effect of the taints that a node's condition and cordon call for.

    A node that has never said whether it is ready is not tainted for it.
    """
    taints: list[tuple[str, str]] = []
    ready = condition_of(node, "Ready") or {}
    key = {"False": NOT_READY_TAINT, "Unknown": UNREACHABLE_TAINT}.get(ready.get("status", ""))
    if key:
        taints += [(key, "NoSchedule"), (key, "NoExecute")]
    if (node.get("spec") or {}).get("unschedulable"):
        taints.append((_CORDON_TAINT, "NoSchedule"))
    return taints


def _evicting(node: Manifest) -> list[Manifest]:
    taints = (node.get("spec") or {}).get("taints") or ()
    return [taint for taint in taints if taint["effect"] == "NoExecute"]


def _borne_seconds(pod: Manifest, node: Manifest) -> int | None:
    """Give how long a Pod bears its node's taints; None for ever."""
    shortest: int | None = None
    for taint in _evicting(node):
        toleration = tolerated(taint, pod["spec"].get("tolerations") or ())
        if toleration is None:
            return 0
        seconds = toleration.get("tolerationSeconds")
        if seconds is not None:
            shortest = int(seconds) if shortest is None else min(shortest, int(seconds))
    return shortest
