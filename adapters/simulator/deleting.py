"""How objects are deleted: preconditions, finalizers, and the grace of Pods."""

from typing import NamedTuple

from adapters.simulator import answers
from adapters.simulator.clock import SECOND, instant, timestamp
from adapters.simulator.resources import JOB, NAMESPACE, POD, Resource
from adapters.simulator.storage import Manifest

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
_PROPAGATIONS = frozenset((None, "Background", "Foreground", "Orphan"))


class DeleteOptions(NamedTuple):
    """How to delete, and only what."""

    uid: str | None = None
    version: str | None = None
    propagation: str | None = None  # Background, Foreground or Orphan; None: the kind's default
    grace_seconds: int | None = None
    dry_run: bool = False  # nothing comes of it


class Marked(NamedTuple):
    """An object as a delete leaves it, and whether it goes at once."""

    item: Manifest
    goes: bool


def check_options(options: DeleteOptions) -> None:
    """Refuse with 422 a delete that makes no sense, whatever it is about."""
    if options.propagation not in _PROPAGATIONS:
        raise answers.bad_propagation(options.propagation or "")


def check_preconditions(resource: Resource, current: Manifest, options: DeleteOptions) -> None:
    """Refuse with 409 a delete of another object or version."""
    metadata = current["metadata"]
    if options.uid is not None and options.uid != metadata["uid"]:
        if resource is NAMESPACE:  # looks at its preconditions itself
            words = "Precondition failed: UID in precondition: {}, UID in object meta: {}"
            words = words.format(options.uid, metadata["uid"])
            raise answers.conflict(resource, metadata["name"], words)
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


def marked_deleted(
    resource: Resource, current: Manifest, options: DeleteOptions, now: int
) -> Marked:
    """Say what a delete makes of an object; unchanged when it is being deleted already."""
    metadata = current["metadata"]
    deleting = "deletionTimestamp" in metadata
    standing = metadata.get("deletionGracePeriodSeconds", 0)
    graceful = resource is POD and not (deleting and not standing)
    grace = _grace(current, options) if graceful else 0
    if graceful and deleting and grace >= standing:
        return Marked(current, goes=False)
    finalizers = _finalizers(resource, metadata, options)
    if not graceful and not finalizers:
        return Marked(current, goes=True)
    wanted = {**metadata, "finalizers": finalizers}
    if not finalizers:
        del wanted["finalizers"]
    if not deleting:
        wanted["deletionTimestamp"] = timestamp(now + grace * SECOND)
        if "generation" in metadata:
            wanted["generation"] = metadata["generation"] + 1
    elif graceful:
        at = instant(metadata["deletionTimestamp"]) - (standing - grace) * SECOND
        if at < now:
            at, grace = now, min(grace, 1)
        wanted["deletionTimestamp"] = timestamp(at)
    if graceful or not deleting:
        wanted["deletionGracePeriodSeconds"] = grace
    # A Pod without grace is first marked and then removed: watches see both.
    goes = not finalizers and not grace
    return Marked(current if wanted == metadata else {**current, "metadata": wanted}, goes)


def _finalizers(resource: Resource, metadata: Manifest, options: DeleteOptions) -> list[str]:
    """Give the finalizers that an object keeps or gets when it is deleted in this way."""
    held = metadata.get("finalizers") or ()
    propagation = options.propagation
    if propagation is None:
        if FOREGROUND in held or ORPHAN in held:
            return list(held)
        # batch/v1 keeps the Pods of a deleted Job unless it is told otherwise, as it always has.
        propagation = "Orphan" if resource is JOB else "Background"
    kept = [name for name in held if name not in {FOREGROUND, ORPHAN}]
    match propagation:
        case "Foreground":
            return [*kept, FOREGROUND]
        case "Orphan":
            return [*kept, ORPHAN]
        case _:
            return kept


def _grace(pod: Manifest, options: DeleteOptions) -> int:
    """Give the seconds that a Pod has to end."""
    spec, metadata = pod["spec"], pod["metadata"]
    wanted = options.grace_seconds
    if "deletionTimestamp" in metadata:
        standing = int(metadata.get("deletionGracePeriodSeconds", 0))
        return standing if wanted is None else wanted if wanted >= 0 else 1
    if not spec.get("nodeName") or pod["status"].get("phase") in {"Succeeded", "Failed"}:
        return 0
    if wanted is None:
        return int(spec.get("terminationGracePeriodSeconds", 30))
    return wanted if wanted >= 0 else 1
