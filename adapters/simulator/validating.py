"""What the API server refuses: wrong types (400) and invalid fields (422).

Only what a warmup Job, a Node, a Namespace or a ModelWarmup can get wrong is here; the words are
those of a real server.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from adapters.simulator import answers
from adapters.simulator.answers import Cause
from adapters.simulator.resources import JOB, POD, Place, Resource
from adapters.simulator.storage import Manifest

_LABEL_LIMIT = 63
_NAME_LIMIT = 253

_DNS_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")
_DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_QUALIFIED = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")

_SUBDOMAIN_WORDS = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_WORDS = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_VALUE_WORDS = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  "
    "or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_TOO_LONG = "must be no more than {} bytes"

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
_GO_TYPES = {int: "int32", str: "string", bool: "bool", dict: "map", list: "slice"}
_JSON_TYPES = {
    str: "string",
    bool: "bool",
    int: "number",
    float: "number",
    dict: "object",
    list: "array",
}


def check_types(resource: Resource, body: Any) -> None:
    """Refuse with 400 what cannot be decoded at all."""
    if not isinstance(body, dict):
        raise answers.bad_request("the body is not an object")
    for field, wanted in (("kind", resource.kind), ("apiVersion", resource.api_version)):
        if body.get(field, wanted) != wanted:
            raise answers.bad_request(
                f"the API version in the data ({body.get('apiVersion')}) does not match the "
                f"expected API version ({resource.api_version}), or the kind does not"
            )
    for path, wanted_type in _TYPES.get(resource.kind, {}).items():
        value: Any = body
        for part in path.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if value is not None and not _is_a(value, wanted_type):
            shown = _JSON_TYPES[type(value)]
            raise answers.bad_request(
                f'{resource.kind} in version "{resource.api_version.rpartition("/")[2]}" cannot be '
                f"handled as a {resource.kind}: json: cannot unmarshal {shown} into Go struct "
                f"field {resource.kind}.{path} of type {_GO_TYPES[wanted_type]}"
            )


def invalid_metadata(item: Manifest) -> Iterator[Cause]:
    """Say what is wrong with an object's name and labels."""
    metadata = item["metadata"]
    name = metadata["name"]
    if len(name) > _NAME_LIMIT:
        yield Cause("metadata.name", _invalid_value(name, _TOO_LONG.format(_NAME_LIMIT)))
    if not _DNS_SUBDOMAIN.fullmatch(name):
        yield Cause("metadata.name", _invalid_value(name, _SUBDOMAIN_WORDS))
    yield from _invalid_labels(metadata.get("labels") or {}, "metadata.labels")


def invalid_at_create(resource: Resource, item: Manifest) -> Iterator[Cause]:
    """Say what is wrong with a new object, defaults applied."""
    if resource is JOB:
        yield from _invalid_job(item)
    elif resource is POD:
        yield from _invalid_pod_spec(item["spec"], "spec")


