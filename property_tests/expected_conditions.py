"""What a ModelReplica must show, and what must run of it, by what is true: written by hand.

This table is taken from the published contract, not from the machines, and imports nothing of
them: it is what they are compared with. All that its cache can lack is alike for what runs, and
differs in the message alone.
"""

from enum import StrEnum
from typing import NamedTuple


class Spec(StrEnum):
    """What can be true of the replica's spec."""

    VALID = "it can be composed"
    INVALID = "a field of it can never work"
    UNSUPPORTED = "its cluster does not serve a kind that it needs"


class Cluster(StrEnum):
    """What can be true of the cluster that it names."""

    SERVED = "it is seen"
    SILENT = "it does not answer"
    UNPROVISIONED = "nothing tells how it is reached"
    ABSENT = "there is no InferenceCluster of that name"


class Cache(StrEnum):
    """What can be true of the cache that it names."""

    NOT_NAMED = "it names none"
    NOT_FOUND = "there is none of that name"
    NOT_STAGED = "it does not stage to this cluster"
    PENDING = "it is Pending there"
    TOKEN_MISSING = "it is Pending there, and its token is missing"
    HYDRATING = "it is Hydrating there"
    FAILED = "it is Failed there"
    READY = "it is Ready there: its mount is published"


class Before(StrEnum):
    """What was composed of it before all this came to be true."""

    NOTHING = "nothing"
    WITH_THIS = "its workload, with the mount of the cache that it names, or named"
    WITH_ANOTHER = "its workload, with the mount of another cache"
    WITHOUT = "its workload, without a mount"


class Workload(StrEnum):
    """What came of what was decided about its workload."""

    UNDER_WAY = "what is decided, if anything is, is not answered yet"
    REFUSED = "the API server refuses it"
    STARTING = "it is as decided, and not available"
    AVAILABLE = "it is as decided, and available"
    REMOVED = "somebody has just deleted it"


class Mount(StrEnum):
    """What an engine is given."""

    NONE = "no mount"
    THIS = "the mount of the cache that it names"
    ANOTHER = "the mount of another cache"


class Say(StrEnum):
    """What the message of ModelAccepted tells."""

    NOTHING = "nothing"
    FIELD = "the field that can never work"
    MISSING_KIND = "the kind that is not served"
    CLIENT = "that the cluster does not answer, the client's words, and since when"
    NO_WAY_IN = "that the cluster cannot be reached, and why"
    NO_CLUSTER = "that there is no such cluster"
    NOT_FOUND = "that there is no such cache"
    NOT_STAGED = "that the cache does not stage to this cluster"
    ENTRY = "the message of the cache's entry, word for word"
    NOT_THERE = "what is not there yet"
    SERVER = "what was refused, in the API server's words"


class Facts(NamedTuple):
    """All that is true of a replica."""

    before: Before = Before.NOTHING
    cache: Cache = Cache.READY
    workload: Workload = Workload.AVAILABLE
    spec: Spec = Spec.VALID
    cluster: Cluster = Cluster.SERVED


class Row(NamedTuple):
    """Status and reason of the conditions, what the first tells, and what runs with which mount.

    `mount` is what the workload is to have as soon as what is decided is done: None when there is
    to be none.
    """

    accepted: str
    model_ready: str
    ready: str
    says: Say
    exists: bool
    mount: Mount | None


KEPT = {
    Before.WITH_THIS: Mount.THIS,
    Before.WITH_ANOTHER: Mount.ANOTHER,
    Before.WITHOUT: Mount.NONE,
}
OUT_OF_REACH = frozenset({Cluster.UNPROVISIONED, Cluster.ABSENT})
CAUSES = {
    Cache.NOT_FOUND: Say.NOT_FOUND,
    Cache.NOT_STAGED: Say.NOT_STAGED,
    Cache.PENDING: Say.ENTRY,
    Cache.TOKEN_MISSING: Say.ENTRY,
    Cache.HYDRATING: Say.ENTRY,
    Cache.FAILED: Say.ENTRY,
}
SERVING, STARTING, WAITING = "True/Serving", "False/ModelStarting", "False/WaitingForModel"


