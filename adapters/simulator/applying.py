"""Server-side apply: merging what a manager applies into an object, by who owns which fields."""

from typing import Any, NamedTuple

from adapters.simulator import answers
from adapters.simulator.field_sets import (
    Fields,
    FieldsMalformed,
    compared,
    fields_of,
    in_order,
    items_by_element,
    shown,
    with_holders,
    without,
    without_nulls,
)
from adapters.simulator.managed_fields import (
    APPLY,
    BEFORE_FIRST_APPLY,
    Entries,
    Owned,
    Owner,
    entries_of,
    ownable,
    owned_by_create,
)
from adapters.simulator.merge_keys import Shape, shape_of
from adapters.simulator.resources import Place
from adapters.simulator.storage import Manifest

_THROUGH_STATUS = frozenset(("apiVersion", "kind", "metadata", "status"))


class Application(NamedTuple):
    """What is applied, by whom; `force` takes over what others own."""

    body: Manifest
    manager: str
    force: bool = False


class Outcome(NamedTuple):
    """What an apply makes of an object, before defaults, and who owns what then."""

    item: Manifest
    entries: Entries


def checked_body(place: Place, body: Any) -> Manifest:
    """Give what of a body is applied here; refuses with 400 what cannot be."""
    if not isinstance(body, dict):
        raise answers.bad_request("error decoding YAML: it is not an object")
    resource = place.resource
    if not body.get("kind") or not body.get("apiVersion"):
        raise answers.bad_request(
            "invalid object type: /, Kind=" if not body.get("apiVersion") else "kind must be set"
        )
    if body["apiVersion"] != resource.api_version:
        words = f"Specified patch version: {body['apiVersion']}, expected: {resource.api_version}"
        raise answers.bad_request(f"Incorrect version specified in apply patch. {words}")
    if (body.get("metadata") or {}).get("managedFields") is not None:
        raise answers.bad_request("metadata.managedFields must be nil")
    if place.subresource == "status":
        return {part: value for part, value in body.items() if part in _THROUGH_STATUS}
    if resource.status_subresource:
        return {part: value for part, value in body.items() if part != "status"}
    return body


def applied(place: Place, live: Manifest | None, application: Application, now: str) -> Outcome:
    """Merge a body into the object that is there, if any; refuses with 409 and 500."""
    shape, body = shape_of(place.resource), application.body
    owner = Owner(application.manager, APPLY, place.resource.api_version, place.subresource)
    try:
        given = fields_of(body, shape)
    except FieldsMalformed as error:
        called = f"{body['metadata'].get('namespace', '')}/{body['metadata'].get('name', '')}"
        raise answers.cannot_apply(place.resource, called, str(error)) from None
    wanted = ownable(given, place)
    if live is None:
        return Outcome(without_nulls(body), {owner.identity: Owned(owner, wanted, now)})
    entries = entries_of(live)
    if not entries:
        entries = owned_by_create(place.resource, live, BEFORE_FIRST_APPLY, now)
    last = entries.get(owner.identity)
    before = {**live, "metadata": _unmanaged(live["metadata"])}
    item = merged(before, body, shape)
    claimed = {**entries, owner.identity: Owned(owner, wanted, now)}
    if last is not None:
        others = frozenset().union(*(each.fields for each in claimed.values()))
        item = _pruned(item, others | given, last.fields, shape)
    changed = compared(before, item, shape)
    conflicts = {
        key: owned.fields & changed.written
        for key, owned in claimed.items()
        if key != owner.identity and owned.fields & changed.written
    }
    if conflicts and not application.force:
        raise answers.apply_conflict(_told(conflicts))
    lost = changed.written | changed.removed
    kept = {
        key: owned if key == owner.identity else owned._replace(fields=owned.fields - lost)
        for key, owned in claimed.items()
    }
    if last is not None and last.fields == wanted and item == before:
        kept[owner.identity] = last
    return Outcome(without_nulls(item), kept)


def _told(conflicts: dict[Owner, Fields]) -> list[tuple[str, str]]:
    """Give each conflict in words, in the order in which a server walks through a set of fields."""
    return [
        (owner.shown, shown(path))
        for owner in sorted(conflicts, key=lambda owner: owner.written)
        for path in sorted(conflicts[owner], key=in_order)
    ]


def _unmanaged(metadata: Manifest) -> Manifest:
    return {name: part for name, part in metadata.items() if name != "managedFields"}


def _pruned(item: Manifest, claimed: Fields, last: Fields, shape: Shape) -> Manifest:
    """Take away what the manager applied last time, no longer applies, and nobody else owns."""
    had = with_holders(last)
    pruned = without(item, had, shape)
    owned = with_holders(claimed)
    everything = with_holders(fields_of(item, shape))
    pruned = without(item, everything - (with_holders(fields_of(pruned, shape)) | owned), shape)
    gone = (everything - with_holders(fields_of(pruned, shape))) & had
    left: Manifest = without(item, gone, shape)
    return left


def merged(live: Any, given: Any, shape: Shape) -> Any:
    """Give `live` with `given` merged in: what is given wins, and nothing goes away."""
    if shape.whole or not live:
        return given
    if isinstance(live, dict) and isinstance(given, dict):
        changed = {
            name: merged(live.get(name), value, shape.of_member(name))
            for name, value in given.items()
        }
        return {**live, **changed}
    if isinstance(live, list) and isinstance(given, list) and (shape.keys or shape.texts):
        return _merged_items(live, given, shape)
    return given


def _merged_items(live: list[Any], given: list[Any], shape: Shape) -> list[Any]:
    """Merge two lists by their items: those given in their order, the others about where they were.

    An item that only `live` has comes before the next given one that both have.
    """
    standing, wanted = items_by_element(live, shape), items_by_element(given, shape)
    found = dict(reversed(standing))
    new = dict(wanted)
    waited_for = [element for element, _ in wanted if element in found]
    result: list[Any] = []
    done: set[str] = set()
    at = 0
    for element, item in wanted:
        while at < len(standing):
            theirs, old = standing[at]
            if theirs in new:
                if theirs in done or theirs != waited_for[0]:
                    at += 1
                    continue
                break
            result.append(old)
            at += 1
        done.add(element)
        both = element in found
        result.append(merged(found[element], item, shape.of_item) if both else item)
        if both and waited_for and waited_for[0] == element:
            waited_for.pop(0)
    result += [old for theirs, old in standing[at:] if theirs not in new]
    return result
