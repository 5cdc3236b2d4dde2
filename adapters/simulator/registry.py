"""Creating, changing and deleting objects by the API server's rules, whoever asks.

The HTTP side and the simulated controllers both come here, so that no controller of the model can
do what a real one could not: every write is validated, versioned, and subject to finalizers.
"""

from collections.abc import Callable
from typing import NamedTuple

from adapters.simulator import answers
from adapters.simulator.admitting import admitted, check_growth, readmitted
from adapters.simulator.answers import Refusal
from adapters.simulator.applying import Application, applied
from adapters.simulator.clock import Agenda, Chance, timestamp
from adapters.simulator.conditions import is_deleting, with_condition
from adapters.simulator.decoding import decoded
from adapters.simulator.defaulting import defaulted, redefaulted
from adapters.simulator.deleting import (
    DeleteOptions,
    check_options,
    check_preconditions,
    marked_deleted,
)
from adapters.simulator.managed_fields import (
    CONTROLLERS,
    Entries,
    owned_by_create,
    owned_by_update,
    proposed_entries,
    same_entries,
    with_entries,
)
from adapters.simulator.resources import (
    CACHE,
    CLAIM,
    DEPLOYMENT,
    EVENT,
    INFERENCE_CLUSTER,
    LEADER_WORKER_SET,
    NAMESPACE,
    POD,
    REPLICA,
    WARMUP,
    Place,
    Resource,
)
from adapters.simulator.schemas import GANGS, LAX, OPEN, Schema
from adapters.simulator.serving import Served
from adapters.simulator.storage import Manifest, Storage, key_of
from adapters.simulator.validating import invalid_at_create, invalid_at_update

_GENERATED_NAME_LIMIT = 58  # 63 less the five characters that are added
_SYSTEM_METADATA = (
    "name",
    "namespace",
    "uid",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
)

Changing = Callable[[Manifest], Manifest]
Refusing = Callable[[Resource, str], Refusal]


class Writing(NamedTuple):
    """Who writes, and whether anything is to come of it."""

    manager: str = CONTROLLERS
    dry_run: bool = False
    posted: bool = False  # by POST, where a new object must not say which version it is


_BY_CONTROLLERS = Writing()


