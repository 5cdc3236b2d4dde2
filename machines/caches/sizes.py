"""Sizes: whether each volume has the size that the spec asks for, and why not."""

from machines.caches.changes import ChangeKind
from machines.caches.finding import CLAIM, site_of
from machines.caches.levels import ClaimLevel
from machines.caches.obstacles import refusal_words
from machines.caches.sights import Sight, sight_of
from machines.caches.states import Cache, Entry
from machines.states import State

SIZE_FIELD = "spec.huggingFace.sizeGiB"
_GROW = f"{ChangeKind.GROW} {CLAIM}"
_REFUSED, _RESIZING, _SHRINK = "ResizeRefused", "Resizing", "ShrinkIgnored"


def size_trouble(state: State, cache: Cache) -> tuple[str, str]:
    """Give a reason and words when a volume does not follow the spec; both "" when all do."""
    for entry in cache.entries.values():
        site = site_of(state, cache, entry) if entry.selected else None
        reason = _reason(cache, entry, site.claim_level) if site and site.claim else ""
        if reason:
            words = _words(sight_of(state, cache, entry), reason)
            return reason, f"{entry.cluster}: {words}"
    return "", ""


def _reason(cache: Cache, entry: Entry, claim: ClaimLevel) -> str:
    if _GROW in entry.refusals:
        return _REFUSED
    if claim.resizing:
        return _RESIZING
    return _SHRINK if SIZE_FIELD in cache.spec_changed else ""


def _words(sight: Sight, reason: str) -> str:
    claim = sight.claim or ClaimLevel()
    if reason == _REFUSED:
        return refusal_words(sight, _GROW, sight.entry.refusals[_GROW])
    if reason == _RESIZING:
        return f"{sight.claim_words}: {claim.resizing}"
    kept = f"{sight.claim_words} keeps {claim.requested}"
    return f"{kept}: no volume can be made smaller"
