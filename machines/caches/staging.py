"""Staging: what is wished for a cache on a cluster that its selector holds.

In order: namespace, claim, whose it is, its size, the node that it waits for, the token's copy, the
Job, the latch, and what has to go afterwards. Each step waits until the one before is seen.
"""

from collections.abc import Iterator

from machines.caches.blocking import block_of
from machines.caches.changes import ChangeKind
from machines.caches.finding import (
    CLAIM,
    JOB,
    NAMESPACE,
    POD,
    Site,
    names_of,
    newest_failed_pod,
    pods_of,
    site_of,
    writing_pods,
)
from machines.caches.healing import is_to_be_healed, stuck_pods
from machines.caches.latching import counts, latch_of
from machines.caches.levels import HydrationPodLevel
from machines.caches.owning import Ownership, is_marked, is_ours, ownership
from machines.caches.selecting import is_known
from machines.caches.sizing import is_too_small
from machines.caches.states import SILENCE, Cache, Entry
from machines.caches.timing import is_waiting
from machines.caches.tokens import Token, copy_digest, copy_is_known, token_key, token_of
from machines.caches.wishes import Wish
from machines.states import SECRET, State


def staging_wishes(state: State, cache: Cache, entry: Entry) -> Iterator[Wish]:
    """Give what is wished on a selected cluster, in order."""
    site = site_of(state, cache, entry)
    if site is None or not is_known(site.cluster) or not cache.held or cache.spec is None:
        return
    if block_of(state, cache, entry, site) is not SILENCE:
        return
    if site.namespace not in site.cluster.namespace_uids:
        yield Wish(site.name, entry.cluster, NAMESPACE, "", site.namespace)
        return
    claims = ownership(state, cache, site.claim)
    if claims is Ownership.ABSENT:
        yield _create(cache, entry, site, CLAIM)
    elif claims is Ownership.OPEN or not is_marked(cache, site.claim):
        yield _change(cache, entry, site, CLAIM, ChangeKind.OWN)
    elif not site.claim_level.deleting:
        yield from _claim_wishes(state, cache, entry, site)


def _claim_wishes(state: State, cache: Cache, entry: Entry, site: Site) -> Iterator[Wish]:
    if is_too_small(cache, site):
        yield _change(cache, entry, site, CLAIM, ChangeKind.GROW)
    if is_to_be_healed(cache, entry, site):
        yield _change(cache, entry, site, CLAIM, ChangeKind.HEAL)
    for pod in stuck_pods(cache, entry, site):
        subject = pod.subject
        yield Wish(site.name, entry.cluster, POD, subject.namespace, subject.name, subject.uid)
    if _lacks_latch(cache, entry, site):
        yield _change(cache, entry, site, CLAIM, ChangeKind.LATCH)
    yield from _secret_wishes(state, cache, entry, site)
    yield from _job_wishes(state, cache, entry, site)


def _secret_wishes(state: State, cache: Cache, entry: Entry, site: Site) -> Iterator[Wish]:
    token, copy = token_of(state, cache), ownership(state, cache, site.secret)
    if token.usable and token.needed and _is_at_work(state, cache, entry, site):
        if not copy_is_known(site, names_of(cache)[SECRET]):
            return
        if copy is Ownership.ABSENT:
            yield _create(cache, entry, site, SECRET)
        elif copy is Ownership.OPEN:
            yield _change(cache, entry, site, SECRET, ChangeKind.OWN)
        elif copy_digest(cache, site) != token.digest and not site.secret_level.deleting:
            yield _change(cache, entry, site, SECRET, ChangeKind.ROTATE)
    elif not site.secret_level.deleting and _is_useless(cache, entry, site, token):
        if copy is Ownership.OURS:
            yield _delete(cache, entry, site, SECRET)
        elif copy is Ownership.OPEN:  # made ours first: nothing else is ever deleted
            yield _change(cache, entry, site, SECRET, ChangeKind.OWN)


def _is_useless(cache: Cache, entry: Entry, site: Site, token: Token) -> bool:
    """Say whether no copy is to be there: it is while hydrating, and between two tries."""
    return token.missing or not token.needed or _is_latched(cache, entry, site)


