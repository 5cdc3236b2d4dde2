"""Blind spots: what a log cannot show, since whoever watched could not read it. Pure.

A Secret that a cache names is none: that its presence is unknown is said where it is asked for.
"""

from collections.abc import Iterator
from typing import NamedTuple

from machines.caches.reaching import log_cluster, scope_key, way_in
from machines.caches.states import ServedCluster
from machines.states import Cluster, State


class BlindSpot(NamedTuple):
    """A kind of a cluster, or the whole cluster, of which the log ends without knowing it."""

    cluster: str  # its name in the log
    kind: str  # "" for the whole cluster
    words: str  # why


def blind_spots(state: State) -> Iterator[BlindSpot]:
    """Give what is not read as things stand: kinds, then clusters that there is no way into."""
    for cluster in state.clusters.values():
        if cluster.name:
            yield from _of_cluster(cluster)
    for served in state.served.values():
        yield from _way_barred(state, served)


def barred_clusters(state: State, unread: str) -> list[BlindSpot]:
    """Give the clusters of which nothing is known because their kubeconfig may not be read.

    `unread` is the name under which its Secret counts as read or not (`reaching.scope_key`).
    """
    found: list[BlindSpot] = []
    for served in state.served.values():
        secret = way_in(state, served).kubeconfig
        if secret is not None and scope_key(secret.namespace, secret.name) == unread:
            found += _way_barred(state, served)
    return found


def _of_cluster(cluster: Cluster) -> Iterator[BlindSpot]:
    if not cluster.reachable:
        yield BlindSpot(cluster.name, "", cluster.words)
        return
    for key, words in cluster.unread.items():
        is_scope = "/" in key
        if not is_scope and key not in cluster.unserved:
            yield BlindSpot(cluster.name, key, words)


def _way_barred(state: State, served: ServedCluster) -> Iterator[BlindSpot]:
    way = way_in(state, served)
    if way.trouble and not way.known:
        yield BlindSpot(log_cluster(served), "", way.trouble)
