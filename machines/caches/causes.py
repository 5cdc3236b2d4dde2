"""Causes: the one reason why an entry does not go on, in one word, for Events and for advice.

The first that holds, in the order of the messages (`messages`). Words of Kubernetes are its own:
reasons of Pods (`Unschedulable`), of Jobs' Events (`FailedCreate`), of claims' (whatever the
provisioner says).
"""

from typing import NamedTuple

from machines.caches.blocking import NO_STORAGE_CLASS
from machines.caches.entries import EntryState
from machines.caches.obstacles import (
    absent_class,
    blindness,
    class_trouble,
    is_let_be,
    newer_class,
    still,
    token_trouble,
    unread_copy,
    users_words,
)
from machines.caches.reaching import way_in
from machines.caches.sights import Sight, job_events, waiting_pod

INVALID_SPEC = "InvalidSpec"
LET_BE = "Abandoned"
LEAVING = "InUse"
LETTING_GO = "CleaningUp"
TOKEN = "AuthSecretMissing"  # noqa: S105 -- a reason
NO_ACCESS = "AccessMissing"
UNREACHABLE = "Unreachable"
UNREAD = "AccessDenied"
REFUSED = "ChangeRefused"
FAILED = "HydrationFailed"
LOST = "ClaimLost"
NODE_GONE = "SelectedNodeGone"
CLASS_KEPT = "StorageClassKept"
UNBOUND = "ClaimUnbound"  # nothing tells why
PODS_LEFT = "PodsTerminating"  # of a Job that is not known any more
DOWNLOADING = "Downloading"
STAGED = "Staged"

# Reasons of Events that tell how a claim goes on, and of no trouble.
_ON_THE_WAY = frozenset(
    {
        "ExternalProvisioning",
        "Provisioning",
        "ProvisioningSucceeded",
        "WaitForFirstConsumer",
        "WaitForPodScheduled",
    }
)


class Cause(NamedTuple):
    """A reason, and what tells one cause of that kind from the next."""

    reason: str
    mark: str = ""


def entry_cause(sight: Sight) -> Cause:
    """Give why an entry does not go on; how it goes on, when nothing keeps it."""
    entry = sight.entry
    if is_let_be(sight):
        return Cause(LET_BE)
    if not entry.selected:
        return _leaving(sight)
    if sight.cache.faults and entry.state is not EntryState.READY:
        return Cause(INVALID_SPEC)
    if blindness(sight):
        return _blind(sight)
    if entry.state is EntryState.READY:
        return Cause(STAGED)
    if token_trouble(sight):
        return Cause(TOKEN)
    return own_cause(sight)


def own_cause(sight: Sight) -> Cause:
    """Give what is the matter on the cluster itself, whatever is with access and token."""
    entry, claim = sight.entry, sight.claim
    if sight.block.reason:
        return Cause(sight.block.reason)
    if entry.state is EntryState.FAILED:
        return Cause(FAILED, f"{entry.failure.job_uid} {entry.failure.tries}")
    if absent_class(sight):
        return Cause(NO_STORAGE_CLASS, "absent")
    if entry.refusals or sight.cache.refusals:
        return Cause(REFUSED)
    if claim is not None and claim.phase == "Lost":
        return Cause(LOST, entry.claim_uid)
    if class_trouble(sight):
        wanted = newer_class(sight)
        return Cause(CLASS_KEPT, wanted) if wanted else Cause(NO_STORAGE_CLASS, "absent")
    if entry.chosen.gone_at:
        return Cause(NODE_GONE, f"{entry.chosen.node_name} {entry.chosen.gone_at}")
    return _waiting(sight)


def _waiting(sight: Sight) -> Cause:
    entry, claim = sight.entry, sight.claim
    if entry.state is EntryState.PENDING and (claim is None or claim.deleting):
        return Cause(UNBOUND)  # what was said was said of another claim
    events = entry.claim_events.reason
    if events and events not in _ON_THE_WAY:
        return Cause(events)
    pod, said = waiting_pod(sight), job_events(sight)
    if pod is not None or said.reason:
        return Cause(pod.reason if pod is not None else said.reason)
    if sight.left:
        return Cause(PODS_LEFT, sight.left[0])
    return Cause(UNBOUND if entry.state is EntryState.PENDING else DOWNLOADING)


def _leaving(sight: Sight) -> Cause:
    if users_words(sight) or still(sight):
        return Cause(LEAVING)
    if blindness(sight):
        return _blind(sight)
    if unread_copy(sight):
        return Cause(UNREAD)
    return Cause(REFUSED if sight.entry.refusals else LETTING_GO)


def _blind(sight: Sight) -> Cause:
    if sight.served is None or way_in(sight.state, sight.served).trouble:
        return Cause(NO_ACCESS)
    cluster = sight.cluster
    return Cause(UNREAD if cluster is not None and cluster.reachable else UNREACHABLE)
