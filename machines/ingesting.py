"""Ingesting: which observations are news, and the rows that they become.

Levels, not edges: a level equal to the last recorded one appends nothing, an older one neither,
and what a complete list does not hold any more is gone, inferred. `ingest` looks at the state as it
is when its drafts are asked for, so a caller that folds each draft before taking the next one may
hand in any number of observations in a row.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.events import Draft, Subject
from engine.instants import SECOND
from machines.asking import asked_target
from machines.caches.asking import cache_events
from machines.caches.indexing import entry_of_claim
from machines.caches.levels import (
    CACHING_LEVEL_BY_KIND,
    HydrationJobLevel,
    HydrationPodLevel,
)
from machines.caches.selecting import home_is_known
from machines.caches.states import Cache
from machines.folding_jobs import UNREAD
from machines.following import wordless
from machines.levels import JobLevel, Level, PodLevel
from machines.observations import (
    Absent,
    Answer,
    Answered,
    ClaimUsersRead,
    Contested,
    DeadlinePassed,
    Deleted,
    Done,
    EventsRead,
    Listed,
    Observation,
    PodsRead,
    Reachability,
    Refused,
    RolledBack,
    Seen,
    StatusStored,
    Unknown,
    Unread,
)
from machines.recalling import tells_a_past
from machines.replicas.asking import engine_events
from machines.replicas.kinds import COMPOSED
from machines.replicas.levels import SERVING_LEVEL_BY_KIND, WorkloadLevel
from machines.replicas.placing import home_is_known as home_of_replica_is_known
from machines.replicas.states import Replica
from machines.states import Cluster, Known, State, Warmup
from machines.warmups import TERMINAL

DATA_VERSION = 1
_DIGITS = 40  # of a number that is worth reading
TEXT_SECONDS = 60  # a new text under the same reason is recorded at most this often


def ingest(state: State, observations: Iterable[Observation], clock: int) -> Iterator[Draft]:
    """Give the rows that the observations call for, lazily; `clock` is UTC nanoseconds."""
    for observation in observations:
        yield from _INGESTERS[type(observation)](state, observation, clock)


def _draft(
    cluster: str, subject: Subject, name: str, cause: int | None = None, **data: Any
) -> Draft:
    return Draft(cluster, str(subject), name, DATA_VERSION, dumps(data), cause)


def _cluster(state: State, name: str) -> Cluster:
    return state.clusters.get(name) or Cluster(name)


def _version(text: str) -> int:
    """Read a resourceVersion; what is no number is older than everything but itself."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else 0


def _seen(state: State, seen: Seen, clock: int) -> Iterator[Draft]:
    cluster = _cluster(state, seen.cluster)
    known = cluster.objects[seen.subject.kind].get(seen.subject.uid)
    if _is_old(cluster, known, seen):
        return
    if _is_another(known, seen.level, clock):
        told = {"version": str(_version(seen.version)), "level": seen.level.to_json()}
        yield _draft(seen.cluster, seen.subject, f"{seen.subject.kind}Seen", None, **told)
    if tells_a_past(state, seen, known):
        about, data = str(seen.subject), dumps(seen.recovered)
        yield Draft(seen.cluster, about, "Recovered", DATA_VERSION, data)


def is_news(state: State, seen: Seen, clock: int) -> bool:
    """Say whether the level of an object is recorded: it is no older, and another, than known."""
    cluster = _cluster(state, seen.cluster)
    known = cluster.objects[seen.subject.kind].get(seen.subject.uid)
    return not _is_old(cluster, known, seen) and _is_another(known, seen.level, clock)


def _is_old(cluster: Cluster, known: Known | None, seen: Seen) -> bool:
    is_older = known is not None and 0 < _version(seen.version) <= known.version
    return is_older or is_buried(cluster, seen)


def _is_another(known: Known | None, level: Level, clock: int) -> bool:
    return known is None or (known.level != level and not _too_soon(known, level, clock))


