"""Checking spec.custom: fragments of a Pod, which go into the Job untouched.

Only what makes a Job certain to be refused, or never to end, is a fault. Everything else is for the
API server of the day to judge: a field that nobody knows yet passes.
"""

from collections.abc import Iterator
from typing import Any

from machines.checking_images import check_pull_policy, checked_secrets
from machines.checking_mounts import check_mounts
from machines.faults import Faults
from machines.fragments import (
    CONTAINER_FIELDS,
    FLAG,
    NOT_IN_INIT_CONTAINERS,
    OBJECT,
    OBJECTS,
    TEXT,
    TEXTS,
    VOLUME_SOURCES,
)
from machines.spec_parts import MAX_ENTRIES
from machines.syntaxes import DNS_LABEL, image_refusal

FIELD = "spec.custom"
CONTAINERS = f"{FIELD}.containers"
_VOLUMES = f"{FIELD}.volumes"


def checked_custom(faults: Faults, raw: Any, image_count: int) -> dict[str, Any] | None:
    """Give the fragments as they stand, or None when there are none."""
    custom = faults.mapping(raw, FIELD)
    volumes = _declared(custom.get("volumes"))
    names = {f"image-{index}": "a container of imagePreload.images" for index in range(image_count)}
    for kind in ("initContainers", "containers"):
        for path, container in faults.objects(custom.get(kind), f"{FIELD}.{kind}", MAX_ENTRIES):
            _check_name(faults, container, path, names)
            _check_container(faults, container, path)
            if kind == "initContainers":
                _check_init_container(faults, container, path)
            check_mounts(faults, container, path, volumes)
    _check_volumes(faults, custom.get("volumes"))
    checked_secrets(faults, custom.get("imagePullSecrets"), f"{FIELD}.imagePullSecrets")
    return custom if any(custom.values()) else None


def _declared(volumes: Any) -> frozenset[str] | None:
    """Give the names of all volumes; None when there is no telling."""
    if volumes is None:
        return frozenset()
    if not isinstance(volumes, list):
        return None
    names = [volume.get("name") for volume in volumes if isinstance(volume, dict)]
    return frozenset(name for name in names if isinstance(name, str))


def _check_name(
    faults: Faults, container: dict[str, Any], path: str, users: dict[str, str]
) -> None:
    """Check a name that no other container of the Pod may have; `users` says who has which."""
    name = faults.named(container.get("name"), f"{path}.name", DNS_LABEL)
    if name in users:
        faults.add(f"{path}.name", f"is the name of {users[name]} as well: {name}")
    elif name:
        users[name] = path


def _check_container(faults: Faults, container: dict[str, Any], path: str) -> None:
    image = faults.text(container.get("image"), f"{path}.image")
    faults.unless_fine(f"{path}.image", image_refusal(image))
    check_pull_policy(faults, container.get("imagePullPolicy"), f"{path}.imagePullPolicy")
    if container.get("restartPolicy") is not None:
        faults.add(f"{path}.restartPolicy", "must not be set: a warmup's containers have to end")
    for name, kind in CONTAINER_FIELDS.items():
        _check_type(faults, container.get(name), f"{path}.{name}", kind)


def _check_init_container(faults: Faults, container: dict[str, Any], path: str) -> None:
    for name in NOT_IN_INIT_CONTAINERS:
        if container.get(name) is not None:
            faults.add(f"{path}.{name}", "must not be set for an init container")


def _check_type(faults: Faults, value: Any, field: str, kind: str) -> None:
    """Check the type of a field that Kubernetes has and that may be left out."""
    if kind == TEXTS:
        faults.texts(value, field)
    elif kind == OBJECTS:
        for _ in faults.objects(value, field):
            pass
    elif kind == OBJECT:
        faults.mapping(value, field)
    elif kind == TEXT:
        faults.text(value, field)
    elif kind == FLAG and not isinstance(value, bool | None):
        faults.add(field, "must be true or false")


def _check_volumes(faults: Faults, raw: Any) -> None:
    names: set[str] = set()
    for path, volume in faults.objects(raw, _VOLUMES, MAX_ENTRIES):
        name = faults.named(volume.get("name"), f"{path}.name", DNS_LABEL)
        if name in names:
            faults.add(f"{path}.name", f"is the name of another volume as well: {name}")
        names.add(name)
        sources = list(_sources(volume))
        if len(sources) != 1:
            given = ", ".join(sorted(sources)) or "none"
            faults.add(path, f"must have exactly one source, and has {given}")
        for source in sources:
            faults.mapping(volume[source], f"{path}.{source}")
            if volume[source] is None:
                faults.add(f"{path}.{source}", "must be an object")


def _sources(volume: dict[str, Any]) -> Iterator[str]:
    """Give every field but the name: Kubernetes has none that is not a source."""
    for field, value in volume.items():
        left_out = value is None and field in VOLUME_SOURCES
        if field != "name" and not left_out:
            yield field
