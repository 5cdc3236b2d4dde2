"""Reaching: how a cluster is reached, and what of it is to be watched. Pure: the edge follows it.

In the log, the cluster that warmlog runs in has its own name (`--cluster-name`), and any other has
`ic/` and the name of its InferenceCluster, so that the two can never be taken for one another.
"""

from collections.abc import Iterable
from typing import NamedTuple

from machines.caches.child_names import token_secret_name, workload_namespace
from machines.caches.cluster_specs import EXISTING, IN_CLUSTER, ClusterSpec
from machines.caches.levels import SecretLevel
from machines.caches.states import Cache, ServedCluster
from machines.states import CACHES_NEED, SECRET, State

REMOTE = "ic/"
MODELPLANE_NAMESPACE = "modelplane-system"
KUBECONFIG = "kubeconfig"
NOT_PROVISIONED = "cluster is not provisioned yet: its status names no kubeconfig"


class SecretKey(NamedTuple):
    """One key of one Secret of the cluster that warmlog runs in."""

    namespace: str
    name: str
    key: str

    def __str__(self) -> str:
        """Give it as people name it."""
        return f"Secret {self.namespace}/{self.name}"


class WayIn(NamedTuple):
    """How a cluster is reached: by itself (home), by a kubeconfig, or not, and why."""

    home: bool = False
    kubeconfig: SecretKey | None = None
    trouble: str = ""  # "" when nothing is known to be in the way
    known: bool = True  # false when the trouble is only that the Secret cannot be read at present


class Scope(NamedTuple):
    """A Secret that is watched by its name."""

    cluster: str
    namespace: str
    name: str


def log_cluster(served: ServedCluster) -> str:
    """Give the name that a cluster has in the log."""
    if served.spec.source == IN_CLUSTER:
        return served.home
    return f"{REMOTE}{served.subject.name}"


def names_of_cluster(state: State, cluster: str) -> list[str]:
    """Give the InferenceClusters that are the cluster of that name in the log, by name."""
    if cluster.startswith(REMOTE):
        served = state.served.get(cluster.removeprefix(REMOTE))
        if served is not None and log_cluster(served) == cluster:
            return [served.subject.name]
    return sorted(name for name, one in state.served.items() if log_cluster(one) == cluster)


def scope_key(namespace: str, name: str) -> str:
    """Give the name under which a named Secret counts as synced."""
    return f"{SECRET}/{namespace}/{name}"


def secret_namespace(state: State, home: str) -> str:
    """Give the namespace in which the kubeconfigs of clusters are looked for."""
    settings = state.caching
    if settings.secret_namespace:
        return settings.secret_namespace
    cluster = state.clusters.get(home)
    known = cluster is not None and MODELPLANE_NAMESPACE in cluster.namespace_uids
    return MODELPLANE_NAMESPACE if known else settings.own_namespace


def way_in(state: State, served: ServedCluster) -> WayIn:
    """Say how a cluster is reached. Trouble is only what is known: no answer is none."""
    if served.spec.source == IN_CLUSTER:
        return WayIn(home=True)
    namespace = secret_namespace(state, served.home)
    secret = kubeconfig_secret(served.spec, served.level.provider_config, namespace)
    if secret is None:
        return WayIn(trouble=NOT_PROVISIONED)
    unread = _unread_words(state, served, secret)
    trouble = unread or _kubeconfig_trouble(state, served, secret)
    return WayIn(kubeconfig=secret, trouble=trouble, known=not unread)


def reached_by(state: State, home: str, secret_name: str) -> list[ServedCluster]:
    """Give the clusters whose kubeconfig is in a Secret of this name, in whichever namespace."""
    return [
        served
        for served in state.served.values()
        if served.home == home
        and secret_name in (served.spec.secret_name, served.level.provider_config)
    ]


def kubeconfig_secret(spec: ClusterSpec, provider_config: str, namespace: str) -> SecretKey | None:
    """Give where the kubeconfig of a cluster that is not home lies; None while nothing says so."""
    if spec.source == EXISTING and spec.secret_name:
        return SecretKey(namespace, spec.secret_name, spec.secret_key)
    if provider_config:
        return SecretKey(namespace, provider_config, KUBECONFIG)
    return None


