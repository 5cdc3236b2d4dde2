"""Blocking: why nothing can be made for a cache on a cluster, whoever answers there."""

from machines.caches.finding import CLAIM, JOB, NAMESPACE, Site
from machines.caches.owning import Ownership, owner_words, ownership
from machines.caches.selecting import classes_are_listed, storage_class
from machines.caches.states import SILENCE, Cache, Entry, Said
from machines.caches.twins import working_twin
from machines.levels import NamespaceLevel
from machines.states import SECRET, Known, State

SAME_CLUSTER = "SameCluster"
NOT_OURS = "NotOurs"
TERMINATING = "NamespaceTerminating"
NO_STORAGE_CLASS = "NoStorageClass"

_SHOWN = {CLAIM: "claim", JOB: "Job", SECRET: "Secret"}


def block_of(state: State, cache: Cache, entry: Entry, site: Site | None) -> Said:
    """Say what is in the way on an entry's cluster; SILENCE when nothing is."""
    served = state.served.get(entry.cluster)
    twin = working_twin(state, served, cache) if served else ""
    if twin:
        return Said(SAME_CLUSTER, f"InferenceCluster {twin} is the same cluster, and the older one")
    if served is None or site is None:
        return SILENCE
    if is_terminating(site):
        return Said(TERMINATING, f"namespace {site.namespace} is being deleted")
    taken = _taken(state, cache, site)
    if taken is not SILENCE or site.claim is not None or storage_class(served, site.cluster):
        return taken
    if not classes_are_listed(site.cluster):
        return SILENCE
    return Said(NO_STORAGE_CLASS, "the cluster reports no storage class for shared volumes")


def is_terminating(site: Site) -> bool:
    """Say whether the namespace of the cache's objects is going."""
    uid = site.cluster.namespace_uids.get(site.namespace, "")
    known = site.cluster.objects[NAMESPACE].get(uid)
    return known is not None and isinstance(known.level, NamespaceLevel) and known.level.terminating


def _taken(state: State, cache: Cache, site: Site) -> Said:
    for kind, known in ((CLAIM, site.claim), (SECRET, site.secret), (JOB, site.job)):
        if known is not None and ownership(state, cache, known) is Ownership.OTHERS:
            return Said(NOT_OURS, _taken_words(kind, site, known))
    return SILENCE


def _taken_words(kind: str, site: Site, known: Known) -> str:
    thing = f"{_SHOWN[kind]} {site.namespace}/{known.subject.name}"
    return f"{thing} belongs to {owner_words(known)}"
