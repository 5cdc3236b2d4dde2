"""Owning: whose an object is that has a name which a ModelCache wants, as it was just read."""

from enum import StrEnum
from typing import Any

from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.normalising_caches import owner_of
from machines import labels
from machines.intents import Create


class Ownership(StrEnum):
    """Whose an object is."""

    OURS = "the owner's for whom something is done"
    OPEN = "to be taken over"
    OTHERS = "somebody else's"


def ownership(intent: Create, body: dict[str, Any] | None, metadata: dict[str, Any]) -> Ownership:
    """Say whose an object with this metadata is, seen from a create that wants its name.

    The annotations decide. A former ModelCache of the same namespace and name left what it had to
    this one; without annotations the original's label does, which names the cache. A Namespace
    serves everybody.
    """
    if intent.kind == "Namespace":
        return Ownership.OURS
    owner = owner_of(metadata)
    if owner.uid == intent.owner_uid:
        return Ownership.OURS
    wanted = mapping(mapping(body).get("metadata"))
    mine = owner_of(wanted)
    if any(owner):
        same_name = (owner.namespace, owner.name) == (mine.namespace, mine.name)
        return Ownership.OPEN if same_name else Ownership.OTHERS
    label = text(mapping(wanted.get("labels")).get(labels.CACHE))
    same_label = bool(label) and mapping(metadata.get("labels")).get(labels.CACHE) == label
    return Ownership.OPEN if same_label else Ownership.OTHERS


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
