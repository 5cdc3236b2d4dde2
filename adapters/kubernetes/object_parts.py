"""Parts of raw objects that several kinds are read by: controllers, conditions, ends, specs."""

from typing import Any, TypeVar

from adapters.kubernetes.fields import integer, items, mapping, mappings, text, texts
from adapters.kubernetes.parsing import TOO_DEEP
from engine.canonical_json import dumps
from machines import labels
from machines.caches.levels import Owner
from machines.held_levels import HeldLevel
from machines.pairs import Pairs

Held = TypeVar("Held", bound=HeldLevel)

# A Pod's controlling Job, when its owner references were changed.
CONTROLLER_UID = "batch.kubernetes.io/controller-uid"
POD_PHASES = frozenset({"Pending", "Running", "Succeeded", "Failed", "Unknown"})
# Deeper than any spec that could work, and shallow enough for whatever reads it later.
_MAX_DEPTH = 100


def job_uid_of(metadata: dict[str, Any]) -> str:
    """Give the uid of the Job that a Pod is of; empty of a Pod that something else controls.

    Labels are copied: into a Deployment's template, say, whose Pods are no Job's.
    """
    owner = controller_of(metadata)
    if not owner:
        return text(mapping(metadata.get("labels")).get(CONTROLLER_UID))
    return text(owner.get("uid")) if owner.get("kind") == "Job" else ""


def controller_uid(metadata: dict[str, Any]) -> str:
    """Give the uid of the owner that controls an object; empty when none does."""
    return text(controller_of(metadata).get("uid"))


def controller_of(metadata: dict[str, Any]) -> dict[str, Any]:
    """Give the reference to the owner that controls an object; an empty one when none does."""
    for owner in mappings(metadata.get("ownerReferences")):
        if owner.get("controller") is True:
            return owner
    return {}


def is_deep(value: Any) -> bool:
    """Say whether a JSON value is nested below _MAX_DEPTH, without recursion."""
    layer = [value]
    for _ in range(_MAX_DEPTH + 1):
        layer = [
            inner
            for outer in layer
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not layer:
            return False
    return True


def is_deleting(metadata: dict[str, Any]) -> bool:
    """Say whether an object is being deleted."""
    return bool(metadata.get("deletionTimestamp"))


def spec_text(raw: dict[str, Any]) -> str:
    """Give a spec as it stands, as canonical JSON.

    One that is nested too deeply to be handled becomes a text that says so, which no rule takes
    for a spec: the object ends visibly.
    """
    spec = raw.get("spec", {})
    return dumps(TOO_DEEP if is_deep(spec) else spec)


def our_annotations(metadata: dict[str, Any]) -> Pairs:
    """Give the annotations that are warmlog's own, sorted."""
    return tuple(
        pair for pair in texts(metadata.get("annotations")) if pair[0].startswith(labels.OURS)
    )


def owner_by(metadata: dict[str, Any], keys: tuple[str, str, str]) -> Owner:
    """Give whose an object says it is, by our annotations of namespace, name and uid."""
    notes = mapping(metadata.get("annotations"))
    return Owner(*(text(notes.get(key)) for key in keys))


def held_level(kind: type[Held], raw: dict[str, Any], finalizer: str) -> Held:
    """Reduce a custom resource to its spec as it stands, our annotations and our finalizer."""
    metadata = mapping(raw.get("metadata"))
    return kind(
        generation=integer(metadata.get("generation")) or 1,
        spec=spec_text(raw),
        annotations=our_annotations(metadata),
        deleting=is_deleting(metadata),
        held=finalizer in items(metadata.get("finalizers")),
    )


def condition_of(raw: dict[str, Any], name: str) -> dict[str, Any]:
    """Give the condition of that type, or an empty one."""
    for condition in mappings(mapping(raw.get("status")).get("conditions")):
        if condition.get("type") == name:
            return condition
    return {}


def has_finished(raw: dict[str, Any]) -> bool:
    """Say whether a raw Job is Complete or Failed."""
    return job_outcome(mapping(raw))[0] in {"Complete", "Failed"}


def job_outcome(raw: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Give a Job's outcome, and the condition that says why.

    Failed is looked at first: of a Job that claims both ends, success is not proved.
    """
    for name, outcome in (
        ("Failed", "Failed"),
        ("Complete", "Complete"),
        ("FailureTarget", "Finishing"),
        ("SuccessCriteriaMet", "Finishing"),
    ):
        condition = condition_of(raw, name)
        if condition.get("status") == "True":
            return outcome, condition if name in {"Failed", "FailureTarget"} else {}
    return "", {}
