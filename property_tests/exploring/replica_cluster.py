"""The cluster of one ModelReplica: its Deployment and Service, and the claims of two caches."""

from collections.abc import Iterator
from typing import NamedTuple

from engine.canonical_json import dumps
from engine.events import Subject
from machines.caches.child_names import claim_name
from machines.caches.levels import ClaimLevel, HydrationJobLevel
from machines.levels import Level
from machines.observations import Deleted, Seen
from machines.replicas.levels import ReplicaLevel, WorkloadLevel
from machines.replicas.mounts import mount_of
from property_tests.exploring.worlds import Budget, Move, Side, Wires
from tests.caches.builders import HOME, NAMESPACE, ONE
from tests.replicas.builders import REPLICA as NAME
from tests.replicas.builders import UID, spec_of

REPLICA, CLAIM, JOB = "ModelReplica", "PersistentVolumeClaim", "HydrationJob"
DEPLOYMENT, SERVICE, TEMPLATE = "Deployment", "Service", "ResourceClaimTemplate"
FIRST, SECOND = "qwen", "other"  # the cache that the replica refers to, and the one it switches to
CACHES = {f"{name}-uid": name for name in (FIRST, SECOND)}
CLAIMS = {claim_name(NAMESPACE, name): name for name in (FIRST, SECOND)}
# Kinds by what is listed together, and those whose news wait in lines.
LISTED = ((REPLICA,), (CLAIM, JOB), (DEPLOYMENT, SERVICE, TEMPLATE))
LINES = (REPLICA, CLAIM, DEPLOYMENT)
_STEMS = {
    CLAIM: "claim",
    JOB: "job",
    DEPLOYMENT: "deployment",
    SERVICE: "service",
    TEMPLATE: "template",
}


class There(NamedTuple):
    """An object in the cluster."""

    subject: Subject
    version: int
    level: Level


class ReplicaWorld(NamedTuple):
    """The replica's home, its cluster, and what is between them and the controller."""

    budget: Budget
    wires: Wires = Wires()
    switched: bool = False  # the spec refers to the second cache
    objects: tuple[There, ...] = ()  # by uid
    made: tuple[tuple[str, int], ...] = ()  # how many there ever were, by the stem of their uids
    listed: tuple[bool, ...] = (False,) * len(LISTED)  # in this session
    lines: tuple[tuple[Seen | Deleted, ...], ...] = ((),) * len(LINES)
    filled: tuple[str, ...] = ()  # uids of the claims that a Job has filled
    given: tuple[str, ...] = ()  # caches whose claims the Deployment's Pods got, one after another


def cluster_of(kind: str) -> str:
    """Give the cluster of a kind, as the log names it."""
    return HOME if kind == REPLICA else ONE


def seen(there: There) -> Seen:
    """Observe an object as it is."""
    kind = there.subject.kind
    return Seen(cluster_of(kind), there.subject, str(there.version), there.level)


def replica_of(world: ReplicaWorld) -> There:
    """Give the ModelReplica as it stands."""
    cache = SECOND if world.switched else FIRST
    spec = dumps(spec_of(cache=cache))
    version = 2 if world.switched else 1
    level = ReplicaLevel(generation=version, spec=spec, held=True)
    return There(Subject(REPLICA, NAMESPACE, NAME, UID), version, level)


def find(world: ReplicaWorld, kind: str, name: str, uid: str = "") -> There | None:
    """Give the object of a kind and name, of this uid if one is given."""
    for one in world.objects:
        if (one.subject.kind, one.subject.name) == (kind, name):
            return one if uid in ("", one.subject.uid) else None
    return None


def of_kind(world: ReplicaWorld, kind: str) -> tuple[There, ...]:
    """Give all objects of a kind."""
    if kind == REPLICA:
        return (replica_of(world),)
    return tuple(one for one in world.objects if one.subject.kind == kind)


def is_listed(world: ReplicaWorld, kind: str) -> bool:
    """Say whether a kind was listed in this session."""
    return any(kind in group and listed for group, listed in zip(LISTED, world.listed, strict=True))


def news_of(world: ReplicaWorld, news: Seen | Deleted) -> ReplicaWorld:
    """Send news; there is none of a kind that is yet to be listed."""
    kind = news.subject.kind
    if kind not in LINES or not is_listed(world, kind):
        return world
    lines = list(world.lines)
    lines[LINES.index(kind)] += (news,)
    return world._replace(lines=tuple(lines))


