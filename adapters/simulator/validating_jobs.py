"""What is invalid in a Job, in its Pods' template, and in the status of a Job."""

import json
from collections.abc import Iterable, Iterator

from adapters.simulator.answers import Cause
from adapters.simulator.formats import invalid_label_name, invalid_labels, invalid_value
from adapters.simulator.storage import Manifest

_REQUIRED = "FieldValueRequired"
_NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
)
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_IMMUTABLE = ("selector", "template", "completionMode", "podFailurePolicy", "managedBy")
_INTERIM_BY_FINAL = {"Complete": "SuccessCriteriaMet", "Failed": "FailureTarget"}


def invalid_job(job: Manifest) -> Iterator[Cause]:
    """Say what is wrong with a new Job, defaults applied."""
    spec = job["spec"]
    template = spec["template"]
    yield from _negative_numbers(spec)
    # The Job's name is a value of the labels that its Pods get.
    yield from invalid_labels(template["metadata"]["labels"], "spec.template.labels")
    yield from invalid_pod_spec(template["spec"], "spec.template.spec")
    policy = template["spec"]["restartPolicy"]
    path = "spec.template.spec.restartPolicy"
    if policy == "Always":
        words = 'Required value: valid values: "OnFailure", "Never"'
        yield Cause(path, words, _REQUIRED)
    elif spec.get("podFailurePolicy") and policy != "Never":
        words = 'only "Never" is supported when podFailurePolicy is specified'
        yield Cause(path, invalid_value(policy, words))


def invalid_job_update(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    """Say what of a Job may not change, or not to this."""
    old, new = current["spec"], wanted.get("spec") or {}
    for field in _IMMUTABLE:
        if old.get(field) != new.get(field):
            shown = json.dumps(new.get(field))
            yield Cause(f"spec.{field}", f"Invalid value: {shown}: field is immutable")
    if not new.get("selector"):
        yield Cause("spec.selector", "Required value", _REQUIRED)
        words = "Invalid value: `selector` does not match template `labels`"
        yield Cause("spec.template.metadata.labels", words)
    yield from _negative_numbers(new)


def invalid_pod_spec(spec: Manifest, path: str) -> Iterator[Cause]:
    """Say what is wrong with the spec of a Pod."""
    yield from _invalid_volumes(spec.get("volumes") or (), f"{path}.volumes")
    volumes = {volume.get("name") for volume in spec.get("volumes") or ()}
    if not spec.get("containers"):
        yield Cause(f"{path}.containers", "Required value", _REQUIRED)
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
                    words = f'Not found: "{mount.get("name")}"'
                    field = f"{where}.volumeMounts[{number}].name"
                    yield Cause(field, words, "FieldValueNotFound")


def _invalid_volumes(volumes: Iterable[Manifest], path: str) -> Iterator[Cause]:
    seen: set[str] = set()
    for index, volume in enumerate(volumes):
        name, where = volume.get("name") or "", f"{path}[{index}].name"
        yield from invalid_label_name(name, where)
        if name in seen:
            yield Cause(where, f'Duplicate value: "{name}"', "FieldValueDuplicate")
        seen.add(name)


def invalid_job_status(current: Manifest, wanted: Manifest) -> Iterator[Cause]:
    """Hold whoever writes a Job's status to the order in which a Job ends."""
    before, now, status = _true_conditions(current), _true_conditions(wanted), wanted["status"]
    for final, interim in _INTERIM_BY_FINAL.items():
        if final in now and interim not in now:
            words = f"cannot set {final}=True condition without the {interim}=true condition"
            yield Cause("status.conditions", f"Invalid value: {words}")
    if now >= _INTERIM_BY_FINAL.keys():
        words = "cannot set Complete=True and Failed=true conditions"
        yield Cause("status.conditions", f"Invalid value: {words}")
    for kind in sorted((before - now) & {"Failed", "Complete", "FailureTarget"}):
        words = f"Invalid value: cannot disable the terminal {kind}=True condition"
        yield Cause("status.conditions", words)
    if "Complete" in now and not status.get("completionTime"):
        words = "Required value: completionTime is required for Complete jobs"
        yield Cause("status.completionTime", words, _REQUIRED)
    if status.get("completionTime") and "Complete" not in now:
        words = "cannot set completionTime when there is no Complete=True condition"
        yield Cause("status.completionTime", invalid_value(status["completionTime"], words))
    if not now & _INTERIM_BY_FINAL.keys():
        return
    active = status.get("active", 0)
    if active > 0:
        words = f"Invalid value: {active}: active>0 is invalid for finished job"
        yield Cause("status.active", words)
    if not status.get("startTime"):
        words = "Required value: startTime is required for finished job"
        yield Cause("status.startTime", words, _REQUIRED)


def _true_conditions(item: Manifest) -> set[str]:
    conditions: Iterable[Manifest] = (item.get("status") or {}).get("conditions") or ()
    return {condition["type"] for condition in conditions if condition["status"] == "True"}


def _negative_numbers(spec: Manifest) -> Iterator[Cause]:
    for field in _NUMBERS:
        value = spec.get(field)
        if value is not None and value < 0:
            words = f"Invalid value: {value}: must be greater than or equal to 0"
            yield Cause(f"spec.{field}", words)


def _invalid_container(container: Manifest, where: str) -> Iterator[Cause]:
    yield from invalid_label_name(container.get("name") or "", f"{where}.name")
    if not container.get("image"):
        yield Cause(f"{where}.image", "Required value", _REQUIRED)
    for probe in _PROBES:
        get = (container.get(probe) or {}).get("httpGet")
        if get is not None and not get.get("port"):
            words = "Invalid value: 0: must be between 1 and 65535, inclusive"
            yield Cause(f"{where}.{probe}.httpGet.port", words)
    pull = container.get("imagePullPolicy")
    if pull not in {"Always", "IfNotPresent", "Never"}:
        words = f'Unsupported value: "{pull}": supported values: "Always", "IfNotPresent", "Never"'
        yield Cause(f"{where}.imagePullPolicy", words, "FieldValueNotSupported")
