"""Sizing: whether a claim asks for less storage than its cache wants."""

from fractions import Fraction
from functools import lru_cache

from machines.caches.finding import Site
from machines.caches.states import Cache
from machines.quantities import canonical


def is_too_small(cache: Cache, site: Site) -> bool:
    """Say whether the claim is to grow; never of one whose request cannot be read."""
    if cache.spec is None or site.claim_level.phase != "Bound":
        return False  # no API server changes a claim that is not bound
    requested = _amount(site.claim_level.requested)
    return requested is not None and requested < _gib(cache.spec.size_gib)


def _gib(size: int) -> Fraction:
    return Fraction(size * 2**30)


@lru_cache(maxsize=1024)
def _amount(quantity: str) -> Fraction | None:
    try:
        return Fraction(canonical(quantity))
    except (ValueError, ZeroDivisionError):
        return None
