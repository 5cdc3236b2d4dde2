"""The event envelope: one row of the log.

`seq` is the place in the log, gap-free from 1; `epoch` the writer's term; `at` the UTC instant in
nanoseconds at which the edge took the event in; `subject` names what it is about as
`kind/namespace/name/uid` (empty parts stay empty); `data` is canonical JSON text; `cause` is the
seq of the fact that explains the row; `seen`, on decisions only, the seq of the last fact that
had been folded when the decision was made.
"""

from typing import NamedTuple

from engine.errors import EventMalformed


class Event(NamedTuple):
    """A row of the log, as it is stored."""

    seq: int
    epoch: int
    at: int
    cluster: str
    subject: str
    type: str
    version: int
    data: str
    cause: int | None = None
    seen: int | None = None


class Draft(NamedTuple):
    """A row that has no place in the log yet: the writer adds seq, epoch and at.

    `seen` is set by the step for decisions and stays None for facts and outcomes.
    """

    cluster: str
    subject: str
    type: str
    version: int
    data: str
    cause: int | None = None
    seen: int | None = None

    def placed(self, seq: int, epoch: int, at: int) -> Event:
        """Give the event that this draft becomes at `seq`."""
        return Event(seq, epoch, at, *self)


class Subject(NamedTuple):
    """What an event is about. Kubernetes names hold no slash, so the text splits back exactly."""

    kind: str
    namespace: str
    name: str
    uid: str

    def __str__(self) -> str:
        """Give the text kept in the log."""
        return "/".join(self)

    @classmethod
    def parse(cls, text: str) -> "Subject":
        """Read a subject's text; EventMalformed when it has not four parts."""
        parts = text.split("/")
        if len(parts) != len(cls._fields):
            msg = f"subject {text!r} is not kind/namespace/name/uid"
            raise EventMalformed(msg)
        return cls(*parts)
