"""A ModelWarmup's spec, read: what the user asked for, with the effective defaults.

`parse` takes the stored spec as it stands and never raises: what admission let through but cannot
work comes back as faults, each naming its field. Defaults and bounds are those of AIBrix's public
API (model.aibrix.ai/v1alpha1); defaults are applied here and never written into the object.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

DEFAULT_PARALLELISM = 8
DEFAULT_TIMEOUT_SECONDS = 1800
DEFAULT_RETRY_LIMIT = 2
DEFAULT_TTL_SECONDS = 3600
MAX_TARGETS = 1000
CAPPED_RETRY_LIMIT = 20
CAPPED_TIMEOUT_SECONDS = 30 * 24 * 3600
PULL_POLICIES = ("", "Always", "IfNotPresent", "Never")
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")


# What could be one, whatever else it holds: it stands in statuses, which have to stay small.
_NODE_NAME = re.compile(r"[!-.0-~]{1,253}")


class Requirement(NamedTuple):
    """One term of a label selector."""

    key: str
    operator: str
    values: tuple[str, ...] = ()


class TargetEntry(NamedTuple):
    """One entry of spec.targets: names, or the terms of a selector."""

    names: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()


class Image(NamedTuple):
    """One image to pull, and the finite command that shows it was."""

    image: str
    command: tuple[str, ...]
    args: tuple[str, ...] = ()
    pull_policy: str = "IfNotPresent"


class WarmupSpec(NamedTuple):
    """A spec that can work."""

    targets: tuple[TargetEntry, ...]
    images: tuple[Image, ...]
    pull_secrets: tuple[str, ...]
    custom: Any  # raw JSON of spec.custom, or None when absent or empty
    parallelism: int
    timeout_seconds: int
    retry_limit: int
    ttl_seconds: int
    capped: tuple[str, ...] = ()  # policies that were cut to their cap when used


class Fault(NamedTuple):
    """Why a spec cannot work: the path of the field, and what is wrong with it."""

    field: str
    words: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.field}: {self.words}"


class Parsed(NamedTuple):
    """A spec that can work, or why it cannot."""

    spec: WarmupSpec | None
    faults: tuple[Fault, ...]


class _Reader:
    """Walks raw JSON, collecting faults instead of raising."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._faulty: set[str] = set()

    def fault(self, field: str, words: str) -> None:
        """Note what is wrong with a field, once: what follows from the first fault is no other."""
        if field not in self._faulty:
            self._faulty.add(field)
            self.faults.append(Fault(field, words))

    def mapping(self, value: Any, field: str) -> dict[str, Any]:
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.fault(field, "must be an object")
        return {}

    def items(self, value: Any, field: str) -> Iterator[tuple[str, Any]]:
        if value is None:
            return
        if not isinstance(value, list):
            self.fault(field, "must be a list")
            return
        for index, item in enumerate(value):
            yield f"{field}[{index}]", item

    def text(self, value: Any, field: str) -> str:
        if isinstance(value, str):
            return value
        self.fault(field, "must be a string")
        return ""

    def texts(self, value: Any, field: str) -> tuple[str, ...]:
        return tuple(self.text(item, path) for path, item in self.items(value, field))

    def number(self, value: Any, field: str, default: int, least: int) -> int:
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            self.fault(field, "must be a whole number")
            return default
        if value < least:
            self.fault(field, f"must be at least {least}")
            return default
        return value


def parse(raw: Any) -> Parsed:
    """Read a stored spec; every fault at once, in the order of the fields."""
    reader = _Reader()
    spec = reader.mapping(raw, "spec")
    if spec.get("mode") not in (None, "", "Once"):
        reader.fault("spec.mode", 'must be "Once"')
    targets = tuple(_targets(reader, spec.get("targets")))
    preload = reader.mapping(spec.get("imagePreload"), "spec.imagePreload")
    images = tuple(_images(reader, preload.get("images")))
    secrets = tuple(_secrets(reader, preload.get("pullSecrets")))
    custom = _custom(reader, spec.get("custom"))
    if not images and not (custom or {}).get("containers"):
        reader.fault("spec", "needs imagePreload.images or custom.containers")
    policies = _policies(reader, spec.get("policies"))
    if reader.faults:
        return Parsed(None, tuple(reader.faults))
    return Parsed(WarmupSpec(targets, images, secrets, custom, *policies), ())


def _targets(reader: _Reader, raw: Any) -> Iterator[TargetEntry]:
    count = 0
    for path, entry in reader.items(raw, "spec.targets"):
        count += 1
        yield _target(reader, path, reader.mapping(entry, path))
    if not count:
        reader.fault("spec.targets", "must have at least one entry")


