"""Contests: somebody else who keeps writing a status that is ours.

Edits are repaired at most once a minute. The third one within ten minutes is a contest, told once;
an hour without another one ends it. Counts are kept per session: a restart begins them anew.
"""

from collections import deque

from adapters.running.publications import Published
from engine.instants import SECOND
from machines.observations import Contested

EDITS = 3  # within EDITS_SPAN: a contest
EDITS_SPAN = 600 * SECOND
QUIET_SPAN = 3600 * SECOND  # without an edit: no contest any more


class Contests:
    """The foreign edits of one session's statuses. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self._edits: dict[str, deque[int]] = {}
        self._quiet_since: dict[str, int] = {}

    def note(self, one: Published, editor: str, now: int) -> Contested | None:
        """Take in one edit; give the contest that it begins."""
        uid = one.subject.uid
        edits = self._edits.setdefault(uid, deque(maxlen=EDITS))
        edits.append(now)
        self._quiet_since[uid] = now
        if one.contested_by or len(edits) < EDITS or now - edits[0] > EDITS_SPAN:
            return None
        return Contested(one.cluster, one.subject, editor or "unknown")

    def over(self, one: Published, now: int) -> Contested | None:
        """Give the end of a contest that has been quiet for long enough."""
        if one.contested_by:
            self._quiet_since.setdefault(one.subject.uid, now)
        due = self.over_at(one)
        if due is None or due > now:
            return None
        return Contested(one.cluster, one.subject, "")

    def over_at(self, one: Published) -> int | None:
        """Give when a contest is over if nothing happens; None when there is none."""
        if not one.contested_by:
            return None
        return self._quiet_since.get(one.subject.uid, one.contested_at) + QUIET_SPAN

    def forget(self, uid: str) -> None:
        """The object is gone."""
        self._edits.pop(uid, None)
        self._quiet_since.pop(uid, None)
