"""What may come in next, in terms small enough to shrink: "node 1 is seen, cordoned"."""

from typing import NamedTuple

from hypothesis import strategies as st

from machines.states import WARMUP_KINDS


class NodeSeen(NamedTuple):
    """A node is at this level; `life` tells machines of the same name apart."""

    node: int
    life: int
    pool: str
    gpu: bool
    cordoned: bool
    late: bool  # by a version that is older than what is known


class NodeGone(NamedTuple):
    """A node is gone."""

    node: int
    life: int


class NamespaceSeen(NamedTuple):
    """The namespace of the warmups is at this level."""

    pool: str
    terminating: bool


class WarmupSeen(NamedTuple):
    """A ModelWarmup is at this level, and its status tells of `past`."""

    warmup: int
    spec: int
    wait: str
    deleting: bool
    past: str
    suspended: bool = False


class WarmupGone(NamedTuple):
    """A ModelWarmup is gone."""

    warmup: int


class JobSeen(NamedTuple):
    """A Job is at this level: one that was asked for, or one of another log, or a foreign one."""

    job: int
    outcome: str
    attempts: int
    ttl: bool
    foreign: bool
    late: bool
    changed: int  # what of our marks somebody took off or changed; 0: nothing


class JobGone(NamedTuple):
    """A Job is gone, and `outcome` was seen in its last moment."""

    job: int
    outcome: str


class PodSeen(NamedTuple):
    """A Pod of a Job is at this level."""

    job: int
    pod: int
    node: int  # on which node; -1: not scheduled
    phase: str
    reason: str
    deleting: bool


class PodsRead(NamedTuple):
    """The Pods of a Job of the original were read: so many live, and why the newest does not."""

    job: int
    live: int
    reason: str
    failed: bool


class PodGone(NamedTuple):
    """A Pod is gone."""

    job: int
    pod: int


class EventsSay(NamedTuple):
    """The Events of a Job were read, and say this."""

    job: int
    reason: str


class AnswerComes(NamedTuple):
    """An open intent is answered."""

    intent: int
    answer: int


class GoesWell(NamedTuple):
    """An open intent is carried out as intended, and its Job comes to this outcome."""

    intent: int
    outcome: str


class ListComes(NamedTuple):
    """A kind is listed: all that is known but the objects that `without` counts out."""

    kind: str
    without: int
    stale: bool


class AllListed(NamedTuple):
    """Every kind is listed as it is known."""


class Restart(NamedTuple):
    """The controller starts anew, and lists everything at once, or not yet."""

    listed: bool


class TimePasses(NamedTuple):
    """So many seconds pass, and the deadlines in them."""

    seconds: int


class StatusIsStored(NamedTuple):
    """The server holds the status of a warmup."""

    warmup: int


class StatusIsEdited(NamedTuple):
    """Somebody keeps writing the status of a warmup, or nobody does any more."""

    warmup: int
    editor: str


class ClusterAnswers(NamedTuple):
    """The cluster answers, or not."""

    reachable: bool


class ClusterGoesBack(NamedTuple):
    """The cluster was restored from a backup."""


class Again(NamedTuple):
    """The last observations come once more."""


Action = (
    NodeSeen | NodeGone | NamespaceSeen | WarmupSeen | WarmupGone | JobSeen | JobGone | PodSeen
    | PodGone | PodsRead | EventsSay | AnswerComes | GoesWell | ListComes | AllListed | Restart
    | TimePasses | StatusIsStored | StatusIsEdited | ClusterAnswers | ClusterGoesBack | Again
)  # fmt: skip


_NODE, _LIFE, _WARMUP, _JOB, _POD = (st.integers(0, top) for top in (2, 1, 1, 9, 1))
_POOL = st.sampled_from(("p", "p", "p", "q", ""))
_PAST = st.sampled_from(("", "", "", "ours", "other log", "later", "somebody else's", "original"))
_OUTCOME = st.sampled_from(("", "", "Finishing", "Complete", "Complete", "Failed"))
_PHASE = st.sampled_from(("Pending", "Running", "Succeeded", "Failed"))
_REASON = st.sampled_from((
    "", "", "Unschedulable", "ImagePullBackOff", "InvalidImageName", "DisruptionTarget",
))  # fmt: skip
_CHANGED = st.sampled_from((0, 0, 0, 0, 0, 0, 1, 2, 3, 4))
_RARELY = st.sampled_from((False, False, False, False, True))

_OBJECTS = (
    st.builds(NodeSeen, _NODE, _LIFE, _POOL, st.booleans(), _RARELY, _RARELY),
    st.builds(NodeGone, _NODE, _LIFE),
    st.builds(JobSeen, _JOB, _OUTCOME, st.integers(0, 1), _RARELY, _RARELY, _RARELY, _CHANGED),
    st.builds(JobGone, _JOB, _OUTCOME),
    st.builds(PodSeen, _JOB, _POD, st.integers(-1, 2), _PHASE, _REASON, _RARELY),
    st.builds(PodGone, _JOB, _POD),
    st.builds(PodsRead, _JOB, st.integers(0, 2), _REASON, st.booleans()),
    st.builds(EventsSay, _JOB, st.sampled_from(("", "FailedCreate", "FailedMount"))),
    st.builds(AnswerComes, st.integers(0, 3), st.integers(0, 12)),
    st.builds(TimePasses, st.sampled_from((0, 1, 2, 61, 400, 4000))),
)
_RARE = (
    st.builds(NamespaceSeen, _POOL, _RARELY),
    st.builds(
        WarmupSeen,
        _WARMUP,
        st.integers(0, 4),
        st.sampled_from(("", "0", "5")),
        _RARELY,
        _PAST,
        st.booleans(),
    ),
    st.builds(WarmupGone, _WARMUP),
    st.builds(ListComes, st.sampled_from(WARMUP_KINDS), st.integers(0, 7), _RARELY),
    st.just(AllListed()),
    st.builds(Restart, st.booleans()),
    st.builds(StatusIsStored, _WARMUP),
    st.builds(StatusIsEdited, _WARMUP, st.sampled_from(("", "kubectl"))),
    st.builds(ClusterAnswers, st.booleans()),
    st.just(ClusterGoesBack()),
    st.just(Again()),
)
_PROGRESS = (
    st.builds(GoesWell, st.integers(0, 3), _OUTCOME),
    st.builds(GoesWell, st.integers(0, 3), st.just("Complete")),
    st.builds(StatusIsStored, st.just(0)),
)
# Without much that goes well, no story would come to its end.
_WEIGHTED = (*_PROGRESS * 7, *_OBJECTS * 2, *_RARE)
ACTIONS: st.SearchStrategy[Action] = st.integers(0, len(_WEIGHTED) - 1).flatmap(
    lambda index: _WEIGHTED[index]
)
# Most stories begin with a cluster that is known and a warmup that has something to do.
BEGINNING: tuple[Action, ...] = (
    NamespaceSeen("p", terminating=False),
    *(NodeSeen(node, 0, "p", gpu=True, cordoned=node == 1, late=False) for node in range(3)),
    AllListed(),
    WarmupSeen(0, 0, "", deleting=False, past=""),
)
STORIES: st.SearchStrategy[list[Action]] = st.builds(
    lambda begun, rest: [*(BEGINNING if begun else ()), *rest],
    st.sampled_from((True, True, True, False)),
    st.one_of(st.lists(ACTIONS, max_size=10), st.lists(ACTIONS, min_size=25, max_size=50)),
)
