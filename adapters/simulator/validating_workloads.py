"""What is invalid in Deployments, Services and ResourceClaimTemplates."""

import json
from collections.abc import Iterator

from adapters.simulator.answers import Cause
from adapters.simulator.formats import invalid_label_name, invalid_labels, invalid_value
from adapters.simulator.resources import CLAIM_TEMPLATE, DEPLOYMENT, SERVICE, Resource
from adapters.simulator.storage import Manifest
from adapters.simulator.validating_jobs import invalid_pod_spec

_REQUIRED = "FieldValueRequired"
_LABEL_LIMIT = 63
_HIGHEST_PORT = 65535


def invalid_workload(resource: Resource, item: Manifest) -> Iterator[Cause]:
    """Say what is wrong with an object, new or changed, defaults applied."""
    if resource is DEPLOYMENT:
        yield from _invalid_deployment(item["spec"])
    elif resource is SERVICE:
        yield from _invalid_service_name(item["metadata"]["name"])
        yield from invalid_labels(item["spec"].get("selector") or {}, "spec.selector")
        yield from _invalid_ports(item["spec"]["ports"])
    elif resource is CLAIM_TEMPLATE:
        yield from _invalid_claim_template(item.get("spec") or {})


def invalid_workload_update(
    resource: Resource, current: Manifest, wanted: Manifest
) -> Iterator[Cause]:
    """Say what of a changed object may not be so, or not change to this."""
    yield from invalid_workload(resource, wanted)
    if resource is DEPLOYMENT:
        old, new = (item["spec"].get("selector") for item in (current, wanted))
        if old != new:
            yield _immutable("spec.selector", new)
    elif resource is CLAIM_TEMPLATE and current.get("spec") != wanted.get("spec"):
        yield _immutable("spec", wanted.get("spec"))


def _immutable(path: str, value: object) -> Cause:
    return Cause(path, f"Invalid value: {json.dumps(value)}: field is immutable")


def _invalid_deployment(spec: Manifest) -> Iterator[Cause]:
    if spec["replicas"] < 0:
        words = f"Invalid value: {spec['replicas']}: must be greater than or equal to 0"
        yield Cause("spec.replicas", words)
    template = spec["template"]
    labels = template["metadata"].get("labels") or {}
    selector = spec.get("selector")
    if selector is None:
        yield Cause("spec.selector", "Required value", _REQUIRED)
    wanted = (selector or {}).get("matchLabels") or {}
    if selector is not None and not wanted and not selector.get("matchExpressions"):
        words = "Invalid value: {}: empty selector is invalid for deployment"
        yield Cause("spec.selector", words)
    if not wanted.items() <= labels.items() or selector is None:
        words = "`selector` does not match template `labels`"
        yield Cause(
            "spec.template.metadata.labels", f"Invalid value: {json.dumps(labels)}: {words}"
        )
    yield from invalid_pod_spec(template["spec"], "spec.template.spec")
    policy = template["spec"]["restartPolicy"]
    if policy != "Always":
        words = f'Unsupported value: "{policy}": supported values: "Always"'
        yield Cause("spec.template.spec.restartPolicy", words, "FieldValueNotSupported")


def _invalid_service_name(name: str) -> Iterator[Cause]:
    """A Service has a name in DNS: one label."""
    if "." in name:
        yield Cause("metadata.name", invalid_value(name, "must not contain dots"))
    if len(name) > _LABEL_LIMIT:
        words = f"must be no more than {_LABEL_LIMIT} characters"
        yield Cause("metadata.name", invalid_value(name, words))


def _invalid_ports(ports: list[Manifest]) -> Iterator[Cause]:
    if not ports:
        yield Cause("spec.ports", "Required value", _REQUIRED)
    seen = set()
    for index, port in enumerate(ports):
        where = f"spec.ports[{index}]"
        if port.get("name"):
            yield from invalid_label_name(port["name"], f"{where}.name")
        elif len(ports) > 1:
            yield Cause(f"{where}.name", "Required value", _REQUIRED)
        if not 1 <= port.get("port", 0) <= _HIGHEST_PORT:
            words = f"Invalid value: {port.get('port', 0)}: must be between 1 and 65535, inclusive"
            yield Cause(f"{where}.port", words)
        target = port.get("targetPort")
        if isinstance(target, int) and not 1 <= target <= _HIGHEST_PORT:
            words = f"Invalid value: {target}: must be between 1 and 65535, inclusive"
            yield Cause(f"{where}.targetPort", words)
        key = port.get("protocol"), port.get("port")
        if key in seen:
            words = f'Duplicate value: {{"protocol":"{key[0]}","port":{key[1]}}}'
            yield Cause(where, words, "FieldValueDuplicate")
        seen.add(key)


def _invalid_claim_template(spec: Manifest) -> Iterator[Cause]:
    devices = (spec.get("spec") or {}).get("devices") or {}
    for index, request in enumerate(devices.get("requests") or ()):
        where = f"spec.spec.devices.requests[{index}]"
        yield from invalid_label_name(request.get("name") or "", f"{where}.name")
        if not request.get("exactly") and not request.get("firstAvailable"):
            words = "Required value: exactly one of `exactly` or `firstAvailable` is required"
            yield Cause(where, words, _REQUIRED)
        exactly = request.get("exactly")
        if exactly and not exactly.get("deviceClassName"):
            yield Cause(f"{where}.exactly.deviceClassName", "Required value", _REQUIRED)
