"""Status pages: what is known of one object's status, ours and the server's.

The watch and the answers to our own writes tell of the same object in any order, so everything is
ordered by resourceVersion, and while a write is in flight nothing that is seen is judged: it may be
that very write coming back.
"""

from dataclasses import dataclass, field
from typing import Any

from adapters.kubernetes import fields
from adapters.kubernetes.reflecting import number
from engine.canonical_json import dumps, loads
from engine.instants import SECOND
from machines.backoffs import retry_seconds

INTERVAL = SECOND // 5  # between two writes of one status
REPAIR_INTERVAL = 60 * SECOND  # between two repairs of foreign edits


@dataclass(slots=True)
class Page:
    """One object's status. Times are UTC nanoseconds; texts are of `status_text`."""

    considered: int = 0  # position of the last projection that was compared; 0: compare again
    held: str | None = None  # what the server holds, as far as is known; None: not seen yet
    held_version: int = 0  # the newest version at which it is known to hold that
    shown: str = ""  # how the server shows what it holds, when it has pruned it
    ours: int = 0  # position of the projection that we stored last; 0: none in this session
    sending: str = ""  # text in flight
    unjudged: list[tuple[int, str]] = field(default_factory=list)  # seen while it is
    version: str = ""  # to write against; empty: read first
    not_before: int = 0
    repair_at: int = 0  # when a foreign edit may be repaired
    refusals: int = 0
    dropped: bool = False  # the server has no such object any more, or not yet again
    told: bool = False  # that the terminal status is stored
    words: str = ""  # why the last write failed
    edits: int = 0  # by others, not yet counted

    def see(self, version_text: str, text: str) -> None:
        """Take in the object as the watch gives it."""
        version = number(version_text)
        if version >= number(self.version):
            self.version = version_text
        if self.sending:
            if not self.unjudged or self.unjudged[-1][1] != text:
                self.unjudged.append((version, text))
            return
        self._judge(version, text)

    def begin(self, text: str, position: int, now: int) -> None:
        """Note that a write of the projection at `position` leaves now."""
        self.sending = text
        if self.is_repair(position):
            self.repair_at = now + REPAIR_INTERVAL
        self.not_before = now + INTERVAL
        self.considered = position

    def stored(self, version_text: str, position: int, now: int) -> None:
        """Note that the server has taken the write in flight, which made `version_text`."""
        version = number(version_text)
        self._end_repair(position, now)
        if version >= number(self.version):
            self.version = version_text
        self._hold(version, self.sending, position)
        self.refusals, self.words = 0, ""
        self._judge_all(position)

    def outpaced(self, version_text: str, position: int) -> None:
        """Note that another write came first: the projection is sent again, against it."""
        self.considered = 0
        self.version = version_text
        self.repair_at = min(self.repair_at, self.not_before)
        self._judge_all(position)

    def failed(self, words: str, position: int, now: int) -> None:
        """Note that the write was refused, or not answered."""
        self._end_repair(position, now)
        self.considered = 0
        self.version = ""
        self.words = words
        self.refusals += 1
        self.not_before = now + retry_seconds(self.refusals) * SECOND
        self._judge_all(position)

    def drop(self) -> None:
        """Note that the server has no such object: nothing is sent until it is seen again."""
        self.dropped = True
        self.sending, self.words = "", ""
        self.unjudged.clear()

    def is_repair(self, position: int) -> bool:
        """Say whether writing the projection at `position` would only undo somebody's edit."""
        return self.ours == position

    def ready_at(self, position: int) -> int:
        """Give when the projection at `position` may be sent."""
        return max(self.not_before, self.repair_at) if self.is_repair(position) else self.not_before

    def is_waiting(self, position: int) -> bool:
        """Say whether the projection at `position` is to be compared, once its time has come."""
        if self.held is None or self.sending or self.dropped:
            return False
        return self.considered != position

    def is_behind(self, position: int) -> bool:
        """Say whether the server may not hold the projection at `position`."""
        return bool(self.sending) or (not self.dropped and self.considered != position)

    def _end_repair(self, position: int, now: int) -> None:
        """Count the time to the next repair from here: on its way out a write may be slow."""
        if self.is_repair(position):
            self.repair_at = now + REPAIR_INTERVAL

    def _hold(self, version: int, text: str, position: int) -> None:
        self.held, self.held_version, self.shown = text, version, ""
        self.ours = position

    def _judge_all(self, position: int) -> None:
        """Judge what was seen meanwhile; what reads like our write is that write."""
        sent, self.sending = self.sending, ""
        seen, self.unjudged = self.unjudged, []
        for version, text in seen:
            if text == sent and version > self.held_version:
                self._hold(version, text, position)
            else:
                self._judge(version, text)

    def _judge(self, version: int, text: str) -> None:
        if self.held is None or self.dropped:
            self.held, self.held_version, self.shown = text, version, ""
            self.considered, self.dropped = 0, False
        elif text in {self.held, self.shown}:
            self.held_version = max(self.held_version, version)
        elif version == self.held_version:
            self.shown = text
        elif version > self.held_version:  # somebody else wrote, or an earlier life of ours
            self.edits += not _goes_on(self.held, text)
            self.held, self.held_version, self.shown = text, version, ""
            self.considered = 0


def _goes_on(held: str, told: str) -> bool:
    """Say whether a status is one of our log's that came after the one that is held.

    A watch that goes on from a list of the past tells again what an earlier life wrote, and a write
    whose answer was lost may land late. Each names a later position; who edits what is there leaves
    its position as it was.
    """
    before, after = _origin(held), _origin(told)
    return before is not None and after is not None and after > before and after[0] == before[0]


def _origin(status: str) -> tuple[str, int] | None:
    """Give the log and the position that a status names."""
    told = fields.mapping(fields.mapping(loads(status or "{}")).get("warmlog"))
    position = fields.integer(told.get("position"))
    return None if position is None else (fields.text(told.get("log")), position)


def status_text(status: Any) -> str:
    """Give a status as text to compare.

    The position is a part of it: it moves only when the status changes, and one that changed and
    changed back before it was sent must still name the event that the log names.
    """
    return dumps(status) if isinstance(status, dict) else ""
