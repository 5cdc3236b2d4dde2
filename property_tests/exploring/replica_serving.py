"""The API servers of one ModelReplica's world: what they list, and what they do and find.

What is done for a cache sends no news to a watch: its answer shows the same in that moment.
"""

from collections.abc import Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.events import Subject
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    ClusterLevel,
    SecretLevel,
    StorageClassLevel,
)
from machines.caches.settings import CachingSettings
from machines.intents import Apply, Change, Create, Delete, ObjectIntent
from machines.levels import NamespaceLevel
from machines.observations import Absent, Deleted, Done, Listed, Refused, Seen
from machines.replicas.levels import WorkloadLevel
from machines.states import SECRET
from property_tests.exploring.cores import Opened
from property_tests.exploring.replica_cluster import (
    CACHES,
    DEPLOYMENT,
    ReplicaWorld,
    There,
    added,
    cluster_of,
    find,
    mounted,
    news_of,
    of_kind,
    put,
    seen,
    without,
)
from property_tests.exploring.worlds import Order, Served
from tests.caches.builders import HOME, NAMESPACE, ONE, WORKLOAD
from tests.caches.builders import spec_of as cache_spec
from tests.caches.willing import created_level
from tests.replicas.builders import applied_level

NEWEST = str(10**9)  # version of every list: it is later than all that it shows
_TAKEN = Refused(409, "AlreadyExists", "it exists already, and is to be taken over")
_SPACE = NamespaceLevel()


def is_of_cache(intent: Any) -> bool:
    """Say whether something was decided for one of the caches."""
    return intent.owner_uid in CACHES


def is_of_deployment(intent: Any) -> bool:
    """Say whether something is to be done to a Deployment."""
    return bool(intent.kind == DEPLOYMENT)


def order_of(opened: Opened) -> Order:
    """Give the request of a decision, with what it makes of the object."""
    made: Any = None
    intent, body = opened.intent, opened.body
    if isinstance(intent, Create) and body:
        made = created_level(body, intent.kind)
        made = made._replace(phase="Bound") if isinstance(made, ClaimLevel) else made
    elif isinstance(intent, Change) and body:
        made = body["annotations"]["warmlog.dev/hydrated"]
    elif isinstance(intent, Apply) and body:
        made = applied_level(body, WorkloadLevel())
    return Order(opened.cluster, intent, made)


def carry_out(world: ReplicaWorld, order: Order) -> Served:
    """Do what a request says, with what is there now."""
    intent = order.intent
    assert isinstance(intent, Create | Change | Delete | Apply), order
    if isinstance(intent, Create):
        return _create(world, intent, order.made)
    if isinstance(intent, Apply):
        return _apply(world, intent, order.made)
    there = find(world, intent.kind, intent.name, intent.uid)
    if there is None:
        return _missing(world, intent)
    if isinstance(intent, Delete):
        world, news = without(world, there)
        told = (news,) if is_of_cache(intent) else ()
        return Served(_sent(world, intent, news), told, Done(intent.uid))
    assert isinstance(there.level, ClaimLevel)
    world, there = put(world, there, there.level._replace(hydrated=order.made))
    return Served(world, (seen(there),), Done(intent.uid))


def look_up(world: ReplicaWorld, order: Order) -> Served:
    """Find out whether it was done; the world stays."""
    intent = order.intent
    assert isinstance(intent, Create | Change | Delete | Apply), order
    uid = "" if isinstance(intent, Create) else intent.uid
    there = find(world, intent.kind, intent.name)
    if there is None or uid not in ("", there.subject.uid):
        return _missing(world, intent, there)
    landed = isinstance(intent, Create)
    if isinstance(intent, Change):
        landed = getattr(there.level, "hydrated", "") == order.made
    elif isinstance(intent, Apply):
        landed = getattr(there.level, "applied", "") == intent.digest
    answer = Done(there.subject.uid, found=True) if landed else Absent()
    return Served(world, (seen(there),), answer)


def _sent(world: ReplicaWorld, intent: ObjectIntent, news: Seen | Deleted) -> ReplicaWorld:
    """Send news of what a request did; for a cache its answer shows the same at once."""
    return world if is_of_cache(intent) else news_of(world, news)


