"""Status books: which statuses have to be sent now, and what the server is known to hold.

A status is sent only when it differs from what was last sent or seen, one at a time per object, at
most five a second; a foreign edit is repaired at most once a minute. What the server holds is
unknown until the object is seen, and nothing is sent before. The book does no I/O, so the live loop
and the simulator's driver keep the same one.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.statuses import Conflict, Dropped, StatusResult, Stored
from adapters.running.contests import Contests
from adapters.running.status_pages import Page, status_text
from engine.events import Subject
from machines.observations import Listed, Observation, RolledBack, Seen, StatusStored
from machines.states import State, Warmup
from machines.statuses import warmup_status
from machines.warmups import TERMINAL


class StatusWrite(NamedTuple):
    """One status on its way out."""

    cluster: str
    subject: Subject
    status: dict[str, Any]
    version: str | None  # resourceVersion to send it against; None: read first
    position: int
    terminal: bool
    text: str


class StatusBook:
    """The statuses of one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._pages: dict[str, Page] = {}
        self._contests = Contests()
        self._editors: dict[str, str] = {}  # who wrote last, by uid

    def note(self, observation: Observation) -> None:
        """Take in what was observed of ModelWarmups: their versions, and the statuses they hold."""
        match observation:
            case Seen():
                if observation.subject.kind == "ModelWarmup":
                    page = self._pages.setdefault(observation.subject.uid, Page())
                    page.see(observation.version, status_text(observation.recovered))
                    self._editors[observation.subject.uid] = observation.editor
            case Listed():
                for seen in observation.items:
                    self.note(seen)
            case RolledBack():
                # What the server holds is another past, and its versions begin again from there.
                for uid, page in self._pages.items():
                    self._pages[uid] = Page(sending=page.sending)

    def due(self, state: State, now: int) -> Iterator[StatusWrite | Observation]:
        """Give the writes to send now; each must be answered by `settle`.

        A terminal status that the server is seen to hold already comes as its `StatusStored`.
        """
        for uid in [uid for uid in self._pages if _is_gone(state, uid)]:
            del self._pages[uid]
            self._editors.pop(uid, None)
            self._contests.forget(uid)
        for uid, warmup in state.warmups.items():
            page = self._pages.get(uid)
            if page is None:
                continue
            yield from self._contested(warmup, page, now)
            if not page.is_waiting(warmup.position):
                continue
            if now < page.ready_at(warmup.position):
                continue
            status = warmup_status(state, warmup)
            text = status_text(status)
            terminal = warmup.state in TERMINAL
            if text != page.held:
                version = page.version or None
                page.begin(text, warmup.position, now)
                yield StatusWrite(
                    warmup.cluster, warmup.subject, status, version,
                    warmup.position, terminal, text,
                )  # fmt: skip
                continue
            page.considered = warmup.position
            if terminal and not page.told:
                page.told = True
                yield StatusStored(warmup.cluster, warmup.subject, warmup.position)

    def _contested(self, warmup: Warmup, page: Page, now: int) -> Iterator[Observation]:
        """Count the edits of others; give the contest that begins or ends."""
        edits, page.edits = page.edits, 0
        editor = self._editors.get(warmup.subject.uid, "")
        found = [self._contests.note(warmup, editor, now) for _ in range(edits)]
        yield from [begun for begun in found if begun][:1]
        over = self._contests.over(warmup, now)
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
                page.stored(result.version, write.position)
                if write.terminal and not page.told:
                    page.told = True
                    return (StatusStored(write.cluster, write.subject, write.position),)
            case _:
                page.failed(result.words, write.position, now)
        return ()

    def next_due(self, state: State) -> int | None:
        """Give the next instant at which `due` may give something, or None."""
        times = [
            page.ready_at(warmup.position)
            for uid, page in self._pages.items()
            if (warmup := state.warmups.get(uid)) is not None
            and not warmup.gone
            and page.is_waiting(warmup.position)
        ]
        # Without its page `due` says nothing of a warmup, so it must not be waited for either.
        times += [
            over
            for uid, warmup in state.warmups.items()
            if uid in self._pages
            and not warmup.gone
            and (over := self._contests.over_at(warmup)) is not None
        ]
        return min(times, default=None)

    def unsent(self, state: State) -> int:
        """Count the statuses that the server may not hold yet, ends not known to be stored too."""
        unseen = Page()
        return sum(
            self._pages.get(uid, unseen).is_behind(warmup.position)
            or (warmup.state in TERMINAL and not warmup.stored)
            for uid, warmup in state.warmups.items()
            if not warmup.gone
        )

    def troubles(self) -> dict[str, str]:
        """Give, by uid, why a status cannot be stored now."""
        return {uid: page.words for uid, page in self._pages.items() if page.words}


def _is_gone(state: State, uid: str) -> bool:
    warmup = state.warmups.get(uid)
    return warmup is None or warmup.gone
