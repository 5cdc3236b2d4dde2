"""The controller that binds claims and volumes, and says on each claim what it waits for.

A claim of a class that waits for a Pod is left to the scheduler, until that has chosen a node; a
volume that does not exist yet is left to the provisioner of the class (see `provisioners`). Unlike
the real controller this one does not look at everything each 15 s: it looks when something changed
that could matter, after a while of up to that length.
"""

from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.protecting import claims_of
from adapters.simulator.resources import CLAIM, CLASS, POD, VOLUME
from adapters.simulator.storage import DELETED, Change, Manifest, key_of
from adapters.simulator.volume_matching import (
    BIND_COMPLETED,
    BOUND_BY_CONTROLLER,
    NO_PROVISIONER,
    OLD_PROVISIONER,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
    class_name,
    class_of,
    is_kept_for,
    matching_volume,
    note_of,
    reference_to,
    unsuitable_words,
    volume_of,
    waits_for_pod,
    with_notes,
)

COMPONENT = "persistentvolume-controller"

_IN_TREE = "kubernetes.io/"
_LOST = "Bound claim has lost its PersistentVolume. Data on the volume is lost!"
_MISBOUND = "Two claims are bound to the same volume, this one is bound incorrectly"
_NO_CLASS = "no persistent volumes available for this claim and no storage class is set"
_EXTERNAL = (
    "Waiting for a volume to be created either by the external provisioner '{}' or manually by the "
    "system administrator. If volume creation is delayed, please verify that the provisioner is "
    "running and correctly registered."
)


