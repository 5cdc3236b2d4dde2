"""Obstacles: what keeps an entry from going on, whatever its own claim and Job do."""

from engine.instants import rfc3339
from machines.caches.blocking import NO_STORAGE_CLASS, NOT_OURS, TERMINATING
from machines.caches.changes import to_do_words
from machines.caches.entries import EntryState
from machines.caches.finding import CLAIM, JOB, names_of
from machines.caches.leaving import is_held, replica_users
from machines.caches.reaching import scope_key, way_in
from machines.caches.selecting import (
    DEFAULT_CLASS,
    classes_are_listed,
    is_abandoned,
    storage_class,
)
from machines.caches.sights import Sight, token_sight
from machines.caches.states import Refusal, Said
from machines.labels import ABANDON
from machines.messages import cut
from machines.states import SECRET, WORKLOAD_KINDS, Cluster

QUOTED = 320  # characters of somebody else's words within a message
NAMED = 3  # Pods, or ModelReplicas, in a sentence
_SIZE = "Grow PersistentVolumeClaim"  # told by a condition of its own
_STOPS = ("create ", "Own ", "Hold ")  # changes without which nothing goes on


def quoted(said: Said) -> str:
    """Give what somebody said as `Reason: words`, bounded; "" when nothing was said."""
    return cut(": ".join(part for part in said if part), QUOTED)


def token_trouble(sight: Sight) -> str:
    """Name the Secret and key that lack, while something still has to be downloaded with them.

    What is not known stops nothing that runs already.
    """
    if sight.entry.state is EntryState.READY or sight.staged:
        return ""
    token = token_sight(sight.state, sight.cache)
    runs = sight.fits and sight.job is not None and not sight.job.ended
    return "" if runs and not token.missing else token.trouble


def blindness(sight: Sight) -> str:
    """Say why nothing is known of the cluster now; "" when it is seen."""
    entry, served, cluster = sight.entry, sight.served, sight.cluster
    if served is None:
        return f"InferenceCluster {entry.cluster} is gone"
    trouble = way_in(sight.state, served).trouble
    if trouble:
        return trouble
    if cluster is None or not (cluster.listed or cluster.words or cluster.unread):
        return f"cluster {entry.cluster} was not read yet"
    if not cluster.reachable:
        since = f"since {rfc3339(cluster.changed_at)}" if cluster.changed_at else "yet"
        words = f": {cut(cluster.words, QUOTED)}" if cluster.words else ""
        return f"cluster {entry.cluster} does not answer {since}{words}"
    kinds, words = unread_kinds(cluster)
    if kinds:
        return f"{kinds} of cluster {entry.cluster} cannot be read: {cut(words, QUOTED)}"
    return ""


def unread_kinds(cluster: Cluster) -> tuple[str, str]:
    """Name the kinds that cannot be read, as Kubernetes calls them, and why; "" when all can."""
    if not cluster.unread:
        return "", ""
    unread = {kind: cluster.unread[kind] for kind in WORKLOAD_KINDS if kind in cluster.unread}
    kinds = ", ".join(kind.removeprefix("Hydration") for kind in unread)
    return kinds, next(iter(unread.values()), "")


def hindrance(sight: Sight) -> str:
    """Say what is in the way on a cluster that is seen; the first that is."""
    reason, words = sight.block
    if reason == TERMINATING:
        return f"namespace {sight.namespace} of cluster {sight.entry.cluster} is being deleted"
    if reason == NOT_OURS:
        return f"{words}: rename one of the two"
    if reason == NO_STORAGE_CLASS:
        return (
            f"cluster {sight.entry.cluster} reports no storage class for claims that many Pods "
            f"mount, and has none that is called {DEFAULT_CLASS}"
        )
    return words or absent_class(sight) or _stopping_refusal(sight)


def leaving_words(sight: Sight) -> str:
    """Say what an entry that is wanted no more is still kept for."""
    state, cache, entry = sight.state, sight.cache, sight.entry
    why = f"cluster {entry.cluster} is not selected any more"
    if cache.level.deleting or cache.gone:
        why = "the ModelCache is being deleted"
    users = users_words(sight)
    if users:
        return f"{why}; {sight.claim_words} is kept for {users}"
    if entry.users is None:
        return f"{why}; whether a Pod mounts {sight.claim_words} is not known yet"
    if is_held(state, cache, entry):
        return f"{why}; whether a ModelReplica has {sight.claim_words} is not known yet"
    claim = f"{sight.claim_words} is being let go"
    return "; ".join(filter(None, (why, claim, still(sight), unread_copy(sight))))


def is_let_be(sight: Sight) -> bool:
    """Say whether an entry is left as it is, ready or not, as somebody asks for that."""
    staged = sight.entry.state is EntryState.READY and sight.entry.selected
    return is_abandoned(sight.cache) and not staged


