"""Evidence: what a played world leaves, noted while it runs and read once at its end.

Noting is an append to a list, for a whole world has to be played within some dozens of
milliseconds. `witnessing` notes; `accounts` and `log_accounts` read; `invariants` judges.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from adapters.ports import Request, Response
from adapters.simulator.resources import Place
from adapters.simulator.storage import Change, Manifest
from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.states import State

# Kinds whose status is ours, whole but for the last one's, of which one condition is.
OUR_KINDS = ("ModelWarmup", "ModelCache", "ModelReplica", "InferenceCluster")


@dataclass(slots=True)
class Sent:
    """One request of the controller's that was to write something, and what came of it."""

    cluster: str  # where it arrived
    request: Request
    place: Place
    log: int  # which of the logs it was then
    position: int  # how many rows that log had
    at: int  # UTC nanoseconds, of the cluster's clock
    arrived: tuple[int, int] = (0, 0)  # which of the logs it was when it came, and its rows
    missed: bool = False  # just before, its place was read, and nothing was there
    before: Manifest | None = None  # what was there of that name when it arrived
    beside: tuple[Manifest, ...] = ()  # what stood around it then, where that matters
    after: Manifest | None = None
    answer: Response | None = None  # the server's own, heard or not; None: it never arrived

    @property
    def landed(self) -> bool:
        """Say whether the server did it."""
        return self.answer is not None and self.answer.ok

    @property
    def kind(self) -> str:
        """What it is about, as Kubernetes calls it."""
        return self.place.resource.kind

    @property
    def is_status(self) -> bool:
        """Say whether a status was to be written."""
        return self.place.subresource == "status"

    def __str__(self) -> str:
        """Say it in a line."""
        code = self.answer.code if self.answer else "lost"
        request = self.request
        return f"{self.cluster} after row {self.position}: {request.method} {request.path} ({code})"


class Changed(NamedTuple):
    """One write that a cluster took, whoever's it was."""

    cluster: str
    kind: str
    change: Change


class Restored(NamedTuple):
    """A cluster became what it once was."""

    cluster: str


Happening = Sent | Changed | Restored


class Row(NamedTuple):
    """A row of a log, read."""

    event: Event
    subject: Subject
    data: dict[str, Any]

    def __str__(self) -> str:
        """Say it in a line."""
        return f"row {self.event.seq}: {self.event.type} of {self.event.subject} {self.event.data}"


@dataclass
class Ending:
    """How it was once everything had come to rest, and what happened in the hours after."""

    live: State  # as the controller had it
    standing: list[tuple[str, Manifest]]  # every object of every cluster
    unsent: int = 0  # statuses and conditions that the server may not hold
    news: list[str] = field(default_factory=list)  # rows, writes, Events of the hours after
    excused: frozenset[str] = frozenset()  # uids of owners that may leave something behind
    forgotten: bool = False  # a log was lost, and with it what only a log can know

    def of(self, *kinds: str) -> Iterator[tuple[str, Manifest]]:
        """Give the objects of some kinds, with their clusters."""
        for cluster, item in self.standing:
            if item["kind"] in kinds:
                yield cluster, item


@dataclass
class Evidence:
    """All of it."""

    logs: list[Sequence[Event]] = field(default_factory=list)
    log_ids: list[str] = field(default_factory=list)
    happened: list[Happening] = field(default_factory=list)
    secrets: tuple[str, ...] = ()  # values that must stand nowhere
    announced: list[str] = field(default_factory=list)  # as Kubernetes Events
    clock_sets: list[int] = field(default_factory=list)  # when the controller's clock was set
    misled: set[str] = field(default_factory=set)  # clusters that answered with their past
    ending: Ending | None = None

    @cached_property
    def sent(self) -> list[Sent]:
        """What the controller sent, in order."""
        return [one for one in self.happened if isinstance(one, Sent)]

    @cached_property
    def statuses(self) -> list[Sent]:
        """The statuses among it."""
        return [one for one in self.sent if one.is_status]

    @cached_property
    def effects(self) -> list[Sent]:
        """Everything else."""
        return [one for one in self.sent if not one.is_status]

    @cached_property
    def rows(self) -> list[list[Row]]:
        """The rows of each log."""
        return [[_read(event) for event in log] for log in self.logs]

    def changes(self, *kinds: str) -> Iterator[Changed | Restored]:
        """Give what was written of some kinds, and when a cluster was restored."""
        for one in self.happened:
            if isinstance(one, Restored) or (isinstance(one, Changed) and one.kind in kinds):
                yield one


def _read(event: Event) -> Row:
    return Row(event, Subject.parse(event.subject), loads(event.data))


def written_status(sent: Sent) -> Any:
    """Give the whole status that was to be written; None where only a condition was."""
    for operation in sent.request.body:
        if operation["path"] == "/status":
            return operation["value"]
    return None


def annotations(item: Manifest | None) -> dict[str, str]:
    """Give an object's annotations."""
    return ((item or {}).get("metadata") or {}).get("annotations") or {}


def uid_of(item: Manifest) -> str:
    """Give an object's uid."""
    uid: str = item["metadata"]["uid"]
    return uid


def has_ended(item: Manifest) -> bool:
    """Say whether a Job is Complete or Failed, or a Pod has run to its end."""
    status = item.get("status") or {}
    return status.get("phase") in {"Succeeded", "Failed"} or any(
        one["type"] in {"Complete", "Failed"} and one["status"] == "True"
        for one in status.get("conditions") or ()
    )