def is_buried(cluster: Cluster, seen: Seen) -> bool:
    """Say whether an object has ended, as this log knows.

    What replicas are composed of counts as gone also when it has become somebody else's; it comes
    back in a version after that one, which nothing that was deleted has. And what a create finds
    that was decided after the end has only been out of sight, without our label.
    """
    end = cluster.buried.get(seen.subject.uid)
    if end is None or end.seq < seen.found_by:
        return False
    returns = seen.subject.kind in COMPOSED and 0 < end.version < _version(seen.version)
    return not returns


def held_until(state: State, seen: Seen, clock: int) -> int | None:
    """Give when a text that comes too soon after another may be recorded; None when it may now.

    Whoever hands it in keeps it until then: a text is never lost for having come too soon.
    """
    known = _cluster(state, seen.cluster).objects[seen.subject.kind].get(seen.subject.uid)
    if known is None or known.level == seen.level or not _too_soon(known, seen.level, clock):
        return None
    return known.at + TEXT_SECONDS * SECOND


def _too_soon(known: Known, level: Level, clock: int) -> bool:
    """Keep a text that only reads differently from coming in more often than once a minute."""
    old, kinds = known.level, (PodLevel, HydrationPodLevel, WorkloadLevel)
    if not isinstance(old, kinds) or not isinstance(level, kinds) or not level.reason:
        return False
    same_but_text = old._replace(message=level.message) == level
    return same_but_text and clock - known.at < TEXT_SECONDS * SECOND


def _deleted(state: State, deleted: Deleted, clock: int) -> Iterator[Draft]:
    cluster = _cluster(state, deleted.cluster)
    uid = deleted.subject.uid
    known = cluster.objects[deleted.subject.kind].get(uid)
    if uid in cluster.buried or (known is None and uid not in state.jobs):
        return
    if deleted.last is not None and (known is None or _ended_since(known.level, deleted.last)):
        kind = deleted.subject.kind
        yield _draft(
            deleted.cluster,
            deleted.subject,
            f"{kind}Seen",
            version=str(_version(deleted.version)),
            level=deleted.last.to_json(),
        )
    told = {"inferred": True} if deleted.inferred else {}
    version = str(_version(deleted.version))
    yield _draft(deleted.cluster, deleted.subject, "Gone", version=version, **told)


def _ended_since(old: Level, last: Level) -> bool:
    """Say whether the object's last moment holds an end that was not seen before."""
    if isinstance(old, JobLevel) and isinstance(last, JobLevel):
        return last.ended and old.outcome != last.outcome
    if isinstance(old, PodLevel) and isinstance(last, PodLevel):
        return last.ended and not old.ended
    if isinstance(old, HydrationJobLevel) and isinstance(last, HydrationJobLevel):
        return last.ended and old.outcome != last.outcome
    if isinstance(old, HydrationPodLevel) and isinstance(last, HydrationPodLevel):
        return last.ended and not old.ended
    return False


def _listed(state: State, listed: Listed, clock: int) -> Iterator[Draft]:
    present = set()
    for seen in listed.items:
        present.add(seen.subject.uid)
        yield from _seen(state, seen, clock)
    version = _version(listed.version)
    cluster = _cluster(state, listed.cluster)
    missing = [
        known
        for uid, known in cluster.objects[listed.kind].items()
        if uid not in present
        and uid not in listed.unsettled
        and known.version <= version
        and _is_within(known.subject, listed.scope)
    ]
    for known in missing:
        yield _draft(listed.cluster, known.subject, "Gone", version=str(version), inferred=True)
    kind, cluster = synced_key(listed.kind, listed.scope), _cluster(state, listed.cluster)
    if kind not in cluster.synced or kind in cluster.unread:
        yield _draft(listed.cluster, Subject("", "", "", ""), "Synced", kind=kind)


