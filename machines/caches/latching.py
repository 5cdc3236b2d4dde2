"""Latching: when what is in a claim counts as whole, and which Job can make it so."""

from machines.caches.finding import Site
from machines.caches.states import Cache


def latch_of(cache: Cache, site: Site) -> str:
    """Give the latch of a cache's content in the claim that is there, held or not."""
    uid = site.claim.subject.uid if site.claim else ""
    return f"{uid}/{cache.fingerprint}"


def counts(cache: Cache, site: Site) -> bool:
    """Say whether the Job that is there is of this very claim and content."""
    level, uid = site.job_level, site.claim.subject.uid if site.claim else ""
    return bool(uid) and (level.claim_uid, level.fingerprint) == (uid, cache.fingerprint)
