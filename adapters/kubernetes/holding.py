"""Who holds the name that a Job was to get."""

from enum import StrEnum
from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.object_parts import controller_uid
from machines import labels
from machines.intents import CreateJob
from machines.steadying import cut


class Holder(StrEnum):
    """Whose the Job of the wanted name is."""

    SAME = "this warmup's, for this node"
    SAME_DELETING = "this warmup's, for this node, and being deleted"
    OTHER_NODE = "this warmup's, for another node"
    FOREIGN = "somebody else's"


def holder_of(intent: CreateJob, body: Any) -> Holder:
    """Say whose the Job `body` (raw JSON) is, seen from a create that wants its name.

    The owner reference and the node's uid decide; a label can be copied by anybody.
    """
    metadata = mapping(mapping(body).get("metadata"))
    if controller_uid(metadata) != intent.warmup_uid:
        return Holder.FOREIGN
    notes = mapping(metadata.get("annotations"))
    if text(notes.get(labels.TARGET_NODE_UID)) != intent.node_uid:
        return Holder.OTHER_NODE
    return Holder.SAME_DELETING if metadata.get("deletionTimestamp") else Holder.SAME


def name_conflict(intent: CreateJob, body: Any) -> str:
    """Say, in a sentence, which foreign Job holds the name and who owns it."""
    metadata = mapping(mapping(body).get("metadata"))
    owner = "nobody controls it"
    for one in mappings(metadata.get("ownerReferences")):
        if one.get("controller") is True:
            owner = f"it belongs to {text(one.get('kind'))} {text(one.get('name'))}"
            break
    going = " and is being deleted" if metadata.get("deletionTimestamp") else ""
    return cut(
        f"Job {intent.namespace}/{intent.job_name} exists already and is not this warmup's:"
        f" {owner}{going}"
    )
