"""Intents about what a ModelCache has on a cluster, with the bodies that go with them."""

from typing import Any

from machines.caches.changes import ChangeKind
from machines.intents import CacheIntent, Change, Create, Delete, Effect
from tests.kubernetes import cache_objects as objects
from tests.kubernetes.fakes import refused

CLAIM_PLACE = (
    objects.CACHE_UID, "PersistentVolumeClaim", objects.NAMESPACE, objects.CLAIM_NAME
)  # fmt: skip
SECRET_PLACE = (objects.CACHE_UID, "Secret", objects.NAMESPACE, objects.SECRET_NAME)
CREATE = Create(*CLAIM_PLACE, "digest")
DELETE = Delete(*CLAIM_PLACE, objects.CLAIM_UID)
BODY: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {
        "name": objects.CLAIM_NAME,
        "labels": {"modelplane.ai/modelcache": "qwen"},
        "annotations": objects.OWNER,
    },
}
NOT_FOUND = refused(
    404, "NotFound", "not found", {"kind": "persistentvolumeclaims", "name": objects.CLAIM_NAME}
)
EXISTS = refused(409, "AlreadyExists", "already exists")
OVERTAKEN = refused(409, "Conflict", "the object has been modified")


def change(kind: ChangeKind) -> Change:
    """A change of the claim."""
    return Change(*CLAIM_PLACE, objects.CLAIM_UID, kind, "digest")


def effect(intent: CacheIntent, body: dict[str, Any] | None = None) -> Effect:
    """Give an intent as it goes out; a create of the claim with its own body."""
    if body is None and isinstance(intent, Create):
        body = BODY
    return Effect(7, "prod", intent, body)
