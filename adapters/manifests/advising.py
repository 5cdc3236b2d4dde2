"""Advising: what works, and had better be looked at before it is applied."""

from collections.abc import Iterator
from typing import Any

from adapters.manifests.findings import Reason, Told
from adapters.manifests.image_references import is_latest, normal_form
from machines.annotations import ignored_annotations
from machines.labels import OURS
from machines.spec_parts import Image
from machines.specs import WarmupSpec

# How long a Job waits before its retries at least: 10 s, 20 s, 40 s …, never above six minutes.
_FIRST_PAUSE_SECONDS = 10
_LONGEST_PAUSE_SECONDS = 360


def advice(spec: WarmupSpec) -> Iterator[Told]:
    """Give what can be said of a spec that can work."""
    for words in spec.capped:
        name, _, rest = words.partition(" ")
        yield f"spec.policies.{name}", rest, Reason.POLICY_CAPPED
    yield from _on_retries(spec)
    yield from _on_images(spec.images)
    yield from _on_names(spec)


def advice_on_annotations(metadata: Any) -> Iterator[Told]:
    """Give which annotations of ours have no effect."""
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    if not isinstance(annotations, dict):
        return
    for name, value in annotations.items():
        if not isinstance(value, str) or not name.startswith(OURS):
            continue
        words = ignored_annotations(((name, value),)).removeprefix(f"{name} ")
        if words:
            yield f"metadata.annotations.{name}", words, Reason.ANNOTATION_IGNORED


def _on_retries(spec: WarmupSpec) -> Iterator[Told]:
    """Tell of retries that never come: one time limit holds for all attempts and their pauses."""
    seconds = fitting = 0
    pause = _FIRST_PAUSE_SECONDS
    while fitting < spec.retry_limit and seconds + pause < spec.timeout_seconds:
        seconds, fitting = seconds + pause, fitting + 1
        pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
    if fitting < spec.retry_limit:
        words = (
            f"of {spec.retry_limit} retries no more than {fitting} can begin: jobTimeoutSeconds "
            f"{spec.timeout_seconds} holds for all attempts together, and Kubernetes waits 10 s, "
            f"20 s, 40 s … up to 6 min between them"
        )
        yield "spec.policies.retryLimit", words, Reason.RETRIES_DO_NOT_FIT


def _on_images(images: tuple[Image, ...]) -> Iterator[Told]:
    seen: dict[str, str] = {}
    for index, each in enumerate(images):
        field = f"spec.imagePreload.images[{index}].image"
        normal = normal_form(each.image)
        if normal in seen:
            words = f"is the same image as {seen[normal]}, and both would be pulled: {normal}"
            yield field, words, Reason.IMAGE_TWICE
            continue
        seen[normal] = each.image
        if is_latest(each.image):
            words = "may be another image tomorrow: give it a tag of its own, or better a digest"
            yield field, words, Reason.MUTABLE_TAG


def _on_names(spec: WarmupSpec) -> Iterator[Told]:
    seen: dict[str, str] = {}
    for index, entry in enumerate(spec.targets):
        for at, name in enumerate(entry.names):
            field = f"spec.targets[{index}].nodes.names[{at}]"
            if name in seen:
                words = f"{name} stands at {seen[name]} already, and is warmed once"
                yield field, words, Reason.NODE_TWICE
            seen.setdefault(name, field)
