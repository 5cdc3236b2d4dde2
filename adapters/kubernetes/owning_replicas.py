"""Owning: whose an object is that a ModelReplica wants to apply, as it was just read."""

from typing import Any

from adapters.kubernetes.fields import mapping
from adapters.kubernetes.normalising_replicas import replica_owner_of, serving_of
from adapters.kubernetes.owning import Ownership, judged
from machines import labels
from machines.intents import Apply
from machines.replicas.kinds import CLAIM_TEMPLATE, SERVICE


def replica_ownership(intent: Apply, body: dict[str, Any], found: dict[str, Any]) -> Ownership:
    """Say whose `found` is, seen from an apply of `body`, which bears its owner's annotations.

    Modelplane's mark is its own label; a ResourceClaimTemplate has none, and its name, which nobody
    gives by chance, tells enough.
    """
    owner = replica_owner_of(mapping(found.get("metadata")))
    mine = replica_owner_of(mapping(body.get("metadata")))._replace(uid=intent.owner_uid)
    marked = intent.kind == CLAIM_TEMPLATE or serving_of(intent.kind, found) == mine.name
    return judged(owner, mine, marked=marked)


def replica_holder_words(kind: str, found: dict[str, Any]) -> str:
    """Say who holds an object that is another's."""
    owner = replica_owner_of(mapping(found.get("metadata")))
    if any(owner):
        uid = owner.uid or "not given"
        return f"and is ModelReplica {owner.namespace}/{owner.name}'s (uid {uid})"
    whose = "its selector" if kind == SERVICE else "the template of its Pods"
    serving = serving_of(kind, found)
    if serving:
        return f"and is another ModelReplica's: {whose} has {labels.SERVING}={serving}"
    return f"and is no ModelReplica's: {whose} has no label {labels.SERVING}"