def _job_wishes(state: State, cache: Cache, entry: Entry, site: Site) -> Iterator[Wish]:
    whose = ownership(state, cache, site.job)
    if whose is Ownership.ABSENT:
        if _may_begin(state, cache, entry, site) and _has_token(state, cache, site):
            yield _create(cache, entry, site, JOB)
        return
    level = site.job_level
    if counts(cache, site) and (whose is Ownership.OPEN or not is_marked(cache, site.job)):
        yield _change(cache, entry, site, JOB, ChangeKind.OWN)
    elif _is_to_be_latched(cache, entry, site):
        yield _change(cache, entry, site, CLAIM, ChangeKind.LATCH)
    elif not level.deleting and _is_done_with(state, cache, entry, site):
        yield _delete(cache, entry, site, JOB)


def _is_at_work(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether a Job of this claim and content runs, or may be made."""
    if site.job is None:
        return _may_begin(state, cache, entry, site)
    return counts(cache, site) and not site.job_level.ended and not _is_latched(cache, entry, site)


def _may_begin(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether a Job is to be made as soon as its token is there.

    The Pods of the Job before it must have ended: two would write into one volume.
    """
    return (
        not _is_latched(cache, entry, site)
        and site.claim_level.phase != "Lost"
        and not is_waiting(cache, entry, "hydrate")
        and token_of(state, cache).usable
        and not writing_pods(site.cluster, site.namespace, names_of(cache)[JOB], entry.job_uid)
    )


def _has_token(state: State, cache: Cache, site: Site) -> bool:
    token = token_of(state, cache)
    if not token.needed:
        return True
    there = is_ours(state, cache, site.secret) and not site.secret_level.deleting
    known = copy_is_known(site, names_of(cache)[SECRET])
    return there and known and copy_digest(cache, site) == token.digest


def _is_to_be_latched(cache: Cache, entry: Entry, site: Site) -> bool:
    done = counts(cache, site) and site.job_level.outcome == "Complete"
    return done and site.claim_level.phase == "Bound" and not _is_latched(cache, entry, site)


def _lacks_latch(cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether a claim lost the mark by which another log would know that it is whole."""
    level = site.claim_level
    marked = level.hydrated == latch_of(cache, site)
    return _is_latched(cache, entry, site) and not marked and level.phase == "Bound"


def _is_latched(cache: Cache, entry: Entry, site: Site) -> bool:
    return latch_of(cache, site) == entry.latch


def _is_done_with(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether a Job is of no use any more: foreign to claim or content, read out, or halted."""
    level, job = site.job_level, site.job
    if job is None or not counts(cache, site) or _is_latched(cache, entry, site):
        return True
    if level.outcome == "Failed":
        noted = entry.failure.job_uid == job.subject.uid
        heard = newest_failed_pod(site.cluster, job.subject.uid) is not None
        return noted and (heard or not is_waiting(cache, entry, "words"))
    stuck = token_of(state, cache).missing or entry.tried_key != token_key(cache)
    return not level.ended and stuck and not _is_running(site)


def _is_running(site: Site) -> bool:
    pods = pods_of(site.cluster, site.job.subject.uid) if site.job else []
    levels = [pod.level for pod in pods]
    return any(isinstance(each, HydrationPodLevel) and each.phase == "Running" for each in levels)


def _create(cache: Cache, entry: Entry, site: Site, kind: str) -> Wish:
    return Wish(site.name, entry.cluster, kind, site.namespace, names_of(cache)[kind])


def _change(cache: Cache, entry: Entry, site: Site, kind: str, change: ChangeKind) -> Wish:
    return _delete(cache, entry, site, kind)._replace(change=change)


def _delete(cache: Cache, entry: Entry, site: Site, kind: str) -> Wish:
    known = {CLAIM: site.claim, JOB: site.job, SECRET: site.secret}[kind]
    uid = known.subject.uid if known else ""
    return _create(cache, entry, site, kind)._replace(uid=uid)
