"""Failing: how a hydration failed, what its last words were, and when the next one is tried.

Kept after the Job is gone. The waits grow with each failure in a row; another token, or an edit of
the annotation `warmlog.dev/retry`, ends a wait at once.
"""

from engine.events import Event
from engine.instants import SECOND
from machines.caches.finding import Site, newest_failed_pod
from machines.caches.latching import counts
from machines.caches.owning import is_ours
from machines.caches.settings import LONGEST_RETRY_SECONDS
from machines.caches.states import NO_FAILURE, SILENCE, Cache, Entry, Failure, Said
from machines.caches.tokens import token_key, token_of
from machines.labels import RETRY
from machines.states import State

UNTOLD = "?"  # no digest: the token was not known when it was asked for
_DOUBLINGS = 12  # more never matter: the longest wait is reached before


def note_failure(state: State, cache: Cache, entry: Entry, site: Site, event: Event) -> None:
    """Note that the Job failed, what its Pod said last, and whether it is tried again at once."""
    job, level = site.job, site.job_level
    if job is not None and is_ours(state, cache, job) and counts(cache, site):
        if not entry.tried:  # made in another log: its token is taken to be today's
            entry.tried = True
            token = token_of(state, cache)
            entry.tried_token = token.digest if token.known else UNTOLD
            entry.tried_key, entry.tried_retry = token_key(cache), retry_mark(cache)
        if level.outcome == "Failed":
            if entry.failure.job_uid != job.subject.uid:
                entry.failure = _failure(state, cache, entry, site, event)
            entry.failure = _with_words(entry.failure, site)
    if entry.failure.token == UNTOLD and token_of(state, cache).known:
        entry.failure = entry.failure._replace(token=token_of(state, cache).digest)
    if _is_asked_for(state, cache, entry.failure, event):
        entry.failure = entry.failure._replace(due=event.at)


def is_standing(entry: Entry, event: Event) -> bool:
    """Say whether hydration of this claim failed, and its next try is not due."""
    failure = entry.failure
    return failure.claim_uid == entry.claim_uid and failure.due > event.at


def retry_mark(cache: Cache) -> str:
    """Give the value of the annotation by which people ask for a try at once."""
    return dict(cache.level.annotations).get(RETRY, "")


def wait_seconds(first: int, tries: int) -> int:
    """Give the wait after so many failures in a row."""
    return min(first << min(tries - 1, _DOUBLINGS), LONGEST_RETRY_SECONDS)


def _failure(state: State, cache: Cache, entry: Entry, site: Site, event: Event) -> Failure:
    assert site.job is not None  # noqa: S101 -- its level has an outcome
    old = entry.failure if entry.failure.claim_uid == entry.claim_uid else NO_FAILURE
    tries = old.tries + 1
    level = site.job_level
    said = Said(level.reason, level.message)
    return Failure(
        job_uid=site.job.subject.uid,
        job_name=site.job.subject.name,
        claim_uid=entry.claim_uid,
        attempts=level.failed_attempts,
        said=said,
        job_said=said,
        at=event.at,
        tries=tries,
        token=entry.tried_token,
        retry=entry.tried_retry,
        due=event.at + wait_seconds(state.caching.retry_seconds, tries) * SECOND,
    )


def _with_words(failure: Failure, site: Site) -> Failure:
    """Add what came later: the last words of the container, or the number of its attempts."""
    level = site.job_level
    pod = newest_failed_pod(site.cluster, failure.job_uid)
    said = Said(pod.reason, pod.message) if pod else SILENCE
    return failure._replace(
        attempts=max(failure.attempts, level.failed_attempts),
        said=said if any(said) else failure.said,
    )


def _is_asked_for(state: State, cache: Cache, failure: Failure, event: Event) -> bool:
    if failure.due <= event.at:  # as is that of none at all
        return False
    token, mark = token_of(state, cache), retry_mark(cache)
    another = token.known and bool(token.digest) and token.digest != failure.token
    return another or (bool(mark) and mark != failure.retry)