def synced_key(kind: str, scope: tuple[str, str]) -> str:
    """Give the name under which a kind, or the object that `scope` names, counts as synced."""
    return "/".join((kind, *scope)) if any(scope) else kind


def _is_within(subject: Subject, scope: tuple[str, str]) -> bool:
    return not any(scope) or (subject.namespace, subject.name) == scope


def _unread(state: State, unread: Unread, clock: int) -> Iterator[Draft]:
    """Say why a kind cannot be read; a list of it takes that back."""
    kind = synced_key(unread.kind, unread.scope)
    cluster = _cluster(state, unread.cluster)
    if cluster.unread.get(kind, "") == unread.words and unread.served is not cluster.unserved.get(
        kind, False
    ):
        return
    told = {} if unread.served else {"served": False}
    subject = Subject("", "", "", "")
    yield _draft(unread.cluster, subject, "Unread", kind=kind, words=unread.words, **told)


def _rolled_back(state: State, back: RolledBack, clock: int) -> Iterator[Draft]:
    yield _draft(back.cluster, Subject("", "", "", ""), "ClusterRolledBack", words=back.words)


def _reachability(state: State, reach: Reachability, clock: int) -> Iterator[Draft]:
    """Whether a cluster answers, when that is news, or why it still does not, now and then."""
    cluster = _cluster(state, reach.cluster)
    if cluster.reachable == reach.reachable:
        same = reach.reachable or reach.words == cluster.words
        if same or clock < cluster.told_at + TEXT_SECONDS * SECOND:
            return
    name = "Reachable" if reach.reachable else "Unreachable"
    yield _draft(reach.cluster, Subject("", "", "", ""), name, words=reach.words)


def _users_read(state: State, read: ClaimUsersRead, clock: int) -> Iterator[Draft]:
    """Who mounts a claim, when that is news."""
    found = entry_of_claim(state, read.cluster, read.subject.uid)
    if found is None or (found[1].users, found[1].ended_users) == (read.pods, read.ended):
        return
    yield _draft(read.cluster, read.subject, "ClaimUsersRead", None, **read.to_json())


def _answered(state: State, answered: Answered, clock: int) -> Iterator[Draft]:
    opened = state.open.get(answered.intent_seq)
    if opened is None or (opened.uncertain and isinstance(answered.answer, Unknown)):
        return
    name, data = _answer_data(answered.answer)
    yield _draft(opened.cluster, opened.owner, name, opened.seq, **data)


def _answer_data(answer: Answer) -> tuple[str, dict[str, Any]]:
    if isinstance(answer, Done):
        data = {"uid": answer.uid, "found": answer.found}
        return "IntentDone", {key: value for key, value in data.items() if value}
    if isinstance(answer, Refused):
        return "IntentRefused", answer._asdict()
    if isinstance(answer, Absent):
        return "IntentAbsent", {}
    return "IntentUnknown", answer._asdict()


def _events_read(state: State, read: EventsRead, clock: int) -> Iterator[Draft]:
    """Words that say something new; what differs only in its text is asked for again later."""
    if read.subject.kind in CACHING_LEVEL_BY_KIND or read.subject.kind in SERVING_LEVEL_BY_KIND:
        yield from _object_events_read(state, read, clock)
        return
    target = asked_target(state, read.job_uid)
    if target is None or target.cause == (read.reason, read.message):
        return
    soon = clock - target.changed_at < TEXT_SECONDS * SECOND
    if target.cause.reason == read.reason and soon:
        return
    yield _events_draft(read)


def _object_events_read(state: State, read: EventsRead, clock: int) -> Iterator[Draft]:
    serving = read.subject.kind in SERVING_LEVEL_BY_KIND
    heard = (
        engine_events(state, read.subject)
        if serving
        else cache_events(state, read.cluster, read.subject)
    )
    if heard is None or heard.said == (read.reason, read.message):
        return
    soon = clock - heard.at < TEXT_SECONDS * SECOND
    if heard.said.reason != read.reason or not soon:
        yield _events_draft(read)


