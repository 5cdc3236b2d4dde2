"""The scheduler's part in volumes: which node a Pod's claims allow, and asking for what they need.

A Pod whose claims wait for it is not bound to the node it fits until they are bound themselves;
meanwhile each of them names the node, and is tried on no other one, even when that node is gone.
"""

from collections.abc import Iterator

from adapters.simulator.conditions import is_deleting
from adapters.simulator.controlling import Controller
from adapters.simulator.protecting import claims_of
from adapters.simulator.resources import CLAIM, NODE, VOLUME
from adapters.simulator.storage import Manifest, key_of
from adapters.simulator.volume_matching import (
    BOUND_BY_CONTROLLER,
    NO_PROVISIONER,
    SELECTED_NODE,
    class_name,
    class_of,
    is_bound,
    is_kept_for,
    lies_on,
    matching_volume,
    note_of,
    reference_to,
    volume_of,
    waits_for_pod,
    with_notes,
)

NO_VOLUME = "node(s) didn't find available persistent volumes to bind"
ELSEWHERE = "node(s) didn't match PersistentVolume's node affinity"
VOLUME_GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"

_UNBOUND = "pod has unbound immediate PersistentVolumeClaims"
_FAILED = 'running PreBind plugin "VolumeBinding": binding volumes: '


class VolumeBindingFailed(Exception):
    """The claims of a Pod cannot be bound for the node it was to get; the text says why."""


class PodVolumes(Controller):
    """What the claims of Pods mean to the scheduler; it watches nothing itself."""

    def hindrance(self, pod: Manifest) -> str:
        """Say what of a Pod's claims keeps it from every node; nothing if nothing does."""
        namespace = pod["metadata"]["namespace"]
        for name in claims_of(pod):
            claim = self.storage.get(CLAIM.kind, key_of(namespace, name))
            if claim is None:
                return f'persistentvolumeclaim "{name}" not found'
            if claim["status"].get("phase") == "Lost":
                lost = claim["spec"].get("volumeName", "")
                words = f'persistentvolumeclaim "{name}" bound to non-existent persistentvolume'
                return f'{words} "{lost}"'
            if is_deleting(claim):
                return f'persistentvolumeclaim "{name}" is being deleted'
        pending = self._unbound(pod)
        if all(self._is_delayed(claim) for claim in pending):
            return ""
        return _UNBOUND

    def objection(self, pod: Manifest, node: Manifest) -> str | None:
        """Say why a Pod's claims do not allow a node."""
        for claim in self._claims(pod):
            if is_bound(claim):
                volume = volume_of(self.storage, claim)
                if volume is None:
                    return VOLUME_GONE
                if not lies_on(volume, node):
                    return ELSEWHERE
            elif not self._can_be_bound(claim, node):
                return NO_VOLUME
        return None

    def reserve(self, pod: Manifest, node: Manifest) -> bool:
        """Have a Pod's claims bound for a node; says whether that has to be waited for."""
        pending = list(self._unbound(pod))
        notes = {SELECTED_NODE: node["metadata"]["name"]}
        for claim in pending:
            volume = None
            if not note_of(claim, SELECTED_NODE):
                volume = self._matching(claim, node)
            if volume is None:
                self.change_item(claim, lambda it: with_notes(it, notes))
            else:
                self._take(volume, claim)
        return bool(pending)

    def are_bound(self, pod: Manifest, node_name: str) -> bool:
        """Say whether a Pod's claims are bound by now; VolumeBindingFailed when they will not."""
        if self.storage.get(NODE.kind, key_of("", node_name)) is None:
            gone = f'failed to get node "{node_name}": node "{node_name}" not found'
            raise VolumeBindingFailed(_FAILED + gone)
        pending = list(self._unbound(pod))
        for claim in pending:
            chosen, name = note_of(claim, SELECTED_NODE), claim["metadata"]["name"]
            if chosen == node_name or self._is_taken(claim):
                continue
            if not chosen:
                raise VolumeBindingFailed(
                    f'{_FAILED}selectedNode annotation reset for PVC "{name}"'
                )
            raise VolumeBindingFailed(f'{_FAILED}provisioning failed for PVC "{name}"')
        return not pending

    def out_of_time(self) -> str:
        """Say that claims were waited for too long."""
        return f"{_FAILED}context deadline exceeded"

    def _claims(self, pod: Manifest) -> Iterator[Manifest]:
        for name in claims_of(pod):
            claim = self.storage.get(CLAIM.kind, key_of(pod["metadata"]["namespace"], name))
            if claim is not None:
                yield claim

    def _unbound(self, pod: Manifest) -> Iterator[Manifest]:
        return (claim for claim in self._claims(pod) if not is_bound(claim))

    def _is_delayed(self, claim: Manifest) -> bool:
        return waits_for_pod(self.storage, claim) and not claim["spec"].get("volumeName")

    def _can_be_bound(self, claim: Manifest, node: Manifest) -> bool:
        """Say whether a claim can get a volume on a node: one that is there, or a new one."""
        chosen = note_of(claim, SELECTED_NODE)
        if chosen and chosen != node["metadata"]["name"]:
            return False
        if not chosen and self._matching(claim, node) is not None:
            return True
        found = class_of(self.storage, claim)
        return found is not None and found["provisioner"] != NO_PROVISIONER

    def _matching(self, claim: Manifest, node: Manifest) -> Manifest | None:
        volumes = [
            volume
            for volume in self.storage.listed(VOLUME.kind)
            if class_name(volume) == class_name(claim)
        ]
        return matching_volume(claim, volumes, node=node, delayed=True)

    def _take(self, volume: Manifest, claim: Manifest) -> None:
        """Write on a volume for which claim it is; the binder does the rest."""
        marks = {} if is_kept_for(volume, claim) else {BOUND_BY_CONTROLLER: "yes"}
        spec = {**volume["spec"], "claimRef": reference_to(claim)}
        self.change_item(volume, lambda it: {**with_notes(it, marks), "spec": spec})

    def _is_taken(self, claim: Manifest) -> bool:
        """Say whether there is a volume that the claim will be bound to."""
        uid = claim["metadata"]["uid"]
        return any(
            (volume["spec"].get("claimRef") or {}).get("uid") == uid
            for volume in self.storage.listed(VOLUME.kind)
        )