class VolumeBinder(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch claims, volumes, classes, and the Pods that mount claims."""
        super().__init__(around)
        around.storage.subscribe(self._on_change, CLAIM.kind, VOLUME.kind, CLASS.kind, POD.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        item, gone = change.object, change.type == DELETED
        if kind == CLAIM.kind:
            if not gone:
                self._look_at_claim(change.key)
            elif item["spec"].get("volumeName"):
                self._look_at_volume(key_of("", item["spec"]["volumeName"]))
        elif kind == VOLUME.kind:
            self._on_volume(item, change.key, gone=gone)
        elif kind == CLASS.kind and not gone:
            self._look_at_all(change.key.removeprefix("/"))
        elif kind == POD.kind and not gone and not item["spec"].get("nodeName"):
            for name in claims_of(item):
                self._look_at_claim(f"{item['metadata']['namespace']}/{name}", late=True)

    def _on_volume(self, volume: Manifest, key: str, *, gone: bool) -> None:
        reference = volume["spec"].get("claimRef")
        if not gone:
            self._look_at_volume(key)
        if reference:
            # The claim of a volume that names it alone is looked at in its own time.
            claim_key = key_of(reference["namespace"], reference["name"])
            self._look_at_claim(claim_key, late=not reference.get("uid"))
        elif not gone:
            self._look_at_all(class_name(volume))

    def _look_at_all(self, name: str) -> None:
        """Look at the claims of a class that have no volume yet."""
        for claim in self.storage.listed(CLAIM.kind):
            if class_name(claim) == name and not claim["spec"].get("volumeName"):
                metadata = claim["metadata"]
                self._look_at_claim(key_of(metadata["namespace"], metadata["name"]), late=True)

    def _look_at_claim(self, key: str, *, late: bool = False) -> None:
        span = self.timing.volume_resync if late else self.timing.binding
        at = self.agenda.now + self.chance.between(span, "claim", key, self.storage.version)
        self.agenda.put(at, ("claim", key), lambda: self._sync_claim(key))

    def _look_at_volume(self, key: str) -> None:
        span = self.timing.binding
        at = self.agenda.now + self.chance.between(span, "volume", key, self.storage.version)
        self.agenda.put(at, ("volume", key), lambda: self._sync_volume(key))

    def _sync_claim(self, key: str) -> None:
        claim = self.storage.get(CLAIM.kind, key)
        if claim is None:
            return
        if note_of(claim, BIND_COMPLETED):
            self._sync_bound(claim)
        elif claim["spec"].get("volumeName"):
            self._sync_named(claim)
        else:
            self._sync_unbound(claim)

    def _sync_bound(self, claim: Manifest) -> None:
        """See whether a bound claim still has its volume."""
        volume = volume_of(self.storage, claim)
        if volume is None:
            self._lose(claim, "ClaimLost", _LOST)
            return
        reference = volume["spec"].get("claimRef")
        if reference is None or reference.get("uid") == claim["metadata"]["uid"]:
            self._bind(volume, claim)
        else:
            self._lose(claim, "ClaimMisbound", _MISBOUND)

    def _sync_named(self, claim: Manifest) -> None:
        """Bind a claim to the volume that it asks for by name, if it can have it."""
        volume = volume_of(self.storage, claim)
        words, reason = "", "FailedBinding"
        if volume is None:
            self._set_claim(claim, "Pending", None)
            return
        name = volume["metadata"]["name"]
        if not volume["spec"].get("claimRef"):
            unsuitable = unsuitable_words(volume, claim)
            if unsuitable:
                words = f'Cannot bind to requested volume "{name}": {unsuitable}'
                reason = "VolumeMismatch"
        elif not is_kept_for(volume, claim):
            words = f'volume "{name}" already bound to a different claim.'
        if not words:
            self._bind(volume, claim)
            return
        self._tell(claim, reason, words, warning=True)
        self._set_claim(claim, "Pending", None)

    def _sync_unbound(self, claim: Manifest) -> None:
        """Bind a claim to a volume that fits, or have one made."""
        delayed = waits_for_pod(self.storage, claim)
        volumes = self.storage.listed(VOLUME.kind)
        volume = matching_volume(claim, volumes, node=None, delayed=delayed)
        if volume is not None:
            self._bind(volume, claim)
        elif delayed and not note_of(claim, SELECTED_NODE):
            self._tell(claim, *self._waiting_words(claim))
        elif class_name(claim):
            self._have_provisioned(claim)
        else:
            self._tell(claim, "FailedBinding", _NO_CLASS)

    def _waiting_words(self, claim: Manifest) -> tuple[str, str]:
        """Say for which Pod a claim waits: reason and words."""
        name, namespace = claim["metadata"]["name"], claim["metadata"]["namespace"]
        pods = [
            pod["metadata"]["name"]
            for pod in self.storage.listed(POD.kind, namespace)
            if not pod["spec"].get("nodeName") and name in claims_of(pod)
        ]
        if not pods:
            words = "waiting for first consumer to be created before binding"
            return "WaitForFirstConsumer", words
        many = "s" if len(pods) > 1 else ""
        return "WaitForPodScheduled", f"waiting for pod{many} {','.join(pods)} to be scheduled"

    def _have_provisioned(self, claim: Manifest) -> None:
        """Ask the provisioner of a claim's class for a volume."""
        found = class_of(self.storage, claim)
        if found is None:
            words = f'storageclass.storage.k8s.io "{class_name(claim)}" not found'
            self._tell(claim, "ProvisioningFailed", words, warning=True)
            return
        provisioner = found["provisioner"]
        if provisioner.startswith(_IN_TREE) or provisioner == NO_PROVISIONER:
            words = f"no volume plugin matched name: {provisioner}"
            self._tell(claim, "ProvisioningFailed", words, warning=True)
            return
        notes = dict.fromkeys((PROVISIONER, OLD_PROVISIONER), provisioner)
        self.change_item(claim, lambda current: with_notes(current, notes))
        self._tell(claim, "ExternalProvisioning", _EXTERNAL.format(provisioner))

    def _tell(self, claim: Manifest, reason: str, words: str, *, warning: bool = False) -> None:
        self.around.recorder.record(claim, COMPONENT, reason, words, warning=warning)

    def _lose(self, claim: Manifest, reason: str, words: str) -> None:
        if claim["status"].get("phase") != "Lost":
            self._set_claim(claim, "Lost", None)
            self._tell(claim, reason, words, warning=True)

    def _bind(self, volume: Manifest, claim: Manifest) -> None:
        """Write on both sides that they belong together; the volume comes first."""
        ours = is_kept_for(volume, claim)
        if (volume["spec"].get("claimRef") or {}).get("uid") != claim["metadata"]["uid"]:
            marks = {} if ours else {BOUND_BY_CONTROLLER: "yes"}
            spec = {**volume["spec"], "claimRef": reference_to(claim)}
            self.change_item(volume, lambda it: {**with_notes(it, marks), "spec": spec})
        self._set_volume(volume, "Bound")
        name = volume["metadata"]["name"]
        notes = {BIND_COMPLETED: "yes"}
        if claim["spec"].get("volumeName") != name:
            notes[BOUND_BY_CONTROLLER] = "yes"
        spec = {**claim["spec"], "volumeName": name}
        self.change_item(claim, lambda it: {**with_notes(it, notes), "spec": spec})
        self._set_claim(claim, "Bound", volume)

    def _set_claim(self, claim: Manifest, phase: str, volume: Manifest | None) -> None:
        """Write a claim's phase; what it has of a volume is known once it is bound, not later."""

        def changed(status: Manifest) -> Manifest:
            if volume is None:
                kept = {"accessModes", "capacity"}
                rest = {part: value for part, value in status.items() if part not in kept}
                return {**rest, "phase": phase}
            wanted = {**status, "phase": phase, "accessModes": volume["spec"]["accessModes"]}
            if status.get("phase") != phase:
                wanted["capacity"] = volume["spec"]["capacity"]
            return wanted

        self.change_status(claim, changed)

    def _set_volume(self, volume: Manifest, phase: str) -> None:
        now = self.stamp()

        def changed(status: Manifest) -> Manifest:
            if status.get("phase") == phase:
                return status
            return {**status, "phase": phase, "lastPhaseTransitionTime": now}

        self.change_status(volume, changed)

    def _sync_volume(self, key: str) -> None:
        volume = self.storage.get(VOLUME.kind, key)
        if volume is None:
            return
        reference = volume["spec"].get("claimRef")
        if not reference or not reference.get("uid"):
            self._set_volume(volume, "Available")
            return
        claim_key = key_of(reference["namespace"], reference["name"])
        claim = self.storage.get(CLAIM.kind, claim_key)
        if claim is None or claim["metadata"]["uid"] != reference["uid"]:
            self._release(volume)
        elif not claim["spec"].get("volumeName"):
            self._look_at_claim(claim_key)
        elif claim["spec"]["volumeName"] == volume["metadata"]["name"]:
            self._set_volume(volume, "Bound")
        elif note_of(volume, PROVISIONED_BY) and _is_deleted_after_use(volume):
            self._release(volume)
        else:
            self._unbind(volume)

    def _release(self, volume: Manifest) -> None:
        """Say that a volume's claim is gone; whoever made the volume may remove it now."""
        if volume["status"].get("phase") not in {"Released", "Failed"}:
            self._set_volume(volume, "Released")

    def _unbind(self, volume: Manifest) -> None:
        """Take a volume back from a claim that has another one."""
        spec = {part: value for part, value in volume["spec"].items() if part != "claimRef"}
        if not note_of(volume, BOUND_BY_CONTROLLER):
            spec["claimRef"] = {**volume["spec"]["claimRef"], "uid": ""}
        marks = {BOUND_BY_CONTROLLER: None}
        self.change_item(volume, lambda it: {**with_notes(it, marks), "spec": spec})
        self._set_volume(volume, "Available")


def _is_deleted_after_use(volume: Manifest) -> bool:
    return bool(volume["spec"].get("persistentVolumeReclaimPolicy") == "Delete")