def _events_draft(read: EventsRead) -> Draft:
    words = {"jobUid": read.job_uid, "reason": read.reason, "message": read.message}
    data = dumps({name: value for name, value in words.items() if value})
    return Draft(read.cluster, str(read.subject), "EventsRead", DATA_VERSION, data)


def _contested(state: State, contested: Contested, clock: int) -> Iterator[Draft]:
    uid = contested.subject.uid
    one = state.warmups.get(uid) or state.caches.get(uid) or state.replicas.get(uid)
    if one is None or bool(one.contested_by) == bool(contested.editor):
        return
    name = "Contested" if contested.editor else "Uncontested"
    said = {"manager": contested.editor} if contested.editor else {}
    yield _draft(contested.cluster, contested.subject, name, **said)  # type: ignore[arg-type]


def _pods_read(state: State, read: PodsRead, clock: int) -> Iterator[Draft]:
    """What is news of Pods that no watch shows; a text that comes too soon is read again later."""
    job = state.jobs.get(read.subject.uid)
    if job is None or job.uid not in state.unwatched:
        return
    awaited = UNREAD in state.pods.get(job.uid, ())
    soon = clock - job.pods_at < TEXT_SECONDS * SECOND
    same = wordless(job.pods) == wordless(read.pods) if soon else job.pods == read.pods
    if awaited or not same:
        yield _draft(read.cluster, read.subject, "JobPodsRead", **read.pods.to_json())


def _status_stored(state: State, stored: StatusStored, clock: int) -> Iterator[Draft]:
    warmup = state.warmups.get(stored.subject.uid)
    if warmup is not None and warmup.state in TERMINAL and not warmup.stored:
        yield _draft(stored.cluster, stored.subject, "StatusStored", position=stored.position)


def _deadline_passed(state: State, passed: DeadlinePassed, clock: int) -> Iterator[Draft]:
    if any(due <= passed.deadline and uid == passed.subject.uid for due, uid, _ in state.timers):
        yield _draft(passed.cluster, passed.subject, "DeadlinePassed", deadline=passed.deadline)


def due_deadlines(state: State, clock: int) -> list[DeadlinePassed]:
    """Give the deadlines that `clock` has reached, one for each owner that has any.

    A cluster that is not synced or does not answer is waited for: nothing fails for lack of an
    answer.
    """
    latest: dict[str, int] = {}
    for due, uid, _ in state.timers:
        if due > clock:
            break
        latest[uid] = due
    passed = []
    for uid, due in latest.items():
        owner = _owner(state, uid)
        if _is_known(state, owner):
            passed.append(DeadlinePassed(owner.cluster, owner.subject, due))
    return passed


def next_deadline(state: State) -> int | None:
    """Give the next instant at which a deadline passes, or None."""
    for due, uid, _ in state.timers:
        if _is_known(state, _owner(state, uid)):
            return due
    return None


def _owner(state: State, uid: str) -> Warmup | Cache | Replica:
    return state.caches.get(uid) or state.replicas.get(uid) or state.warmups[uid]


def _is_known(state: State, owner: Warmup | Cache | Replica) -> bool:
    if isinstance(owner, Cache):
        return home_is_known(state, owner)
    if isinstance(owner, Replica):
        return home_of_replica_is_known(state, owner)
    return state.clusters[owner.cluster].is_known


_INGESTERS: dict[type, Callable[[State, Any, int], Iterator[Draft]]] = {
    Seen: _seen,
    Deleted: _deleted,
    Listed: _listed,
    RolledBack: _rolled_back,
    Reachability: _reachability,
    Unread: _unread,
    ClaimUsersRead: _users_read,
    Answered: _answered,
    EventsRead: _events_read,
    PodsRead: _pods_read,
    Contested: _contested,
    StatusStored: _status_stored,
    DeadlinePassed: _deadline_passed,
}
