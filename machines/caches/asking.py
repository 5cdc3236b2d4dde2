"""Asking: what has to be read for caches that no watch shows. Reading needs no intent.

Events are read for a claim that is not bound, for a Job without a Pod, and for a Pod that does not
run and does not say why. The Pods of a namespace are read before a claim there is released, and
again while it is held.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from engine.events import Subject
from engine.instants import SECOND
from machines.caches.finding import CLAIM, Site, live_pods, site_of
from machines.caches.indexing import entry_of
from machines.caches.leaving import is_at_work
from machines.caches.owning import is_ours
from machines.caches.selecting import home_is_known, is_abandoned, is_known
from machines.caches.states import Cache, Entry, Said
from machines.states import Known, State

GOING_SECONDS = 5  # after which a claim that is being deleted is usually gone


class Heard(NamedTuple):
    """What Events said last, and when that entered the log."""

    said: Said
    at: int


class CacheQuestion(NamedTuple):
    """What to ask about, and since when the answer is waited for (UTC nanoseconds)."""

    cluster: str  # in the log
    subject: Subject
    cache: Subject
    since: int


def claim_questions(state: State) -> Iterator[CacheQuestion]:
    """Give the claims, Jobs and Pods whose Events are to be read."""
    for cache, entry, site in _open(state):
        for known in _silent(state, cache, entry, site):
            yield CacheQuestion(site.name, known.subject, cache.subject, known.at)


def release_questions(state: State) -> Iterator[CacheQuestion]:
    """Give the claims whose users are to be read: at once, and again while they are held.

    Of one that is being deleted they are read when it is still there after a while.
    """
    for cache, entry, site in _open(state):
        if site.claim is None:
            continue
        if _is_to_be_released(state, cache, entry, site):
            yield CacheQuestion(site.name, site.claim.subject, cache.subject, entry.left_at)
        elif _is_going(state, cache, site):
            since = site.claim.at + GOING_SECONDS * SECOND
            yield CacheQuestion(site.name, site.claim.subject, cache.subject, since)


def cache_events(state: State, cluster: str, subject: Subject) -> Heard | None:
    """Give what Events last said of a claim, a Job or its Pod; None when nobody has to know."""
    found = entry_of(state, cluster, subject)
    if found is None:
        return None
    cache, entry = found
    site = site_of(state, cache, entry)
    asked = _silent(state, cache, entry, site) if site else ()
    if all(known.subject.uid != subject.uid for known in asked):
        return None
    if subject.kind == CLAIM:
        return Heard(entry.claim_events, entry.claim_events_at)
    return Heard(entry.job_events, entry.job_events_at)


def follow_questions(state: State, cache: Cache, entries: Iterable[Entry]) -> None:
    """Note which of these entries have anything to ask: only such are looked through."""
    for entry in entries:
        entry.asks = False
    for entry, site in _sites(state, cache, entries):
        silent = any(_silent(state, cache, entry, site))
        going = _is_going(state, cache, site)
        entry.asks = silent or going or _is_to_be_released(state, cache, entry, site)
    if any(entry.asks for entry in cache.entries.values()):
        state.asking[cache.subject.uid] = True
    else:
        state.asking.pop(cache.subject.uid, None)


def _open(state: State) -> Iterator[tuple[Cache, Entry, Site]]:
    for uid in state.asking:
        cache = state.caches[uid]
        if home_is_known(state, cache):
            asking = [entry for entry in cache.entries.values() if entry.asks]
            for entry, site in _sites(state, cache, asking):
                yield cache, entry, site


def _sites(state: State, cache: Cache, entries: Iterable[Entry]) -> Iterator[tuple[Entry, Site]]:
    if is_abandoned(cache):
        return
    for entry in entries:
        site = site_of(state, cache, entry)
        if site is not None and is_known(site.cluster):
            yield entry, site


def _silent(state: State, cache: Cache, entry: Entry, site: Site) -> Iterator[Known]:
    if not entry.selected or not entry.claim_uid:
        return
    if site.claim is not None and site.claim_level.phase != "Bound":
        yield site.claim
    job = site.job
    if job is None or site.job_level.ended or not is_ours(state, cache, job):
        return
    pods = live_pods(site.cluster, job.subject.uid)
    if not pods:
        yield job
    for pod in pods[-1:]:
        level = pod.level
        if getattr(level, "phase", "") == "Pending" and not getattr(level, "reason", ""):
            yield pod


def _is_to_be_released(state: State, cache: Cache, entry: Entry, site: Site) -> bool:
    if entry.selected or cache.gone or entry.users == ():
        return False
    ours = is_ours(state, cache, site.claim) and not site.claim_level.deleting
    return ours and not is_at_work(state, cache, entry, site)


def _is_going(state: State, cache: Cache, site: Site) -> bool:
    """Say whether the claim is ours and being deleted: it stays for as long as Pods mount it."""
    return site.claim_level.deleting and not cache.gone and is_ours(state, cache, site.claim)
