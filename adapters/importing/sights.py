"""Sights: what material tells of one object, or of all objects of a kind, whoever recorded it."""

from enum import StrEnum
from typing import Any, NamedTuple

from adapters.importing.places import Place
from adapters.kubernetes.fields import mapping, text, whole_number

Raw = dict[str, Any]


class How(StrEnum):
    """How an object came to be shown."""

    SHOWN = "shown"  # it is as it is shown
    ADDED = "added"  # a watch said that it is there
    CHANGED = "changed"  # a watch said that it is another now
    DELETED = "deleted"  # it is no more; this is how it was last, as far as that is told
    MARKED = "marked"  # a watch said up to where it is: no object at all


class Sight(NamedTuple):
    """One object at one moment; `at` is UTC nanoseconds, 0 when nothing tells."""

    place: Place
    at: int
    how: How
    raw: Raw


class Listing(NamedTuple):
    """Objects of one kind, or of several, that were listed together.

    `whole` says that nothing was left out: the request is known, and had no selector. Of a list
    whose request is not known (None) only what it shares with another one tells.
    """

    place: Place
    at: int
    raws: tuple[Raw, ...]
    version: str = ""
    whole: bool | None = None


class Useless(NamedTuple):
    """What cannot be used: for which reason, what it is about, and words beyond that."""

    place: Place
    reason: str
    about: str = ""
    words: str = ""


class Beside(NamedTuple):
    """What is sound, and tells nothing of an object; `what` is counted."""

    what: str


Told = Sight | Listing | Useless | Beside


def newest_version(told: Sight | Listing) -> int:
    """Give the newest resourceVersion among the objects that are shown; 0 when none tells."""
    raws = told.raws if isinstance(told, Listing) else (told.raw,)
    versions = (mapping(raw.get("metadata")).get("resourceVersion") for raw in raws)
    return max((whole_number(text(version)) for version in versions), default=0)


def named(raw: Raw, kind: str = "") -> str:
    """Give KIND/NAMESPACE/NAME of a raw object, as far as it says."""
    inside = mapping(raw.get("metadata"))
    parts = (kind or raw.get("kind"), inside.get("namespace"), inside.get("name"))
    return "/".join(part for part in parts if isinstance(part, str) and part)
