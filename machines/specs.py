"""A ModelWarmup's spec, read: what the user asked for, with the effective defaults.

`parse` takes the stored spec as it stands and never raises: what admission let through but cannot
work comes back as faults, each naming its field. Defaults and bounds are those of AIBrix's public
API (model.aibrix.ai/v1alpha1); defaults are applied here and never written into the object.
"""

from typing import Any, NamedTuple

from machines.checking_custom import CONTAINERS, checked_custom
from machines.checking_images import IMAGES, checked_images, checked_secrets
from machines.checking_targets import checked_targets
from machines.faults import INT32_MAX, INT64_MAX, Fault, Faults
from machines.spec_parts import Image, TargetEntry

DEFAULT_PARALLELISM = 8
DEFAULT_TIMEOUT_SECONDS = 1800
DEFAULT_RETRY_LIMIT = 2
DEFAULT_TTL_SECONDS = 3600
CAPPED_RETRY_LIMIT = 20
CAPPED_TIMEOUT_SECONDS = 30 * 24 * 3600
MODES = ("", "Once")


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


class Parsed(NamedTuple):
    """A spec that can work, or why it cannot."""

    spec: WarmupSpec | None
    faults: tuple[Fault, ...]


def parse(raw: Any) -> Parsed:
    """Read a stored spec; every fault at once, in the order of the fields."""
    faults = Faults()
    spec = faults.mapping(raw, "spec")
    if faults.text(spec.get("mode"), "spec.mode") not in MODES:
        faults.add("spec.mode", 'must be "Once"')
    targets = checked_targets(faults, spec.get("targets"))
    preload = faults.mapping(spec.get("imagePreload"), "spec.imagePreload")
    images = checked_images(faults, preload.get("images"))
    secrets = checked_secrets(faults, preload.get("pullSecrets"))
    custom = checked_custom(faults, spec.get("custom"), len(images))
    if not images and not (custom or {}).get("containers") and not _unread(faults):
        faults.add("spec", "needs at least one entry in imagePreload.images or custom.containers")
    policies = _policies(faults, spec.get("policies"))
    if faults.found():
        return Parsed(None, faults.found())
    return Parsed(WarmupSpec(targets, images, secrets, custom, *policies), ())


def _unread(faults: Faults) -> bool:
    """Say whether there may be containers that could not be read: then none is not the fault."""
    return any(
        faults.has(field)
        for field in ("spec", "spec.imagePreload", IMAGES, "spec.custom", CONTAINERS)
    )


def _policies(faults: Faults, raw: Any) -> tuple[int, int, int, int, tuple[str, ...]]:
    policies = faults.mapping(raw, "spec.policies")
    capped: list[str] = []

    def policy(name: str, default: int, least: int, most: int = INT32_MAX, cap: int = 0) -> int:
        field = f"spec.policies.{name}"
        value = faults.number(policies.get(name), field, default, least, most)
        if cap and value > cap:
            capped.append(f"{name} {value} is used as {cap}")
            return cap
        return value

    return (
        policy("parallelism", DEFAULT_PARALLELISM, 1),
        policy("jobTimeoutSeconds", DEFAULT_TIMEOUT_SECONDS, 1, INT64_MAX, CAPPED_TIMEOUT_SECONDS),
        policy("retryLimit", DEFAULT_RETRY_LIMIT, 0, cap=CAPPED_RETRY_LIMIT),
        policy("ttlSecondsAfterFinished", DEFAULT_TTL_SECONDS, 1),
        tuple(capped),
    )