def _unread_words(state: State, served: ServedCluster, secret: SecretKey) -> str:
    cluster = state.clusters.get(served.home)
    scope = scope_key(secret.namespace, secret.name)
    words = cluster.unread.get(scope, "") if cluster is not None else ""
    return f"{secret} with its kubeconfig cannot be read: {words}" if words else ""


def _kubeconfig_trouble(state: State, served: ServedCluster, secret: SecretKey) -> str:
    cluster = state.clusters.get(served.home)
    scope = scope_key(secret.namespace, secret.name)
    if cluster is None or scope not in cluster.listed:
        return ""
    known = cluster.find(SECRET, secret.namespace, secret.name)
    if known is None:
        return f"{secret} with its kubeconfig does not exist"
    level = known.level
    if isinstance(level, SecretLevel) and not dict(level.keys).get(secret.key):
        return f"{secret} has no key {secret.key} with a kubeconfig"
    return ""


def kubeconfig_digest(state: State, served: ServedCluster) -> str:
    """Give the digest of the kubeconfig as the log knows it; "" while it knows none."""
    secret = way_in(state, served).kubeconfig
    cluster = state.clusters.get(served.home)
    known = cluster.find(SECRET, secret.namespace, secret.name) if cluster and secret else None
    if known is None or secret is None or not isinstance(known.level, SecretLevel):
        return ""
    return dict(known.level.keys).get(secret.key, "")


def wanted_secrets(state: State) -> frozenset[Scope]:
    """Give every Secret that is to be watched by its name, on whichever cluster."""
    wanted = set()
    for served in state.served.values():
        secret = way_in(state, served).kubeconfig
        if secret is not None:
            wanted.add(Scope(served.home, secret.namespace, secret.name))
    for cache in state.caches.values():
        if cache.entries or not cache.gone:
            wanted |= _secrets_of(state, cache)
    return frozenset(wanted)


def tokens_are_told(state: State, clusters: Iterable[str]) -> frozenset[str]:
    """Give those of these clusters of which every token that words may quote is told.

    That is when it was read in this session, or is known to be unreadable.
    """
    homes = {log_cluster(served): served.home for served in state.served.values()}
    untold = {name for name in clusters if name not in homes or not _synced(state, homes[name])}
    for cache in state.caches.values():
        scopes = [scope for scope in _secrets_of(state, cache) if not _is_told(state, scope)]
        if any(scope.cluster == cache.cluster for scope in scopes):  # its source
            untold |= {log_cluster(state.served[name]) for name in cache.entries}
        untold |= {scope.cluster for scope in scopes}
    return frozenset(clusters) - untold


def _synced(state: State, home: str) -> bool:
    cluster = state.clusters.get(home)
    return cluster is not None and cluster.has_synced(CACHES_NEED)


def _is_told(state: State, scope: Scope) -> bool:
    cluster, key = state.clusters.get(scope.cluster), scope_key(scope.namespace, scope.name)
    return cluster is not None and (key in cluster.synced or key in cluster.unread)


def _secrets_of(state: State, cache: Cache) -> set[Scope]:
    """Give the source that the spec names, and its copies; and copies that are left."""
    spec, subject = cache.spec, cache.subject
    needed = spec is not None and bool(spec.secret_name)
    found = set()
    if spec is not None and needed:
        found.add(Scope(cache.cluster, subject.namespace, spec.secret_name))
    namespace = workload_namespace(subject.namespace, state.caching.workload_namespace)
    for entry in cache.entries.values():
        served = state.served.get(entry.cluster)
        if served is not None:
            name = token_secret_name(subject.namespace, subject.name)
            cluster = state.clusters.get(log_cluster(served))
            if needed or (cluster is not None and cluster.find(SECRET, namespace, name)):
                found.add(Scope(log_cluster(served), namespace, name))
    return found
