"""The protection of what is in use: claims that a Pod mounts, volumes that a claim is bound to."""

from adapters.simulator.admitting import CLAIM_FINALIZER, VOLUME_FINALIZER
from adapters.simulator.conditions import is_deleting, without_finalizer
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.resources import CLAIM, POD, VOLUME
from adapters.simulator.storage import DELETED, Change, Manifest


class Protection(Controller):
    """Lets a claim go once no Pod uses it, and a volume once no claim is bound to it."""

    def __init__(self, around: Surroundings) -> None:
        """Watch claims, volumes and Pods."""
        super().__init__(around)
        around.storage.subscribe(self._on_change, CLAIM.kind, VOLUME.kind, POD.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind in {CLAIM.kind, VOLUME.kind}:
            if change.type != DELETED and is_deleting(change.object):
                self._look_later(kind, change.key)
        elif kind == POD.kind and change.type == DELETED:
            namespace = change.object["metadata"]["namespace"]
            for name in claims_of(change.object):
                self._look_later(CLAIM.kind, f"{namespace}/{name}")

    def _look_later(self, kind: str, key: str) -> None:
        span = self.timing.binding
        delay = self.chance.between(span, "protect", kind, key, self.storage.version)
        at = self.agenda.now + delay
        self.agenda.put(at, ("protect", kind, key), lambda: self._look(kind, key))

    def _look(self, kind: str, key: str) -> None:
        item = self.storage.get(kind, key)
        if item is None or not is_deleting(item):
            return
        if kind == VOLUME.kind:
            if item["status"].get("phase") != "Bound":
                self.change_item(item, lambda it: without_finalizer(it, VOLUME_FINALIZER))
        elif not self._is_used(item):
            self.change_item(item, lambda it: without_finalizer(it, CLAIM_FINALIZER))

    def _is_used(self, claim: Manifest) -> bool:
        """Say whether a Pod that has a node mounts the claim: one that has ended holds it, too."""
        metadata = claim["metadata"]
        return any(
            metadata["name"] in claims_of(pod)
            for pod in self.storage.listed(POD.kind, metadata["namespace"])
            if pod["spec"].get("nodeName")
        )


def claims_of(pod: Manifest) -> list[str]:
    """Give the names of the claims that a Pod mounts."""
    volumes = pod["spec"].get("volumes") or ()
    named = (volume.get("persistentVolumeClaim") or {} for volume in volumes)
    return [claim["claimName"] for claim in named if claim.get("claimName")]
