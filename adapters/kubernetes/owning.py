"""Owning: whose an object is that has a name which a ModelCache wants, as it was just read."""

from enum import StrEnum
from typing import Any

from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.normalising_caches import owner_of
from machines import labels
from machines.caches.levels import Owner
from machines.intents import Create


class Ownership(StrEnum):
    """Whose an object is."""

    OURS = "the owner's for whom something is done"
    OPEN = "to be taken over"
    OTHERS = "somebody else's"


def ownership(intent: Create, body: dict[str, Any] | None, metadata: dict[str, Any]) -> Ownership:
    """Say whose an object with this metadata is, seen from a create that wants its name.

    The original's mark is its label, which names the cache. A Namespace serves everybody.
    """
    if intent.kind == "Namespace":
        return Ownership.OURS
    wanted = mapping(mapping(body).get("metadata"))
    label = text(mapping(wanted.get("labels")).get(labels.CACHE))
    same_label = bool(label) and mapping(metadata.get("labels")).get(labels.CACHE) == label
    mine = owner_of(wanted)._replace(uid=intent.owner_uid)
    return judged(owner_of(metadata), mine, marked=same_label)


def judged(owner: Owner, mine: Owner, *, marked: bool) -> Ownership:
    """Say whose an object is by the `owner` that it names, seen from mine.

    The annotations decide. What a former owner of the same namespace and name had is left to this
    one; where there are none, it counts whether the object is `marked` as the original marks it.
    """
    if owner.uid == mine.uid:
        return Ownership.OURS
    if any(owner):
        same_name = (owner.namespace, owner.name) == (mine.namespace, mine.name)
        return Ownership.OPEN if same_name else Ownership.OTHERS
    return Ownership.OPEN if marked else Ownership.OTHERS


def holder_words(metadata: dict[str, Any]) -> str:
    """Say who holds an object that is not ours."""
    owner = owner_of(metadata)
    if any(owner):
        return (
            f"and is ModelCache {owner.namespace}/{owner.name}'s (uid {owner.uid or 'not given'})"
        )
    label = text(mapping(metadata.get("labels")).get(labels.CACHE))
    if label:
        return f"and is another ModelCache's: its label {labels.CACHE} is {label}"
    return f"and is no ModelCache's: it has no label {labels.CACHE}"