def added(world: ReplicaWorld, subject: Subject, level: Level) -> tuple[ReplicaWorld, There]:
    """Make an object; its uid says how many of its name there were."""
    stem = _STEMS[subject.kind]
    if isinstance(level, ClaimLevel | HydrationJobLevel):
        stem = f"{stem}-{level.label}"
    made = dict(world.made)
    made[stem] = made.get(stem, 0) + 1
    one = There(subject._replace(uid=f"{stem}-{made[stem]}"), 1, level)
    objects = tuple(sorted((*world.objects, one), key=lambda each: each.subject.uid))
    return world._replace(made=tuple(sorted(made.items())), objects=objects), one


def put(world: ReplicaWorld, there: There, level: Level) -> tuple[ReplicaWorld, There]:
    """Change an object."""
    after = there._replace(version=there.version + 1, level=level)
    objects = tuple(after if one is there else one for one in world.objects)
    return world._replace(objects=objects), after


def without(world: ReplicaWorld, there: There) -> tuple[ReplicaWorld, Deleted]:
    """Delete an object."""
    objects = tuple(one for one in world.objects if one is not there)
    news = Deleted(ONE, there.subject, str(there.version + 1), there.level)
    return world._replace(objects=objects), news


def mounted(there: There) -> str:
    """Give the cache whose claim a Deployment's Pods mount; "" for none."""
    assert isinstance(there.level, WorkloadLevel)
    return CLAIMS.get(mount_of(there.level.mount).claim_name, "") if there.level.mount else ""


def claim_of(world: ReplicaWorld, cache: str) -> There | None:
    """Give the claim of a cache that is there."""
    return find(world, CLAIM, claim_name(NAMESPACE, cache))


def is_bound(claim: There | None) -> bool:
    """Say whether a claim is there, and Pods with it can run."""
    return claim is not None and getattr(claim.level, "phase", "") == "Bound"


def goes_on(world: ReplicaWorld) -> Iterator[Move]:
    """What the cluster's controllers do next, and what people may."""
    if not world.switched:
        after = world._replace(switched=True)
        after = news_of(after, seen(replica_of(after)))
        yield _own(f"the replica is switched to cache {SECOND}", after, fault=True)
    for there in world.objects:
        if isinstance(there.level, ClaimLevel):
            yield from _claim_goes_on(world, there, there.level)
        elif isinstance(there.level, HydrationJobLevel):
            yield from _job_goes_on(world, there, there.level)
        elif isinstance(there.level, WorkloadLevel):
            yield from _deployment_goes_on(world, there, there.level)


def _own(words: str, world: ReplicaWorld, *, fault: bool = False) -> Move:
    return Move(words, world, fault=fault, side=Side.CLUSTER)


def _becomes(world: ReplicaWorld, there: There, level: Level) -> ReplicaWorld:
    after, changed = put(world, there, level)
    return news_of(after, seen(changed))


def _goes(world: ReplicaWorld, there: There) -> ReplicaWorld:
    after, news = without(world, there)
    return news_of(after, news)


def _spent(world: ReplicaWorld) -> ReplicaWorld:
    return world._replace(budget=world.budget._replace(failures=world.budget.failures - 1))


def _claim_goes_on(world: ReplicaWorld, there: There, level: ClaimLevel) -> Iterator[Move]:
    uid = there.subject.uid
    if world.budget.failures:
        yield _own(f"somebody deletes {uid}", _goes(_spent(world), there), fault=True)
        if level.phase == "Bound":
            lost = _becomes(_spent(world), there, level._replace(phase="Lost"))
            yield _own(f"{uid} loses its volume", lost, fault=True)


def _job_goes_on(world: ReplicaWorld, there: There, level: HydrationJobLevel) -> Iterator[Move]:
    """A Job that ends is seen at once, unless it is yet to be listed."""
    claim = claim_of(world, level.label)
    if level.ended or claim is None or claim.subject.uid != level.claim_uid or not is_bound(claim):
        return
    filled = tuple(sorted({*world.filled, level.claim_uid}))
    after, done = put(world._replace(filled=filled), there, level._replace(outcome="Complete"))
    words = f"{there.subject.uid} is Complete"
    if is_listed(world, JOB):
        yield Move(f"{words}, which is seen", after, (seen(done),))
    else:
        yield _own(words, after)


def _deployment_goes_on(world: ReplicaWorld, there: There, level: WorkloadLevel) -> Iterator[Move]:
    uid = there.subject.uid
    if is_bound(claim_of(world, mounted(there))):
        if level.available != "True":
            runs = level._replace(available="True", reason="", message="", rolling=False)
            yield _own(f"{uid} is available", _becomes(world, there, runs))
        elif level.rolling:
            rolled = level._replace(rolling=False)
            yield _own(f"{uid} has only new Pods", _becomes(world, there, rolled))
    if world.budget.failures:
        yield _own(f"somebody deletes {uid}", _goes(_spent(world), there), fault=True)
