"""Status books: which statuses have to be sent now, and what the server is known to hold.

A status is sent only when it differs from what was last sent or seen, one at a time per object, at
most five a second; a foreign edit is repaired at most once a minute. The book does no I/O, so the
live loop and the simulator's driver keep the same one.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from adapters.kubernetes.reflecting import number
from adapters.kubernetes.statuses import Conflict, Dropped, StatusResult, Stored
from engine.canonical_json import dumps
from engine.events import Subject
from machines.observations import Observation, Seen, StatusStored
from machines.states import State
from machines.statuses import warmup_status
from machines.warmups import TERMINAL

SECOND = 1_000_000_000
INTERVAL = SECOND // 5  # between two writes of one status
REPAIR_INTERVAL = 60 * SECOND  # between two repairs of foreign edits
LONGEST_RETRY = 60 * SECOND


class StatusWrite(NamedTuple):
    """One status on its way out."""

    cluster: str
    subject: Subject
    status: dict[str, Any]
    version: str | None  # resourceVersion to send it against; None: read first
    position: int
    terminal: bool
    text: str


@dataclass(slots=True)
class _Page:
    """What is known of one object's status."""

    considered: int = 0  # position of the last projection that was compared
    held: str | None = None  # text that the server holds, as far as is known
    sending: str = ""  # text in flight
    version: str = ""
    stored_version: int = 0
    not_before: int = 0
    repaired_at: int = -REPAIR_INTERVAL
    refusals: int = 0
    told: bool = False  # that the terminal status is stored
    words: str = ""  # why the last write failed


class StatusBook:
    """The statuses of one session. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with nothing known."""
        self._pages: dict[str, _Page] = {}

    def note_seen(self, seen: Seen, now: int) -> None:
        """Take in an object as the watch gives it: its version, and the status it holds."""
        page = self._pages.setdefault(seen.subject.uid, _Page())
        version = number(seen.version)
        if version >= number(page.version):
            page.version = seen.version
        text = status_text(seen.recovered)
        if page.held is None:
            page.held = text
        elif version > page.stored_version and text not in {page.held, page.sending}:
            page.held = text
            page.considered = 0
            page.not_before = max(page.not_before, page.repaired_at + REPAIR_INTERVAL)
            page.repaired_at = max(now, page.not_before)

    def due(self, state: State, now: int) -> Iterator[StatusWrite | Observation]:
        """Give the writes to send now; each must be answered by `settle`.

        A terminal status that the server is seen to hold already comes as its `StatusStored`.
        """
        for uid, warmup in state.warmups.items():
            page = self._pages.setdefault(uid, _Page())
            terminal = warmup.state in TERMINAL
            untold = terminal and not page.told
            changed = page.considered != warmup.position
            if warmup.gone or page.sending or now < page.not_before or not (changed or untold):
                continue
            status = warmup_status(state, warmup)
            text = status_text(status)
            page.considered = warmup.position
            if text != page.held:
                page.sending = text
                page.not_before = now + INTERVAL
                yield StatusWrite(
                    warmup.cluster, warmup.subject, status, page.version or None,
                    warmup.position, terminal, text,
                )  # fmt: skip
            elif terminal and not page.told:
                page.told = True
                yield StatusStored(warmup.cluster, warmup.subject, warmup.position)

    def settle(self, write: StatusWrite, result: StatusResult, now: int) -> tuple[Observation, ...]:
        """Take in what became of a write; give the fact that it makes, if it makes one."""
        page = self._pages.setdefault(write.subject.uid, _Page())
        page.sending = ""
        if isinstance(result, Dropped):
            page.held = write.text
            page.words = result.words
            return ()
        if isinstance(result, Stored):
            page.held, page.refusals, page.words = write.text, 0, ""
            page.version = result.version
            page.stored_version = number(result.version)
            if not write.terminal or page.told:
                return ()
            page.told = True
            return (StatusStored(write.cluster, write.subject, write.position),)
        page.considered = 0
        if isinstance(result, Conflict):
            page.version = result.version
            page.not_before = now
        else:
            page.words = result.words
            page.version = ""
            page.refusals += 1
            page.not_before = now + min(SECOND << min(page.refusals - 1, 6), LONGEST_RETRY)
        return ()

    def next_due(self, state: State) -> int | None:
        """Give the next instant at which `due` may give something, or None."""
        times = [
            page.not_before
            for uid, page in self._pages.items()
            if not page.sending and self._behind(state, uid, page)
        ]
        return min(times, default=None)

    def unsent(self, state: State) -> int:
        """Count the statuses that the server may not hold yet."""
        return sum(
            1
            for uid, warmup in state.warmups.items()
            if not warmup.gone and self._behind(state, uid, self._pages.get(uid, _Page()))
        )

    def troubles(self) -> dict[str, str]:
        """Give, by uid, why a status cannot be stored now."""
        return {uid: page.words for uid, page in self._pages.items() if page.words}

    def forget(self, uid: str) -> None:
        """The object is gone."""
        self._pages.pop(uid, None)

    def _behind(self, state: State, uid: str, page: _Page) -> bool:
        warmup = state.warmups.get(uid)
        if warmup is None or warmup.gone:
            return False
        return bool(page.sending) or page.considered != warmup.position


def status_text(status: Any) -> str:
    """Give a status as text to compare.

    The position is a part of it: it moves only when the status changes, and one that changed and
    changed back before it was sent must still name the event that the log names.
    """
    return dumps(status) if isinstance(status, dict) else ""
