"""Creating, changing and deleting objects by the API server's rules, whoever asks.

The HTTP side and the simulated controllers both come here, so that no controller of the model can
do what a real one could not: every write is validated, versioned, and subject to finalizers.
"""

from collections.abc import Callable
from typing import NamedTuple

from adapters.simulator import answers
from adapters.simulator.clock import SECOND, Agenda, Chance, instant, timestamp
from adapters.simulator.defaulting import defaulted
from adapters.simulator.resources import JOB, NAMESPACE, POD, Place, Resource
from adapters.simulator.schemas import Schema
from adapters.simulator.storage import Manifest, Storage, key_of
from adapters.simulator.validating import (
    check_types,
    invalid_at_create,
    invalid_at_update,
    invalid_metadata,
)

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"

_GENERATED_NAME_LIMIT = 58  # 63 less the five characters that are added
_BY_HAND = ("name", "namespace", "uid", "creationTimestamp", "deletionTimestamp")
_SYSTEM_METADATA = (*_BY_HAND, "deletionGracePeriodSeconds", "generation")

Changing = Callable[[Manifest], Manifest]
Admission = Callable[[Resource, Manifest], None]


class DeleteOptions(NamedTuple):
    """How to delete, and only what."""

    uid: str | None = None
    version: str | None = None
    propagation: str | None = None  # Background, Foreground or Orphan; None: the kind's default
    grace_seconds: int | None = None


