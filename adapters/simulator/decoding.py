"""What a decoder refuses: bodies whose JSON is of the wrong kind or type (400)."""

from collections.abc import Mapping
from typing import Any

from adapters.simulator import answers
from adapters.simulator.answers import Cause, Refusal
from adapters.simulator.decoding_contents import ContentsMalformed, rewritten_contents
from adapters.simulator.resources import BY_KIND, Resource
from adapters.simulator.storage import Manifest

# The fields whose JSON type a decoder insists on, by path.
_METADATA_TYPES: Mapping[str, type] = {
    "metadata": dict,
    "metadata.name": str,
    "metadata.generateName": str,
    "metadata.namespace": str,
    "metadata.uid": str,
    "metadata.resourceVersion": str,
    "metadata.labels": dict,
    "metadata.annotations": dict,
    "metadata.finalizers": list,
    "metadata.ownerReferences": list,
}
_TYPES: Mapping[str, Mapping[str, type]] = {
    "Job": {
        "spec": dict,
        "spec.parallelism": int,
        "spec.completions": int,
        "spec.backoffLimit": int,
        "spec.activeDeadlineSeconds": int,
        "spec.ttlSecondsAfterFinished": int,
        "spec.suspend": bool,
        "spec.template": dict,
        "spec.template.metadata": dict,
        "spec.template.metadata.labels": dict,
        "spec.template.spec": dict,
        "spec.template.spec.containers": list,
        "spec.template.spec.restartPolicy": str,
        "spec.podFailurePolicy": dict,
    },
    "Node": {"spec": dict, "spec.unschedulable": bool, "spec.taints": list},
    "Pod": {"spec": dict, "spec.containers": list, "spec.nodeName": str},
    "Lease": {"spec": dict},
    "Secret": {"data": dict, "stringData": dict, "type": str, "immutable": bool},
    "PersistentVolumeClaim": {
        "spec": dict,
        "spec.accessModes": list,
        "spec.storageClassName": str,
        "spec.volumeName": str,
        "spec.volumeMode": str,
        "spec.resources": dict,
        "spec.resources.requests": dict,
    },
    "PersistentVolume": {
        "spec": dict,
        "spec.accessModes": list,
        "spec.capacity": dict,
        "spec.claimRef": dict,
        "spec.storageClassName": str,
    },
    "StorageClass": {
        "provisioner": str,
        "parameters": dict,
        "volumeBindingMode": str,
        "reclaimPolicy": str,
        "allowVolumeExpansion": bool,
    },
}
_TEXTS = {"Secret": ("stringData",), "StorageClass": ("parameters",)}  # maps of texts
_Typed = tuple[str, tuple[str, ...], type]


def _typed_paths(kind: str) -> dict[str, list[_Typed]]:
    """Give the typed paths of a kind by the part of the body that they lie in."""
    found: dict[str, list[_Typed]] = {}
    for path, wanted in {**_METADATA_TYPES, **_TYPES.get(kind, {})}.items():
        parts = tuple(path.split("."))
        found.setdefault(parts[0], []).append((path, parts, wanted))
    return found


_TYPED_PATHS = {kind: _typed_paths(kind) for kind in BY_KIND}
_NOTHING: Manifest = {}
_GO_TYPES = {int: "int32", str: "string", bool: "bool", dict: "map", list: "slice"}
_JSON_TYPES = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
}

# What the spec of a Job and of a Pod can hold; a decoder drops the rest without a word.
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
_POD_SPEC = frozenset(
    (
        "activeDeadlineSeconds",
        "affinity",
        "automountServiceAccountToken",
        "containers",
        "dnsConfig",
        "dnsPolicy",
        "enableServiceLinks",
        "ephemeralContainers",
        "hostAliases",
        "hostIPC",
        "hostNetwork",
        "hostPID",
        "hostUsers",
        "hostname",
        "hostnameOverride",
        "imagePullSecrets",
        "initContainers",
        "nodeName",
        "nodeSelector",
        "os",
        "overhead",
        "preemptionPolicy",
        "priority",
        "priorityClassName",
        "readinessGates",
        "resourceClaims",
        "resources",
        "restartPolicy",
        "runtimeClassName",
        "schedulerName",
        "schedulingGates",
        "schedulingGroup",
        "securityContext",
        "serviceAccount",
        "serviceAccountName",
        "setHostnameAsFQDN",
        "shareProcessNamespace",
        "subdomain",
        "terminationGracePeriodSeconds",
        "tolerations",
        "topologySpreadConstraints",
        "volumes",
        "workloadRef",
    )
)
_CLAIM_SPEC = frozenset(
    (
        "accessModes",
        "dataSource",
        "dataSourceRef",
        "resources",
        "selector",
        "storageClassName",
        "volumeAttributesClassName",
        "volumeMode",
        "volumeName",
    )
)
_KNOWN_SPECS = {"Job": _JOB_SPEC, "Pod": _POD_SPEC, "PersistentVolumeClaim": _CLAIM_SPEC}