def expected(facts: Facts) -> Row:
    """Give what must be shown, and what must run."""
    reason, says = _held(facts)
    exists = _exists(facts, held=bool(reason))
    mount = _mount(facts) if _may_be_composed(facts) else KEPT.get(facts.before)
    if facts.workload is Workload.REMOVED and not _may_be_composed(facts):
        mount = None
    if reason:
        model = SERVING if _is_available(facts, exists=exists) else WAITING
        return Row(f"False/{reason}", model, "False/Waiting", says, exists, mount)
    if not exists:
        refused = facts.workload is Workload.REFUSED
        told = Say.SERVER if refused else Say.NOT_THERE
        ready = "False/Refused" if refused else "False/Waiting"
        return Row("False/Deploying", WAITING, ready, told, exists, mount)
    model = SERVING if _is_available(facts, exists=exists) else STARTING
    return Row("True/Accepted", model, _ready(facts, model), _beside(facts), exists, mount)


def _held(facts: Facts) -> tuple[str, Say]:
    """Give why it is not accepted: the first of these that holds. What runs waits for no cache."""
    if facts.spec is Spec.INVALID:
        return "InvalidSpec", Say.FIELD
    if facts.spec is Spec.UNSUPPORTED:
        return "Unsupported", Say.MISSING_KIND
    if facts.cluster is Cluster.ABSENT:
        return "WaitingForCluster", Say.NO_CLUSTER
    if facts.cluster is Cluster.UNPROVISIONED:
        return "WaitingForCluster", Say.NO_WAY_IN
    if facts.before is Before.NOTHING:
        if facts.cluster is Cluster.SILENT:
            return "WaitingForCluster", Say.CLIENT
        if facts.cache in CAUSES:
            return "WaitingForCache", CAUSES[facts.cache]
    return "", Say.NOTHING


def _may_be_composed(facts: Facts) -> bool:
    """Say whether anything is composed now: what cannot be is left as it is."""
    return facts.spec is Spec.VALID and facts.cluster is Cluster.SERVED and not _held(facts)[0]


def _mount(facts: Facts) -> Mount:
    """Give the mount to be composed: what is published, else what is kept."""
    if facts.cache is Cache.NOT_NAMED:
        return Mount.NONE
    return Mount.THIS if facts.cache is Cache.READY else KEPT[facts.before]


def _exists(facts: Facts, *, held: bool) -> bool:
    if facts.before is Before.NOTHING:
        return not held and facts.workload in (Workload.STARTING, Workload.AVAILABLE)
    return facts.workload is not Workload.REMOVED


def _is_available(facts: Facts, *, exists: bool) -> bool:
    """Say whether it serves; what ran goes on serving until a change of it is accepted."""
    return exists and facts.workload is not Workload.STARTING


def _ready(facts: Facts, model: str) -> str:
    """Ready: all that was composed was accepted, and is available."""
    if facts.workload is Workload.REFUSED:
        return "False/Refused"
    done = facts.workload is Workload.AVAILABLE and model == SERVING
    return "True/Available" if done else "False/Progressing"


def _beside(facts: Facts) -> Say:
    """What runs says beside True what its cache lacks, while it keeps what it has for that."""
    return CAUSES.get(facts.cache, Say.NOTHING)


def is_applied(facts: Facts) -> bool:
    """Say whether there is a workload to be composed, or a change of one to be applied."""
    return _may_be_composed(facts) and _mount(facts) != KEPT.get(facts.before)


def can_exist(facts: Facts) -> bool:
    """Say whether all of this can be true at once."""
    new, away = facts.before is Before.NOTHING, facts.cluster is not Cluster.SERVED
    if facts.spec is Spec.UNSUPPORTED and away:
        return False  # what a cluster serves is known of one that is seen
    if facts.workload is Workload.REMOVED:
        return not new and not away
    if facts.workload is Workload.REFUSED:
        return is_applied(facts)
    if facts.workload is Workload.UNDER_WAY:
        return is_applied(facts) or (new and bool(_held(facts)[0]))
    return not new or is_applied(facts)


SERVES = ("True/Accepted", SERVING, "True/Available")
STARTS = ("True/Accepted", STARTING, "False/Progressing")
ACCEPTED_UNDER_WAY = ("True/Accepted", SERVING, "False/Progressing")


def held(reason: str, says: Say) -> Row:
    """Give the row of a new replica of which nothing is composed."""
    return Row(f"False/{reason}", WAITING, "False/Waiting", says, exists=False, mount=None)


def runs(shown: tuple[str, str, str], mount: Mount, says: Say = Say.NOTHING) -> Row:
    """Give the row of a replica whose workload is there."""
    return Row(*shown, says, exists=True, mount=mount)