def _create(world: ReplicaWorld, intent: Create, level: Any) -> Served:
    there = find(world, intent.kind, intent.name)
    found = there is not None
    if there is None:
        subject = Subject(intent.kind, intent.namespace, intent.name, "")
        world, there = added(world, subject, level)
    return Served(world, (seen(there),), Done(there.subject.uid, found=found))


def _apply(world: ReplicaWorld, intent: Apply, level: Any) -> Served:
    """Apply as it is done on a fresh read: what is there unknown is looked at, not changed."""
    there = find(world, intent.kind, intent.name)
    if there is None and not intent.uid:
        subject = Subject(intent.kind, intent.namespace, intent.name, "")
        world, there = added(world, subject, level)
    elif there is None or intent.uid not in ("", there.subject.uid):
        return _missing(world, intent, there)
    elif not intent.uid:
        same = getattr(there.level, "applied", "") == intent.digest
        return Served(
            world, (seen(there),), Done(there.subject.uid, found=True) if same else _TAKEN
        )
    else:
        world, there = put(world, there, _after(there, level))
    if intent.kind == DEPLOYMENT and world.given[-1:] != (mounted(there),):
        world = world._replace(given=(*world.given, mounted(there)))
    return Served(news_of(world, seen(there)), (seen(there),), Done(there.subject.uid))


def _after(there: There, level: Any) -> Any:
    """Give the level of what is there after an apply; its Pods are replaced one after another."""
    old = there.level
    if not isinstance(old, WorkloadLevel):
        return level
    rolls = old.available == "True" and (old.rolling or level.mount != old.mount)
    said = old.available, old.reason, old.message
    return level._replace(available=said[0], reason=said[1], message=said[2], rolling=rolls)


def _missing(world: ReplicaWorld, intent: ObjectIntent, other: There | None = None) -> Served:
    if isinstance(intent, Create) or not intent.uid:
        return Served(world, (), Absent())
    subject = Subject(intent.kind, intent.namespace, intent.name, intent.uid)
    shown: tuple[Seen | Deleted, ...] = (Deleted(ONE, subject, "", settled=True),)
    shown += (seen(other),) if other is not None else ()
    done = Done(intent.uid, found=True) if isinstance(intent, Delete) else Absent()
    return Served(world, shown, done)


def lists() -> Iterator[Listed]:
    """List what never changes."""
    level = CacheLevel(spec=dumps(cache_spec()), held=True)
    caches = tuple(
        Seen(HOME, Subject("ModelCache", NAMESPACE, name, uid), "1", level)
        for uid, name in CACHES.items()
    )
    yield Listed(HOME, "ModelCache", NEWEST, caches)
    yield Listed(HOME, "Namespace", NEWEST, (_seen(HOME, "Namespace", "home", _SPACE),))
    spec = dumps({"cluster": {"source": "Existing", "existing": {"secretRef": {"name": "one"}}}})
    served = _seen(HOME, "InferenceCluster", "one", ClusterLevel(spec=spec))
    yield Listed(HOME, "InferenceCluster", NEWEST, (served,))
    scope = CachingSettings().own_namespace, "one"
    secret = Seen(
        HOME, Subject(SECRET, *scope, "one-uid"), "1", SecretLevel((("kubeconfig", "k"),))
    )
    yield Listed(HOME, SECRET, NEWEST, (secret,), scope=scope)
    spaces = tuple(_seen(ONE, "Namespace", one, _SPACE) for one in (WORKLOAD, "kube-system"))
    yield Listed(ONE, "Namespace", NEWEST, spaces)
    storage = _seen(ONE, "StorageClass", "modelplane-rwx", StorageClassLevel("nfs", "Immediate"))
    yield Listed(ONE, "StorageClass", NEWEST, (storage,))
    for kind in ("Node", "HydrationPod", "LeaderWorkerSet"):
        yield Listed(ONE, kind, NEWEST, ())


def _seen(cluster: str, kind: str, name: str, level: Any) -> Seen:
    return Seen(cluster, Subject(kind, "", name, f"{name}-uid"), "1", level)


def listed(world: ReplicaWorld, kind: str) -> Listed:
    """List a kind as it is now."""
    return Listed(cluster_of(kind), kind, NEWEST, tuple(map(seen, of_kind(world, kind))))
