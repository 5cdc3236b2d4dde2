"""Sizes: whether each volume has the size that the spec asks for, and why not."""

from machines.caches.changes import ChangeKind
from machines.caches.finding import CLAIM
from machines.caches.levels import ClaimLevel
from machines.caches.obstacles import refusal_words
from machines.caches.sights import Sight, sight_of
from machines.caches.states import Cache
from machines.states import State

SIZE_FIELD = "spec.huggingFace.sizeGiB"
_GROW = f"{ChangeKind.GROW} {CLAIM}"


def size_trouble(state: State, cache: Cache) -> tuple[str, str]:
    """Give a reason and words when a volume does not follow the spec; both "" when all do."""
    for _, entry in sorted(cache.entries.items()):
        sight = sight_of(state, cache, entry)
        if not entry.selected or sight.claim is None:
            continue
        reason, words = _trouble(sight, sight.claim)
        if reason:
            return reason, f"{entry.cluster}: {words}"
    return "", ""


def _trouble(sight: Sight, claim: ClaimLevel) -> tuple[str, str]:
    refusal = sight.entry.refusals.get(_GROW)
    if refusal is not None:
        return "ResizeRefused", refusal_words(sight, _GROW, refusal)
    if claim.resizing:
        return "Resizing", f"{sight.claim_words}: {claim.resizing}"
    if SIZE_FIELD in sight.cache.spec_changed:
        kept = f"{sight.claim_words} keeps {claim.requested}"
        return "ShrinkIgnored", f"{kept}: no volume can be made smaller"
    return "", ""
