"""The folded state of replicas.

As in `machines.states`: records are frozen, the containers around them are changed in place by
`fold` alone, and dicts keep the order of the log. Mounts are canonical JSON texts, as published;
"" is none.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.events import Subject
from machines.caches.states import SILENCE, IgnoredTrigger, Made, Refusal, Said
from machines.faults import Fault
from machines.replicas.levels import ReplicaLevel
from machines.replicas.replicas import ReplicaState
from machines.replicas.specs import ReplicaSpec


class Engine(NamedTuple):
    """One engine of a replica, once anything was decided or seen of its workload."""

    running: bool = False  # its workload was composed before, by us or by Modelplane
    kept: str = ""  # the mount that it was composed with last
    applying: str | None = None  # the mount in an apply without an answer; None when there is none


class Heard(NamedTuple):
    """What was read of the Pods of a workload that is not available, and when that was logged."""

    said: Said = SILENCE
    at: int = 0


class Owned(NamedTuple):
    """What our manager owned of an object after our apply of this digest."""

    applied: str
    fields: str


class PartRef(NamedTuple):
    """An object that bears our annotations, wherever it is."""

    cluster: str  # in the log
    kind: str
    uid: str


@dataclass(slots=True)
class Replica:
    """One ModelReplica. Instants are UTC nanoseconds."""

    cluster: str  # name, in the log, of the cluster that it is an object of
    subject: Subject
    level: ReplicaLevel
    spec: ReplicaSpec | None  # what is acted on; None when it can never work
    faults: tuple[Fault, ...]  # of the spec as it stands
    since: int = 0
    state: ReplicaState = ReplicaState.WAITING
    moved_at: int = 0
    position: int = 0  # seq of the event that last changed the status
    face: tuple[object, ...] = ()  # what the status showed then
    condition_times: dict[str, tuple[str, int]] = field(default_factory=dict)  # status and since
    had: bool = False  # something of it was applied, or may have been: it has to be cleared away
    composed: bool = False  # an engine of it was composed before, in this log or in another
    kept: str = ""  # the mount that was composed last, of whichever engine
    engines: dict[str, Engine] = field(default_factory=dict)  # by name
    claims: tuple[str, ...] = ()  # of all these mounts, sorted
    owned: dict[str, Owned] = field(default_factory=dict)  # by the object's uid
    repairs: dict[str, int] = field(default_factory=dict)  # when a repair may be done again
    heard: dict[str, Heard] = field(default_factory=dict)  # by the workload's uid
    open: dict[str, int] = field(default_factory=dict)  # seq of the open intent, by `what_of` it
    refusals: dict[str, Refusal] = field(default_factory=dict)  # likewise
    made: dict[str, Made] = field(default_factory=dict)  # likewise
    waits: dict[str, int] = field(default_factory=dict)  # instants to come, each with its timer
    told: bool = False  # its home was known once: before, nothing is published of it
    todo: tuple[str, ...] = ()  # what was wished for when its cluster was last known
    held: bool = False  # it bears our finalizer, as its level or the answer to our change says
    untouched: bool = False  # it bore no finalizer of ours before this log asked for it
    cluster_name: str = ""  # InferenceCluster it is pinned to, by its first spec that could be read
    spec_changed: tuple[str, ...] = ()  # fields of the stored spec that are not acted on
    left: Said = SILENCE  # what stays behind, as its cluster is gone or somebody asked for that
    ignored: tuple[IgnoredTrigger, ...] = ()
    contested_by: str = ""  # field manager that keeps writing the status
    contested_at: int = 0
    gone: bool = False
