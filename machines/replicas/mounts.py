"""The mount that an engine is given, as a plain record: read strictly, found again in what runs.

A mount reaches an engine out of a status. Whoever can write that status could otherwise put any
volume, and any Secret, into every engine; so `read_mount` takes claims and plain values alone, and
refuses whatever it does not know. `mount_in` is the way back: the mount that a Pod was given.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from engine.canonical_json import loads
from machines.caches.mounts import VOLUME
from machines.faults import Fault, Faults
from machines.syntaxes import DNS_LABEL, DNS_SUBDOMAIN, Syntax

SHARED_MEMORY, SHARED_MEMORY_PATH = "dshm", "/dev/shm"  # noqa: S108 -- a path in the engine's Pod
ENGINE = "engine"  # the container
CACHE_VARIABLE = "HF_HUB_CACHE"

MOST_PARTS = 8  # of each kind
VARIABLE = Syntax("the name of a variable", "[-._A-Za-z][-._A-Za-z0-9]*", 253)
_STEP = r"(?!\.{1,2}(/|$))[^/:\x00-\x1f\x7f]+"
MOUNT_PATH = Syntax("an absolute path without ':' or dots for steps", f"(/{_STEP})+", 1024)
SUB_PATH = Syntax("a relative path without ':' or dots for steps", f"({_STEP}(/{_STEP})*)?", 1024)
MOST_VALUE = 4096
_SHOWN_KEY = 64

_PARTS = ("volumes", "volumeMounts", "env")
_VOLUME = ("name", "persistentVolumeClaim")
_CLAIM = ("claimName", "readOnly")
_MOUNT = ("name", "mountPath", "subPath", "readOnly")
_ENV = ("name", "value")


class MountRefused(ValueError):
    """A mount that is more than claims and plain values; the words name the path."""

    def __init__(self, fault: Fault) -> None:
        """Say which field it is, and what is allowed there."""
        super().__init__(str(fault))
        self.fault = fault


class VolumePart(NamedTuple):
    """A volume of the engine's Pod: always a claim."""

    name: str
    claim_name: str
    read_only: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the volume as a Pod has it."""
        claim: dict[str, Any] = {"claimName": self.claim_name}
        if self.read_only:
            claim["readOnly"] = True
        return {"name": self.name, "persistentVolumeClaim": claim}


class MountPart(NamedTuple):
    """Where the engine's container finds a volume."""

    name: str
    mount_path: str
    sub_path: str = ""
    read_only: bool = False

    def to_json(self) -> dict[str, Any]:
        """Give the volume's mount as a container has it."""
        body: dict[str, Any] = {"name": self.name, "mountPath": self.mount_path}
        if self.sub_path:
            body["subPath"] = self.sub_path
        if self.read_only:
            body["readOnly"] = True
        return body


class EnvPart(NamedTuple):
    """A variable with a plain value."""

    name: str
    value: str

    def to_json(self) -> dict[str, Any]:
        """Give the variable as a container has it."""
        return {"name": self.name, "value": self.value}


