"""Members of an engine: what their Pods run, and the devices that each of them claims.

A part of `specs`, which reads the whole. A command or arguments that are left out are None, and
empty ones are empty: the image's own are used for the one, and say nothing of the other.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.canonical_json import dumps
from machines.faults import Faults
from machines.pairs import Pairs
from machines.replicas.mounts import ENGINE
from machines.syntaxes import (
    DNS_LABEL,
    DNS_SUBDOMAIN,
    LABEL_VALUE,
    Syntax,
    image_refusal,
    label_key_refusal,
)

STANDALONE, LEADER, WORKER = "Standalone", "Leader", "Worker"
ROLES = (STANDALONE, LEADER, WORKER)
MOST_NODES = 63  # of the workers of one gang
MOST_REQUESTS, MOST_DEVICES, MOST_SELECTORS, LONGEST_SELECTOR = 16, 64, 8, 10240
MOST_PAIRS, LONGEST_ANNOTATION = 32, 8192
RESERVED_PREFIX = "modelplane.ai/"  # of the keys of labels, which choose the Pods that serve
# What newer versions of Kubernetes take; an older one refuses some of these by itself.
VARIABLE = Syntax("the name of a variable", "[ -<>-~]+", 1024)

_SOURCES = {
    "secretKeyRef": ("name", "key"),
    "configMapKeyRef": ("name", "key"),
    "fieldRef": ("fieldPath",),
}
_MAY_STAND_BESIDE = {"secretKeyRef": "optional", "configMapKeyRef": "optional"}


class DeviceRequest(NamedTuple):
    """Devices of one class that each Pod of a member claims."""

    name: str
    device_class: str
    amount: int
    selectors: tuple[str, ...]  # CEL


class Member(NamedTuple):
    """The Pods of one role in an engine."""

    role: str
    node_pool: str
    devices: tuple[DeviceRequest, ...]
    worker_nodes: int  # how many Pods a gang has of them; 0 unless it is the Worker
    labels: Pairs
    annotations: Pairs
    image: str  # "" when there is no container: nothing can be made of that
    command: tuple[str, ...] | None
    args: tuple[str, ...] | None
    env: str  # canonical JSON of the list, in the order of the user
    pull_secrets: tuple[str, ...]


def read_member(faults: Faults, raw: dict[str, Any], path: str) -> Member:
    """Read one member; what is wrong with it is told to `faults`."""
    role = faults.text(raw.get("role"), f"{path}.role") or STANDALONE
    if role not in ROLES:
        faults.add(f"{path}.role", f"must be {', '.join(ROLES[:-1])} or {ROLES[-1]}")
    pool = given(faults, raw.get("nodePoolName"), f"{path}.nodePoolName")
    faults.unless_fine(f"{path}.nodePoolName", LABEL_VALUE.refusal(pool))
    devices = tuple(_devices(faults, raw.get("deviceRequests"), f"{path}.deviceRequests"))
    nodes = _nodes(faults, raw.get("worker"), f"{path}.worker", role)
    if raw.get("template") is None:
        faults.add(f"{path}.template", "must be given")
    template = faults.mapping(raw.get("template"), f"{path}.template")
    metadata = faults.mapping(template.get("metadata"), f"{path}.template.metadata")
    labels = _labels(faults, metadata.get("labels"), f"{path}.template.metadata.labels")
    field = f"{path}.template.metadata.annotations"
    annotations = _annotations(faults, metadata.get("annotations"), field)
    pod = faults.mapping(template.get("spec"), f"{path}.template.spec")
    if template.get("spec") is not None and pod.get("containers") in (None, []):
        faults.add(f"{path}.template.spec.containers", "must be one container")
    image, command, args, env = _container(faults, pod, f"{path}.template.spec.containers")
    secrets = _secrets(
        faults, pod.get("imagePullSecrets"), f"{path}.template.spec.imagePullSecrets"
    )
    return Member(
        role, pool, devices, nodes, labels, annotations, image, command, args, env, secrets
    )


def given(faults: Faults, value: Any, field: str) -> str:
    """Give a text that has to be there."""
    text = faults.text(value, field)
    if not text:
        faults.add(field, "must be given")
    return text


def _devices(faults: Faults, raw: Any, field: str) -> Iterator[DeviceRequest]:
    if isinstance(raw, list) and not raw:
        faults.add(field, "must not be empty: leave it out when there are none")
    names: set[str] = set()
    for path, request in faults.objects(raw, field, MOST_REQUESTS):
        name = faults.named(request.get("name"), f"{path}.name", DNS_LABEL)
        if name in names:
            faults.add(path, f"has the name of another request: {name}")
        names.add(name)
        device_class = request.get("deviceClassName")
        yield DeviceRequest(
            name,
            faults.named(device_class, f"{path}.deviceClassName", DNS_SUBDOMAIN),
            faults.number(request.get("count"), f"{path}.count", 1, 1, MOST_DEVICES),
            tuple(_selectors(faults, request.get("selectors"), f"{path}.selectors")),
        )


def _selectors(faults: Faults, raw: Any, field: str) -> Iterator[str]:
    for path, selector in faults.objects(raw, field, MOST_SELECTORS):
        expression = faults.text(selector.get("cel"), f"{path}.cel")
        if selector.get("cel") is None:
            faults.add(path, "must have cel")
        elif not expression:
            faults.add(f"{path}.cel", "must not be empty")
        if len(expression) > LONGEST_SELECTOR:
            faults.add(f"{path}.cel", f"must have at most {LONGEST_SELECTOR} characters")
        yield expression


def _nodes(faults: Faults, raw: Any, field: str, role: str) -> int:
    worker = faults.mapping(raw, field)
    if role != WORKER:
        if raw is not None:
            faults.add(field, f"must not be set: the member's role is {role}")
        return 0
    if raw is not None and worker.get("nodes") is None:
        faults.add(f"{field}.nodes", "must be given")
    return faults.number(worker.get("nodes"), f"{field}.nodes", 1, 1, MOST_NODES)


def _labels(faults: Faults, raw: Any, field: str) -> Pairs:
    pairs = tuple(_pairs(faults, raw, field))
    for key, value in pairs:
        place = f"{field}.{key}"
        if key.startswith(RESERVED_PREFIX):
            faults.add(place, f"must not begin with {RESERVED_PREFIX}")
        faults.unless_fine(place, label_key_refusal(key))
        faults.unless_fine(place, LABEL_VALUE.refusal(value))
    return pairs


def _annotations(faults: Faults, raw: Any, field: str) -> Pairs:
    pairs = tuple(_pairs(faults, raw, field))
    for key, value in pairs:
        # Kubernetes takes capital letters in the prefix of an annotation's key.
        faults.unless_fine(f"{field}.{key}", label_key_refusal(key.lower()))
        if len(value) > LONGEST_ANNOTATION:
            faults.add(f"{field}.{key}", f"must have at most {LONGEST_ANNOTATION} characters")
    return pairs


def _pairs(faults: Faults, raw: Any, field: str) -> Iterator[tuple[str, str]]:
    given = {key: value for key, value in faults.mapping(raw, field).items() if value is not None}
    if len(given) > MOST_PAIRS:
        faults.add(field, f"must have at most {MOST_PAIRS} entries, and has {len(given)}")
    for key in sorted(given):
        yield key, faults.text(given[key], f"{field}.{key}")


def _secrets(faults: Faults, raw: Any, field: str) -> tuple[str, ...]:
    """Give the names of pull secrets, each once: one list cannot have it twice."""
    entries = list(faults.objects(raw, field))
    names = [given(faults, entry.get("name"), f"{path}.name") for path, entry in entries]
    return tuple(dict.fromkeys(names))


_Container = tuple[str, tuple[str, ...] | None, tuple[str, ...] | None, str]


def _container(faults: Faults, pod: dict[str, Any], field: str) -> _Container:
    containers = list(faults.objects(pod.get("containers"), field))
    if len(containers) > 1:
        faults.add(field, f"must be one container, and has {len(containers)}")
    for path, container in containers[:1]:
        if container.get("name") != ENGINE:
            faults.add(f"{path}.name", f"must be {ENGINE}")
        image = faults.text(container.get("image"), f"{path}.image")
        faults.unless_fine(f"{path}.image", image_refusal(image))
        command = _texts(faults, container.get("command"), f"{path}.command")
        args = _texts(faults, container.get("args"), f"{path}.args")
        env = list(_variables(faults, container.get("env"), f"{path}.env"))
        return image, command, args, dumps(env)
    return "", None, None, dumps([])


def _texts(faults: Faults, raw: Any, field: str) -> tuple[str, ...] | None:
    return None if raw is None else faults.texts(raw, field)


def _variables(faults: Faults, raw: Any, field: str) -> Iterator[dict[str, Any]]:
    for path, entry in faults.objects(raw, field):
        variable = _without_nulls(entry)
        faults.named(variable.get("name"), f"{path}.name", VARIABLE)
        value = faults.text(variable.get("value"), f"{path}.value")
        _only(faults, variable, path, ("name", "value", "valueFrom"))
        if "valueFrom" in variable:
            if value:
                faults.add(path, "must not have both value and valueFrom")
            _check_source(faults, variable["valueFrom"], f"{path}.valueFrom")
        yield variable


def _check_source(faults: Faults, raw: Any, path: str) -> None:
    source = faults.mapping(raw, path)
    if len(source) != 1 or not source.keys() <= _SOURCES.keys():
        faults.add(path, f"must have exactly one of {', '.join(_SOURCES)}")
        return
    for kind, reference in source.items():
        place = f"{path}.{kind}"
        fields = faults.mapping(reference, place)
        for name in _SOURCES[kind]:
            given(faults, fields.get(name), f"{place}.{name}")
        beside = _MAY_STAND_BESIDE.get(kind, "apiVersion")
        _only(faults, fields, place, (*_SOURCES[kind], beside))
        if beside == "optional" and not isinstance(fields.get(beside), bool | None):
            faults.add(f"{place}.{beside}", "must be true or false")
        elif beside != "optional":
            faults.text(fields.get(beside), f"{place}.{beside}")


def _only(faults: Faults, whole: dict[str, Any], path: str, allowed: tuple[str, ...]) -> None:
    for key in whole:
        if key not in allowed:
            faults.add(f"{path}.{key}", f"is none of {', '.join(allowed)}")


def _without_nulls(value: Any) -> Any:
    """A field that holds null counts as left out, as it does for the API server."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in value.items() if each is not None}
    return value
