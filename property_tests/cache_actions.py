"""What may come in next about caches, in terms small enough to shrink: "the claim is Bound"."""

from typing import NamedTuple

from hypothesis import strategies as st

CLUSTERS = ("one", "two")


class CacheIs(NamedTuple):
    """A ModelCache is at this level; `life` tells objects of the same name apart."""

    life: int
    spec: int
    deleting: bool
    held: bool
    notes: int
    past: str


class CacheGone(NamedTuple):
    """A ModelCache is gone."""

    life: int


class ClusterIs(NamedTuple):
    """An InferenceCluster is there."""

    cluster: int
    life: int
    labelled: bool
    storage: str


class ClusterGone(NamedTuple):
    """An InferenceCluster is gone."""

    cluster: int
    life: int


class TokenIs(NamedTuple):
    """The Secret with the token is at this level; `digest` "gone": it is not there."""

    digest: str


class ClaimIs(NamedTuple):
    """The claim on a cluster is at this level."""

    cluster: int
    life: int
    phase: str
    owner: int
    node: str
    latched: int
    deleting: bool


class JobIs(NamedTuple):
    """The hydration Job on a cluster is at this level."""

    cluster: int
    life: int
    outcome: str
    owner: int
    right: bool
    deleting: bool


class PodIs(NamedTuple):
    """A Pod of the Job is at this level."""

    cluster: int
    pod: int
    phase: str
    node: str
    reason: str


class ObjectGone(NamedTuple):
    """One of the objects of a kind that are known on a cluster is gone."""

    cluster: int
    kind: str
    which: int


class NodeIs(NamedTuple):
    """A node is there."""

    cluster: int
    life: int


class PlaceIs(NamedTuple):
    """The namespace of the workload, or kube-system, is there."""

    cluster: int
    system: bool
    terminating: bool


class ClassIs(NamedTuple):
    """A storage class is there."""

    cluster: int


class Answer(NamedTuple):
    """An open intent is answered."""

    intent: int
    answer: int


class GoesWell(NamedTuple):
    """An open intent is carried out, seen or not, and answered."""

    intent: int
    seen: bool


class AllGoesWell(NamedTuple):
    """All that is open is carried out, for a few turns; then claims bind and Jobs end like this."""

    turns: int
    outcome: str


class UsersAre(NamedTuple):
    """Who mounts the claim on a cluster was read."""

    cluster: int
    used: bool


class EventsSay(NamedTuple):
    """The Events of one of the objects of a kind were read."""

    cluster: int
    kind: str
    reason: str


class Listed(NamedTuple):
    """A kind, or every kind, is listed as it is known, but for one object."""

    cluster: int
    kind: int
    without: int


class AllListed(NamedTuple):
    """Everything is listed as it is known."""


class Restart(NamedTuple):
    """The controller starts anew, and lists everything at once, or not yet."""

    listed: bool


class Reaches(NamedTuple):
    """A cluster answers, or does not; -1: the home cluster."""

    cluster: int
    reachable: bool


class GoesBack(NamedTuple):
    """A cluster was restored from a backup."""

    cluster: int


class Unreadable(NamedTuple):
    """A kind of a cluster, or the Secret, cannot be read, or can again."""

    cluster: int
    words: str


class Edited(NamedTuple):
    """Somebody writes the cache's status, or does not any more."""

    editor: str


class TimePasses(NamedTuple):
    """So many seconds pass, and the deadlines in them."""

    seconds: int


class Again(NamedTuple):
    """The last observations come once more."""


Action = (
    CacheIs | CacheGone | ClusterIs | ClusterGone | TokenIs | ClaimIs | JobIs | PodIs | ObjectGone
    | NodeIs | PlaceIs | ClassIs | Answer | GoesWell | AllGoesWell | UsersAre | EventsSay | Listed
    | AllListed | Restart | Reaches | GoesBack | Unreadable | Edited | TimePasses | Again
)  # fmt: skip

_CLUSTER, _LIFE = st.integers(0, 1), st.sampled_from((0, 0, 0, 1))
_RARELY = st.sampled_from((False, False, False, False, True))
_OWNER = st.sampled_from((0, 0, 0, 1, 2, 3))
_NODE = st.sampled_from(("", "", "n0"))
_PHASE = st.sampled_from(("Pending", "Bound", "Bound", "Lost"))
_KIND = st.sampled_from((
    "PersistentVolumeClaim", "HydrationJob", "HydrationPod", "Secret", "Node", "Namespace",
    "StorageClass",
))  # fmt: skip

