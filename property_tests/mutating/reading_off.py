"""Reading off: what a running controller asks of a state, between one row and the next.

Statuses and decisions do not show all that a state is for: what is still to be sent, and with
which body; whose Events, users and Pods are to be read; which Secrets are to be watched; when to
wake up. A log that is replayed must give the same answers, after each of its rows.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from zlib import crc32

from adapters.running.cluster_books import wanted_ways, wants_of
from machines.absences import DOUBTFUL, doubtful
from machines.asking import questions
from machines.caches.asking import claim_questions, release_questions
from machines.caches.reaching import wanted_secrets
from machines.caches.statuses import cache_status, cluster_status
from machines.deciding import decide, effect_of, is_as_intended, still_wanted
from machines.following import followed
from machines.ingesting import next_deadline
from machines.observations import Listed, Seen
from machines.recalling import tells_a_past
from machines.replicas.asking import engine_questions
from machines.replicas.statuses import replica_status
from machines.states import State
from machines.statuses import warmup_status


def answers(state: State) -> int:
    """Give what stands for all that is asked of a state after a row."""
    return crc32(repr([*_sending(state), *_reading(state), *_touched(state)]).encode())


def _sending(state: State) -> Iterator[object]:
    yield decide(state)
    yield next_deadline(state)
    for seq in state.open:
        effect = effect_of(state, seq)
        yield effect, still_wanted(state, seq), is_as_intended(effect)


def _reading(state: State) -> Iterator[object]:
    for asked in (questions, claim_questions, release_questions, engine_questions):
        yield list(asked(state))
    yield sorted(wanted_secrets(state))
    yield list(wanted_ways(state))
    wants = wants_of(state)
    yield sorted(wants.works), sorted(wants.told), sorted(wants.serves)
    for cluster in state.clusters:
        yield list(followed(state, cluster))
        for kind in sorted(DOUBTFUL):
            yield list(doubtful(state, Listed(cluster, kind, "1", ()), {}))


def _touched(state: State) -> Iterator[object]:
    """Give the statuses of what a fact has touched, and whether one like it would tell a past."""
    for uid in state.dirty:
        if uid in state.warmups:
            one = state.warmups[uid]
            yield from _told(state, one, warmup_status(state, one))
        elif uid in state.caches:
            cache = state.caches[uid]
            yield from _told(state, cache, cache_status(state, cache))
        elif uid in state.replicas:
            replica = state.replicas[uid]
            yield from _told(state, replica, replica_status(state, replica))
    for served in state.served.values():
        yield cluster_status(state, served)


def _told(state: State, owner: Any, status: Mapping[str, Any]) -> Iterator[object]:
    yield status
    known = state.known(owner.cluster, owner.subject.kind, owner.subject.uid)
    if known is None:
        return
    marks = {"uid": owner.subject.uid, "log": state.log_id, "position": owner.position}
    for other in ({"position": owner.position + 1}, {"log": "another"}, {"uid": "another"}):
        past = {**status, "warmlog": {**marks, **other}}
        seen = Seen(owner.cluster, owner.subject, "1", known.level, past)
        yield tells_a_past(state, seen, known), tells_a_past(state, seen, None)
