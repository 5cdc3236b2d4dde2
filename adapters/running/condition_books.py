"""Condition books: our one condition in a status that others write, too.

It is written when it says something new. That somebody took it away is looked for at most once a
minute, when the object has changed; nobody is ever fought over it, and the rest is not touched.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from adapters.kubernetes.reflecting import number
from adapters.kubernetes.statuses import Dropped, StatusResult, Stored, Unanswered, store_condition
from adapters.ports import Api
from adapters.running.status_pages import REPAIR_INTERVAL
from engine.events import Subject
from engine.instants import SECOND
from machines.backoffs import retry_seconds
from machines.caches.states import ServedCluster
from machines.caches.statuses import cluster_condition
from machines.observations import Listed, Observation, Refused, Seen
from machines.states import State

INTERVAL = SECOND  # between two writes of one condition


class ConditionWrite(NamedTuple):
    """One condition on its way out."""

    subject: Subject
    condition: dict[str, Any]
    position: int  # of the event that last changed it

    async def store(self, api: Api, *, timeout_seconds: float) -> StatusResult:
        """Put it into the status. Raises nothing."""
        return await store_condition(
            api, self.subject, self.condition, timeout_seconds=timeout_seconds
        )


@dataclass(slots=True)
class _Page:
    """One object's condition. Times are UTC nanoseconds."""

    stored: int = -1  # position of what the server took last in this session
    version: int = 0  # of the object then
    seen: int = 0  # the newest version of the object: beyond `version` somebody wrote since
    is_sending: bool = False
    not_before: int = 0
    repair_at: int = 0
    refusals: int = 0
    words: str = ""

    def due_at(self, position: int) -> int | None:
        """Give when the condition at `position` is to be stored; None: there is nothing to do."""
        if self.is_sending:
            return None
        if position != self.stored:
            return self.not_before
        return max(self.not_before, self.repair_at) if self.seen > self.version else None


class ConditionBook:
    """The conditions of one session over one cluster. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with nothing known: what the server holds is looked at once."""
        self._pages: dict[str, _Page] = {}

    def note(self, observation: Observation) -> None:
        """Take in what was observed of InferenceClusters: that there was a write."""
        if isinstance(observation, Listed):
            for seen in observation.items:
                self.note(seen)
        elif isinstance(observation, Seen) and observation.subject.kind == "InferenceCluster":
            page = self._pages.setdefault(observation.subject.uid, _Page())
            page.seen = max(page.seen, number(observation.version))

    def due(self, state: State, now: int) -> list[ConditionWrite]:
        """Give the writes to send now; each must be answered by `settle`."""
        if len(self._pages) > len(state.served):
            uids = {served.subject.uid for served in state.served.values()}
            for uid in self._pages.keys() - uids:
                del self._pages[uid]
        found = []
        for served, page in self._open(state):
            due = page.due_at(served.position)
            if due is None or due > now:
                continue
            page.is_sending = True
            page.not_before, page.repair_at = now + INTERVAL, now + REPAIR_INTERVAL
            condition = cluster_condition(state, served)
            found.append(ConditionWrite(served.subject, condition, served.position))
        return found

    def settle(self, write: ConditionWrite, result: StatusResult, now: int) -> None:
        """Take in what became of a write."""
        page = self._pages.get(write.subject.uid)
        if page is None:  # gone meanwhile
            return
        page.is_sending = False
        match result:
            case Stored():
                page.stored, page.version = write.position, number(result.version)
                page.repair_at = now + REPAIR_INTERVAL  # on its way out a write may be slow
                page.refusals, page.words = 0, ""
            case Dropped():
                page.stored, page.version, page.words = write.position, page.seen, ""
            case _:
                page.stored = -1
                page.refusals += 1
                page.not_before = now + retry_seconds(page.refusals) * SECOND
                if isinstance(result, Refused | Unanswered):
                    page.words = result.words

    def next_due(self, state: State) -> int | None:
        """Give the next instant at which `due` may give something, or None."""
        dues = (page.due_at(served.position) for served, page in self._open(state))
        return min((due for due in dues if due is not None), default=None)

    def unsent(self, state: State) -> int:
        """Count the conditions that the server may not hold yet."""
        return sum(served.position != page.stored for served, page in self._open(state))

    def troubles(self) -> dict[str, str]:
        """Give, by uid, why a condition cannot be stored now."""
        return {uid: page.words for uid, page in self._pages.items() if page.words}

    def _open(self, state: State) -> Iterator[tuple[ServedCluster, _Page]]:
        for served in state.served.values():
            page = self._pages.get(served.subject.uid)
            if page is not None:
                yield served, page
