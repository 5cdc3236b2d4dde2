"""Cluster books: which other clusters are to be reached now, and what is to be watched on each.

They do no I/O, so the live loop and the simulator's driver keep the same ones.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from adapters.kubernetes.kinds import (
    HOME_KINDS,
    HYDRATION_JOB,
    HYDRATION_POD,
    MODEL_REPLICA,
    SECRET,
    SERVING_KINDS,
    WATCHED,
    WORKLOAD_KINDS,
    Kind,
    named,
)
from engine.events import Event, Subject
from machines.caches.reaching import (
    REMOTE,
    SecretKey,
    kubeconfig_digest,
    log_cluster,
    tokens_are_told,
    wanted_secrets,
    way_in,
)
from machines.replicas.placing import served_of
from machines.states import State

_MOVED_BY = frozenset(
    {
        "ModelCache", "ModelReplica", "InferenceCluster", "Secret", "Namespace",
        "PersistentVolumeClaim", "HydrationJob",
    }
)  # fmt: skip
_MOVING = frozenset(
    {
        *(f"{kind}Seen" for kind in _MOVED_BY),
        # With these begins, or ends, that enough is known for caches to have entries.
        "SessionStarted", "Synced", "Unread", "Reachable",
    }
)  # fmt: skip
_SPEAKING = (HYDRATION_JOB, HYDRATION_POD)  # in whose words a token may stand


class Way(NamedTuple):
    """How a cluster is reached: with this kubeconfig, as it is now."""

    cluster: str  # its name in the log
    uid: str  # of the InferenceCluster: of one made anew nothing is known, so it is read anew
    secret: SecretKey
    digest: str


class Steps(NamedTuple):
    """What there is to do: sessions to end, and others to begin."""

    ended: tuple[str, ...]
    begun: tuple[Way, ...]


class WayBook:
    """The ways that are in use in one session of the controller."""

    def __init__(self) -> None:
        """Begin with none."""
        self._ways: dict[str, Way] = {}

    def __contains__(self, cluster: str) -> bool:
        """Say whether a cluster is being reached, or tried."""
        return cluster in self._ways

    def steps(self, state: State, rows: Iterable[Event]) -> Steps:
        """Give what has changed since the last call, and take it as done; `rows` came since then.

        A way ends when its cluster is not served any more, and when its kubeconfig is known to be
        another one, or none. What is only not known at present ends nothing. A cluster that went is
        forgotten, even if the same rows bring it back, as after a roll-back: it is read anew.
        """
        wanted = {way.cluster: way for way in wanted_ways(state)}
        forgotten = set(_forgotten(rows))
        kept = {
            name: way
            for name, way in self._ways.items()
            if name not in forgotten and wanted.get(name) == way
        }
        ended = tuple(name for name in self._ways if name not in kept)
        begun = tuple(way for name, way in wanted.items() if name not in kept)
        self._ways = wanted
        return Steps(ended, begun)


def _forgotten(rows: Iterable[Event]) -> Iterator[str]:
    """Give the names in the log of clusters of which nothing was known for a moment."""
    for row in rows:
        kind, _, name, _ = Subject.parse(row.subject)
        if row.type == "Gone" and kind == "InferenceCluster":
            yield f"{REMOTE}{name}"


def wanted_ways(state: State) -> Iterator[Way]:
    """Give the ways into all clusters but the one that warmlog runs in."""
    for served in state.served.values():
        secret, digest = way_in(state, served).kubeconfig, kubeconfig_digest(state, served)
        if secret is not None and digest:
            yield Way(log_cluster(served), served.subject.uid, secret, digest)


class Definitions(NamedTuple):
    """Whose definitions are there, beside those of warmups: what is not served is not watched."""

    caches: bool = False  # ModelCaches and InferenceClusters
    replicas: bool = False  # ModelReplicas


class Wants(NamedTuple):
    """What is wanted of every cluster, looked up in one pass over the state."""

    works: frozenset[str]  # clusters that models are staged to
    secrets: dict[str, tuple[Kind, ...]]  # by cluster
    told: frozenset[str] = frozenset()  # clusters of which every token was read, or cannot be
    serves: frozenset[str] = frozenset()  # clusters that a ModelReplica is pinned to


def wants_of(state: State) -> Wants:
    """Look up what is to be watched on every cluster."""
    secrets: dict[str, tuple[Kind, ...]] = {}
    for one in sorted(wanted_secrets(state)):
        kind = named(SECRET, one.namespace, one.name)
        secrets[one.cluster] = (*secrets.get(one.cluster, ()), kind)
    works = frozenset(log_cluster(one) for one in state.served.values())
    pinned = (served_of(state, replica) for replica in state.replicas.values())
    serves = frozenset(log_cluster(served) for served in pinned if served is not None)
    return Wants(works, secrets, tokens_are_told(state, works), serves)


def moves_wants(wants: Wants, rows: Iterable[Event]) -> bool:
    """Say whether these rows may change what is wanted, or the ways into clusters."""
    waits = not wants.works <= wants.told  # for tokens; an answer may end the need for one
    return any(
        row.type in _MOVING
        or (row.type == "Gone" and row.subject.partition("/")[0] in _MOVED_BY)
        or (waits and row.type.startswith("Intent"))
        for row in rows
    )


class KindBook:
    """What is watched on one cluster. Kinds stay, once wanted; Secrets come and go."""

    def __init__(self, cluster: str, *, is_home: bool) -> None:
        """Begin with what is always watched."""
        self._cluster = cluster
        self._is_home = is_home
        self._works = not is_home  # models are, or were, to be staged there
        self._hears = False  # what speaks of staging is watched, too
        self._serves = False  # engines run, or ran, there

    def kinds(self, wants: Wants, defined: Definitions) -> tuple[Kind, ...]:
        """Give what is to be watched now, each once.

        What was listed counts as known for the rest of the session, so no kind is let go of: it
        would not be seen again before it is believed. Jobs and Pods come last: their words may
        quote a token, which the vault has to hold before it can strike it out.
        """
        self._works = self._works or self._cluster in wants.works
        kinds: tuple[Kind, ...] = WATCHED if self._is_home else ()
        if self._is_home and defined.caches:
            kinds += HOME_KINDS
        if self._is_home and defined.replicas:
            kinds += (MODEL_REPLICA,)
        self._hears = self._hears or (self._works and self._cluster in wants.told)
        if self._works:
            kinds += tuple(one for one in WORKLOAD_KINDS if self._hears or one not in _SPEAKING)
        pinned = defined.replicas and self._cluster in wants.serves
        self._serves = self._serves or pinned
        if self._serves:
            # Most of these are nobody's here, so they are read only where a replica is.
            kinds += SERVING_KINDS
        return tuple(dict.fromkeys((*kinds, *wants.secrets.get(self._cluster, ()))))