def let_be_words(sight: Sight, blind: str) -> str:
    """Say why an entry goes on no more, and what it lacks, unless its cluster is not seen."""
    lacking = "" if sight.claim or blind else f"; {sight.claim_words} does not exist"
    return f'annotation {ABANDON} is "true": nothing is made, changed or deleted{lacking}'


def still(sight: Sight) -> str:
    """Name the Pods that have ended, and for which a claim stays that is being deleted."""
    names = sight.entry.ended_users
    if sight.claim is None or not sight.claim.deleting or not names:
        return ""
    if len(names) > 1:
        return f"{_some('Pod', names)} have ended and still mount it: it goes once they are deleted"
    return f"Pod {names[0]} has ended and still mounts it: it goes once that Pod is deleted"


def unread_copy(sight: Sight) -> str:
    """Say why a copy of the token stays that cannot be read; "" when none does."""
    cluster, name = sight.cluster, names_of(sight.cache)[SECRET]
    if cluster is None or cluster.find(SECRET, sight.namespace, name) is None:
        return ""
    words = cluster.unread.get(scope_key(sight.namespace, name), "")
    return f"Secret {sight.namespace}/{name} cannot be read: {cut(words, QUOTED)}" if words else ""


def users_words(sight: Sight) -> str:
    """Name the ModelReplicas and the Pods that are known to use a claim; "" when none is."""
    replicas = replica_users(sight.state, sight.cache, sight.entry)
    told = [_some("ModelReplica", replicas), _some("Pod", sight.entry.users or ())]
    return " and ".join(filter(None, told))


def _some(kind: str, names: tuple[str, ...]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{kind}{'s' if len(names) > 1 else ''} {', '.join(names[:NAMED])}{more}"


def later_refusals(sight: Sight) -> list[str]:
    """Say which changes are refused beside those that stop everything; sizes have a condition."""
    refused = sight.entry.refusals
    return [
        refusal_words(sight, what, refusal)
        for what, refusal in sorted(refused.items())
        if what != _SIZE and (not what.startswith(_STOPS) or not sight.entry.selected)
    ]


def refusal_words(sight: Sight, what: str, refusal: Refusal) -> str:
    """Say what is refused, in the API server's own words, and when it is tried again."""
    verb, _, kind = what.partition(" ")
    subject = sight.cache.subject
    thing = {
        CLAIM: sight.claim_words,
        JOB: sight.job_words,
        SECRET: f"Secret {sight.namespace}/{names_of(sight.cache)[SECRET]}",
        "Namespace": f"namespace {sight.namespace}",
        "ModelCache": f"ModelCache {subject.namespace}/{subject.name}",
    }.get(kind, kind)
    return refusal_sentence(to_do_words(verb, thing), refusal)


def refusal_sentence(done: str, refusal: Refusal) -> str:
    """Say that this was refused, in the API server's own words, and when it is tried again."""
    again = f"; tried again at {rfc3339(refusal.retry_at)}" if refusal.retry_at else ""
    said = quoted(Said(refusal.reason, refusal.words))
    return f"the API server refused {done}: {said}{again}"


def _stopping_refusal(sight: Sight) -> str:
    refused = {**sight.cache.refusals, **sight.entry.refusals}
    for what, refusal in sorted(refused.items()):
        if what.startswith(_STOPS):
            return refusal_words(sight, what, refusal)
    return ""


def absent_class(sight: Sight) -> str:
    """Say that the storage class which is reported does not exist, for a claim yet to be made."""
    served, cluster = sight.served, sight.cluster
    if served is None or cluster is None or sight.claim is not None:
        return ""
    return _absence(sight, cluster, storage_class(served, cluster))


def newer_class(sight: Sight) -> str:
    """Give the class that a claim would have that is made now, if this one has another."""
    claim, served, cluster = sight.claim, sight.served, sight.cluster
    if claim is None or served is None or cluster is None or not claim.storage_class:
        return ""
    wanted = storage_class(served, cluster)
    return "" if wanted == claim.storage_class else wanted


def class_trouble(sight: Sight) -> str:
    """Say what is the matter with the class of a claim that waits for its volume."""
    claim, cluster = sight.claim, sight.cluster
    if claim is None or cluster is None or claim.phase == "Bound" or not claim.storage_class:
        return ""
    wanted = newer_class(sight)
    absent = _absence(sight, cluster, claim.storage_class)
    if wanted:
        has = absent or f"it has storage class {claim.storage_class}"
        return f"{has}; once the claim is deleted it is made anew with {wanted}"
    return absent


def _absence(sight: Sight, cluster: Cluster, named: str) -> str:
    if not classes_are_listed(cluster) or cluster.find("StorageClass", "", named):
        return ""
    return f"cluster {sight.entry.cluster} has no storage class {named}"
