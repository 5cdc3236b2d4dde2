"""How a watch fares: in one sentence that says what to do, and as a fact for the log."""

from typing import NamedTuple

from adapters.kubernetes.answers import FORBIDDEN, NOT_FOUND
from adapters.kubernetes.kinds import CLAIM_TEMPLATE, GANG, Kind
from adapters.kubernetes.reflecting import ReadRefused
from machines.caches.reaching import REMOTE
from machines.observations import Unread

_UNAUTHORIZED = 401
# What brings a kind, where that is no definition of ours; without it some engines cannot run.
_BROUGHT_BY = {
    GANG.name: "engines of several nodes need the LeaderWorkerSet controller: install it there",
    CLAIM_TEMPLATE.name: "engines that request devices need Kubernetes 1.34 or later there",
}


class WatchHealth(NamedTuple):
    """One kind of one cluster: whether a complete list was given, and what is wrong now.

    `words` is empty when nothing is wrong; whatever it says, the kind is asked for again and again.
    `spared` says that the API server has no such kind, which only some replicas need.
    """

    cluster: str
    kind: str
    synced: bool
    words: str = ""
    spared: bool = False


def is_spared(kind: Kind, error: ReadRefused) -> bool:
    """Say whether a refusal tells that a kind is not there, which need not be."""
    return error.unserved and kind.name in _BROUGHT_BY


def refused_words(cluster: str, kind: Kind, error: ReadRefused) -> str:
    """Say why a kind cannot be read, and what to do."""
    if error.code == NOT_FOUND:
        remedy = _BROUGHT_BY.get(kind.name, "apply the CRD with `kubectl apply -k crds/`")
        return f"Cluster {cluster} does not serve {kind.resource}: {remedy}."
    if error.code == FORBIDDEN:
        folder = "deploy/workload-cluster` there" if cluster.startswith(REMOTE) else "deploy/`"
        return (
            f"warmlog may not list and watch {kind.resource} in cluster {cluster}:"
            f" apply its roles with `kubectl apply -k {folder}. It was told: {error.words}"
        )
    if error.code == _UNAUTHORIZED:
        return (
            f"Cluster {cluster} does not accept warmlog's credentials:"
            " renew the token or certificate of its kubeconfig or service account."
        )
    return (
        f"Cluster {cluster} refuses to list or watch {kind.resource} for now"
        f" ({error.code}: {error.words}); nothing need be done unless that lasts."
    )


def unread_of(cluster: str, kind: Kind, error: ReadRefused | None) -> Unread:
    """Give the fact that a kind cannot be listed, or, without an error, that it can again."""
    if error is None:
        return Unread(cluster, kind.name, "", kind.scope)
    if error.unserved:
        words = f"cluster {cluster} does not serve {kind.resource}"
        return Unread(cluster, kind.name, words, kind.scope, served=False)
    return Unread(cluster, kind.name, error.words, kind.scope)


def unanswered_words(cluster: str, kind: Kind, words: str) -> str:
    """Say that a kind gets no answer, and what to do."""
    return (
        f"Cluster {cluster} does not answer for {kind.resource} ({words}):"
        " check that its API server runs and can be reached from here."
    )
