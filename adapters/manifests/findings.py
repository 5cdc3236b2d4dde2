"""Findings: what is wrong with a manifest, or had better be otherwise, and where."""

from enum import StrEnum
from typing import NamedTuple

from adapters.manifests.documents import Position


class Reason(StrEnum):
    """Why something is told, in one word that never changes."""

    UNREADABLE = "Unreadable"
    FIELD_TWICE = "FieldTwice"
    WRONG_KIND = "WrongKind"
    INVALID_METADATA = "InvalidMetadata"
    INVALID_SPEC = "InvalidSpec"
    UNKNOWN_FIELD = "UnknownField"
    STATUS_GIVEN = "StatusGiven"
    ANNOTATION_IGNORED = "AnnotationIgnored"
    CACHE_OVERRIDDEN = "CacheOverridden"
    IMAGE_TWICE = "ImageTwice"
    MUTABLE_TAG = "MutableTag"
    NO_EFFECT = "NoEffect"
    NO_SUCH_NAME = "NoSuchName"
    NODE_TWICE = "NodeTwice"
    OBJECT_TWICE = "ObjectTwice"
    POLICY_CAPPED = "PolicyCapped"
    RETRIES_DO_NOT_FIT = "RetriesDoNotFit"
    UNSUPPORTED = "Unsupported"


Told = tuple[str, str, Reason]  # the field in its object, words, reason


class Finding(NamedTuple):
    """One thing to tell; they sort by where they stand."""

    at: Position
    field: str  # "" where no field is concerned
    words: str
    reason: Reason
    is_warning: bool = False


def told(file: str, finding: Finding) -> str:
    """Say a finding in one line, of the form that editors and compilers know."""
    place = ":".join([file, *(str(number) for number in finding.at if number)])
    kind = ["warning"] if finding.is_warning else []
    field = [finding.field] if finding.field else []
    return ": ".join([place, *kind, *field, finding.words])
