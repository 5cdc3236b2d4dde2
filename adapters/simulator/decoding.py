"""What a decoder refuses: bodies whose JSON is of the wrong kind or type (400)."""

from collections.abc import Mapping
from typing import Any

from adapters.simulator import answers
from adapters.simulator.answers import Cause
from adapters.simulator.resources import JOB, Resource
from adapters.simulator.storage import Manifest

# The fields whose JSON type a Job's decoder insists on, by path.
_TYPES: Mapping[str, Mapping[str, type]] = {
    "Job": {
        "metadata": dict,
        "metadata.name": str,
        "metadata.labels": dict,
        "metadata.annotations": dict,
        "metadata.ownerReferences": list,
        "spec": dict,
        "spec.parallelism": int,
        "spec.completions": int,
        "spec.backoffLimit": int,
        "spec.activeDeadlineSeconds": int,
        "spec.ttlSecondsAfterFinished": int,
        "spec.suspend": bool,
        "spec.template": dict,
        "spec.template.spec": dict,
        "spec.template.spec.containers": list,
        "spec.template.spec.restartPolicy": str,
        "spec.podFailurePolicy": dict,
    },
    "Namespace": {"metadata": dict, "metadata.labels": dict},
    "Node": {"metadata": dict, "metadata.labels": dict, "spec": dict, "spec.unschedulable": bool},
    "Pod": {"metadata": dict, "metadata.labels": dict, "spec": dict},
    "Lease": {"metadata": dict, "spec": dict},
}
_TYPED_PATHS = {
    kind: [(path, tuple(path.split(".")), wanted) for path, wanted in types.items()]
    for kind, types in _TYPES.items()
}
_GO_TYPES = {int: "int32", str: "string", bool: "bool", dict: "map", list: "slice"}
_JSON_TYPES = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
}

# What a Job's spec can hold; a decoder drops the rest without a word.
_JOB_SPEC = frozenset(
    (
        "activeDeadlineSeconds",
        "backoffLimit",
        "backoffLimitPerIndex",
        "completionMode",
        "completions",
        "managedBy",
        "manualSelector",
        "maxFailedIndexes",
        "parallelism",
        "podFailurePolicy",
        "podReplacementPolicy",
        "selector",
        "successPolicy",
        "suspend",
        "template",
        "ttlSecondsAfterFinished",
    )
)


def decoded(resource: Resource, body: Any) -> Manifest:
    """Give a body as the server understands it; refuses with 400 what it does not."""
    if not isinstance(body, dict):
        raise answers.bad_request(
            f"the object provided is unrecognized (must be of type {resource.kind})"
        )
    kind, version = body.get("kind", resource.kind), body.get("apiVersion", resource.api_version)
    if resource.custom and kind != resource.kind and version == resource.api_version:
        # Only validation looks at the kind of a custom object.
        cause = Cause("kind", f'Invalid value: "{kind}": must be {resource.kind}')
        name = (body.get("metadata") or {}).get("name", "")
        raise answers.invalid(resource._replace(kind=kind), name, [cause])
    if (kind, version) != (resource.kind, resource.api_version):
        raise answers.bad_request(
            f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a '
            f'{resource.kind}: no kind "{kind}" is registered for version "{version}"'
        )
    _check_types(resource, body)
    if resource is JOB and not body.get("spec", {}).keys() <= _JOB_SPEC:
        spec = {name: part for name, part in body["spec"].items() if name in _JOB_SPEC}
        return {**body, "spec": spec}
    return body


def _check_types(resource: Resource, body: Manifest) -> None:
    for path, parts, wanted in _TYPED_PATHS.get(resource.kind, ()):
        value: Any = body
        for part in parts:
            value = value.get(part) if isinstance(value, dict) else None
        if value is None or _is_a(value, wanted):
            continue
        holder = {2: f"{resource.kind}Spec"}.get(len(parts), resource.kind)
        raise answers.bad_request(
            f'{resource.kind} in version "{resource.api_version.rpartition("/")[2]}" cannot be '
            f"handled as a {resource.kind}: json: cannot unmarshal {_JSON_TYPES[type(value)]} "
            f"into Go struct field {holder}.{path} of type {_GO_TYPES[wanted]}"
        )


def _is_a(value: Any, wanted: type) -> bool:
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
