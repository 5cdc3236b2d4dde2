"""What the API server refuses as invalid (422), field by field.

Only what warmlog's objects can get wrong is here; the words are those of a real server.
"""

from collections.abc import Iterator

from adapters.simulator.answers import Cause
from adapters.simulator.conditions import is_deleting
from adapters.simulator.formats import (
    invalid_annotations,
    invalid_finalizers,
    invalid_labels,
    invalid_name,
    invalid_owners,
)
from adapters.simulator.resources import EVENT, JOB, LEASE, POD, Place, Resource
from adapters.simulator.storage import Manifest
from adapters.simulator.validating_jobs import (
    invalid_job,
    invalid_job_status,
    invalid_job_update,
    invalid_pod_spec,
)
from adapters.simulator.validating_storage import invalid_storage, invalid_storage_update
from adapters.simulator.validating_workloads import invalid_workload, invalid_workload_update


def invalid_at_create(resource: Resource, item: Manifest) -> Iterator[Cause]:
    """Say what is wrong with a new object, defaults applied."""
    metadata = item["metadata"]
    yield from invalid_name(metadata["name"], "metadata.name")
    yield from invalid_labels(metadata.get("labels") or {}, "metadata.labels")
    yield from invalid_annotations(metadata.get("annotations") or {}, "metadata.annotations")
    yield from invalid_owners(metadata.get("ownerReferences") or (), "metadata.ownerReferences")
    known = not resource.custom and resource is not LEASE
    finalizers = metadata.get("finalizers") or ()
    yield from invalid_finalizers(finalizers, "metadata.finalizers", known=known)
    if resource is JOB:
        yield from invalid_job(item)
    elif resource is POD:
        yield from invalid_pod_spec(item["spec"], "spec")
    elif resource is EVENT and _about(item) != metadata["namespace"]:
        words = f'Invalid value: "{_about(item)}": does not match event.namespace'
        yield Cause("involvedObject.namespace", words)
    else:
        yield from invalid_storage(resource, item)
        yield from invalid_workload(resource, item)


def _about(event: Manifest) -> str:
    """Give the namespace that an Event about this object must be in."""
    about = event.get("involvedObject") or {}
    return about.get("namespace") or "default"


def invalid_at_update(
    place: Place, current: Manifest, wanted: Manifest, uid: str
) -> Iterator[Cause]:
    """Say what may not change in this way; `uid` is what the update says the object's uid is."""
    yield from _invalid_metadata_change(place, current, wanted, uid)
    if place.resource is POD and wanted.get("spec") != current.get("spec"):
        words = "Forbidden: pod updates may not change fields other than a few"
        yield Cause("spec", words, "FieldValueForbidden")
    if place.resource is not JOB:
        if not place.subresource:
            yield from invalid_storage_update(place.resource, current, wanted)
        if place.subresource != "status":
            yield from invalid_workload_update(place.resource, current, wanted)
        return
    if place.subresource == "status":
        yield from invalid_job_status(current, wanted)
    else:
        yield from invalid_job_update(current, wanted)


def _invalid_metadata_change(
    place: Place, current: Manifest, wanted: Manifest, uid: str
) -> Iterator[Cause]:
    old, new = current["metadata"], wanted["metadata"]
    if uid != old["uid"] and not (place.resource.custom and place.subresource == "status"):
        words = f'Invalid value: "{uid}": field is immutable'
        yield Cause("metadata.uid", words)
    if is_deleting(current) and set(new.get("finalizers") or ()) - set(old.get("finalizers") or ()):
        words = "Forbidden: no new finalizers can be added if the object is being deleted"
        yield Cause("metadata.finalizers", words, "FieldValueForbidden")
    if new.get("labels") is not old.get("labels"):
        yield from invalid_labels(new.get("labels") or {}, "metadata.labels")
    if new.get("annotations") is not old.get("annotations"):
        yield from invalid_annotations(new.get("annotations") or {}, "metadata.annotations")
    if new.get("ownerReferences") is not old.get("ownerReferences"):
        yield from invalid_owners(new.get("ownerReferences") or (), "metadata.ownerReferences")