_OBJECTS = (
    st.builds(
        ClaimIs, _CLUSTER, _LIFE, _PHASE, _OWNER, _NODE, st.sampled_from((0, 0, 0, 1, 2)), _RARELY
    ),
    st.builds(
        JobIs,
        _CLUSTER,
        _LIFE,
        st.sampled_from(("", "Finishing", "Complete", "Failed")),
        _OWNER,
        st.sampled_from((True, True, False)),
        _RARELY,
    ),
    st.builds(
        PodIs,
        _CLUSTER,
        st.integers(0, 1),
        st.sampled_from(("Pending", "Running", "Succeeded", "Failed")),
        _NODE,
        st.sampled_from(("", "", "Unschedulable")),
    ),
    st.builds(ObjectGone, _CLUSTER, _KIND, st.integers(0, 2)),
    st.builds(Answer, st.integers(0, 3), st.integers(0, 7)),
    st.builds(TimePasses, st.sampled_from((0, 1, 6, 61, 400, 4000))),
)
_RARE = (
    st.builds(
        CacheIs,
        _LIFE,
        st.integers(0, 4),
        _RARELY,
        st.booleans(),
        st.sampled_from((0, 0, 0, 1, 2, 3)),
        st.sampled_from(("", "", "ours", "another's")),
    ),
    st.builds(CacheGone, _LIFE),
    st.builds(
        ClusterIs, _CLUSTER, _LIFE, st.sampled_from((True, True, False)), st.sampled_from(("", "c"))
    ),
    st.builds(ClusterGone, _CLUSTER, _LIFE),
    st.builds(TokenIs, st.sampled_from(("d1", "d2", "", "gone"))),
    st.builds(NodeIs, _CLUSTER, _LIFE),
    st.builds(PlaceIs, _CLUSTER, _RARELY, _RARELY),
    st.builds(ClassIs, _CLUSTER),
    st.builds(UsersAre, _CLUSTER, st.booleans()),
    st.builds(EventsSay, _CLUSTER, _KIND, st.sampled_from(("", "ProvisioningFailed"))),
    st.builds(Listed, st.integers(-1, 1), st.integers(0, 8), st.integers(0, 4)),
    st.just(AllListed()),
    st.builds(Restart, st.booleans()),
    st.builds(Reaches, st.integers(-1, 1), st.booleans()),
    st.builds(GoesBack, st.integers(-1, 1)),
    st.builds(Unreadable, st.integers(-1, 1), st.sampled_from(("", "forbidden"))),
    st.builds(Edited, st.sampled_from(("", "kubectl"))),
    st.just(Again()),
)
_PROGRESS = (
    st.builds(GoesWell, st.integers(0, 3), st.sampled_from((True, True, True, False))),
    st.builds(GoesWell, st.integers(0, 3), st.just(value=True)),
    st.builds(AllGoesWell, st.integers(1, 6), st.sampled_from(("", "Complete", "Failed"))),
)
# Without much that goes well, no story would come to its end.
_WEIGHTED = (*_PROGRESS * 5, *_OBJECTS * 2, *_RARE)
ACTIONS: st.SearchStrategy[Action] = st.integers(0, len(_WEIGHTED) - 1).flatmap(
    lambda index: _WEIGHTED[index]
)
# Most stories begin with two clusters that are known, and a cache that is wanted on both.
BEGINNING: tuple[Action, ...] = (
    *(ClusterIs(cluster, 0, labelled=True, storage="c") for cluster in range(2)),
    AllListed(),
    TokenIs("d1"),
    CacheIs(0, 1, deleting=False, held=False, notes=0, past=""),
    AllListed(),
)
STAGED: tuple[Action, ...] = (
    AllGoesWell(4, ""), AllListed(), AllGoesWell(3, "Complete"), AllGoesWell(3, "Complete"),
)  # fmt: skip
HYDRATING: tuple[Action, ...] = (AllGoesWell(4, ""), AllListed(), AllGoesWell(3, ""))
STORIES: st.SearchStrategy[list[Action]] = st.builds(
    lambda begun, rest: [*begun, *rest],
    st.sampled_from(
        (
            (),
            BEGINNING,
            BEGINNING,
            (*BEGINNING, *STAGED),
            (*BEGINNING, *HYDRATING),
        )
    ),
    st.one_of(st.lists(ACTIONS, max_size=10), st.lists(ACTIONS, min_size=25, max_size=50)),
)