_TOP = frozenset(("apiVersion", "kind", "metadata", "spec", "status"))
_OF_SPEC_AND_STATUS = frozenset((*_KNOWN_SPECS, "Lease", "Namespace", "Node", "PersistentVolume"))


class Undecodable(Refusal):
    """A body that is refused before anybody looks at what it says."""


def decoded(resource: Resource, body: Any, known: Manifest = _NOTHING) -> Manifest:
    """Give a body as the server understands it; refuses with 400 what it does not.

    The very parts that it has from `known`, which is stored, were looked at before.
    """
    if not isinstance(body, dict):
        words = f"the object provided is unrecognized (must be of type {resource.kind})"
        raise _undecodable(words)
    _check_kind(resource, body)
    _check_types(resource, body, known)
    if not resource.custom and ("kind" not in body or "apiVersion" not in body):
        body = {**body, "kind": resource.kind, "apiVersion": resource.api_version}
    if resource.kind in _OF_SPEC_AND_STATUS and not body.keys() <= _TOP:
        body = {name: part for name, part in body.items() if name in _TOP}
    fields = _KNOWN_SPECS.get(resource.kind)
    if fields is not None and not (body.get("spec") or {}).keys() <= fields:
        spec = {name: part for name, part in body["spec"].items() if name in fields}
        body = {**body, "spec": spec}
    try:
        return rewritten_contents(resource, body)
    except ContentsMalformed as error:
        version = resource.api_version.rpartition("/")[2]
        words = f'{resource.kind} in version "{version}" cannot be handled as a {resource.kind}'
        raise _undecodable(f"{words}: {error}") from None


def _undecodable(words: str) -> Undecodable:
    return Undecodable(answers.bad_request(words).response)


def _check_kind(resource: Resource, body: Manifest) -> None:
    """Built-in kinds go without saying what they are; custom ones do not."""
    kind, version = body.get("kind"), body.get("apiVersion")
    if resource.custom:
        if not kind or not version:
            raise _undecodable(f"Object 'Kind' is missing in {resource.kind}")
        if kind != resource.kind and version == resource.api_version:
            # Only validation looks at the kind of a custom object.
            cause = Cause("kind", f'Invalid value: "{kind}": must be {resource.kind}')
            name = (body.get("metadata") or {}).get("name", "")
            raise answers.invalid(resource._replace(kind=kind), name, [cause])
    kind, version = kind or resource.kind, version or resource.api_version
    if (kind, version) != (resource.kind, resource.api_version):
        raise _undecodable(
            f'{kind} in version "{version.rpartition("/")[2]}" cannot be handled as a '
            f'{resource.kind}: no kind "{kind}" is registered for version "{version}"'
        )


def _check_types(resource: Resource, body: Manifest, known: Manifest) -> None:
    for top, typed in _TYPED_PATHS.get(resource.kind, {}).items():
        if body.get(top) is known.get(top):
            continue
        for path, parts, wanted in typed:
            value: Any = body
            for part in parts:
                value = value.get(part) if isinstance(value, dict) else None
            if value is None or _is_a(value, wanted):
                continue
            raise _mistyped(resource, path, value, _GO_TYPES[wanted])
    metadata = body.get("metadata") or {}
    if metadata is known.get("metadata"):
        metadata = {}
    texts = {f"metadata.{field}": metadata.get(field) for field in ("labels", "annotations")}
    texts |= {field: body.get(field) for field in _TEXTS.get(resource.kind, ())}
    for field, given in texts.items():
        for value in (given or {}).values():
            if not isinstance(value, str):
                raise _mistyped(resource, field, value, "string")


def _mistyped(resource: Resource, path: str, value: Any, wanted: str) -> Undecodable:
    holder = f"{resource.kind}Spec" if path.count(".") == 1 else resource.kind
    found = _JSON_TYPES.get(type(value), "null")
    return _undecodable(
        f'{resource.kind} in version "{resource.api_version.rpartition("/")[2]}" cannot be '
        f"handled as a {resource.kind}: json: cannot unmarshal {found} into Go struct field "
        f"{holder}.{path} of type {wanted}"
    )


def _is_a(value: Any, wanted: type) -> bool:
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
