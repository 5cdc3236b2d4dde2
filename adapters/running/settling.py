"""Settling: before a Job or a Pod without an outcome is believed to be gone, it is asked for.

A watch that selects by label says DELETED of an object whose label was taken off, too. Such an
object is still there, works, and holds its slot; nobody shows it any more, so it is asked for
again, ever more rarely, until it is shown, has ended, or is gone. No answer is no news.

What another has under a name that a cache wants is met without our label as well: no watch would
tell that it went out of the way. And an answer that a list has overtaken shows what that list did
not hold any more: whether it is there still is asked, too, as no watch will say so.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import NamedTuple

import structlog

from adapters.kubernetes.reading import read_one
from adapters.kubernetes.reflecting import ReadRefused, number
from adapters.ports import Api, ApiUnanswered
from adapters.running.waking import woken_or_due
from engine.events import Subject
from engine.instants import SECOND
from machines.absences import (
    Fresh,
    doubtful,
    has_ended,
    holds_name,
    is_doubtful,
    is_met,
    is_shown,
)
from machines.backoffs import growing_seconds
from machines.ingesting import is_buried
from machines.observations import Deleted, Listed, Observation, RolledBack, Seen
from machines.states import State

AT_ONCE = 8  # reads under way

_log = structlog.get_logger(__name__)

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]


# Cluster and uid: two that prove to be one cluster show the same objects, each for itself.
Key = tuple[str, str]


def _key(one: Seen | Deleted) -> Key:
    return one.cluster, one.subject.uid


class Absence(NamedTuple):
    """An object that is not shown any more, and what it would mean if it were gone."""

    gone: Deleted
    due: int = 0  # when to ask next, UTC nanoseconds
    times: int = 0  # asked so far
    under_way: bool = False

    @property
    def subject(self) -> Subject:
        """The object."""
        return self.gone.subject

    @property
    def key(self) -> Key:
        """What it is kept under."""
        return _key(self.gone)


class SettlingBook:
    """What is not shown any more, on any cluster. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with nothing to ask."""
        self._absent: dict[Key, Absence] = {}
        # Versions of the last complete lists, by cluster, kind and scope.
        self._lists: dict[tuple[str, str, tuple[str, str]], int] = {}

    def sift(
        self, state: State, observations: Sequence[Observation], now: int
    ) -> list[Observation]:
        """Give what may be ingested now, and keep what has to be asked about first.

        A list that follows on a roll-back is believed: it shows another past.
        """
        passed: list[Observation] = []
        fresh: dict[Key, Seen] = {}
        held: set[Key] = set()  # listed in this batch: the state does not know it yet
        believed = {one.cluster for one in observations if isinstance(one, RolledBack)}
        for cluster in believed:
            self._forget_lists(cluster)
        for observation in observations:
            if isinstance(observation, Seen):
                self._seen(observation)
                self._meet(state, observation, now)
                if _key(observation) not in held:
                    self._doubt_overtaken(state, observation, fresh, now)
                fresh[_key(observation)] = observation
            elif isinstance(observation, Deleted):
                if is_doubtful(state, observation, fresh):
                    self._doubt(observation, now)
                    continue
                self._absent.pop(_key(observation), None)
            elif isinstance(observation, Listed):
                is_believed = observation.cluster in believed
                listed = (
                    observation if is_believed else self._listed(state, observation, fresh, now)
                )
                passed.append(listed)
                held.update(map(_key, listed.items))
                fresh |= {_key(seen): seen for seen in listed.items}
                continue
            passed.append(observation)
        return passed

    def due(self, cluster: str, now: int) -> list[Absence]:
        """Give what is to be asked of a cluster now, and take it as being asked."""
        ready = [one for one in self._waiting(cluster) if one.due <= now]
        for one in ready:
            self._absent[one.key] = one._replace(under_way=True)
        return ready

    def next_due(self, cluster: str) -> int | None:
        """Give when the next question to a cluster is due, or None."""
        return min((one.due for one in self._waiting(cluster)), default=None)

    def forget(self, cluster: str) -> None:
        """Ask nothing of a cluster any more: nobody is there to answer, or another one is."""
        self._forget_lists(cluster)
        for absence in list(self._absent.values()):
            if absence.gone.cluster == cluster:
                del self._absent[absence.key]

    def _waiting(self, cluster: str) -> Iterator[Absence]:
        for one in self._absent.values():
            if one.gone.cluster == cluster and not one.under_way:
                yield one

    def found(self, absence: Absence, seen: Seen | None, now: int) -> tuple[Observation, ...]:
        """Take an answer: the object as it is, or None when it is gone for sure."""
        if seen is None:
            self._absent.pop(absence.key, None)
            return (absence.gone._replace(settled=True),)
        if is_shown(seen.level) or (has_ended(seen.level) and not holds_name(seen.subject)):
            self._absent.pop(absence.key, None)
        else:
            newer = absence.gone._replace(version=seen.version)
            self._again(absence._replace(gone=newer), now)
        return (seen,)

    def unanswered(self, absence: Absence, now: int) -> None:
        """Ask again later: no answer tells nothing."""
        self._again(absence, now)

    def _again(self, absence: Absence, now: int) -> None:
        if absence.key in self._absent:
            due = now + growing_seconds(absence.times) * SECOND
            later = absence._replace(due=due, times=absence.times + 1)
            self._absent[absence.key] = later

    def _doubt(self, deleted: Deleted, now: int) -> None:
        """Ask at once about what has just gone from sight; what is asked about already waits."""
        known = self._absent.get(_key(deleted))
        if known is None:
            self._absent[_key(deleted)] = Absence(deleted, now)
        elif not deleted.inferred:
            self._absent[_key(deleted)] = known._replace(gone=deleted, due=now)

    def _seen(self, seen: Seen) -> None:
        if is_shown(seen.level):
            self._absent.pop(_key(seen), None)

    def _doubt_overtaken(self, state: State, seen: Seen, fresh: Fresh, now: int) -> None:
        """Ask about what an answer shows that was on its way while a newer list came without it.

        What has ended in this log is not taken in, whatever shows it: nothing is asked about that.
        """
        subject, cluster = seen.subject, state.clusters.get(seen.cluster)
        if _key(seen) in fresh or state.known(seen.cluster, subject.kind, subject.uid):
            return
        if cluster is not None and is_buried(cluster, seen):
            return
        scopes = ("", ""), (subject.namespace, subject.name)
        listed = max(self._lists.get((seen.cluster, subject.kind, one), 0) for one in scopes)
        if 0 < number(seen.version) <= listed:
            self._doubt(Deleted(seen.cluster, subject, seen.version, inferred=True), now)

    def _forget_lists(self, cluster: str) -> None:
        for key in [key for key in self._lists if key[0] == cluster]:
            del self._lists[key]

    def _meet(self, state: State, seen: Seen, now: int) -> None:
        """Ask again later about what holds a name that a cache wants, and is shown by no watch."""
        key = _key(seen)
        if key not in self._absent and is_met(state, seen):
            gone = Deleted(seen.cluster, seen.subject, seen.version)
            self._absent[key] = Absence(gone, now + growing_seconds(0) * SECOND, 1)

    def _listed(self, state: State, listed: Listed, fresh: Fresh, now: int) -> Listed:
        for seen in listed.items:
            self._seen(seen)
        self._lists[listed.cluster, listed.kind, listed.scope] = number(listed.version)
        missing = list(doubtful(state, listed, fresh))
        for gone in missing:
            self._doubt(gone, now)
        return listed._replace(unsettled=frozenset(gone.subject.uid for gone in missing))


class Settler:
    """Asks one cluster about what is not shown any more, a few at a time."""

    def __init__(
        self,
        api: Api,
        book: SettlingBook,
        sink: Sink,
        clock: Callable[[], int],
        timeout_seconds: float,
    ) -> None:
        """Ask what `book` says; report to `sink`."""
        self._book = book
        self._api = api
        self._sink = sink
        self._clock = clock
        self._timeout_seconds = timeout_seconds
        self._woken = asyncio.Event()
        self._places = asyncio.Semaphore(AT_ONCE)

    def wake(self) -> None:
        """Say that the book may have more to ask."""
        if self._book.next_due(self._api.cluster) is not None:
            self._woken.set()

    async def run(self) -> None:
        """Ask until cancelled."""
        async with asyncio.TaskGroup() as reads:
            while True:
                due = self._book.next_due(self._api.cluster)
                await woken_or_due(self._woken, due, self._clock())
                for absence in self._book.due(self._api.cluster, self._clock()):
                    await self._places.acquire()
                    reads.create_task(self._ask(absence))

    async def _ask(self, absence: Absence) -> None:
        try:
            observations = await settle(
                self._book, absence, self._api, self._clock, timeout_seconds=self._timeout_seconds
            )
        finally:
            self._places.release()
            self._woken.set()
        await self._sink(observations)


async def settle(
    book: SettlingBook,
    absence: Absence,
    api: Api,
    clock: Callable[[], int],
    *,
    timeout_seconds: float,
) -> tuple[Observation, ...]:
    """Ask about one object, and give what is known then; nothing while nobody answers."""
    try:
        seen = await read_one(api, absence.subject, timeout_seconds=timeout_seconds)
    except (ApiUnanswered, ReadRefused) as error:
        book.unanswered(absence, clock())
        _log.warning("whether it is still there is not known", object=str(absence.subject),
                     words=str(error))  # fmt: skip
        return ()
    return book.found(absence, seen, clock())
