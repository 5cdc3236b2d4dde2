"""The folded state of caches and of the clusters that they are staged to.

As in `machines.states`: records are frozen, the containers around them are changed in place by
`fold` alone, and dicts keep the order of the log.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.events import Subject
from machines.caches.cluster_specs import ClusterSpec
from machines.caches.entries import EntryState
from machines.caches.levels import CacheLevel, ClusterLevel
from machines.caches.specs import CacheSpec
from machines.faults import Fault


class Said(NamedTuple):
    """What somebody says is the matter: a reason in one word, and words. Both may be empty."""

    reason: str = ""
    words: str = ""


SILENCE = Said()


class Refusal(NamedTuple):
    """A change that the API server refused last, until one like it is accepted.

    `reason` is the Status's or one of ours: NameTaken (another's object has the name),
    ClaimInUse (Pods mount the claim).
    """

    reason: str
    words: str
    times: int
    retry_at: int  # UTC nanoseconds


class Failure(NamedTuple):
    """How hydration failed last; kept when its Job is gone. All empty while it never did."""

    job_uid: str = ""
    job_name: str = ""
    claim_uid: str = ""  # a failure with another claim says nothing of this one
    attempts: int = 0
    said: Said = SILENCE  # the container's own last words, else the Job's
    job_said: Said = SILENCE  # the Job's condition
    at: int = 0
    tries: int = 0  # hydrations that failed in a row
    token: str = ""  # digest of the token that it ran with
    retry: str = ""  # annotation warmlog.dev/retry, as it was then
    due: int = 0  # when the next try begins; in the past once it was begun


NO_FAILURE = Failure()


class Chosen(NamedTuple):
    """The node that the scheduler chose for the claim, as long as it is not bound."""

    node_name: str = ""
    node_uid: str = ""  # of the Node of that name when it was last known; "" when never
    gone_at: int = 0  # since when no such Node exists; 0 while it does, or is not known


NO_NODE = Chosen()


class Made(NamedTuple):
    """What was accepted, and is not seen yet: it is not asked for again before `until`."""

    uid: str  # of the object
    version: int  # that was known of it then; a later level of it shows what came of it
    until: int  # UTC nanoseconds


class IgnoredTrigger(NamedTuple):
    """A trigger that an entry's machine did not take, and in which state."""

    seq: int
    at: int
    trigger: str
    state: str


@dataclass(slots=True)
class Entry:
    """One cache on one cluster. Instants are UTC nanoseconds."""

    cluster: str  # name of the InferenceCluster
    since: int = 0  # when it was first wanted
    state: EntryState = EntryState.PENDING
    moved_at: int = 0  # when it came to its state
    selected: bool = True  # the selector holds the cluster, and the cache is not being deleted
    left_at: int = 0  # since when it is not selected, or a replica let go of its claim
    retained: bool = False  # not selected any more, and kept for those that use it
    recovered: bool = False  # its state was told by the status of another log, not yet by facts
    claim_uid: str = ""  # of the claim that is ours now; "" when there is none
    latch: str = ""  # "<claim UID>/<fingerprint>" that was written onto the claim
    chosen: Chosen = NO_NODE
    healing: str = ""  # the node that the claim was last to be cleared of
    healed: dict[str, bool] = field(default_factory=dict)  # uids of nodes cleared from the claim
    failure: Failure = NO_FAILURE
    job_uid: str = ""  # of the newest Job there; its Pods are waited for before another one
    tried: bool = False  # this log decided to make the newest Job
    tried_token: str = ""  # digest of the token that the newest Job was made with
    tried_key: str = ""  # key of the token's copy that it reads; "" when it reads none
    tried_retry: str = ""  # annotation warmlog.dev/retry, as it was then
    claim_events: Said = SILENCE  # the provisioner's last Event about the claim
    claim_events_at: int = 0
    job_events: Said = SILENCE  # why no Pod is made for the Job, or runs, as its Events say
    job_events_at: int = 0
    refusals: dict[str, Refusal] = field(default_factory=dict)  # by `changes.what_of` the intent
    open: dict[str, int] = field(default_factory=dict)  # seq of the open intent, likewise
    made: dict[str, Made] = field(default_factory=dict)  # likewise
    had: bool = False  # something was made, found or told there: it has to be cleared away
    users: tuple[str, ...] | None = None  # Pods that mount the claim, when last read; None: unread
    ended_users: tuple[str, ...] = ()  # those among them that had ended
    ignored: tuple[IgnoredTrigger, ...] = ()
    asks: bool = False  # something has to be read that no watch shows (`asking`)
    face: tuple[object, ...] = ()  # what the status showed of it


@dataclass(slots=True)
class Cache:
    """One ModelCache."""

    cluster: str  # name, in the log, of the cluster that it is an object of
    subject: Subject
    level: CacheLevel
    spec: CacheSpec | None  # None when the spec can never work
    spec_text: str  # as it stood when it was accepted; what is acted on
    faults: tuple[Fault, ...]
    fingerprint: str = ""
    position: int = 0  # seq of the event that last changed the status
    face: tuple[object, ...] = ()  # what the status showed then, beside the entries
    condition_times: dict[str, tuple[str, int]] = field(default_factory=dict)  # status and since
    entries: dict[str, Entry] = field(default_factory=dict)  # by InferenceCluster
    open: dict[str, int] = field(default_factory=dict)  # seq of the open intent on the cache itself
    refusals: dict[str, Refusal] = field(default_factory=dict)
    made: dict[str, Made] = field(default_factory=dict)
    held: bool = False  # it bears our finalizer, as its level or the answer to our change says
    untouched: bool = False  # it bore no finalizer of ours before this log asked for it
    enrolled: bool = False  # its clusters were looked for: before, nothing is published of it
    spec_changed: tuple[str, ...] = ()  # fields of the stored spec that are not acted on
    spec_changed_at: int = 0  # when they last became others
    # Instants that are waited for, by what happens then (`timing`); each has its timer.
    waits: dict[str, int] = field(default_factory=dict)
    recovered: dict[str, str] = field(default_factory=dict)  # phases that its own status told
    abandoned: dict[str, Said] = field(default_factory=dict)  # by cluster, what was left there
    contested_by: str = ""  # field manager that keeps writing the status
    contested_at: int = 0
    gone: bool = False
    # InferenceClusters on which it is to be settled next (`stirring`); "" for all of them.
    touched: dict[str, bool] = field(default_factory=dict)
    settled: dict[str, bool] = field(default_factory=dict)  # those that were since it was decided
    room: int = 0  # bytes of a message in the status

    def entries_on(self, names: Iterable[str]) -> list[Entry]:
        """Give its entries on these InferenceClusters, in the order of the names."""
        return [self.entries[name] for name in names if name in self.entries]


@dataclass(slots=True)
class ServedCluster:
    """One InferenceCluster."""

    home: str  # name, in the log, of the cluster that it is an object of
    subject: Subject
    level: ClusterLevel
    spec: ClusterSpec
    position: int = 0  # seq of the event that last changed its condition
    face: str = ""
    changed_at: int = 0  # when Reachable last changed its status
