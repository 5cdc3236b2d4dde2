"""Headers: what an object says it is, and what it is called."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from adapters.manifests.findings import Reason, Told
from adapters.manifests.judged_kinds import JUDGED, WARMUP, JudgedKind
from machines.labels import VERSION
from machines.syntaxes import DNS_LABEL, DNS_SUBDOMAIN, LABEL_VALUE, label_key_refusal

_NEAR = 0.85  # so that an InferenceClass is not taken for an InferenceCluster
_SERVED = ("uid", "resourceVersion")  # fields of an object that comes from an API server


def is_meant(value: Any) -> bool:
    """Say whether an object is a ModelWarmup, or was probably meant to be one."""
    return meant_kind(value) is WARMUP


def meant_kind(value: Any) -> JudgedKind | None:
    """Give the kind of ours that an object has, or was probably meant to have."""
    if not isinstance(value, dict):
        return None
    return next((kind for kind in JUDGED if _is_meant(value, kind)), None)


def _is_meant(value: dict[str, Any], kind: JudgedKind) -> bool:
    found, group = value.get("kind"), _group(value.get("apiVersion"))
    if found == kind.name and kind.alone:
        return True
    if found in (None, ""):
        spec = value.get("spec")
        looks_so = isinstance(spec, dict) and kind.looks_so(spec)
        only = [each for each in JUDGED if each.group == group] == [kind]
        return only or (group in ("", kind.group) and looks_so)
    return _is_near(found, kind.name) and (group == "" or _is_near(group, kind.group))


def judged_header(value: dict[str, Any], kind: JudgedKind) -> Iterator[Told]:
    """Judge all that stands beside the spec of an object that is meant to have this kind."""
    for field, wanted in (("apiVersion", kind.api_version), ("kind", kind.name)):
        found = value.get(field)
        if found != wanted:
            words = "is missing" if found in (None, "") else f"is {_quoted(found)}"
            yield field, f"{words}, and must be {wanted}", Reason.WRONG_KIND
    metadata = value.get("metadata")
    if metadata is None:
        metadata = {}
    if not isinstance(metadata, dict):
        yield "metadata", "must be an object", Reason.INVALID_METADATA
        metadata = {}
    for field, words in _judged_metadata(metadata):
        if words:
            yield f"metadata.{field}", words, Reason.INVALID_METADATA
    if value.get("status") is not None and not any(metadata.get(each) for each in _SERVED):
        words = "is written by the controller, and not used from a manifest: leave it out"
        yield "status", words, Reason.STATUS_GIVEN


def _judged_metadata(metadata: dict[str, Any]) -> Iterator[tuple[str, str]]:
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if name in (None, "") and prefix in (None, ""):
        yield "name", "is missing"
    elif name is not None:
        yield "name", _refusal(name, DNS_SUBDOMAIN.refusal)
    if prefix is not None:
        yield "generateName", _refusal(prefix, lambda text: DNS_SUBDOMAIN.refusal(f"{text}x"))
    if metadata.get("namespace") is not None:
        yield "namespace", _refusal(metadata["namespace"], DNS_LABEL.refusal)
    for field in ("labels", "annotations"):
        entries = metadata.get(field)
        if isinstance(entries, dict):
            yield from _judged_entries(field, entries)
        elif entries is not None:
            yield field, "must be an object"


def _judged_entries(field: str, entries: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in entries.items():
        # Of the keys of annotations the API server minds no upper case in the part with dots.
        lower = key.lower() if field == "annotations" else key
        refusal = label_key_refusal(lower).replace("key of a label", f"key of one of the {field}")
        yield f"{field}.{key}", refusal
        fine = LABEL_VALUE.refusal if field == "labels" else _anything
        yield f"{field}.{key}", "" if refusal else _refusal(value, fine)


def _anything(_text: str) -> str:
    return ""


def _refusal(value: Any, refusal: Any) -> str:
    return refusal(value) if isinstance(value, str) else "must be a string"


def _quoted(value: Any) -> str:
    return repr(value) if isinstance(value, str) else "no text"


def _group(api_version: Any) -> str:
    """Give the group of an apiVersion; "" where only the version stands, or nothing at all."""
    if not isinstance(api_version, str) or api_version == VERSION:
        return ""
    return api_version.partition("/")[0]


def _is_near(found: Any, wanted: str) -> bool:
    if not isinstance(found, str):
        return False
    letters = re.sub("[^a-z.]", "", found.lower())[:100]
    return SequenceMatcher(None, letters, wanted.lower()).ratio() >= _NEAR