class Registry:
    """The objects of one cluster, behind the rules that hold for every writer."""

    def __init__(self, storage: Storage, agenda: Agenda, chance: Chance) -> None:
        """Begin with what `storage` holds; times come from `agenda`, uids from `chance`."""
        self.storage = storage
        self.schemas: dict[str, Schema] = {
            WARMUP.kind: LAX,
            CACHE.kind: OPEN,
            INFERENCE_CLUSTER.kind: OPEN,
            REPLICA.kind: OPEN,
            LEADER_WORKER_SET.kind: GANGS,
        }
        self._strange: dict[str, frozenset[str]] = {}  # keys of what other schemas let in, by kind
        self.served = Served()
        self.refusals: dict[tuple[str, str], Refusing] = {}  # by kind and namespace
        self._agenda = agenda
        self._chance = chance
        self._made = 0

    def use_schema(self, kind: str, schema: Schema) -> None:
        """Check and prune the objects of a kind by `schema` from now on."""
        self.schemas[kind] = schema
        self._strange[kind] = frozenset(
            change.key for stored, change in self.storage.each() if stored == kind
        )

    def get(self, place: Place) -> Manifest:
        """Give one object; refuses with 404."""
        found = self.storage.get(place.resource.kind, key_of(place.namespace, place.name))
        if found is None:
            raise answers.not_found(place.resource, place.name)
        return found

    def holds(self, place: Place) -> bool:
        """Say whether there is such an object."""
        key = key_of(place.namespace, place.name)
        return self.storage.get(place.resource.kind, key) is not None

    def set_condition(self, place: Place, condition: Manifest) -> None:
        """Set one condition in an object's status."""

        def changed(item: Manifest) -> Manifest:
            status = with_condition(item.get("status") or {}, condition, self._agenda.now)
            return {**item, "status": status}

        self.update(place._replace(subresource="status"), changed)

    def create(
        self,
        resource: Resource,
        namespace: str,
        body: Manifest,
        writing: Writing = _BY_CONTROLLERS,
        entries: Entries | None = None,
    ) -> Manifest:
        """Create an object; refuses with 400, 403, 404, 409 or 422.

        `entries` say who owns its fields, when it is applied.
        """
        wanted = self._named(resource, namespace, decoded(resource, body))
        name = wanted["metadata"]["name"]
        if resource.namespaced:
            self._check_namespace(resource, name, namespace)
        schema = self.schemas.get(resource.kind)
        if schema is not None:
            wanted = schema.defaulted(schema.pruned(wanted))
        wanted = defaulted(resource, wanted)
        if resource.owners_kept or entries is not None:
            now = timestamp(self._agenda.now)
            begun = owned_by_create(resource, wanted, writing.manager, now)
            wanted = with_entries(wanted, begun if entries is None else entries)
        wanted = admitted(self.storage, resource, wanted)
        refusing = self.refusals.get((resource.kind, namespace))
        if refusing is not None:
            raise refusing(resource, name)
        causes = list(invalid_at_create(resource, wanted))
        if schema is not None:
            causes += schema.invalid(wanted, others=causes)
        if causes:
            raise answers.invalid(resource, name, causes)
        key = key_of(namespace, name)
        if writing.posted and not writing.dry_run:
            _check_unversioned(body)
        standing = self.storage.get(resource.kind, key)
        if standing is not None:
            raise answers.already_exists(resource, name, deleting=is_deleting(standing))
        return wanted if writing.dry_run else self.storage.put(resource.kind, key, wanted)

    def record(self, namespace: str, event: Manifest) -> None:
        """Create an Event as a controller writes it, of which there is nothing to check.

        Refuses as create does.
        """
        wanted = self._named(EVENT, namespace, event)
        self._check_namespace(EVENT, wanted["metadata"]["name"], namespace)
        refusing = self.refusals.get((EVENT.kind, namespace))
        if refusing is not None:
            raise refusing(EVENT, wanted["metadata"]["name"])
        key = key_of(namespace, wanted["metadata"]["name"])
        self.storage.put(EVENT.kind, key, defaulted(EVENT, wanted))

    def apply(
        self, place: Place, application: Application, writing: Writing
    ) -> tuple[Manifest, bool]:
        """Apply to an object, or create it (and say so); refuses as create and update, and 500."""
        if not self.holds(place):
            if place.subresource:
                raise answers.not_found(place.resource, place.name)
            given = application.body.get("metadata") or {}
            if given.get("name") != place.name:
                raise answers.misnamed(given.get("name") or "", place.name)
            if given.get("uid"):
                raise answers.applied_to_nothing(place.resource, place.name, application.body)
        live = self.get(place) if self.holds(place) else None
        outcome = applied(place, live, application, timestamp(self._agenda.now))
        if live is None:
            entries = outcome.entries
            made = self.create(place.resource, place.namespace, outcome.item, writing, entries)
            return made, True
        item = outcome.item
        return self.update(place, lambda _: item, writing, outcome.entries), False

    def update(
        self,
        place: Place,
        change: Changing,
        writing: Writing = _BY_CONTROLLERS,
        entries: Entries | None = None,
    ) -> Manifest:
        """Change an object; without a change there is no new version. Refuses with 404, 409, 422.

        Through `status` only the status is taken, otherwise all but the status. `entries` say who
        owns its fields then, when it is applied.
        """
        resource = place.resource
        current = self.get(place)
        schema = self.schemas.get(resource.kind)
        key = key_of(place.namespace, place.name)
        if schema is not None and key in self._strange.get(resource.kind, ()):
            current = schema.pruned(current)
        proposed = redefaulted(resource, decoded(resource, change(current), current))
        proposed = readmitted(resource, current, proposed)
        self._check_identity(resource, current, proposed)
        if schema is not None:
            proposed = schema.defaulted(schema.pruned(proposed, current))
        wanted = self._allowed(place, current, proposed)
        uid = (proposed.get("metadata") or {}).get("uid") or current["metadata"]["uid"]
        causes = list(invalid_at_update(place, current, wanted, uid))
        if schema is not None:
            causes += schema.invalid(wanted, current, causes)
        if causes:
            raise answers.invalid(resource, place.name, causes)
        if resource is CLAIM and not place.subresource:
            check_growth(self.storage, current, wanted)
        wanted = self._managed(place, (current, proposed, wanted), writing, entries)
        if wanted == current or writing.dry_run:
            return wanted
        if _is_to_go(wanted, current):
            # Not stored first: watches see the end of the object as it was, finalizer included.
            self.storage.remove(resource.kind, key)
            return wanted
        return self.storage.put(resource.kind, key, wanted)

    def delete(self, place: Place, options: DeleteOptions) -> tuple[Manifest, bool]:
        """Delete an object, or mark it as being deleted; says whether it is gone."""
        resource = place.resource
        check_options(options)
        current = self.get(place)
        check_preconditions(resource, current, options)
        key = key_of(place.namespace, place.name)
        if resource is NAMESPACE:
            return self._terminated_namespace(key, current), False
        marked = marked_deleted(resource, current, options, self._agenda.now)
        if options.dry_run:
            return marked.item, marked.goes
        if marked.item is not current:
            current = self.storage.put(resource.kind, key, marked.item)
        if marked.goes:
            self.storage.remove(resource.kind, key)
        return current, marked.goes

    def bind(self, pod: Manifest, node_name: str, status: Manifest) -> None:
        """Give a Pod its node, as the `binding` subresource does: spec and status in one write."""
        metadata = pod["metadata"]
        key = key_of(metadata["namespace"], metadata["name"])
        spec = {**pod["spec"], "nodeName": node_name}
        self.storage.put(POD.kind, key, {**pod, "spec": spec, "status": status})

    def finish_namespace(self, name: str) -> None:
        """Take the last finalizer off a namespace that is empty."""
        self.storage.remove(NAMESPACE.kind, key_of("", name))

    def _managed(
        self,
        place: Place,
        change: tuple[Manifest, Manifest, Manifest],
        writing: Writing,
        entries: Entries | None,
    ) -> Manifest:
        """Write down who owns the fields of a changed object, where that is known."""
        current, proposed, wanted = change
        standing = current["metadata"].get("managedFields")
        if entries is None:
            if not standing:
                return wanted
            begun = proposed_entries(current, proposed, place)
            now = timestamp(self._agenda.now)
            entries = owned_by_update(place, (current, wanted), begun, writing.manager, now)
        managed = with_entries(wanted, entries)
        if same_entries(managed["metadata"].get("managedFields"), standing):
            metadata = {**managed["metadata"], "managedFields": standing}
            if {**managed, "metadata": metadata} == current:
                return current  # a time alone is no change
        return managed

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
        if new.get("name") != name:
            raise answers.misnamed(new.get("name") or "", name)
        version = new.get("resourceVersion")
        if not version and not resource.blind_put:
            raise answers.unversioned(resource, name)
        if version and version != old["resourceVersion"]:
            raise answers.modified_since(resource, name)

    @staticmethod
    def _allowed(place: Place, current: Manifest, proposed: Manifest) -> Manifest:
        """Keep of a proposed state what may be changed where it was sent."""
        old = current["metadata"]
        system = {field: old[field] for field in _SYSTEM_METADATA if field in old}
        metadata = {
            field: value
            for field, value in (proposed.get("metadata") or {}).items()
            if field not in _SYSTEM_METADATA and field != "managedFields" and value
        }
        metadata = {**system, **metadata, "resourceVersion": old["resourceVersion"]}
        if place.subresource == "status":
            # Built-in kinds take labels and annotations here too, custom ones the status alone.
            metadata = old if place.resource.custom else metadata
            wanted = {**current, "metadata": metadata, "status": proposed.get("status")}
            if wanted["status"] is None:
                del wanted["status"]
            return wanted
        wanted = {**proposed, "metadata": metadata}
        if place.resource.status_subresource:
            wanted.pop("status", None)
            if "status" in current:
                wanted["status"] = current["status"]
        changed = _content(wanted) != _content(current)
        if place.resource is DEPLOYMENT:
            changed = changed or metadata.get("annotations") != old.get("annotations")
        if "generation" in old and changed:
            metadata["generation"] = old["generation"] + 1
        return wanted

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


def _check_unversioned(body: Manifest) -> None:
    """Refuse to create what bears the version of an object that is there."""
    version = (body.get("metadata") or {}).get("resourceVersion") or ""
    if version.isdecimal() and int(version):
        raise answers.versioned_at_create()
