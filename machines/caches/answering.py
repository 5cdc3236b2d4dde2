"""Answering: what was decided for a cache, and what became of it."""

from engine.events import Event, Subject
from engine.instants import SECOND
from machines.awaiting import accepted
from machines.backoffs import retry_seconds
from machines.caches.changes import ChangeKind, what_of
from machines.caches.failing import retry_mark, wait_seconds
from machines.caches.finding import JOB, NAMESPACE
from machines.caches.healing import node_key
from machines.caches.indexing import entries_on
from machines.caches.states import NO_FAILURE, Cache, Entry, Refusal
from machines.caches.stirring import ALL, stir, touch
from machines.caches.tokens import token_key, token_of
from machines.intents import CacheIntent, Change, Create
from machines.observations import Absent, Answer, Refused, Unknown
from machines.states import OpenIntent, State

SEEN_SECONDS = 10  # in which what was accepted has to be seen, before it is asked for again
AGAIN_SECONDS = 1  # after which what did not happen is asked for again

CLAIM_IN_USE = "ClaimInUse"


def fold_cache_intent(state: State, event: Event, subject: Subject, intent: CacheIntent) -> None:
    """Something was decided for a cache: it is open until its answer."""
    cache = state.caches[intent.owner_uid]
    state.open[event.seq] = OpenIntent(event.seq, event.cluster, cache.subject, intent)
    what = what_of(intent)
    record = _record(state, cache, event.cluster, intent)
    if record is None:
        return
    touch(state, intent.owner_uid, (_name(record),))
    record.open[what] = event.seq
    record.made.pop(what, None)
    if isinstance(record, Entry):
        _note(state, cache, record, intent)


def fold_cache_answer(state: State, event: Event, intent: CacheIntent, answer: Answer) -> None:
    """What was decided for a cache has its answer."""
    seq = event.cause or 0
    opened, cache = state.open[seq], state.caches.get(intent.owner_uid)
    record = _opener(cache, seq) if cache else None
    stir(state, intent.owner_uid, (_name(record),))
    if isinstance(answer, Unknown):
        state.open[seq] = opened._replace(uncertain=True, unanswered=answer.words)
        return
    del state.open[seq]
    if cache is None or record is None:
        return
    what = what_of(intent)
    del record.open[what]
    if isinstance(answer, Refused):
        _refused(record, what, intent, answer, event)
    elif isinstance(answer, Absent):
        record.made[what] = accepted(state, opened.cluster, intent, AGAIN_SECONDS)
    else:
        record.refusals.pop(what, None)
        record.made[what] = accepted(state, opened.cluster, intent, SEEN_SECONDS)
        _done(cache, record, intent)


def _note(state: State, cache: Cache, entry: Entry, intent: CacheIntent) -> None:
    """Note under which circumstances something was decided."""
    if isinstance(intent, Create):
        entry.had |= intent.kind != NAMESPACE
    if isinstance(intent, Create) and intent.kind == JOB:
        entry.tried = True
        entry.tried_token, entry.tried_retry = token_of(state, cache).digest, retry_mark(cache)
        entry.tried_key = token_key(cache)
    if isinstance(intent, Change) and intent.change == ChangeKind.HEAL:
        entry.healing = node_key(entry.chosen)


def _record(state: State, cache: Cache, cluster: str, intent: CacheIntent) -> Cache | Entry | None:
    if intent.kind == cache.subject.kind:
        return cache
    entries = entries_on(state, cache, cluster)
    return entries[0] if entries else None


def _opener(cache: Cache, seq: int) -> Cache | Entry | None:
    records: list[Cache | Entry] = [cache, *cache.entries.values()]
    return next((one for one in records if seq in one.open.values()), None)


def _name(record: Cache | Entry | None) -> str:
    return record.cluster if isinstance(record, Entry) else ALL


def _refused(
    record: Cache | Entry, what: str, intent: CacheIntent, refused: Refused, event: Event
) -> None:
    old = record.refusals.get(what)
    times = old.times + 1 if old else 1
    due = event.at + _wait_seconds(intent, times) * SECOND
    record.refusals[what] = Refusal(refused.reason, refused.words, times, due)
    if isinstance(record, Entry) and refused.reason == CLAIM_IN_USE:
        record.users = None


def _wait_seconds(intent: CacheIntent, times: int) -> int:
    """Give the wait after so many refusals: a minute at most, if anything waits for the change.

    Nothing waits for growth, and most who refuse it, such as a class that cannot grow, always will.
    """
    grows = isinstance(intent, Change) and intent.change == ChangeKind.GROW
    return wait_seconds(1, times) if grows else retry_seconds(times)


def _done(cache: Cache, record: Cache | Entry, intent: CacheIntent) -> None:
    if isinstance(record, Cache):
        record.held = isinstance(intent, Change) and intent.change == ChangeKind.HOLD
    elif isinstance(intent, Change) and intent.change == ChangeKind.LATCH:
        record.latch = f"{intent.uid}/{cache.fingerprint}"
        record.failure = NO_FAILURE
    elif isinstance(intent, Change) and intent.change == ChangeKind.HEAL:
        record.healed[record.healing] = True