def invalid_at_update(place: Place, current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    """Say what may not change in this way."""
    resource, subresource = place.resource, place.subresource
    if wanted["metadata"].get("labels") is not current["metadata"].get("labels"):
        yield from _invalid_labels(wanted["metadata"].get("labels") or {}, "metadata.labels")
    if resource is JOB and subresource == "status":
        yield from _invalid_job_status(current, wanted)
    elif resource is JOB:
        old, new = current["spec"], wanted.get("spec") or {}
        for field in ("selector", "template", "completionMode", "podFailurePolicy"):
            if old.get(field) != new.get(field):
                shown = json.dumps(new.get(field))
                yield Cause(f"spec.{field}", f"Invalid value: {shown}: field is immutable")
        yield from _negative_numbers(new)
    elif resource.custom and subresource != "status" and wanted.get("spec") != current.get("spec"):
        yield Cause("spec", 'Invalid value: "object": spec is immutable')


def _invalid_job(job: Manifest) -> Iterator[Cause]:
    spec = job["spec"]
    yield from _negative_numbers(spec)
    template = spec["template"]
    if len(job["metadata"]["name"]) > _LABEL_LIMIT:
        # The name is a label value on the Job's Pods.
        yield Cause(
            "spec.template.labels",
            _invalid_value(job["metadata"]["name"], _TOO_LONG.format(_LABEL_LIMIT)),
        )
    given = {
        key: value
        for key, value in (template["metadata"].get("labels") or {}).items()
        if value != job["metadata"]["name"]
    }
    yield from _invalid_labels(given, "spec.template.labels")
    yield from _invalid_pod_spec(template["spec"], "spec.template.spec")
    policy = template["spec"]["restartPolicy"]
    if policy == "Always":
        words = 'Unsupported value: "Always": supported values: "OnFailure", "Never"'
        yield Cause("spec.template.spec.restartPolicy", words, "FieldValueNotSupported")
    elif spec.get("podFailurePolicy") and policy != "Never":
        words = 'only "Never" is supported when podFailurePolicy is specified'
        yield Cause("spec.template.spec.restartPolicy", _invalid_value(policy, words))


def _negative_numbers(spec: Manifest) -> Iterator[Cause]:
    fields = (
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
    )
    for field in fields:
        value = spec.get(field)
        if value is not None and value < 0:
            words = f"Invalid value: {value}: must be greater than or equal to 0"
            yield Cause(f"spec.{field}", words)


def _invalid_pod_spec(spec: Manifest, path: str) -> Iterator[Cause]:
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    containers = spec.get("containers") or []
    if not containers:
        yield Cause(f"{path}.containers", "Required value", "FieldValueRequired")
    seen: set[str] = set()
    for part in ("containers", "initContainers"):
        for index, container in enumerate(spec.get(part) or ()):
            where = f"{path}.{part}[{index}]"
            yield from _invalid_container(container, where)
            name = container.get("name") or ""
            if name in seen:
                yield Cause(f"{where}.name", f'Duplicate value: "{name}"', "FieldValueDuplicate")
            seen.add(name)
            for number, mount in enumerate(container.get("volumeMounts") or ()):
                if mount.get("name") not in volumes:
                    yield Cause(
                        f"{where}.volumeMounts[{number}].name",
                        f'Not found: "{mount.get("name")}"',
                        "FieldValueNotFound",
                    )


def _invalid_container(container: Manifest, where: str) -> Iterator[Cause]:
    name = container.get("name") or ""
    if not name:
        yield Cause(f"{where}.name", "Required value", "FieldValueRequired")
    elif not _DNS_LABEL.fullmatch(name):
        yield Cause(f"{where}.name", _invalid_value(name, _LABEL_WORDS))
    elif len(name) > _LABEL_LIMIT:
        yield Cause(f"{where}.name", _invalid_value(name, _TOO_LONG.format(_LABEL_LIMIT)))
    image = container.get("image") or ""
    if not image:
        yield Cause(f"{where}.image", "Required value", "FieldValueRequired")
    elif image != image.strip():
        words = "must not have leading or trailing whitespace"
        yield Cause(f"{where}.image", _invalid_value(image, words))
    pull = container.get("imagePullPolicy")
    if pull not in {"Always", "IfNotPresent", "Never"}:
        words = f'Unsupported value: "{pull}": supported values: "Always", "IfNotPresent", "Never"'
        yield Cause(f"{where}.imagePullPolicy", words, "FieldValueNotSupported")


def _invalid_job_status(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    """Hold whoever writes a Job's status to the order in which a Job ends."""
    now = _true_conditions(wanted)
    for final, interim in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget")):
        if final in now and interim not in now:
            words = f"cannot set {final}=True condition without the {interim}=true condition"
            yield Cause("status.conditions", f"Invalid value: {words}")
        if final in _true_conditions(current) and final not in now:
            words = f"Invalid value: cannot disable the terminal {final}=True condition"
            yield Cause("status.conditions", words)


def _true_conditions(item: Manifest) -> set[str]:
    conditions: Iterable[Manifest] = (item.get("status") or {}).get("conditions") or ()
    return {condition["type"] for condition in conditions if condition["status"] == "True"}


def _invalid_labels(labels: Mapping[str, Any], path: str) -> Iterator[Cause]:
    for key, value in labels.items():
        prefix, slash, name = key.rpartition("/")
        if not _QUALIFIED.fullmatch(name) or (slash and not _DNS_SUBDOMAIN.fullmatch(prefix)):
            yield Cause(
                path, _invalid_value(key, "name part must consist of alphanumeric characters")
            )
        if len(value) > _LABEL_LIMIT:
            yield Cause(path, _invalid_value(value, _TOO_LONG.format(_LABEL_LIMIT)))
        if value and not _QUALIFIED.fullmatch(value):
            yield Cause(path, _invalid_value(value, _VALUE_WORDS))


def _invalid_value(value: str, words: str) -> str:
    return f"Invalid value: {json.dumps(value, ensure_ascii=False)}: {words}"


def _is_a(value: Any, wanted: type) -> bool:
    return isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
