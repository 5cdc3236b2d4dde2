"""Sights: what is known of one entry, as it is told to people.

All of it is the last that was seen, and survives a restart: nothing here asks whether a kind is
synced in this session. An absence counts only where the kind, or the Secret, was ever listed.
"""

from typing import NamedTuple

from machines.caches.blocking import block_of
from machines.caches.finding import (
    CLAIM,
    JOB,
    names_of,
    namespace_of,
    pods_of,
    site_of,
    writing_pods,
)
from machines.caches.latching import counts, latch_of
from machines.caches.levels import (
    ClaimLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    SecretLevel,
)
from machines.caches.reaching import scope_key
from machines.caches.states import SILENCE, Cache, Entry, Said, ServedCluster
from machines.states import SECRET, Cluster, Known, State

# The scheduler's words about a Pod whose claim has no volume yet: of the claim enough is said.
_UNBOUND = "unbound immediate PersistentVolumeClaims"


class TokenSight(NamedTuple):
    """What is known of the token that a cache downloads with."""

    missing: bool = False  # known to be missing; else trouble says why it is not known
    trouble: str = ""  # names Secret and key; "" when it is there, or not needed


class Sight(NamedTuple):
    """What is known of an entry. Levels are those last seen, None while the object is not there."""

    state: State
    cache: Cache
    entry: Entry
    served: ServedCluster | None
    cluster: Cluster | None  # None before anything of it was seen
    namespace: str  # on the workload cluster
    claim_name: str
    job_name: str
    claim: ClaimLevel | None
    job: HydrationJobLevel | None
    fits: bool  # the Job is of this very claim and content
    staged: bool  # the content is whole in a bound claim that stays, as its Job or its latch says
    pods: tuple[HydrationPodLevel, ...]  # of the Job, oldest first
    left: tuple[str, ...]  # live Pods of a Job that is gone: the next one waits for them
    block: Said  # what is in the way on the cluster

    @property
    def claim_words(self) -> str:
        """Name the claim as people name it."""
        return f"claim {self.namespace}/{self.claim_name}"

    @property
    def job_words(self) -> str:
        """Name the Job as people name it."""
        return f"Job {self.namespace}/{self.job_name}"


def waiting_pod(sight: Sight) -> HydrationPodLevel | None:
    """Give the Job's newest Pod if something keeps it that is more than its unbound claim."""
    living = [pod for pod in sight.pods if not pod.ended]
    pod = living[-1] if living else None
    return pod if pod is not None and pod.reason and _UNBOUND not in pod.message else None


def lost_node(sight: Sight) -> str:
    """Name the node of the Job's newest Pod if there is none of that name any more."""
    living = [pod for pod in sight.pods if not pod.ended]
    name, cluster = living[-1].node_name if living else "", sight.cluster
    known = cluster is None or "Node" not in cluster.listed or name in cluster.node_uids
    return "" if known else name


def job_events(sight: Sight) -> Said:
    """Give what the Job's Events say, if that is more than that its claim is unbound."""
    said = sight.entry.job_events
    return SILENCE if _UNBOUND in said.words else said


def sight_of(state: State, cache: Cache, entry: Entry) -> Sight:
    """Look up everything that is known of an entry."""
    site, names = site_of(state, cache, entry), names_of(cache)
    claim = site.claim_level if site and site.claim else None
    job = site.job_level if site and site.job else None
    fits = site is not None and counts(cache, site)
    stays = bool(entry.claim_uid) and claim is not None and not claim.deleting
    complete = fits and job is not None and job.outcome == "Complete"
    latched = site is not None and claim is not None and claim.hydrated == latch_of(cache, site)
    pods = pods_of(site.cluster, site.job.subject.uid) if site and site.job else []
    left: list[Known] = []
    if site and not site.job:
        left = writing_pods(site.cluster, site.namespace, names[JOB], entry.job_uid)
    return Sight(
        state,
        cache,
        entry,
        state.served.get(entry.cluster),
        site.cluster if site else None,
        namespace_of(state, cache),
        names[CLAIM],
        names[JOB],
        claim,
        job,
        fits,
        stays and claim is not None and claim.phase == "Bound" and (complete or latched),
        tuple(pod.level for pod in pods if isinstance(pod.level, HydrationPodLevel)),
        tuple(pod.subject.name for pod in left),
        block_of(state, cache, entry, site),
    )


def token_sight(state: State, cache: Cache) -> TokenSight:
    """Say whether the token that a cache needs is there, as far as was ever known."""
    spec = cache.spec
    if spec is None or not spec.secret_name:
        return TokenSight()
    namespace, name, key = cache.subject.namespace, spec.secret_name, spec.secret_key
    secret, scope = f"Secret {namespace}/{name}", scope_key(namespace, name)
    cluster = state.clusters.get(cache.cluster)
    words = cluster.unread.get(scope, "") if cluster else ""
    known = cluster.find(SECRET, namespace, name) if cluster else None
    if words:
        return TokenSight(trouble=f"{secret} with key {key} cannot be read: {words}")
    if known is not None and isinstance(known.level, SecretLevel):
        return _token_in(known.level, secret, key)
    if cluster is None or scope not in cluster.listed:
        return TokenSight(trouble=f"{secret} with key {key} was not read yet")
    trouble = f"{secret} does not exist: its key {key} is to hold the token"
    return TokenSight(missing=True, trouble=trouble)


def _token_in(level: SecretLevel, secret: str, key: str) -> TokenSight:
    keys = dict(level.keys)
    if keys.get(key):
        return TokenSight()
    wrong = f"has no key {key}" if key not in keys else f"has an empty value under its key {key}"
    return TokenSight(missing=True, trouble=f"{secret} {wrong}")
