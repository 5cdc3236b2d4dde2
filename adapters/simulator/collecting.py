"""What clears away: the garbage collector, the TTL controller, the namespace controller."""

from adapters.simulator.clock import SECOND, instant
from adapters.simulator.conditions import (
    condition_of,
    is_deleting,
    is_true,
    without_finalizer,
)
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.deleting import FOREGROUND, ORPHAN, DeleteOptions
from adapters.simulator.resources import JOB, NAMESPACE, RESOURCES
from adapters.simulator.storage import DELETED, Change, Manifest, key_of


class GarbageCollector(Controller):
    """Deletes what has lost all its owners, and carries out the propagation policies."""

    def __init__(self, around: Surroundings) -> None:
        """Watch every kind."""
        super().__init__(around)
        around.storage.subscribe(self._on_change)

    def _on_change(self, kind: str, change: Change) -> None:
        metadata = change.object["metadata"]
        if change.type == DELETED:
            for dependent_kind, dependent in self.storage.dependents(metadata["uid"]):
                self._look_later(dependent_kind, dependent)
            if metadata.get("ownerReferences"):
                self._look_at_owners(metadata)
            return
        finalizers = metadata.get("finalizers") or ()
        told = FOREGROUND in finalizers or ORPHAN in finalizers
        owned = bool(metadata.get("ownerReferences"))
        if (told and is_deleting(change.object)) or (owned and _owners_changed(change)):
            self._look_later(kind, change.object)

    def _look_at_owners(self, metadata: Manifest) -> None:
        """A dependent is gone: an owner that waits for it may go now."""
        for reference in metadata["ownerReferences"]:
            owner = self._owner(reference, metadata.get("namespace", ""))
            if owner is not None and is_deleting(owner):
                self._look_later(reference["kind"], owner)

    def _owner(self, reference: Manifest, namespace: str) -> Manifest | None:
        """Find an owner: by kind, name and uid, in the dependent's namespace or in none."""
        for place in (namespace, ""):
            found = self.storage.get(reference["kind"], key_of(place, reference["name"]))
            if found is not None and found["metadata"]["uid"] == reference["uid"]:
                return found
        return None

    def _look_later(self, kind: str, item: Manifest) -> None:
        metadata = item["metadata"]
        key, uid = key_of(metadata.get("namespace", ""), metadata["name"]), metadata["uid"]
        delay = self.chance.between(self.timing.collecting, "collect", uid, self.storage.version)
        at = self.agenda.now + delay
        self.agenda.put(at, ("garbage", uid), lambda: self._look(kind, key, uid))

    def _look(self, kind: str, key: str, uid: str) -> None:
        item = self.storage.get(kind, key)
        if item is None or item["metadata"]["uid"] != uid:
            return
        metadata = item["metadata"]
        finalizers = metadata.get("finalizers") or ()
        if is_deleting(item):
            if ORPHAN in finalizers:
                self._orphan(item)
            elif FOREGROUND in finalizers:
                self._delete_dependents(item)
            return
        references = metadata.get("ownerReferences") or ()
        owners = [self._owner(each, metadata.get("namespace", "")) for each in references]
        if references and all(owner is None for owner in owners):
            self.delete(item)

    def _orphan(self, item: Manifest) -> None:
        uid = item["metadata"]["uid"]
        for _, dependent in self.storage.dependents(uid):
            self.change_item(dependent, lambda current: _disowned(current, uid))
        self.change_item(item, lambda current: without_finalizer(current, ORPHAN))

    def _delete_dependents(self, item: Manifest) -> None:
        """Delete what the object owns; it goes when the last that blocks it has gone."""
        uid = item["metadata"]["uid"]
        blocking = False
        for _, dependent in self.storage.dependents(uid):
            reference = next(
                each for each in dependent["metadata"]["ownerReferences"] if each["uid"] == uid
            )
            blocking = blocking or bool(reference.get("blockOwnerDeletion"))
            if not is_deleting(dependent):
                self.delete(dependent)
        if not blocking or not self._is_blocked(uid):
            self.change_item(item, lambda current: without_finalizer(current, FOREGROUND))

    def _is_blocked(self, uid: str) -> bool:
        return any(
            reference.get("blockOwnerDeletion")
            for _, dependent in self.storage.dependents(uid)
            for reference in dependent["metadata"]["ownerReferences"]
            if reference["uid"] == uid
        )


class TtlController(Controller):
    """Deletes finished Jobs once their ttlSecondsAfterFinished has passed."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Jobs."""
        super().__init__(around)
        around.storage.subscribe(self._on_change, JOB.kind)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind != JOB.kind or change.type == DELETED:
            return
        due = _expiry(change.object)
        if due is not None and not is_deleting(change.object):
            uid = change.object["metadata"]["uid"]
            self.agenda.put(due, ("ttl", uid), lambda: self._expire(change.key, uid))

    def _expire(self, key: str, uid: str) -> None:
        job = self.storage.get(JOB.kind, key)
        if job is None or job["metadata"]["uid"] != uid or is_deleting(job):
            return
        due = _expiry(job)
        if due is None:
            return
        if due > self.agenda.now:  # the TTL was raised meanwhile
            self.agenda.put(due, ("ttl", uid), lambda: self._expire(key, uid))
            return
        self.delete(job, DeleteOptions(propagation="Foreground"))


class NamespaceController(Controller):
    """Empties namespaces that are going away, and lets them go when they are empty."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Namespaces, and everything in those that are going."""
        super().__init__(around)
        self._going: set[str] = set()
        around.storage.subscribe(self._on_change)

    def _on_change(self, kind: str, change: Change) -> None:
        metadata = change.object["metadata"]
        if kind == NAMESPACE.kind:
            name = metadata["name"]
            if change.type == DELETED:
                self._going.discard(name)
            elif is_deleting(change.object):
                self._going.add(name)
                self._look_later(name)
        elif change.type == DELETED and metadata.get("namespace") in self._going:
            self._look_later(metadata["namespace"])

    def _look_later(self, name: str) -> None:
        delay = self.chance.between(self.timing.collecting, "namespace", self.storage.version)
        at = self.agenda.now + delay
        self.agenda.put(at, ("namespace", name), lambda: self._empty(name))

    def _empty(self, name: str) -> None:
        if self.storage.get(NAMESPACE.kind, key_of("", name)) is None:
            return
        left = False
        for resource in RESOURCES:
            if not resource.namespaced:
                continue
            for item in self.storage.listed(resource.kind, name):
                if not is_deleting(item):
                    self.delete(item)
            left = left or bool(self.storage.listed(resource.kind, name))
        if not left:
            self.registry.finish_namespace(name)


def _owners_changed(change: Change) -> bool:
    before = change.previous["metadata"].get("ownerReferences") if change.previous else None
    return before is not change.object["metadata"].get("ownerReferences")


def _disowned(item: Manifest, uid: str) -> Manifest:
    metadata = item["metadata"]
    kept = [each for each in metadata["ownerReferences"] if each["uid"] != uid]
    return {**item, "metadata": {**metadata, "ownerReferences": kept}}


def _expiry(job: Manifest) -> int | None:
    """Give the instant at which a finished Job's time is over."""
    seconds = job["spec"].get("ttlSecondsAfterFinished")
    if seconds is None:
        return None
    for kind in ("Complete", "Failed"):
        condition = condition_of(job, kind)
        if condition and is_true(job, kind) and condition.get("lastTransitionTime"):
            return instant(condition["lastTransitionTime"]) + int(seconds) * SECOND
    return None
