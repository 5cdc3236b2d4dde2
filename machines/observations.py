"""Observations: what the edge hands in, before it is known whether the log needs it.

An adapter (or the simulator) turns what a cluster says into observations; `ingesting` compares
them with the state and drafts a row for each that says something new.
"""

from typing import Any, NamedTuple

from engine.events import Subject
from machines.levels import JobPods, Level


class Seen(NamedTuple):
    """An object exists, and this is its level at this resourceVersion.

    `recovered` is set for a ModelWarmup only: its `.status` as the server holds it, raw JSON or
    None. It enters the log only where it tells of a past that the log does not hold. `found_by` is
    set of what was read because it has the name that a create wanted: it was there after that row.
    """

    cluster: str
    subject: Subject
    version: str
    level: Level
    recovered: Any = None
    editor: str = ""  # field manager that wrote `.status` last; "" when it is not told
    found_by: int = 0  # seq of the create's row


class Deleted(NamedTuple):
    """A watch said that the object is gone; `version` is the resourceVersion of its end.

    `last` is the level that the object had in its last moment, as the watch's last event shows
    it: an outcome first seen there is still an outcome. `inferred` says that a complete list did
    not hold it any more, `settled` that a fresh read by name did not find it.
    """

    cluster: str
    subject: Subject
    version: str
    last: Level | None = None
    inferred: bool = False
    settled: bool = False


class Listed(NamedTuple):
    """A complete list of one kind: what it does not hold is gone (inferred).

    `version` is the list's own resourceVersion. The first one of a session makes the kind synced.
    `unsettled` are uids that it does not hold and that are asked about first (`absences`).
    With a `scope` (namespace and name) it is a list of what bears that one name.
    """

    cluster: str
    kind: str
    version: str
    items: tuple[Seen, ...]
    unsettled: frozenset[str] = frozenset()
    scope: tuple[str, str] = ("", "")


class RolledBack(NamedTuple):
    """The cluster answers from an older past than the one we knew, twice in a row.

    Known versions of that cluster are forgotten; the complete list that follows is believed.
    """

    cluster: str
    words: str


class Reachability(NamedTuple):
    """A cluster answers again, or does not answer; `words` say why not, steadied."""

    cluster: str
    reachable: bool
    words: str = ""


class Unread(NamedTuple):
    """Why a kind (or the object that `scope` names) cannot be listed; no words: it can again.

    `served` is false when the API server says that it has no such kind at all.
    """

    cluster: str
    kind: str
    words: str
    scope: tuple[str, str] = ("", "")
    served: bool = True


class ClaimUsersRead(NamedTuple):
    """Which Pods of its namespace mount a claim, by name, sorted; `subject` is the claim."""

    cluster: str
    subject: Subject
    pods: tuple[str, ...]
    ended: tuple[str, ...] = ()  # those that have ended, and are still there

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log; `pods` stands there also when there are none."""
        ended = {"ended": list(self.ended)} if self.ended else {}
        return {"pods": list(self.pods), **ended}


class Answered(NamedTuple):
    """What became of the intent whose row is `intent_seq`."""

    intent_seq: int
    answer: "Answer"


class EventsRead(NamedTuple):
    """What the Events say of an object that waits: why no Pod is made, or runs, for a Job.

    `subject` is the Job, or its Pod; both words are empty when the Events say nothing. It is a
    claim when a cache waits for that (then there is no `job_uid`).
    """

    cluster: str
    subject: Subject
    job_uid: str
    reason: str = ""
    message: str = ""


class Contested(NamedTuple):
    """Somebody else keeps writing the status of this object; no `editor`: not any more."""

    cluster: str
    subject: Subject
    editor: str


class PodsRead(NamedTuple):
    """What the Pods of a Job are at that bear no label of ours; `subject` is the Job."""

    cluster: str
    subject: Subject
    pods: JobPods


class StatusStored(NamedTuple):
    """The API server holds the terminal status of this object now."""

    cluster: str
    subject: Subject
    position: int


class DeadlinePassed(NamedTuple):
    """The clock has reached a deadline of the state, absolute UTC nanoseconds."""

    cluster: str
    subject: Subject
    deadline: int


Observation = (
    Seen
    | Deleted
    | Listed
    | RolledBack
    | Reachability
    | Unread
    | ClaimUsersRead
    | Answered
    | EventsRead
    | PodsRead
    | Contested
    | StatusStored
    | DeadlinePassed
)


class Done(NamedTuple):
    """It is as intended: `uid` names the object; `found` says that it already was."""

    uid: str = ""
    found: bool = False


class Refused(NamedTuple):
    """The API server answered no.

    `reason` is the Status's reason (AlreadyExists, Forbidden, …) or one of ours: `JobNameConflict`
    (a foreign Job has the name), `NameTaken` (a Job of ours for another node has it). `field` says
    that a cause names a field, `terminating` that the namespace is gone or going.
    """

    code: int
    reason: str
    words: str
    field: bool = False
    terminating: bool = False


class Unknown(NamedTuple):
    """No answer, or none that tells: it may have happened. It has to be looked up."""

    words: str


class Absent(NamedTuple):
    """It did not happen: looked up, or not wanted any more when its turn had come."""


Answer = Done | Refused | Unknown | Absent
