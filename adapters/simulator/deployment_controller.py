"""The Deployment controller: one ReplicaSet per template, and the rollout from one to the next."""

from adapters.simulator.answers import Refusal
from adapters.simulator.conditions import controller_of, is_deleting
from adapters.simulator.controlled_objects import controller_reference
from adapters.simulator.controlling import Controller, Surroundings, place_of_item
from adapters.simulator.deployment_books import (
    HASH_LABEL,
    REVISION,
    Rollout,
    deadline,
    next_sizes,
    revision_of,
    size_of,
    status_of,
    template_hash,
    told,
)
from adapters.simulator.resources import DEPLOYMENT, REPLICA_SET
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

COMPONENT = "deployment-controller"


class DeploymentController(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Deployments and ReplicaSets."""
        super().__init__(around)
        around.storage.subscribe(self._on_change, DEPLOYMENT.kind, REPLICA_SET.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == DEPLOYMENT.kind and change.type != DELETED:
            self._look_later(change.key)
        elif kind == REPLICA_SET.kind:
            owner = controller_of(change.object)
            if owner is not None:
                namespace = change.object["metadata"]["namespace"]
                self._look_later(key_of(namespace, owner["name"]))

    def _look_later(self, key: str) -> None:
        span = self.timing.workload_sync
        delay = self.chance.between(span, "deployment", key, self.storage.version)
        self.agenda.put(self.agenda.now + delay, ("deployment", key), lambda: self._sync(key))

    def _sync(self, key: str) -> None:
        deployment = self.storage.get(DEPLOYMENT.kind, key)
        if deployment is None or is_deleting(deployment):
            return
        rollout = self._rollout(deployment)
        if rollout is None:
            return
        for name, size in next_sizes(rollout).items():
            (each,) = (item for item in rollout.sets if item["metadata"]["name"] == name)
            self._scale(deployment, each, size)
        # What was just changed is looked at again once the ReplicaSets have taken it up.
        again = self._rollout(self.registry.get(place_of_item(deployment)))
        if again is None:
            return
        status = status_of(again, self.agenda.now)
        if status != again.deployment["status"]:
            self.change_status(again.deployment, lambda _: status)
        ends_at = deadline(self.registry.get(place_of_item(deployment)))
        if ends_at is not None:
            at = max(ends_at, self.agenda.now + 1)
            self.agenda.put(at, ("progress", key), lambda: self._sync(key))

    def _rollout(self, deployment: Manifest) -> Rollout | None:
        """Look at the ReplicaSets; makes the one of the present template when there is none."""
        name = f"{deployment['metadata']['name']}-{template_hash(deployment)}"
        owned = self.storage.dependents(deployment["metadata"]["uid"])
        sets = [item for kind, item in owned if kind == REPLICA_SET.kind]
        sets.sort(key=revision_of)
        new = next((item for item in sets if item["metadata"]["name"] == name), None)
        old = [item for item in sets if item is not new]
        revision = str(max(map(revision_of, old), default=0) + 1)
        if new is None:
            new = self._create(deployment, revision)
            if new is None:
                return None
            words = f'Created new replica set "{name}"'
            condition = ("Progressing", "NewReplicaSetCreated", words)
            status = told(deployment["status"], condition, self.agenda.now, holds=True)
            return Rollout(self._revised(deployment, status, revision), new, old)
        if revision_of(new) < int(revision):
            new = self._with_revision(new, revision)
        return Rollout(
            self._revised(deployment, deployment["status"], revision_text(new)), new, old
        )

    def _create(self, deployment: Manifest, revision: str) -> Manifest | None:
        metadata, spec = deployment["metadata"], deployment["spec"]
        label = {HASH_LABEL: template_hash(deployment)}
        template = spec["template"]
        labels = {**(template["metadata"].get("labels") or {}), **label}
        selector = {**spec["selector"]}
        selector["matchLabels"] = {**(selector.get("matchLabels") or {}), **label}
        body = {
            "kind": REPLICA_SET.kind,
            "apiVersion": REPLICA_SET.api_version,
            "metadata": {
                "name": f"{metadata['name']}-{label[HASH_LABEL]}",
                "labels": labels,
                "annotations": {**(metadata.get("annotations") or {}), REVISION: revision},
                "ownerReferences": [controller_reference(deployment, DEPLOYMENT)],
            },
            "spec": {
                "replicas": 0,
                "selector": selector,
                "template": {**template, "metadata": {**template["metadata"], "labels": labels}},
            },
        }
        try:
            return self.registry.create(REPLICA_SET, metadata["namespace"], body)
        except Refusal:
            return None  # its namespace is going

    def _with_revision(self, item: Manifest, revision: str) -> Manifest:
        return self.registry.update(place_of_item(item), lambda it: _annotated(it, revision))

    def _revised(self, deployment: Manifest, status: Manifest, revision: str) -> Manifest:
        """Write status and revision on a Deployment, in one go."""

        def changed(current: Manifest) -> Manifest:
            return {**_annotated(current, revision), "status": status}

        return self.registry.update(place_of_item(deployment, "status"), changed)

    def _scale(self, deployment: Manifest, replica_set: Manifest, size: int) -> None:
        before = size_of(replica_set)

        def changed(current: Manifest) -> Manifest:
            return {**current, "spec": {**current["spec"], "replicas": size}}

        self.change_item(replica_set, changed)
        way = "up" if size > before else "down"
        name = replica_set["metadata"]["name"]
        words = f"Scaled {way} replica set {name} from {before} to {size}"
        self.around.recorder.record(deployment, COMPONENT, "ScalingReplicaSet", words)


def revision_text(item: Manifest) -> str:
    """Give the revision that is written on an object."""
    return str(revision_of(item))


def _annotated(item: Manifest, revision: str) -> Manifest:
    metadata = item["metadata"]
    notes = {**(metadata.get("annotations") or {}), REVISION: revision}
    return {**item, "metadata": {**metadata, "annotations": notes}}
