"""Conditions, finalizers and owners: what controllers read from and write into any object."""

from collections.abc import Iterable

from adapters.simulator.clock import timestamp
from adapters.simulator.storage import Manifest

ENDED_PHASES = frozenset(("Succeeded", "Failed"))


def condition_of(item: Manifest, kind: str) -> Manifest | None:
    """Give a condition of an object by its type."""
    conditions: Iterable[Manifest] = (item.get("status") or {}).get("conditions") or ()
    return next((condition for condition in conditions if condition["type"] == kind), None)


def is_true(item: Manifest, kind: str) -> bool:
    """Say whether an object has a condition with status True."""
    condition = condition_of(item, kind)
    return condition is not None and condition["status"] == "True"


def with_condition(status: Manifest, condition: Manifest, now: int) -> Manifest:
    """Give a status with one condition set; its transition time moves with its status."""
    conditions = list(status.get("conditions") or ())
    for index, standing in enumerate(conditions):
        if standing["type"] == condition["type"]:
            moved = standing["status"] != condition["status"]
            at = timestamp(now) if moved else standing.get("lastTransitionTime", timestamp(now))
            conditions[index] = {**condition, "lastTransitionTime": at}
            break
    else:
        conditions.append({**condition, "lastTransitionTime": timestamp(now)})
    return {**status, "conditions": conditions}


def controller_of(item: Manifest) -> Manifest | None:
    """Give the owner reference of an object's controller."""
    references: Iterable[Manifest] = item["metadata"].get("ownerReferences") or ()
    return next((reference for reference in references if reference.get("controller")), None)


def is_deleting(item: Manifest) -> bool:
    """Say whether an object has been told to go."""
    return "deletionTimestamp" in item["metadata"]


def has_ended(pod: Manifest) -> bool:
    """Say whether a Pod's containers are all over."""
    return (pod.get("status") or {}).get("phase") in ENDED_PHASES


def without_finalizer(item: Manifest, finalizer: str) -> Manifest:
    """Give an object without one of its finalizers."""
    metadata = item["metadata"]
    kept = [name for name in metadata.get("finalizers") or () if name != finalizer]
    return {**item, "metadata": {**metadata, "finalizers": kept}}
