"""Moving: an entry is brought to where the facts of its cluster, taken together, put it."""

from engine.events import Event
from machines.caches.entries import ENTRIES, EntryTrigger
from machines.caches.failing import is_standing, note_failure
from machines.caches.finding import Site, site_of
from machines.caches.healing import await_nodes, chosen_now
from machines.caches.latching import latch_of
from machines.caches.leaving import is_retained
from machines.caches.owning import Ownership, is_ours, ownership
from machines.caches.selecting import is_known
from machines.caches.states import NO_FAILURE, SILENCE, Cache, Entry
from machines.states import State
from machines.triggering import pull


def move_entry(state: State, cache: Cache, entry: Entry, event: Event) -> None:
    """Take in what is known of an entry's cluster, and move it; what is unknown moves nothing."""
    site = site_of(state, cache, entry)
    if site is not None and is_known(site.cluster):
        entry.recovered = False
        _note_claim(state, cache, entry, site)
        entry.chosen = chosen_now(entry, site, event)
        if site.job is not None and ownership(state, cache, site.job) is not Ownership.OTHERS:
            entry.job_uid = site.job.subject.uid
        await_nodes(site.cluster, cache.subject.uid, entry)
        note_failure(state, cache, entry, site, event)
        _note_silence(entry, site)
        entry.retained = is_retained(state, cache, entry, site)
        entry.had = entry.had or _has_any(state, cache, site)
        pull(entry, ENTRIES, _trigger(cache, entry, site, event), event)
    elif cache.spec is None:
        pull(entry, ENTRIES, EntryTrigger.SPEC_REFUSED, event)


def _has_any(state: State, cache: Cache, site: Site) -> bool:
    return any(is_ours(state, cache, one) for one in (site.claim, site.job, site.secret))


def _note_claim(state: State, cache: Cache, entry: Entry, site: Site) -> None:
    claim = site.claim
    whose, uid = ownership(state, cache, claim), claim.subject.uid if claim else ""
    stripped = whose is Ownership.OPEN and uid == entry.claim_uid  # of its annotations: still ours
    uid = uid if whose is Ownership.OURS or stripped else ""
    if uid and entry.failure.claim_uid not in ("", uid):
        entry.failure = NO_FAILURE
    if uid != entry.claim_uid:
        entry.users, entry.ended_users = None, ()
    entry.claim_uid = uid
    if uid and site.claim_level.hydrated == latch_of(cache, site):
        entry.latch = site.claim_level.hydrated


def _note_silence(entry: Entry, site: Site) -> None:
    """What Events said of something that waited is of no use when it waits no more."""
    if not entry.claim_uid or site.claim_level.phase == "Bound":
        entry.claim_events = SILENCE
    if site.job is None or site.job_level.ended:
        entry.job_events = SILENCE


def _trigger(cache: Cache, entry: Entry, site: Site, event: Event) -> EntryTrigger:
    level = site.claim_level
    bound = bool(entry.claim_uid) and level.phase == "Bound" and not level.deleting
    if cache.spec is None:
        return EntryTrigger.SPEC_REFUSED
    if bound and entry.latch == latch_of(cache, site):
        return EntryTrigger.STAGED
    can_be_filled = bool(entry.claim_uid) and level.phase != "Lost" and not level.deleting
    if can_be_filled and is_standing(entry, event):
        return EntryTrigger.HYDRATION_FAILED
    return EntryTrigger.CLAIM_BOUND if bound else EntryTrigger.CLAIM_UNBOUND