class Registry:
    """The objects of one cluster, behind the rules that hold for every writer."""

    def __init__(self, storage: Storage, agenda: Agenda, chance: Chance) -> None:
        """Begin with what `storage` holds; times come from `agenda`, uids from `chance`."""
        self.storage = storage
        self.schemas: dict[str, Schema] = {}
        self.admissions: list[Admission] = []
        self._agenda = agenda
        self._chance = chance
        self._made = 0

    def get(self, place: Place) -> Manifest:
        """Give one object; refuses with 404."""
        found = self.storage.get(place.resource.kind, key_of(place.namespace, place.name))
        if found is None:
            raise answers.not_found(place.resource, place.name)
        return found

    def create(
        self, resource: Resource, namespace: str, body: Manifest, *, dry_run: bool = False
    ) -> Manifest:
        """Create an object; refuses with 400, 403, 404, 409 or 422."""
        check_types(resource, body)
        wanted = self._named(resource, namespace, body)
        name = wanted["metadata"]["name"]
        if resource.namespaced:
            self._check_namespace(resource, name, namespace)
        schema = self.schemas.get(resource.kind)
        if schema is not None:
            wanted = schema.pruned(wanted)
        wanted = defaulted(resource, wanted)
        for admission in self.admissions:
            admission(resource, wanted)
        causes = [*invalid_metadata(wanted), *invalid_at_create(resource, wanted)]
        if schema is not None:
            causes += schema.invalid(wanted)
        if causes:
            raise answers.invalid(resource, name, causes)
        key = key_of(namespace, name)
        if self.storage.get(resource.kind, key) is not None:
            raise answers.already_exists(resource, name)
        return wanted if dry_run else self.storage.put(resource.kind, key, wanted)

    def update(self, place: Place, change: Changing, *, dry_run: bool = False) -> Manifest:
        """Change an object; without a change there is no new version. Refuses with 404, 409, 422.

        Through `status` only the status is taken, otherwise all but the status.
        """
        resource = place.resource
        current = self.get(place)
        proposed = change(current)
        check_types(resource, proposed)
        self._check_identity(resource, current, proposed)
        schema = self.schemas.get(resource.kind)
        if schema is not None:
            proposed = schema.pruned(proposed)
        wanted = self._allowed(place, current, proposed)
        causes = list(invalid_at_update(place, current, wanted))
        if schema is not None and not causes:
            causes += schema.invalid(wanted)
        if causes:
            raise answers.invalid(resource, place.name, causes)
        if wanted == current or dry_run:
            return wanted
        key = key_of(place.namespace, place.name)
        if _is_to_go(wanted, current):
            # Not stored first: watches see the end of the object as it was, finalizer included.
            self.storage.remove(resource.kind, key)
            return wanted
        return self.storage.put(resource.kind, key, wanted)

    def delete(self, place: Place, options: DeleteOptions) -> tuple[Manifest, bool]:
        """Delete an object, or mark it as being deleted; says whether it is gone."""
        resource = place.resource
        current = self.get(place)
        self._check_preconditions(resource, current, options)
        key = key_of(place.namespace, place.name)
        if resource is NAMESPACE:
            return self._terminated_namespace(key, current), False
        metadata = current["metadata"]
        finalizers = _finalizers(resource, metadata, options)
        grace = _grace(resource, current, options)
        if not finalizers and not grace:
            return self.storage.remove(resource.kind, key), True
        wanted = {**metadata, "finalizers": finalizers}
        if not finalizers:
            del wanted["finalizers"]
        if "deletionTimestamp" not in metadata:
            wanted["deletionTimestamp"] = timestamp(self._agenda.now + grace * SECOND)
            wanted["deletionGracePeriodSeconds"] = grace
            if "generation" in metadata:
                wanted["generation"] = metadata["generation"] + 1
        elif grace < metadata.get("deletionGracePeriodSeconds", 0):
            begun = instant(metadata["deletionTimestamp"])
            begun -= metadata["deletionGracePeriodSeconds"] * SECOND
            wanted["deletionTimestamp"] = timestamp(max(begun + grace * SECOND, self._agenda.now))
            wanted["deletionGracePeriodSeconds"] = grace
        if wanted == metadata:
            return current, False
        return self.storage.put(resource.kind, key, {**current, "metadata": wanted}), False

    def bind(self, pod: Manifest, node_name: str, status: Manifest) -> None:
        """Give a Pod its node, as the `binding` subresource does: spec and status in one write."""
        metadata = pod["metadata"]
        key = key_of(metadata["namespace"], metadata["name"])
        spec = {**pod["spec"], "nodeName": node_name}
        self.storage.put(POD.kind, key, {**pod, "spec": spec, "status": status})

    def finish_namespace(self, name: str) -> None:
        """Take the last finalizer off a namespace that is empty."""
        self.storage.remove(NAMESPACE.kind, key_of("", name))

    def _named(self, resource: Resource, namespace: str, body: Manifest) -> Manifest:
        """Give the object its identity: nothing of it can be chosen by who creates it."""
        given = body.get("metadata") or {}
        kept = {
            field: value
            for field, value in given.items()
            if field not in {"resourceVersion", "managedFields", *_SYSTEM_METADATA} and value
        }
        self._made += 1
        name = given.get("name") or ""
        if not name and given.get("generateName"):
            base = given["generateName"][:_GENERATED_NAME_LIMIT]
            name = base + self._chance.suffix(namespace, given["generateName"], self._made)
        if not name:
            cause = answers.Cause(
                "metadata.name",
                "Required value: name or generateName is required",
                "FieldValueRequired",
            )
            raise answers.invalid(resource, "", [cause])
        metadata: Manifest = {"name": name}
        if resource.namespaced:
            metadata["namespace"] = namespace
        metadata["uid"] = self._chance.uid(self._made)
        metadata["creationTimestamp"] = timestamp(self._agenda.now)
        if resource.custom:
            metadata["generation"] = 1
        return {**body, "metadata": {**metadata, **kept}}

    def _check_namespace(self, resource: Resource, name: str, namespace: str) -> None:
        found = self.storage.get(NAMESPACE.kind, key_of("", namespace))
        if found is None:
            raise answers.not_found(NAMESPACE, namespace)
        if "deletionTimestamp" in found["metadata"]:
            raise answers.namespace_terminating(resource, name, namespace)

    @staticmethod
    def _check_identity(resource: Resource, current: Manifest, proposed: Manifest) -> None:
        old, new = current["metadata"], proposed.get("metadata") or {}
        name = old["name"]
        if new.get("uid", old["uid"]) != old["uid"]:
            words = (
                f"Precondition failed: UID in precondition: {new['uid']}, "
                f"UID in object meta: {old['uid']}"
            )
            raise answers.conflict(resource, name, words)
        if new.get("name", name) != name:
            raise answers.bad_request(
                f"the name of the object ({new['name']}) does not match the name on the URL"
                f" ({name})"
            )
        version = new.get("resourceVersion") or old["resourceVersion"]
        if version != old["resourceVersion"]:
            raise answers.modified_since(resource, name)

    @staticmethod
    def _allowed(place: Place, current: Manifest, proposed: Manifest) -> Manifest:
        """Keep of a proposed state what may be changed where it was sent."""
        if place.subresource == "status":
            wanted = {name: part for name, part in current.items() if name != "status"}
            if proposed.get("status") is not None:
                wanted["status"] = proposed["status"]
            return wanted
        old = current["metadata"]
        system = {field: old[field] for field in _SYSTEM_METADATA if field in old}
        metadata = {
            field: value
            for field, value in (proposed.get("metadata") or {}).items()
            if field not in _SYSTEM_METADATA and field != "managedFields" and value
        }
        metadata = {**system, **metadata, "resourceVersion": old["resourceVersion"]}
        wanted = {**proposed, "metadata": metadata}
        if place.resource.status_subresource:
            wanted.pop("status", None)
            if "status" in current:
                wanted["status"] = current["status"]
        if "generation" in old and _content(wanted) != _content(current):
            metadata["generation"] = old["generation"] + 1
        return wanted

    @staticmethod
    def _check_preconditions(resource: Resource, current: Manifest, options: DeleteOptions) -> None:
        metadata = current["metadata"]
        if options.uid is not None and options.uid != metadata["uid"]:
            words = (
                f"the UID in the precondition ({options.uid}) does not match the UID in record "
                f"({metadata['uid']}). The object might have been deleted and then recreated"
            )
            raise answers.conflict(resource, metadata["name"], words, by_kind=True)
        version = metadata["resourceVersion"]
        if options.version is not None and options.version != version:
            words = (
                f"the ResourceVersion in the precondition ({options.version}) does not match the "
                f"ResourceVersion in record ({version}). The object might have been modified"
            )
            raise answers.conflict(resource, metadata["name"], words, by_kind=True)

    def _terminated_namespace(self, key: str, current: Manifest) -> Manifest:
        """Mark a namespace as going; the namespace controller empties it, then it goes."""
        if "deletionTimestamp" in current["metadata"]:
            return current
        metadata = {**current["metadata"], "deletionTimestamp": timestamp(self._agenda.now)}
        status = {**current["status"], "phase": "Terminating"}
        return self.storage.put(
            "Namespace", key, {**current, "metadata": metadata, "status": status}
        )