NEW, RUNNING = Facts(), Facts(Before.WITH_THIS)
SWITCHED, ADDED = Facts(Before.WITH_ANOTHER), Facts(Before.WITHOUT)

# The same by example, so that neither the rules above nor the machines can be wrong unseen.
EXAMPLES: tuple[tuple[Facts, Row], ...] = (
    (NEW, runs(SERVES, Mount.THIS)),
    (NEW._replace(workload=Workload.STARTING), runs(STARTS, Mount.THIS)),
    (NEW._replace(cache=Cache.NOT_NAMED), runs(SERVES, Mount.NONE)),
    *(
        (
            Facts(cache=cache, workload=Workload.UNDER_WAY),
            held("WaitingForCache", says),
        )
        for cache, says in (
            (Cache.NOT_FOUND, Say.NOT_FOUND),
            (Cache.NOT_STAGED, Say.NOT_STAGED),
            (Cache.PENDING, Say.ENTRY),
            (Cache.TOKEN_MISSING, Say.ENTRY),
            (Cache.HYDRATING, Say.ENTRY),
            (Cache.FAILED, Say.ENTRY),
        )
    ),
    *(
        (RUNNING._replace(cache=cache), runs(SERVES, Mount.THIS, says))
        for cache, says in (
            (Cache.NOT_FOUND, Say.NOT_FOUND),
            (Cache.NOT_STAGED, Say.NOT_STAGED),
            (Cache.PENDING, Say.ENTRY),
            (Cache.TOKEN_MISSING, Say.ENTRY),
            (Cache.HYDRATING, Say.ENTRY),
            (Cache.FAILED, Say.ENTRY),
        )
    ),
    (RUNNING, runs(SERVES, Mount.THIS)),
    (RUNNING._replace(workload=Workload.STARTING), runs(STARTS, Mount.THIS)),
    (RUNNING._replace(cache=Cache.NOT_NAMED), runs(SERVES, Mount.NONE)),
    (SWITCHED, runs(SERVES, Mount.THIS)),
    (SWITCHED._replace(cache=Cache.HYDRATING), runs(SERVES, Mount.ANOTHER, Say.ENTRY)),
    (SWITCHED._replace(cache=Cache.NOT_FOUND), runs(SERVES, Mount.ANOTHER, Say.NOT_FOUND)),
    (SWITCHED._replace(workload=Workload.UNDER_WAY), runs(ACCEPTED_UNDER_WAY, Mount.THIS)),
    (
        SWITCHED._replace(workload=Workload.REFUSED),
        runs(("True/Accepted", SERVING, "False/Refused"), Mount.THIS),
    ),
    (ADDED, runs(SERVES, Mount.THIS)),
    (ADDED._replace(cache=Cache.PENDING), runs(SERVES, Mount.NONE, Say.ENTRY)),
    (
        RUNNING._replace(cache=Cache.FAILED, workload=Workload.REMOVED),
        Row(
            "False/Deploying",
            WAITING,
            "False/Waiting",
            Say.NOT_THERE,
            exists=False,
            mount=Mount.THIS,
        ),
    ),
    (
        NEW._replace(workload=Workload.REFUSED),
        Row(
            "False/Deploying", WAITING, "False/Refused", Say.SERVER, exists=False, mount=Mount.THIS
        ),
    ),
    (
        NEW._replace(cluster=Cluster.SILENT, workload=Workload.UNDER_WAY),
        held("WaitingForCluster", Say.CLIENT),
    ),
    (RUNNING._replace(cluster=Cluster.SILENT), runs(SERVES, Mount.THIS)),
    (
        RUNNING._replace(cluster=Cluster.ABSENT),
        runs(("False/WaitingForCluster", SERVING, "False/Waiting"), Mount.THIS, Say.NO_CLUSTER),
    ),
    (
        RUNNING._replace(spec=Spec.INVALID),
        runs(("False/InvalidSpec", SERVING, "False/Waiting"), Mount.THIS, Say.FIELD),
    ),
    (
        RUNNING._replace(spec=Spec.UNSUPPORTED),
        runs(("False/Unsupported", SERVING, "False/Waiting"), Mount.THIS, Say.MISSING_KIND),
    ),
    (
        NEW._replace(spec=Spec.INVALID, workload=Workload.UNDER_WAY),
        held("InvalidSpec", Say.FIELD),
    ),
)
