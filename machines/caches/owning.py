"""Owning: whose an object on a cluster is, by its annotations, or by the original's label."""

from enum import StrEnum

from engine.events import Subject
from machines.caches.hydration_bodies import cache_label
from machines.caches.levels import ClaimLevel, HydrationJobLevel, Owner, SecretLevel
from machines.caches.states import Cache
from machines.states import Known, State

_MARKED = (ClaimLevel, SecretLevel, HydrationJobLevel)  # a union would be made at each look


class Ownership(StrEnum):
    """Whose an object under a cache's name is."""

    ABSENT = "absent"  # there is none
    OURS = "ours"  # its annotations name this very ModelCache
    OPEN = "open"  # nobody's who still exists: it is to be taken over
    OTHERS = "another's"


def ownership(state: State, cache: Cache, known: Known | None) -> Ownership:
    """Say whose an object is that is known under a name of this cache."""
    if known is None:
        return Ownership.ABSENT
    owner, label = marks_of(known)
    if owner == cache.subject[1:]:  # as nearly always: nothing else has to be looked up then
        return Ownership.OURS
    marked, exists = label == _label(cache), _exists(state, owner.uid)
    return judged(owner, cache.subject, marked=marked, exists=exists)


def judged(owner: Owner, mine: Subject, *, marked: bool, exists: bool) -> Ownership:
    """Say whose an object is by the `owner` that it names, seen from mine.

    `exists` says whether that owner does; where none is named it counts whether the object is
    `marked` as the original marks what is mine.
    """
    if owner == mine[1:]:
        return Ownership.OURS
    if not any(owner):
        return Ownership.OPEN if marked else Ownership.OTHERS
    same_name = (owner.namespace, owner.name) == (mine.namespace, mine.name)
    return Ownership.OPEN if same_name and not exists else Ownership.OTHERS


def is_marked(cache: Cache, known: Known | None) -> bool:
    """Say whether an object bears the label by which it is watched; what is not there does."""
    return known is None or marks_of(known)[1] == _label(cache)


def is_ours(state: State, cache: Cache, known: Known | None) -> bool:
    """Say whether an object is there and this very cache's."""
    return ownership(state, cache, known) is Ownership.OURS


def marks_of(known: Known) -> tuple[Owner, str]:
    """Give whose an object says it is, and the cache that its label names."""
    level = known.level
    if isinstance(level, _MARKED):
        return level.owner, level.label
    return Owner(), ""


def owner_words(known: Known) -> str:
    """Say whose another's object is, as its annotations and label tell."""
    return named_owner("ModelCache", *marks_of(known))


def named_owner(kind: str, owner: Owner, label: str) -> str:
    """Name an owner of this kind by an object's annotations, else by its label."""
    if any(owner):
        return f"{kind} {owner.namespace}/{owner.name} (uid {owner.uid or 'not given'})"
    return f"a {kind} {label}" if label else "somebody who is not named"


def _label(cache: Cache) -> str:
    return cache_label(cache.subject.name)


def _exists(state: State, uid: str) -> bool:
    owner = state.caches.get(uid)
    return owner is not None and not owner.gone
