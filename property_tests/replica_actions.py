"""What may come in next about replicas, in terms small enough to shrink."""

from typing import NamedTuple

from hypothesis import strategies as st

from property_tests import cache_actions as cached


class ReplicaIs(NamedTuple):
    """A ModelReplica is at this level; `life` tells objects of the same name apart."""

    life: int
    spec: int
    deleting: bool = False
    held: bool = False
    abandoned: bool = False
    past: str = ""


class ReplicaGone(NamedTuple):
    """A ModelReplica is gone."""

    life: int


class PartIs(NamedTuple):
    """An object of a replica's name is at this level on a cluster."""

    cluster: int
    part: int
    life: int
    owner: int
    applied: int
    mount: int
    available: bool
    scaled: bool
    deleting: bool


class PartGone(NamedTuple):
    """One of the objects of a kind that are known on a cluster is gone."""

    cluster: int
    kind: int
    which: int


class PartsListed(NamedTuple):
    """A kind is listed as it is known, but for one object; -1: ModelReplicas."""

    cluster: int
    kind: int
    without: int


class PartsUnread(NamedTuple):
    """A kind cannot be read, or is not served, on a cluster."""

    cluster: int
    kind: int
    served: bool


class OneDone(NamedTuple):
    """An open intent is carried out, seen before or after its answer, or not at all."""

    intent: int
    seen: str


class AllDone(NamedTuple):
    """All that is open is carried out, for a few turns; then claims bind, and Jobs end."""

    turns: int


class EverythingListed(NamedTuple):
    """Every kind of every cluster is listed as it is known."""


Action = (
    ReplicaIs | ReplicaGone | PartIs | PartGone | PartsListed | PartsUnread | OneDone | AllDone
    | EverythingListed | cached.Action
)  # fmt: skip

_CLUSTER, _LIFE = st.sampled_from((0, 0, 1)), st.sampled_from((0, 0, 0, 1))
_RARELY = st.sampled_from((False, False, False, False, True))
_SEEN = st.sampled_from(("before", "after", "never"))
_MINE = (
    st.builds(
        ReplicaIs, _LIFE, st.integers(0, 7), _RARELY, st.sampled_from((True, True, False)),
        _RARELY, st.sampled_from(("", "", "ours", "another's")),
    ),
    st.builds(
        PartIs, _CLUSTER, st.integers(0, 4), _LIFE, st.integers(0, 4), st.integers(0, 2),
        st.integers(0, 2), st.booleans(), _RARELY, _RARELY,
    ),
    st.builds(PartGone, _CLUSTER, st.integers(0, 3), st.integers(0, 2)),
)  # fmt: skip
_RARE = (
    st.builds(ReplicaGone, _LIFE),
    st.builds(PartsListed, st.integers(-1, 1), st.integers(0, 3), st.integers(0, 4)),
    st.builds(PartsUnread, _CLUSTER, st.integers(0, 3), st.booleans()),
    st.just(EverythingListed()),
    st.builds(
        cached.CacheIs, _LIFE, st.integers(0, 2), _RARELY, st.booleans(), st.just(0), st.just("")
    ),
    st.builds(cached.CacheGone, _LIFE),
    st.builds(cached.ClusterIs, _CLUSTER, _LIFE, st.booleans(), st.just("c")),
    st.builds(cached.ClusterGone, _CLUSTER, _LIFE),
    st.builds(cached.PlaceIs, _CLUSTER, _RARELY, _RARELY),
    st.builds(cached.ObjectGone, _CLUSTER, st.just("PersistentVolumeClaim"), st.integers(0, 1)),
    st.builds(cached.ObjectGone, _CLUSTER, st.just("Namespace"), st.integers(0, 1)),
    st.builds(cached.UsersAre, _CLUSTER, _RARELY),
    st.builds(cached.Restart, st.booleans()),
    st.builds(cached.Reaches, st.integers(-1, 1), st.booleans()),
    st.builds(cached.GoesBack, st.integers(-1, 1)),
    st.builds(cached.Answer, st.integers(0, 5), st.integers(0, 7)),
    st.builds(cached.TimePasses, st.sampled_from((0, 1, 11, 61, 4000))),
    st.just(cached.Again()),
)
_PROGRESS = (
    st.builds(OneDone, st.integers(0, 5), _SEEN),
    st.builds(AllDone, st.integers(1, 6)),
)
_WEIGHTED = (*_PROGRESS * 5, *_MINE * 4, *_RARE)
ACTIONS: st.SearchStrategy[Action] = st.integers(0, len(_WEIGHTED) - 1).flatmap(
    lambda index: _WEIGHTED[index]
)
BEGINNING: tuple[Action, ...] = (
    *(cached.ClusterIs(cluster, 0, labelled=True, storage="c") for cluster in range(2)),
    EverythingListed(),
    cached.CacheIs(0, 0, deleting=False, held=False, notes=0, past=""),
    ReplicaIs(0, 0),
    EverythingListed(),
)
SERVING: tuple[Action, ...] = (*BEGINNING, AllDone(4), AllDone(4), AllDone(6))
STORIES: st.SearchStrategy[list[Action]] = st.builds(
    lambda begun, rest: [*begun, *rest],
    st.sampled_from(((), BEGINNING, SERVING, SERVING)),
    st.one_of(st.lists(ACTIONS, max_size=8), st.lists(ACTIONS, min_size=15, max_size=30)),
)
