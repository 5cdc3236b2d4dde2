"""The ReplicaSet controller: as many Pods of one template as are asked for."""

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import SECOND
from adapters.simulator.conditions import controller_of, has_ended, is_deleting, is_true
from adapters.simulator.controlled_objects import pod_of
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.deployment_books import size_of, told
from adapters.simulator.plans import doubled
from adapters.simulator.resources import POD, REPLICA_SET
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

COMPONENT = "replicaset-controller"

_BACKOFF, _BACKOFF_LIMIT = SECOND, 60 * SECOND


class ReplicaSetController(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch ReplicaSets and Pods."""
        super().__init__(around)
        self._refusals: dict[str, int] = {}
        around.storage.subscribe(self._on_change, REPLICA_SET.kind, POD.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == REPLICA_SET.kind and change.type != DELETED:
            self._look_later(change.key)
        elif kind == POD.kind:
            owner = controller_of(change.object)
            if owner is not None and owner["kind"] == REPLICA_SET.kind:
                namespace = change.object["metadata"]["namespace"]
                self._look_later(key_of(namespace, owner["name"]))

    def _look_later(self, key: str) -> None:
        span = self.timing.workload_sync
        delay = self.chance.between(span, "replicas", key, self.storage.version)
        self.agenda.put(self.agenda.now + delay, ("replicas", key), lambda: self._sync(key))

    def _sync(self, key: str) -> None:
        replica_set = self.storage.get(REPLICA_SET.kind, key)
        if replica_set is None or is_deleting(replica_set):
            return
        refused = self._change_pods(key, replica_set)
        status = self._status(replica_set, refused)
        if status != replica_set["status"]:
            self.change_status(replica_set, lambda _: status)

    def _pods_of(self, replica_set: Manifest) -> list[Manifest]:
        dependents = self.storage.dependents(replica_set["metadata"]["uid"])
        return [item for kind, item in dependents if kind == POD.kind]

    def _change_pods(self, key: str, replica_set: Manifest) -> str:
        """Make or delete what is missing or too much; gives the words of a refusal."""
        active = [pod for pod in self._pods_of(replica_set) if _is_active(pod)]
        missing = size_of(replica_set) - len(active)
        for _ in range(missing):
            try:
                self._create(replica_set)
            except Refusal as refusal:
                words = str(refusal.response.body["message"])
                self._retry(key, replica_set, words)
                return words
        self._refusals.pop(key, None)
        for pod in _least_first(active)[: max(-missing, 0)]:
            self.delete(pod)
            words = f"Deleted pod: {pod['metadata']['name']}"
            self.around.recorder.record(replica_set, COMPONENT, "SuccessfulDelete", words)
        return ""

    def _create(self, replica_set: Manifest) -> None:
        body = pod_of(replica_set, REPLICA_SET)
        pod = self.registry.create(POD, replica_set["metadata"]["namespace"], body)
        words = f"Created pod: {pod['metadata']['name']}"
        self.around.recorder.record(replica_set, COMPONENT, "SuccessfulCreate", words)

    def _retry(self, key: str, replica_set: Manifest, words: str) -> None:
        told_as = f"Error creating: {words}"
        self.around.recorder.record(replica_set, COMPONENT, "FailedCreate", told_as, warning=True)
        times = self._refusals.get(key, 0)
        self._refusals[key] = times + 1
        again = self.agenda.now + doubled(_BACKOFF, times, _BACKOFF_LIMIT)
        self.agenda.put(again, ("replicas refused", key), lambda: self._sync(key))

    def _status(self, replica_set: Manifest, refused: str) -> Manifest:
        pods = self._pods_of(replica_set)
        active = [pod for pod in pods if _is_active(pod)]
        ready = sum(is_true(pod, "Ready") for pod in active)
        going = sum(is_deleting(pod) and not has_ended(pod) for pod in pods)
        counted = {
            "fullyLabeledReplicas": len(active),
            "readyReplicas": ready,
            "availableReplicas": ready,
        }
        status: Manifest = {
            "replicas": len(active),
            **{field: count for field, count in counted.items() if count},
            "terminatingReplicas": going,
            "observedGeneration": replica_set["metadata"]["generation"],
        }
        if not refused:
            return status
        standing = replica_set["status"].get("conditions") or []
        failure = ("ReplicaFailure", "FailedCreate", refused)
        return told({**status, "conditions": standing}, failure, self.agenda.now, holds=True)


def _is_active(pod: Manifest) -> bool:
    return not has_ended(pod) and not is_deleting(pod)


def _least_first(pods: list[Manifest]) -> list[Manifest]:
    """Order Pods by what is lost with them: without a node, then not ready, then the youngest."""
    youngest = sorted(pods, key=lambda pod: str(pod["metadata"]["creationTimestamp"]), reverse=True)
    return sorted(
        youngest, key=lambda pod: (bool(pod["spec"].get("nodeName")), is_true(pod, "Ready"))
    )
