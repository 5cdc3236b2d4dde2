"""Cluster books: which other clusters are to be reached now, and what is to be watched on each.

They do no I/O, so the live loop and the simulator's driver keep the same ones.
"""

from collections.abc import Iterator
from typing import NamedTuple

from adapters.kubernetes.kinds import (
    HOME_KINDS,
    SECRET,
    WATCHED,
    WORKLOAD_KINDS,
    Kind,
    named,
)
from machines.caches.reaching import (
    SecretKey,
    kubeconfig_digest,
    log_cluster,
    wanted_kinds,
    wanted_secrets,
    way_in,
)
from machines.states import State


class Way(NamedTuple):
    """How a cluster is reached: with this kubeconfig, as it is now."""

    cluster: str  # its name in the log
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

    def steps(self, state: State) -> Steps:
        """Give what has changed since the last call, and take it as done.

        A way ends when its cluster is not served any more, and when its kubeconfig is known to be
        another one, or none. What is only not known at present ends nothing.
        """
        wanted = {way.cluster: way for way in wanted_ways(state)}
        ended = tuple(name for name, way in self._ways.items() if wanted.get(name) != way)
        begun = tuple(way for name, way in wanted.items() if self._ways.get(name) != way)
        self._ways = wanted
        return Steps(ended, begun)


def wanted_ways(state: State) -> Iterator[Way]:
    """Give the ways into all clusters but the one that warmlog runs in."""
    for served in state.served.values():
        secret, digest = way_in(state, served).kubeconfig, kubeconfig_digest(state, served)
        if secret is not None and digest:
            yield Way(log_cluster(served), secret, digest)


class KindBook:
    """What is watched on one cluster. Kinds stay, once wanted; Secrets come and go."""

    def __init__(self, cluster: str, *, is_home: bool) -> None:
        """Begin with what is always watched."""
        self._cluster = cluster
        self._is_home = is_home
        self._works = not is_home  # models are, or were, to be staged there

    def kinds(self, state: State, *, caches_served: bool) -> tuple[Kind, ...]:
        """Give what is to be watched now, each once.

        What was listed counts as known for the rest of the session, so no kind is let go of: it
        would not be seen again before it is believed.
        """
        self._works = self._works or bool(wanted_kinds(state, self._cluster))
        kinds: tuple[Kind, ...] = WATCHED if self._is_home else ()
        if self._is_home and caches_served:
            kinds += HOME_KINDS
        if self._works:
            kinds += WORKLOAD_KINDS
        return tuple(dict.fromkeys((*kinds, *self._secrets(state))))

    def _secrets(self, state: State) -> list[Kind]:
        scopes = sorted(one for one in wanted_secrets(state) if one.cluster == self._cluster)
        return [named(SECRET, one.namespace, one.name) for one in scopes]