def _content(item: Manifest) -> Manifest:
    return {part: value for part, value in item.items() if part not in {"metadata", "status"}}


def _is_to_go(wanted: Manifest, current: Manifest) -> bool:
    """Say whether an update took the last thing that held a deleted object."""
    metadata = wanted["metadata"]
    return (
        "deletionTimestamp" in current["metadata"]
        and not metadata.get("finalizers")
        and not current["metadata"].get("deletionGracePeriodSeconds")
    )


def _finalizers(resource: Resource, metadata: Manifest, options: DeleteOptions) -> list[str]:
    """Give the finalizers that an object keeps or gets when it is deleted in this way."""
    propagation = options.propagation
    if propagation is None:
        held = metadata.get("finalizers") or ()
        if FOREGROUND in held or ORPHAN in held:
            return list(held)
        # batch/v1 keeps the Pods of a deleted Job unless it is told otherwise, as it always has.
        propagation = "Orphan" if resource is JOB else "Background"
    kept = [name for name in metadata.get("finalizers") or () if name not in {FOREGROUND, ORPHAN}]
    match propagation:
        case "Foreground":
            return [*kept, FOREGROUND]
        case "Orphan":
            return [*kept, ORPHAN]
        case _:
            return kept


def _grace(resource: Resource, current: Manifest, options: DeleteOptions) -> int:
    """Give the seconds that a Pod has to end; nothing else is deleted gracefully."""
    if resource is not POD:
        return 0
    spec, metadata = current["spec"], current["metadata"]
    if not spec.get("nodeName") or current["status"].get("phase") in {"Succeeded", "Failed"}:
        return 0
    if "deletionTimestamp" in metadata and options.grace_seconds is None:
        return int(metadata.get("deletionGracePeriodSeconds", 0))
    wanted = options.grace_seconds
    if wanted is None:
        wanted = spec.get("terminationGracePeriodSeconds", 30)
    elif wanted < 0:
        wanted = 1
    standing = metadata.get("deletionGracePeriodSeconds")
    return int(wanted if standing is None else min(wanted, standing))
