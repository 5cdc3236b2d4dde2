"""Who owns which fields of an object: the entries of `metadata.managedFields`.

An owner is a manager in one way of writing: applying or updating, through one subresource.
"""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from adapters.simulator.field_sets import (
    Fields,
    FieldsMalformed,
    compared,
    decoded_fields,
    encoded,
)
from adapters.simulator.merge_keys import empty_of, shape_of
from adapters.simulator.resources import Place, Resource
from adapters.simulator.scales import seen_as_scale
from adapters.simulator.storage import Manifest

APPLY, UPDATE = "Apply", "Update"
BEFORE_FIRST_APPLY = "before-first-apply"
CONTROLLERS = "kube-controller-manager"

# What nobody owns, because nobody but the server decides it.
_OF_THE_SERVER = frozenset(
    {("f:apiVersion",), ("f:kind",), ("f:metadata",)}
    | {
        ("f:metadata", f"f:{name}")
        for name in (
            "creationTimestamp",
            "deletionGracePeriodSeconds",
            "deletionTimestamp",
            "generation",
            "managedFields",
            "name",
            "namespace",
            "resourceVersion",
            "selfLink",
            "uid",
        )
    }
)
_STATUS, _REPLICAS = "f:status", ("f:spec", "f:replicas")


class Owner(NamedTuple):
    """Who writes, and how."""

    manager: str
    operation: str
    version: str  # the apiVersion in whose terms it writes
    subresource: str = ""

    @property
    def shown(self) -> str:
        """The owner in the words of a conflict."""
        words = f'"{self.manager}"'
        if self.subresource:
            words += f' with subresource "{self.subresource}"'
        return words if self.operation == APPLY else f"{words} using {self.version}"

    @property
    def written(self) -> str:
        """The owner as a server writes it down to sort owners."""
        parts = {
            "manager": self.manager,
            "operation": self.operation,
            "apiVersion": "" if self.operation == APPLY else self.version,
            "subresource": self.subresource,
        }
        named = {part: value for part, value in parts.items() if value}
        return json.dumps(named, separators=(",", ":"))

    @property
    def identity(self) -> "Owner":
        """What tells it from others: one who applies is the same in every version."""
        return self._replace(version="") if self.operation == APPLY else self


class Owned(NamedTuple):
    """What an owner has."""

    owner: Owner
    fields: Fields
    time: str


Entries = Mapping[Owner, Owned]  # by identity


def entries_of(item: Manifest) -> Entries:
    """Read the entries of an object. Raises FieldsMalformed."""
    found: dict[Owner, Owned] = {}
    for written in item["metadata"].get("managedFields") or ():
        if not isinstance(written, dict) or written.get("operation") not in {APPLY, UPDATE}:
            raise FieldsMalformed("an entry of managedFields is neither of Apply nor of Update")
        owner = Owner(
            written.get("manager", ""),
            written["operation"],
            written.get("apiVersion", ""),
            written.get("subresource", ""),
        )
        fields = frozenset(decoded_fields(written.get("fieldsV1") or {}))
        found[owner.identity] = Owned(owner, fields, written.get("time", ""))
    return found


def proposed_entries(current: Manifest, proposed: Manifest, place: Place) -> Entries:
    """Give the entries that an update goes by: its own, if it gives any and may do so."""
    standing = entries_of(current)
    given = (proposed.get("metadata") or {}).get("managedFields")
    if place.subresource or not given:
        return standing
    if given == [{}]:
        return {}  # the way to give all fields up
    try:
        return entries_of(proposed)
    except FieldsMalformed:
        return standing


def with_entries(item: Manifest, entries: Entries) -> Manifest:
    """Give an object with these entries, in the order in which a server writes them."""
    metadata = {name: part for name, part in item["metadata"].items() if name != "managedFields"}
    kept = [owned for owned in entries.values() if owned.fields]
    kept.sort(key=lambda owned: (owned.owner.operation, owned.time, owned.owner))
    if kept:
        metadata["managedFields"] = [_written(owned) for owned in kept]
    return {**item, "metadata": metadata}


def _written(owned: Owned) -> Manifest:
    owner = owned.owner
    entry: Manifest = {
        "manager": owner.manager,
        "operation": owner.operation,
        "apiVersion": owner.version,
        "time": owned.time,
        "fieldsType": "FieldsV1",
        "fieldsV1": encoded(owned.fields),
    }
    return {**entry, "subresource": owner.subresource} if owner.subresource else entry


def owned_by_update(
    place: Place, change: tuple[Manifest, Manifest], entries: Entries, manager: str, now: str
) -> Entries:
    """Give the entries after a change that was not applied: who wrote a field owns it alone."""
    resource = place.resource
    if place.subresource == "scale":
        if not any(_REPLICAS in owned.fields for owned in entries.values()):
            return entries  # as on a real server: from nobody, nobody takes them over by scaling
        change = seen_as_scale(change[0]), seen_as_scale(change[1])
    difference = compared(*change, shape_of(resource))
    written = ownable(difference.written, place)
    lost = difference.written | difference.removed
    kept = {key: owned._replace(fields=owned.fields - lost) for key, owned in entries.items()}
    owner = Owner(manager, UPDATE, resource.api_version, place.subresource)
    if written:
        before = kept.get(owner, Owned(owner, frozenset(), now)).fields
        kept[owner] = Owned(owner, before | written, now)
    return kept


def owned_by_create(resource: Resource, item: Manifest, manager: str, now: str) -> Entries:
    """Give the entries of a new object that was not applied; none of one that is no valid one."""
    change = (empty_of(resource), item)
    try:
        return owned_by_update(Place(resource), change, {}, manager, now)
    except FieldsMalformed:
        return {}


def ownable(fields: Fields, place: Place) -> Fields:
    """Leave out what is the server's, and what cannot be written through this place."""
    main = place.resource.status_subresource and place.subresource != "status"
    return frozenset(
        path for path in fields if path not in _OF_THE_SERVER and not (main and path[0] == _STATUS)
    )


def same_entries(one: Any, other: Any) -> bool:
    """Compare managedFields as lists, times left aside."""

    def timeless(entries: Any) -> list[Manifest]:
        return [{**entry, "time": ""} for entry in entries or ()]

    return timeless(one) == timeless(other)
