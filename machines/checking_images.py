"""Checking spec.imagePreload: the images to pull, and the secrets to pull them with."""

from collections.abc import Iterator
from typing import Any

from machines.faults import Faults
from machines.spec_parts import MAX_ARGUMENTS, MAX_ENTRIES, PULL_POLICIES, Image
from machines.syntaxes import DNS_SUBDOMAIN, image_refusal

IMAGES = "spec.imagePreload.images"
_SECRETS = "spec.imagePreload.pullSecrets"


def checked_images(faults: Faults, raw: Any) -> tuple[Image, ...]:
    """Read every image; those with faults as far as they go."""
    return tuple(_images(faults, raw))


def checked_secrets(faults: Faults, raw: Any, field: str = _SECRETS) -> tuple[str, ...]:
    """Read the names of pull secrets; one that stands twice is used once."""
    names = []
    for path, entry in faults.objects(raw, field, MAX_ENTRIES):
        names.append(faults.named(entry.get("name"), f"{path}.name", DNS_SUBDOMAIN))
    return tuple(names)


def check_pull_policy(faults: Faults, raw: Any, field: str) -> str:
    """Give a pull policy; "" when none is set."""
    policy = faults.text(raw, field)
    if policy not in PULL_POLICIES:
        faults.add(field, "must be Always, IfNotPresent or Never")
    return policy


def _images(faults: Faults, raw: Any) -> Iterator[Image]:
    seen: set[str] = set()
    for path, item in faults.items(raw, IMAGES, MAX_ENTRIES):
        if not isinstance(item, dict):
            faults.add(path, "must be an object")
            yield Image("", ())
            continue
        read = _image(faults, item, path)
        if read.image in seen:
            faults.add(f"{path}.image", f"stands twice: {read.image}")
        seen.add(read.image)
        yield read


def _image(faults: Faults, entry: dict[str, Any], path: str) -> Image:
    image = faults.text(entry.get("image"), f"{path}.image")
    faults.unless_fine(f"{path}.image", image_refusal(image))
    command = faults.texts(entry.get("command"), f"{path}.command", MAX_ARGUMENTS)
    if not command:
        faults.add(f"{path}.command", "must have at least one element")
    args = faults.texts(entry.get("args"), f"{path}.args", MAX_ARGUMENTS)
    policy = check_pull_policy(faults, entry.get("imagePullPolicy"), f"{path}.imagePullPolicy")
    return Image(image, command, args, policy or "IfNotPresent")
