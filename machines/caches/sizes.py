"""Sizes: whether each volume has the size that the spec asks for, and why not."""

from fractions import Fraction

from machines.caches.levels import ClaimLevel
from machines.caches.obstacles import refusal_words
from machines.caches.sights import Sight, sight_of
from machines.caches.states import Cache
from machines.quantities import canonical
from machines.states import State

_GIB = 2**30
_GROW = "Grow PersistentVolumeClaim"


def size_trouble(state: State, cache: Cache) -> tuple[str, str]:
    """Give a reason and words when a volume does not follow the spec; both "" when all do."""
    wanted = cache.spec.size_gib if cache.spec else 0
    for _, entry in sorted(cache.entries.items()):
        sight = sight_of(state, cache, entry)
        if not entry.selected or sight.claim is None or not wanted:
            continue
        reason, words = _trouble(sight, sight.claim, wanted)
        if reason:
            return reason, f"{entry.cluster}: {words}"
    return "", ""


def _trouble(sight: Sight, claim: ClaimLevel, wanted: int) -> tuple[str, str]:
    refusal = sight.entry.refusals.get(_GROW)
    if refusal is not None:
        return "ResizeRefused", refusal_words(sight, _GROW, refusal)
    if claim.resizing:
        return "Resizing", f"{sight.claim_words}: {claim.resizing}"
    if _bytes(claim.requested) > wanted * _GIB:
        kept = f"{sight.claim_words} keeps {claim.requested}"
        return (
            "ShrinkIgnored",
            f"{kept}: no volume can be made smaller, and {wanted}Gi is asked for",
        )
    return "", ""


def _bytes(quantity: str) -> Fraction:
    """Give how much a quantity is; nothing of what is none."""
    try:
        return Fraction(canonical(quantity))
    except ValueError:
        return Fraction(0)
