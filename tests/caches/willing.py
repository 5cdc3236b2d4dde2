"""A willing cluster: whatever was decided is done at once, seen, and answered."""

from typing import Any

from engine.events import Subject
from machines.caches.changes import ChangeKind, what_of
from machines.caches.deciding import cache_body
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    HydrationJobLevel,
    Owner,
    SecretLevel,
)
from machines.intents import CacheIntent, Change, Create, Delete
from machines.levels import Level, NamespaceLevel
from machines.observations import Answered, Done
from machines.states import Known
from tests.caches.builders import CacheScene


def carry_out(scene: CacheScene, *but: str) -> None:
    """Do all that is decided, until nothing is, but decisions of these names."""
    for _ in range(20):
        todo = [
            (seq, one) for seq, one in scene.state.open.items() if _named(one.intent) not in but
        ]
        if not todo:
            return
        for seq, one in todo:
            assert isinstance(one.intent, CacheIntent)
            uid = do(scene, one.cluster, one.intent, seq)
            scene.tell(Answered(seq, Done(uid)))
    msg = f"there is no end to it: {scene.opened()}"
    raise AssertionError(msg)


def stage(scene: CacheScene, cluster: str = "ic/one") -> None:
    """Bring the cache to Ready on a cluster."""
    carry_out(scene)
    scene.claim("Bound", cluster=cluster)
    carry_out(scene)
    scene.job("Complete", cluster=cluster)
    carry_out(scene)


def _named(intent: object) -> str:
    assert isinstance(intent, CacheIntent)
    return what_of(intent)


def do(scene: CacheScene, cluster: str, intent: CacheIntent, seq: int) -> str:
    """Do what was decided for a cache, have it seen, and give the uid of the object."""
    subject = Subject(intent.kind, intent.namespace, intent.name, f"{intent.kind}-{seq}")
    body = cache_body(scene.state, cluster, intent) or {}
    if isinstance(intent, Create):
        scene.see(cluster, subject, created_level(body, intent.kind))
        return subject.uid
    subject = subject._replace(uid=intent.uid)
    if isinstance(intent, Delete):
        scene.gone(cluster, subject)
    else:
        known = scene.state.clusters[cluster].objects[intent.kind][intent.uid]
        scene.see(cluster, subject, changed_level(known, intent, body))
    return intent.uid


def created_level(body: dict[str, Any], kind: str) -> Level:
    """Give the level of an object that was created with this body."""
    if kind == "Namespace":
        return NamespaceLevel()
    notes = body["metadata"]["annotations"]
    owner = Owner(*(notes[f"warmlog.dev/cache-{part}"] for part in ("namespace", "name", "uid")))
    label = body["metadata"]["labels"]["modelplane.ai/modelcache"]
    if kind == "PersistentVolumeClaim":
        spec = body["spec"]
        storage = spec["resources"]["requests"]["storage"]
        return ClaimLevel(owner, label, requested=storage, storage_class=spec["storageClassName"])
    if kind == "Secret":
        token = body["token"]
        return SecretLevel(((token["key"], token["digest"]),), owner, label)
    claim, fingerprint = (notes[f"warmlog.dev/{name}"] for name in ("claim-uid", "fingerprint"))
    return HydrationJobLevel(owner, label, claim, fingerprint)


def changed_level(known: Known, change: Change, body: dict[str, Any]) -> Level:
    """Give the level of an object as a change leaves it."""
    level = known.level
    match ChangeKind(change.change):
        case ChangeKind.HOLD | ChangeKind.RELEASE:
            assert isinstance(level, CacheLevel)
            return level._replace(held=change.change == ChangeKind.HOLD)
        case ChangeKind.OWN:
            notes = body["annotations"]
            parts = ("namespace", "name", "uid")
            owner = Owner(*(notes[f"warmlog.dev/cache-{part}"] for part in parts))
            label = body["labels"]["modelplane.ai/modelcache"]
            return level._replace(owner=owner, label=label)  # type: ignore[call-arg]
        case ChangeKind.LATCH:
            assert isinstance(level, ClaimLevel)
            return level._replace(hydrated=body["annotations"]["warmlog.dev/hydrated"])
        case ChangeKind.GROW:
            assert isinstance(level, ClaimLevel)
            return level._replace(requested=str(body["storage"]))
        case ChangeKind.HEAL:
            assert isinstance(level, ClaimLevel)
            return level._replace(selected_node="")
        case ChangeKind.ROTATE:
            assert isinstance(level, SecretLevel)
            token = body["token"]
            return level._replace(keys=((token["key"], token["digest"]),))
