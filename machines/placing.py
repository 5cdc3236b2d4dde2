"""Placing: which machine a Job serves that does not say its node's uid.

AIBrix's own controller names a node only, in the annotation `model.aibrix.ai/target-node`. A Job
that is older than the Node of that name was made for the machine that had the name before: an
outcome of that machine is no outcome of this one. Both instants are the cluster's own, so they may
be compared, in whole seconds as Kubernetes writes them.
"""

from machines.levels import JobLevel, NodeLevel
from machines.states import Cluster, Job

_LEFT = "left:"
_REPLACED = "replaced:"


def machine_of(cluster: Cluster, level: JobLevel) -> str:
    """Give the uid of the node that a Job serves, or a key that stands for a machine that left.

    "" when it cannot be told: the Job names no node, or when something was made is not known.
    """
    if level.node_uid or not level.node_name:
        return level.node_uid
    known = cluster.objects["Node"].get(cluster.node_uids.get(level.node_name, ""))
    if known is None:
        return left_key(level.node_name)
    if not isinstance(known.level, NodeLevel) or not (known.level.created and level.created):
        return ""
    is_older = known.level.created <= level.created
    return known.subject.uid if is_older else f"{_REPLACED}{level.node_name}"


def left_key(node_name: str) -> str:
    """Give the key that stands for the machine of this name that is not there; no uid is alike."""
    return f"{_LEFT}{node_name}"


def is_unplaced(node_uid: str) -> bool:
    """Say whether this stands for a machine that is not known, which may still become known."""
    return not node_uid or node_uid.startswith(_LEFT)


def was_replaced(job: Job) -> bool:
    """Say whether another machine has the name of the one that a Job was made for."""
    return job.node_uid.startswith(_REPLACED)


def is_misplaced(cluster: Cluster, job: Job) -> bool:
    """Say whether more is known of a Job's machine than when the Job was placed.

    A machine once told stays: that it leaves, or is replaced, makes the Job nobody else's.
    """
    level = job.level
    if level is None or level.node_uid or job.node_uid in cluster.objects["Node"]:
        return False
    if not is_unplaced(job.node_uid):
        return False
    return machine_of(cluster, level) != job.node_uid
