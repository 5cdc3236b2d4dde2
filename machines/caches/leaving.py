"""Leaving: what is wished on a cluster where a cache is not wanted any more.

Job and token go at once. The claim goes when nobody uses it: it is kept while a Pod mounts it, or
a ModelReplica holds on to it.
"""

from collections.abc import Iterator

from machines.caches.finding import CLAIM, JOB, Site, names_of, site_of, writing_pods
from machines.caches.indexing import bearer_key
from machines.caches.owning import Ownership, is_ours, ownership
from machines.caches.selecting import is_known
from machines.caches.states import Cache, Entry
from machines.caches.tokens import copy_is_known, copy_is_unseen
from machines.caches.wishes import Wish
from machines.kinds import REPLICA
from machines.replicas.using import may_be_mounted, replicas_with_claim
from machines.states import SECRET, Cluster, Known, State


def leaving_wishes(state: State, cache: Cache, entry: Entry) -> Iterator[Wish]:
    """Give what is wished on a cluster that is not selected."""
    site = site_of(state, cache, entry)
    if site is None or not is_known(site.cluster) or _has_heir(state, cache, site):
        return
    job, secret = site.job, site.secret
    if job is not None and is_filling(state, cache, site) and not _is_going(job):
        yield _delete(cache, entry, site, JOB, job)
    listed = copy_is_known(site, names_of(cache)[SECRET])
    if secret is not None and listed and is_ours(state, cache, secret) and not _is_going(secret):
        yield _delete(cache, entry, site, SECRET, secret)
    claim = site.claim
    if claim is not None and is_releasable(state, cache, entry, site):
        yield _delete(cache, entry, site, CLAIM, claim)


def is_releasable(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether the claim is ours, and known to be used by nobody."""
    ours = is_ours(state, cache, site.claim) and not site.claim_level.deleting
    if not ours or cache.gone or entry.users != () or is_held(state, cache, entry):
        return False
    return not is_at_work(state, cache, entry, site)


def is_at_work(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether a hydration Job is there, or a Pod of it that has not ended."""
    pods = writing_pods(site.cluster, site.namespace, names_of(cache)[JOB], entry.job_uid)
    return is_filling(state, cache, site) or bool(pods)


def is_filling(state: State, cache: Cache, site: Site) -> bool:
    """Say whether the Job is ours, or was left by somebody before us to fill our claim."""
    whose = ownership(state, cache, site.job)
    left = whose is Ownership.OPEN and is_ours(state, cache, site.claim)
    return whose is Ownership.OURS or left


def replica_users(state: State, cache: Cache, entry: Entry) -> tuple[str, ...]:
    """Give the ModelReplicas that were composed with this claim, or are being, by their names."""
    return replicas_with_claim(state, cache, entry.cluster, names_of(cache)[CLAIM])


def is_held(state: State, cache: Cache, entry: Entry) -> bool:
    """Say whether a replica holds on to the claim, or one may that nobody has listed yet."""
    home = state.clusters.get(cache.cluster)
    unknown = state.caching.replicas and not (home is not None and _replicas_are_told(home))
    return unknown or may_be_mounted(state, cache, entry.cluster, names_of(cache)[CLAIM])


def _replicas_are_told(home: Cluster) -> bool:
    """Say whether replicas were listed, or are known to be none: in this session, not before it."""
    there_are_none = REPLICA in home.unserved and REPLICA in home.unread
    return REPLICA in home.synced or there_are_none


def is_retained(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether the claim is kept for those that use it, or may."""
    if entry.selected or not is_ours(state, cache, site.claim) or site.claim_level.deleting:
        return False
    return entry.users != () or is_held(state, cache, entry)


def has_left(state: State, cache: Cache, entry: Entry) -> bool:
    """Say whether an entry that is not selected has nothing left on its cluster."""
    if entry.selected or entry.open:
        return False
    site = site_of(state, cache, entry)
    if site is None or not is_known(site.cluster):
        return cache.untouched and not entry.had
    if copy_is_unseen(cache, site):
        return False
    things = [site.job, site.secret] if cache.gone else [site.claim, site.job, site.secret]
    return _has_heir(state, cache, site) or not any(
        is_ours(state, cache, known) for known in things
    )


def _has_heir(state: State, cache: Cache, site: Site) -> bool:
    """Say whether another ModelCache of this name exists, and takes over what there is."""
    key = bearer_key(CLAIM, site.namespace, names_of(cache)[CLAIM])
    others = (state.caches.get(uid) for uid in state.bearers.get(key, ()))
    place = cache.subject[:3]
    return cache.gone and any(
        one is not None and not one.gone and one.subject[:3] == place for one in others
    )


def _is_going(known: Known) -> bool:
    return bool(getattr(known.level, "deleting", False))


def _delete(cache: Cache, entry: Entry, site: Site, kind: str, known: Known) -> Wish:
    name, uid = names_of(cache)[kind], known.subject.uid
    return Wish(site.name, entry.cluster, kind, site.namespace, name, uid)
