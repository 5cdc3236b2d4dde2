"""Claims for devices, made for each Pod from a template. Devices need no model: all are there."""

from adapters.simulator.conditions import has_ended, is_deleting
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.plans import doubled
from adapters.simulator.resources import CLAIM_TEMPLATE, POD
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

COMPONENT = "resource_claim"


class ResourceClaimController(Controller):
    """Notes on each Pod the claims that its templates gave it; the scheduler waits for that."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Pods."""
        super().__init__(around)
        self._attempts: dict[str, int] = {}
        around.storage.subscribe(self._on_change, POD.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind != POD.kind:
            return
        if change.type == DELETED or has_its_claims(change.object):
            self._attempts.pop(change.key, None)
            self.agenda.drop(("devices", change.key))
        elif change.previous is None:
            self._attempts[change.key] = 0
            self._look_later(change.key, 0)

    def _look_later(self, key: str, backoff: int) -> None:
        span = self.timing.workload_sync
        delay = self.chance.between(span, "devices", key, self.storage.version)
        at = self.agenda.now + delay + backoff
        self.agenda.put(at, ("devices", key), lambda: self._look(key))

    def _look(self, key: str) -> None:
        pod = self.storage.get(POD.kind, key)
        if pod is None or is_deleting(pod) or has_ended(pod):
            return
        for entry in pod["spec"].get("resourceClaims") or ():
            name = entry.get("resourceClaimTemplateName")
            if name and self._lacks(pod, name):
                self._tell(pod, entry["name"], name)
                times = self._attempts.get(key, 0)
                self._attempts[key] = times + 1
                base, limit = self.timing.claims_backoff, self.timing.claims_backoff_limit
                self._look_later(key, doubled(base, times, limit))
                return
        self.change_status(
            pod, lambda status: {**status, "resourceClaimStatuses": self._made_for(pod)}
        )

    def _lacks(self, pod: Manifest, name: str) -> bool:
        key = key_of(pod["metadata"]["namespace"], name)
        return self.storage.get(CLAIM_TEMPLATE.kind, key) is None

    def _tell(self, pod: Manifest, entry: str, name: str) -> None:
        words = f'resourceclaimtemplate.resource.k8s.io "{name}" not found'
        words = f'PodResourceClaim {entry}: resource claim template "{name}": {words}'
        reason = "FailedResourceClaimCreation"
        self.around.recorder.record(pod, COMPONENT, reason, words, warning=True)

    def _made_for(self, pod: Manifest) -> list[Manifest]:
        metadata = pod["metadata"]
        return [
            {
                "name": entry["name"],
                "resourceClaimName": f"{metadata['name']}-{entry['name']}-"
                + self.chance.suffix(metadata["uid"], entry["name"]),
            }
            for entry in pod["spec"].get("resourceClaims") or ()
        ]


def has_its_claims(pod: Manifest) -> bool:
    """Say whether a Pod has the claims for devices that it asks for, if any."""
    wanted = pod["spec"].get("resourceClaims")
    return not wanted or bool(pod["status"].get("resourceClaimStatuses"))
