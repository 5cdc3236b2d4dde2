"""Timing: the instants that a cache waits for, each with its timer.

    hydrate  when a failed hydration is tried again
    words    until when the last words of a failed Job's Pod are waited for
    heal     when a claim is cleared of a node that is gone
    retry    when a refused change is tried again
    made     until when what was accepted has to be seen, before it is asked for again

A wait is over when its instant is passed by a row, never because a clock says so meanwhile.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping

from engine.instants import SECOND
from machines.caches.finding import Site, newest_failed_pod, site_of
from machines.caches.states import Cache, Entry, Made, Refusal
from machines.caches.stirring import name_in
from machines.indexing import rearm
from machines.states import State

WORDS_SECONDS = 5  # that a failed Job's Pod may be seen later than its Job's outcome


def is_waiting(cache: Cache, entry: Entry | None, verb: str, what: str = "") -> bool:
    """Say whether an instant of this kind is still to come; no entry: the cache's own."""
    return _key(verb, entry.cluster if entry else "", what) in cache.waits


def follow_waits(state: State, cache: Cache, names: Collection[str]) -> None:
    """Have a timer for each instant to come on these clusters, or of the cache; for no other."""
    if not (cache.waits or any(_waits(state, cache, names))):
        return
    kept = {key: due for key, due in cache.waits.items() if name_in(key) not in ("", *names)}
    found = _waits(state, cache, names)
    wanted = kept | {key: due for key, due in found if due > state.now}
    rearm(state, cache.subject.uid, cache.waits, wanted)
    cache.waits = wanted


def drop_waits(state: State, cache: Cache) -> None:
    """Wait for nothing any more."""
    rearm(state, cache.subject.uid, cache.waits, {})
    cache.waits = {}


def _waits(state: State, cache: Cache, names: Iterable[str]) -> Iterator[tuple[str, int]]:
    yield from _guards("", cache.refusals, cache.made)
    for entry in cache.entries_on(names):
        yield from _guards(entry.cluster, entry.refusals, entry.made)
        if entry.failure.job_uid and entry.failure.claim_uid == entry.claim_uid:
            yield _key("hydrate", entry.cluster), entry.failure.due
        site = site_of(state, cache, entry) if entry.failure.job_uid else None
        if site is not None and _awaits_words(entry, site):
            yield _key("words", entry.cluster), entry.failure.at + WORDS_SECONDS * SECOND
        if entry.chosen.gone_at:
            due = entry.chosen.gone_at + state.caching.heal_seconds * SECOND
            yield _key("heal", entry.cluster), due


def _guards(
    name: str, refusals: Mapping[str, Refusal], made: Mapping[str, Made]
) -> Iterator[tuple[str, int]]:
    for what, refusal in refusals.items():
        yield _key("retry", name, what), refusal.retry_at
    for what, one in made.items():
        yield _key("made", name, what), one.until


def _awaits_words(entry: Entry, site: Site) -> bool:
    job = site.job
    if job is None or job.subject.uid != entry.failure.job_uid:
        return False
    return newest_failed_pod(site.cluster, job.subject.uid) is None


def _key(verb: str, name: str, what: str = "") -> str:
    return f"{verb}:{name}:{what}" if what else f"{verb}:{name}"
