"""The provisioners of storage classes, by the plan of each class: volumes made, grown and removed.

A class without a plan has no provisioner: its claims wait until somebody makes a volume by hand.
"""

from collections.abc import Callable, Mapping

from adapters.simulator.answers import Refusal
from adapters.simulator.conditions import is_deleting
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.plans import ProvisionerPlan, doubled
from adapters.simulator.quantities import amount_of
from adapters.simulator.resources import CLAIM, NODE, VOLUME
from adapters.simulator.storage import DELETED, Change, Manifest, key_of
from adapters.simulator.volume_matching import (
    HOST_LABEL,
    PROVISIONED_BY,
    PROVISIONER,
    SELECTED_NODE,
    class_name,
    class_of,
    note_of,
    reference_to,
    size_of,
    volume_of,
    waits_for_pod,
    with_notes,
)

_RESIZER = "external-resizer"


class Provisioners(Controller):
    """See the module."""

    def __init__(self, around: Surroundings, plans: Mapping[str, ProvisionerPlan]) -> None:
        """Watch claims and volumes; `plans` are by class name and may change at any time."""
        super().__init__(around)
        self._plans = plans
        self._failures: dict[str, int] = {}  # uid of a claim -> attempts that failed
        around.storage.subscribe(self._on_change, CLAIM.kind, VOLUME.kind)

    def look_again(self) -> None:
        """Look at every claim and volume: a provisioner came, went or behaves differently."""
        for kind, look in ((CLAIM.kind, self._on_claim), (VOLUME.kind, self._on_volume)):
            for item in self.storage.listed(kind):
                look(item)

    def _on_change(self, kind: str, change: Change) -> None:
        if change.type == DELETED:
            if kind == CLAIM.kind:
                self._failures.pop(change.object["metadata"]["uid"], None)
        elif kind == CLAIM.kind:
            self._on_claim(change.object)
        elif kind == VOLUME.kind:
            self._on_volume(change.object)

    def _on_claim(self, claim: Manifest) -> None:
        if self._is_wanted(claim):
            self._do(claim, "provision", 0, self._begin)
        elif self._is_growing(claim):
            self._do(claim, "grow", 0, self._grow)

    def _on_volume(self, volume: Manifest) -> None:
        released = volume["status"].get("phase") == "Released" and not is_deleting(volume)
        policy = volume["spec"]["persistentVolumeReclaimPolicy"]
        if released and policy == "Delete" and note_of(volume, PROVISIONED_BY):
            self._do(volume, "remove", 0, self.delete)

    def _do(
        self, item: Manifest, what: str, after: int, action: Callable[[Manifest], None]
    ) -> None:
        """Do something about a claim or a volume in a while, if it and its provisioner exist."""
        if class_name(item) not in self._plans:
            return
        metadata, kind = item["metadata"], item["kind"]
        key, uid = key_of(metadata.get("namespace", ""), metadata["name"]), metadata["uid"]

        def run() -> None:
            current = self.storage.get(kind, key)
            if current is not None and current["metadata"]["uid"] == uid:
                action(current)

        take = self.chance.between(self.timing.binding, what, uid, self.storage.version)
        self.agenda.put(self.agenda.now + take + after, (what, uid), run)

    def _is_wanted(self, claim: Manifest) -> bool:
        """Say whether a claim asks for a volume that is to be made now."""
        if claim["spec"].get("volumeName") or not note_of(claim, PROVISIONER):
            return False
        chosen = note_of(claim, SELECTED_NODE)
        return bool(chosen) or not waits_for_pod(self.storage, claim)

    def _begin(self, claim: Manifest) -> None:
        plan = self._plans.get(class_name(claim))
        if plan is None or not self._is_wanted(claim):
            return
        metadata = claim["metadata"]
        named = f"{metadata['namespace']}/{metadata['name']}"
        words = f'External provisioner is provisioning volume for claim "{named}"'
        self._tell(claim, "Provisioning", words)
        tries = self._failures.get(metadata["uid"], 0)
        take = self.chance.between(plan.take, "take", metadata["uid"], tries)
        self._do(claim, "make", take, self._make)

    def _make(self, claim: Manifest) -> None:
        plan = self._plans.get(class_name(claim))
        if plan is None or not self._is_wanted(claim):
            return
        chosen = note_of(claim, SELECTED_NODE)
        if chosen and self.storage.get(NODE.kind, key_of("", chosen)) is None:
            self._fail(claim, f'failed to get target node: nodes "{chosen}" not found')
            if plan.gives_back:
                self.change_item(claim, lambda it: with_notes(it, {SELECTED_NODE: None}))
            return
        failed = self._failures.get(claim["metadata"]["uid"], 0)
        if plan.failures is None or failed < plan.failures:
            kept = f'failed to provision volume with StorageClass "{class_name(claim)}"'
            self._fail(claim, f"{kept}: {plan.words}")
            return
        body = self._volume_for(claim, plan)
        try:
            self.registry.create(VOLUME, "", body)
        except Refusal:
            return  # it made this one already
        words = f"Successfully provisioned volume {body['metadata']['name']}"
        self._tell(claim, "ProvisioningSucceeded", words)

    def _fail(self, claim: Manifest, words: str) -> None:
        """Say what went wrong, and try again later and later."""
        self._tell(claim, "ProvisioningFailed", words, warning=True)
        uid = claim["metadata"]["uid"]
        failed = self._failures[uid] = self._failures.get(uid, 0) + 1
        timing = self.timing
        wait = doubled(timing.provision_backoff, failed - 1, timing.provision_backoff_limit)
        self._do(claim, "provision", wait, self._begin)

    def _volume_for(self, claim: Manifest, plan: ProvisionerPlan) -> Manifest:
        found = class_of(self.storage, claim) or {}
        name = f"pvc-{claim['metadata']['uid']}"
        provisioner = note_of(claim, PROVISIONER)
        spec: Manifest = {
            "accessModes": claim["spec"]["accessModes"],
            "capacity": {"storage": size_of(claim)},
            "claimRef": reference_to(claim),
            "csi": {"driver": provisioner, "volumeHandle": name},
            "persistentVolumeReclaimPolicy": found.get("reclaimPolicy", "Delete"),
            "storageClassName": class_name(claim),
            "volumeMode": claim["spec"]["volumeMode"],
        }
        chosen = note_of(claim, SELECTED_NODE)
        if plan.on_one_node and chosen:
            expression = {"key": HOST_LABEL, "operator": "In", "values": [chosen]}
            terms = {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}
            spec["nodeAffinity"] = {"required": terms}
        metadata = {"name": name, "annotations": {PROVISIONED_BY: provisioner}}
        return {
            "apiVersion": VOLUME.api_version,
            "kind": VOLUME.kind,
            "metadata": metadata,
            "spec": spec,
        }

    def _is_growing(self, claim: Manifest) -> bool:
        """Say whether a claim wants more than it has; the API server saw whether it may."""
        has = (claim["status"].get("capacity") or {}).get("storage")
        if has is None or claim["status"].get("phase") != "Bound":
            return False
        return amount_of(size_of(claim)) > amount_of(has)

    def _grow(self, claim: Manifest) -> None:
        plan = self._plans.get(class_name(claim))
        volume = volume_of(self.storage, claim)
        if plan is None or volume is None or not self._is_growing(claim):
            return
        name = volume["metadata"]["name"]
        self._tell(claim, "Resizing", f"External resizer is resizing volume {name}", by=_RESIZER)
        if not plan.grows:
            words = f'resize volume "{name}" failed: {plan.words}'
            self._tell(claim, "VolumeResizeFailed", words, by=_RESIZER, warning=True)
            return
        capacity = {"storage": size_of(claim)}
        spec = {**volume["spec"], "capacity": capacity}
        self.change_item(volume, lambda it: {**it, "spec": spec})
        self.change_status(claim, lambda status: {**status, "capacity": capacity})
        self._tell(claim, "VolumeResizeSuccessful", "Resize volume succeeded", by=_RESIZER)

    def _tell(
        self, claim: Manifest, reason: str, words: str, *, by: str = "", warning: bool = False
    ) -> None:
        component = by or note_of(claim, PROVISIONER)
        self.around.recorder.record(claim, component, reason, words, warning=warning)
