"""What all simulated controllers share: their view of the cluster, and ways to change it."""

from collections.abc import Callable
from typing import NamedTuple

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import Agenda, Chance, timestamp
from adapters.simulator.conditions import with_condition
from adapters.simulator.deleting import DeleteOptions
from adapters.simulator.plans import Timing
from adapters.simulator.recording import Recorder
from adapters.simulator.registry import Registry
from adapters.simulator.resources import BY_KIND, POD, Place
from adapters.simulator.storage import Manifest, Storage


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

    def stamp(self) -> str:
        """Give the present instant as Kubernetes writes it."""
        return timestamp(self.agenda.now)

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