def _target(reader: _Reader, path: str, entry: dict[str, Any]) -> TargetEntry:
    nodes, selector = entry.get("nodes"), entry.get("nodeSelector")
    if (nodes is None) == (selector is None):
        reader.fault(path, "must have exactly one of nodes and nodeSelector")
        return TargetEntry()
    if nodes is not None:
        field = f"{path}.nodes.names"
        names = reader.texts(reader.mapping(nodes, f"{path}.nodes").get("names"), field)
        if not names:
            reader.fault(field, "must name at least one node")
        for index, name in enumerate(names):
            if not _NODE_NAME.fullmatch(name):
                reader.fault(f"{field}[{index}]", "is not a node's name")
        return TargetEntry(names=names)
    requirements = tuple(_requirements(reader, selector, f"{path}.nodeSelector"))
    if not requirements:
        reader.fault(f"{path}.nodeSelector", "must not be empty: it would select every node")
    return TargetEntry(requirements=requirements)


def _requirements(reader: _Reader, raw: Any, path: str) -> Iterator[Requirement]:
    selector = reader.mapping(raw, path)
    labels = reader.mapping(selector.get("matchLabels"), f"{path}.matchLabels")
    for key in sorted(labels):
        yield Requirement(key, "In", (reader.text(labels[key], f"{path}.matchLabels.{key}"),))
    for field, raw_term in reader.items(
        selector.get("matchExpressions"), f"{path}.matchExpressions"
    ):
        term = reader.mapping(raw_term, field)
        key = reader.text(term.get("key", ""), f"{field}.key")
        operator = reader.text(term.get("operator", ""), f"{field}.operator")
        values = reader.texts(term.get("values"), f"{field}.values")
        if not key:
            reader.fault(f"{field}.key", "must not be empty")
        if operator not in OPERATORS:
            reader.fault(f"{field}.operator", f"must be one of {', '.join(OPERATORS)}")
        elif (operator in ("In", "NotIn")) != bool(values):
            reader.fault(f"{field}.values", f"do not go with operator {operator}")
        yield Requirement(key, operator, values)


def _images(reader: _Reader, raw: Any) -> Iterator[Image]:
    seen: set[str] = set()
    for path, raw_image in reader.items(raw, "spec.imagePreload.images"):
        entry = reader.mapping(raw_image, path)
        image = reader.text(entry.get("image", ""), f"{path}.image")
        if not image.strip():
            reader.fault(f"{path}.image", "must not be empty")
        elif image in seen:
            reader.fault(f"{path}.image", f"stands twice: {image}")
        seen.add(image)
        command = reader.texts(entry.get("command"), f"{path}.command")
        if not command:
            reader.fault(f"{path}.command", "must have at least one element")
        policy = reader.text(entry.get("imagePullPolicy", ""), f"{path}.imagePullPolicy")
        if policy not in PULL_POLICIES:
            reader.fault(f"{path}.imagePullPolicy", "must be Always, IfNotPresent or Never")
        args = reader.texts(entry.get("args"), f"{path}.args")
        yield Image(image, command, args, policy or "IfNotPresent")


def _secrets(reader: _Reader, raw: Any) -> Iterator[str]:
    for path, entry in reader.items(raw, "spec.imagePreload.pullSecrets"):
        name = reader.text(reader.mapping(entry, path).get("name", ""), f"{path}.name")
        if name.strip():
            yield name
        else:
            reader.fault(f"{path}.name", "must not be empty")


def _custom(reader: _Reader, raw: Any) -> dict[str, Any] | None:
    """Check the shape of the Pod fragments; what they say is for the API server to judge."""
    custom = reader.mapping(raw, "spec.custom")
    for field in ("initContainers", "containers", "volumes", "imagePullSecrets"):
        for path, item in reader.items(custom.get(field), f"spec.custom.{field}"):
            if not isinstance(item, dict):
                reader.fault(path, "must be an object")
            elif field == "imagePullSecrets" and not reader.text(
                item.get("name", ""), f"{path}.name"
            ):
                reader.fault(f"{path}.name", "must not be empty")
    return custom or None


def _policies(reader: _Reader, raw: Any) -> tuple[int, int, int, int, tuple[str, ...]]:
    policies = reader.mapping(raw, "spec.policies")
    capped: list[str] = []

    def policy(name: str, default: int, least: int, cap: int | None = None) -> int:
        value = reader.number(policies.get(name), f"spec.policies.{name}", default, least)
        if cap is not None and value > cap:
            capped.append(f"{name} {value} is used as {cap}")
            return cap
        return value

    return (
        policy("parallelism", DEFAULT_PARALLELISM, 1),
        policy("jobTimeoutSeconds", DEFAULT_TIMEOUT_SECONDS, 1, CAPPED_TIMEOUT_SECONDS),
        policy("retryLimit", DEFAULT_RETRY_LIMIT, 0, CAPPED_RETRY_LIMIT),
        policy("ttlSecondsAfterFinished", DEFAULT_TTL_SECONDS, 1),
        tuple(capped),
    )
