"""Status books: which statuses have to be sent now, and what the server is known to hold.

A status is sent only when it differs from what was last sent or seen, one at a time per object, at
most five a second; a foreign edit is repaired at most once a minute. What the server holds is
unknown until the object is seen, and nothing is sent before. The book does no I/O, so the live loop
and the simulator's driver keep the same one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.statuses import Conflict, Dropped, StatusResult, Stored, store_status
from adapters.ports import Api
from adapters.running.contests import Contests
from adapters.running.publications import (
    Published,
    awaits_storing,
    has_ended,
    is_published,
    published,
)
from adapters.running.status_pages import Page, status_text
from engine.events import Subject
from machines.kinds import PUBLISHED
from machines.observations import Listed, Observation, RolledBack, Seen, StatusStored
from machines.projecting import status_of
from machines.states import State


class StatusWrite(NamedTuple):
    """One status on its way out."""

    cluster: str
    subject: Subject
    status: dict[str, Any]
    version: str | None  # resourceVersion to send it against; None: read first
    position: int
    terminal: bool
    text: str

    async def store(self, api: Api, *, timeout_seconds: float) -> StatusResult:
        """Replace the object's status by it. Raises nothing."""
        return await store_status(
            api, self.subject, self.status, self.version, timeout_seconds=timeout_seconds
        )


class StatusBook:
    """The statuses of one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._pages: dict[str, Page] = {}
        self._contests = Contests()
        self._editors: dict[str, str] = {}  # who wrote last, by uid
        self._clusters: dict[str, str] = {}  # where it was seen, by uid

    def note(self, observation: Observation) -> None:
        """Take in what was observed of our objects: their versions, and the statuses they hold."""
        match observation:
            case Seen():
                if observation.subject.kind in PUBLISHED:
                    uid = observation.subject.uid
                    page = self._pages.setdefault(uid, Page())
                    page.see(observation.version, status_text(observation.recovered))
                    self._editors[uid] = observation.editor
                    self._clusters[uid] = observation.cluster
            case Listed():
                for seen in observation.items:
                    self.note(seen)
            case RolledBack():
                # What the server holds is another past, and its versions begin again from there.
                for uid, page in self._pages.items():
                    if self._clusters[uid] == observation.cluster:
                        self._pages[uid] = Page(sending=page.sending)

    def due(self, state: State, now: int) -> Iterator[StatusWrite | Observation]:
        """Give the writes to send now; each must be answered by `settle`.

        A terminal status that the server is seen to hold already comes as its `StatusStored`.
        """
        for uid in [uid for uid in self._pages if not is_published(state, uid)]:
            del self._pages[uid], self._editors[uid], self._clusters[uid]
            self._contests.forget(uid)
        for uid, one in published(state):
            page = self._pages.get(uid)
            if page is None:
                continue
            yield from self._contested(one, page, now)
            if not page.is_waiting(one.position) or now < page.ready_at(one.position):
                continue
            status = status_of(state, one)
            text = status_text(status)
            if text != page.held:
                version = page.version or None
                page.begin(text, one.position, now)
                yield StatusWrite(
                    one.cluster, one.subject, status, version, one.position, has_ended(one), text
                )
                continue
            page.considered = one.position
            if has_ended(one) and not page.told:
                page.told = True
                yield StatusStored(one.cluster, one.subject, one.position)

    def _contested(self, one: Published, page: Page, now: int) -> Iterator[Observation]:
        """Count the edits of others; give the contest that begins or ends."""
        edits, page.edits = page.edits, 0
        editor = self._editors.get(one.subject.uid, "")
        found = [self._contests.note(one, editor, now) for _ in range(edits)]
        yield from [begun for begun in found if begun][:1]
        over = self._contests.over(one, now)
        if over is not None:
            yield over

    def settle(self, write: StatusWrite, result: StatusResult, now: int) -> tuple[Observation, ...]:
        """Take in what became of a write; give the fact that it makes, if it makes one."""
        page = self._pages.get(write.subject.uid)
        if page is None:  # gone meanwhile
            return ()
        match result:
            case Dropped():
                page.drop()
            case Conflict():
                page.outpaced(result.version, write.position)
            case Stored():
                page.stored(result.version, write.position, now)
                if write.terminal and not page.told:
                    page.told = True
                    return (StatusStored(write.cluster, write.subject, write.position),)
            case _:
                page.failed(result.words, write.position, now)
        return ()

    def next_due(self, state: State) -> int | None:
        """Give the next instant at which `due` may give something, or None."""
        times = []
        for uid, one in published(state):
            page = self._pages.get(uid)
            if page is None:  # then `due` says nothing of it, so it must not be waited for either
                continue
            if page.is_waiting(one.position):
                times.append(page.ready_at(one.position))
            over = self._contests.over_at(one)
            if over is not None:
                times.append(over)
        return min(times, default=None)

    def unsent(self, state: State) -> int:
        """Count the statuses that the server may not hold yet, ends not known to be stored too."""
        unseen = Page()
        return sum(
            self._pages.get(uid, unseen).is_behind(one.position) or awaits_storing(one)
            for uid, one in published(state)
        )

    def troubles(self) -> dict[str, str]:
        """Give, by uid, why a status cannot be stored now."""
        return {uid: page.words for uid, page in self._pages.items() if page.words}