class Mount(NamedTuple):
    """What an engine's Pod is given to find its model; nothing of it is read for its meaning."""

    volumes: tuple[VolumePart, ...] = ()
    volume_mounts: tuple[MountPart, ...] = ()
    env: tuple[EnvPart, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether it gives nothing at all."""
        return not (self.volumes or self.volume_mounts or self.env)

    @property
    def claim_name(self) -> str:
        """The claim that it is about, or "" when there is none."""
        return self.volumes[0].claim_name if self.volumes else ""

    def to_json(self) -> dict[str, Any]:
        """Give it as it is published: what is not there has no key."""
        parts: tuple[Iterable[VolumePart | MountPart | EnvPart], ...] = self
        bodies = ([part.to_json() for part in kind] for kind in parts)
        return {name: body for name, body in zip(_PARTS, bodies, strict=True) if body}


NO_MOUNT = Mount()


def read_mount(raw: Any) -> Mount:
    """Read a mount out of a status; none is the empty one. Raises MountRefused.

    For what comes from outside as well as for what was once written by ourselves: who could change
    the one can change the other.
    """
    faults = Faults()
    whole = faults.mapping(raw, "mount")
    _only(faults, whole, "", _PARTS)
    volumes = tuple(_volumes(faults, whole.get("volumes")))
    names = frozenset(volume.name for volume in volumes)
    mounts = tuple(_mounts(faults, whole.get("volumeMounts"), names))
    mount = Mount(volumes, mounts, tuple(_variables(faults, whole.get("env"))))
    for fault in faults.found():
        raise MountRefused(fault)
    return mount


@lru_cache(maxsize=4096)
def mount_of(text: str) -> Mount:
    """Read a mount that the log holds as text; "" is none. Raises MountRefused."""
    return read_mount(loads(text)) if text else NO_MOUNT


def mount_in(pod_spec: Any) -> Mount:
    """Find the mount in the spec of an engine's Pod; the empty one when none is plainly there.

    The variable counts as the mount's while it points into it: any other value is the user's own,
    who gets it from the replica's spec and not from here.
    """
    try:
        raw = _raw_mount_in(pod_spec)
        found = read_mount(raw)
    except (MountRefused, LookupError, TypeError, AttributeError):
        return NO_MOUNT
    whole = len(found.volumes) == 1 and found.volume_mounts
    return found if whole else NO_MOUNT


def _raw_mount_in(pod_spec: Any) -> dict[str, Any]:
    container = _engine_of(pod_spec["containers"])
    mounts = [each for each in container.get("volumeMounts") or () if each["name"] == VOLUME]
    paths = [mount["mountPath"] for mount in mounts]
    variables = [each for each in container.get("env") or () if each["name"] == CACHE_VARIABLE]
    ours = [variable for variable in variables if _points_into(variable.get("value"), paths)]
    return {
        "volumes": [each for each in pod_spec.get("volumes") or () if each["name"] == VOLUME],
        "volumeMounts": mounts,
        "env": ours[:1],
    }


def _engine_of(containers: Any) -> Any:
    return next((each for each in containers if each["name"] == ENGINE), containers[0])


def _points_into(value: Any, paths: list[str]) -> bool:
    return isinstance(value, str) and any(f"{value}/".startswith(f"{path}/") for path in paths)


def _volumes(faults: Faults, raw: Any) -> Iterable[VolumePart]:
    names: set[str] = set()
    for path, volume in faults.objects(raw, "volumes", MOST_PARTS):
        _only(faults, volume, path, _VOLUME)
        name = faults.named(volume.get("name"), f"{path}.name", DNS_LABEL)
        if name == SHARED_MEMORY:
            faults.add(f"{path}.name", f"must not be {name}: the engine has a volume of that name")
        _once(faults, f"{path}.name", name, names)
        place = f"{path}.persistentVolumeClaim"
        claim = faults.mapping(volume.get("persistentVolumeClaim"), place)
        if volume.get("persistentVolumeClaim") is None:
            faults.add(place, "must be given: no other kind of volume is allowed")
        _only(faults, claim, place, _CLAIM)
        claim_name = faults.named(claim.get("claimName"), f"{place}.claimName", DNS_SUBDOMAIN)
        yield VolumePart(name, claim_name, _flag(faults, claim, f"{place}.readOnly"))


def _mounts(faults: Faults, raw: Any, volumes: frozenset[str]) -> Iterable[MountPart]:
    paths = {SHARED_MEMORY_PATH}
    for path, mount in faults.objects(raw, "volumeMounts", MOST_PARTS):
        _only(faults, mount, path, _MOUNT)
        name = faults.named(mount.get("name"), f"{path}.name", DNS_LABEL)
        if name not in volumes:
            faults.add(f"{path}.name", f"is none of the mount's own volumes: {name}")
        mount_path = faults.named(mount.get("mountPath"), f"{path}.mountPath", MOUNT_PATH)
        _once(faults, f"{path}.mountPath", mount_path, paths)
        sub_path = faults.named(mount.get("subPath"), f"{path}.subPath", SUB_PATH)
        read_only = _flag(faults, mount, f"{path}.readOnly")
        yield MountPart(name, mount_path, sub_path, read_only)


def _variables(faults: Faults, raw: Any) -> Iterable[EnvPart]:
    names: set[str] = set()
    for path, variable in faults.objects(raw, "env", MOST_PARTS):
        _only(faults, variable, path, _ENV)
        name = faults.named(variable.get("name"), f"{path}.name", VARIABLE)
        _once(faults, f"{path}.name", name, names)
        value = faults.text(variable.get("value"), f"{path}.value")
        if len(value) > MOST_VALUE:
            faults.add(f"{path}.value", f"must have at most {MOST_VALUE} characters")
        yield EnvPart(name, value)


def _only(faults: Faults, whole: dict[str, Any], path: str, allowed: tuple[str, ...]) -> None:
    for key in whole:
        if key not in allowed:
            field = f"{path}.{key[:_SHOWN_KEY]}".removeprefix(".")
            faults.add(field, f"is not allowed: there may be {' and '.join(allowed)} alone")


def _once(faults: Faults, field: str, value: str, seen: set[str]) -> None:
    if value and value in seen:
        faults.add(field, f"stands there already: {value}")
    seen.add(value)


def _flag(faults: Faults, whole: dict[str, Any], field: str) -> bool:
    value = whole.get("readOnly")
    if not isinstance(value, bool | None):
        faults.add(field, "must be true or false")
    return value is True
