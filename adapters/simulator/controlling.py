"""What all simulated controllers share: their view of the cluster, and ways to change it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import Agenda, Chance, timestamp
from adapters.simulator.plans import Timing
from adapters.simulator.recording import Recorder
from adapters.simulator.registry import DeleteOptions, Registry
from adapters.simulator.resources import BY_KIND, POD, Place
from adapters.simulator.storage import Manifest, Storage

ENDED_PHASES = frozenset(("Succeeded", "Failed"))


class Surroundings(NamedTuple):
    """What a controller works with."""

    storage: Storage
    registry: Registry
    agenda: Agenda
    chance: Chance
    timing: Timing
    recorder: Recorder


class Controller:
    """A controller that reacts to changes after a while; subclasses say to which and how."""

    def __init__(self, around: Surroundings) -> None:
        """Work in these surroundings."""
        self.around = around
        self.storage = around.storage
        self.registry = around.registry
        self.agenda = around.agenda
        self.chance = around.chance
        self.timing = around.timing

    def change_status(
        self, item: Manifest, change: Callable[[Manifest], Manifest]
    ) -> Manifest | None:
        """Write a status computed from the current one; None when the object is gone."""

        def changed(current: Manifest) -> Manifest:
            return {**current, "status": change(current.get("status") or {})}

        try:
            return self.registry.update(place_of_item(item, "status"), changed)
        except Refusal:
            return None

    def change_item(self, item: Manifest, change: Callable[[Manifest], Manifest]) -> None:
        """Write all but the status; nothing when the object is gone."""
        try:
            self.registry.update(place_of_item(item), change)
        except Refusal:
            return

    def delete(self, item: Manifest, options: DeleteOptions | None = None) -> None:
        """Delete an object by its uid; nothing when it is gone."""
        options = options or DeleteOptions(propagation="Background")
        try:
            self.registry.delete(place_of_item(item), options._replace(uid=item["metadata"]["uid"]))
        except Refusal:
            return

    def disrupt(self, pod: Manifest, reason: str, message: str, phase: str = "") -> None:
        """Say on a Pod that it ends by a disruption."""
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": reason,
            "message": message,
        }

        def disrupted(status: Manifest) -> Manifest:
            wanted = {**status, "phase": phase} if phase else dict(status)
            return with_condition(wanted, condition, self.agenda.now)

        self.change_status(pod, disrupted)

    def pods_on(self, node_name: str) -> list[Manifest]:
        """Give the Pods that are bound to a node."""
        pods = self.storage.listed(POD.kind)
        return [pod for pod in pods if pod["spec"].get("nodeName") == node_name]


def place_of_item(item: Manifest, subresource: str = "") -> Place:
    """Say where an object lies."""
    metadata = item["metadata"]
    namespace = metadata.get("namespace", "")
    return Place(BY_KIND[item["kind"]], namespace, metadata["name"], subresource)


def condition_of(item: Manifest, kind: str) -> Manifest | None:
    """Give a condition of an object by its type."""
    conditions: Iterable[Manifest] = (item.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == kind), None)


def is_true(item: Manifest, kind: str) -> bool:
    """Say whether an object has a condition with status True."""
    condition = condition_of(item, kind)
    return condition is not None and condition["status"] == "True"


def with_condition(status: Manifest, condition: Manifest, now: int) -> Manifest:
    """Give a status with one condition set; its transition time moves with its status."""
    conditions = list(status.get("conditions") or ())
    for index, standing in enumerate(conditions):
        if standing["type"] == condition["type"]:
            moved = standing["status"] != condition["status"]
            at = timestamp(now) if moved else standing.get("lastTransitionTime", timestamp(now))
            conditions[index] = {**condition, "lastTransitionTime": at}
            break
    else:
        conditions.append({**condition, "lastTransitionTime": timestamp(now)})
    return {**status, "conditions": conditions}


def controller_of(item: Manifest) -> Manifest | None:
    """Give the owner reference of an object's controller."""
    references: Iterable[Manifest] = item["metadata"].get("ownerReferences") or ()
    return next((reference for reference in references if reference.get("controller")), None)


def is_deleting(item: Manifest) -> bool:
    """Say whether an object has been told to go."""
    return "deletionTimestamp" in item["metadata"]


def has_ended(pod: Manifest) -> bool:
    """Say whether a Pod's containers are all over."""
    return (pod.get("status") or {}).get("phase") in ENDED_PHASES


def without_finalizer(item: Manifest, finalizer: str) -> Manifest:
    """Give an object without one of its finalizers."""
    metadata = item["metadata"]
    kept = [name for name in metadata.get("finalizers") or () if name != finalizer]
    return {**item, "metadata": {**metadata, "finalizers": kept}}
