"""Messages of entries that are Pending: each row of what they may wait for."""

from collections.abc import Callable

import pytest

from machines.caches.levels import Owner
from machines.caches.reaching import scope_key
from machines.caches.states import Refusal, Said
from machines.levels import NamespaceLevel
from tests.caches.pictures import (
    CLAIM,
    EAST,
    HOME,
    JOB,
    LATER,
    NODE,
    NOON,
    RWX,
    THERE,
    Picture,
)


def unbound() -> Picture:
    """A picture whose claim waits to be bound."""
    picture = Picture()
    picture.claim()
    return picture


def no_way_in() -> Picture:
    """The cluster's status names no kubeconfig."""
    picture = Picture()
    served = picture.state.served[EAST]
    served.spec = served.spec._replace(source="GKE", secret_name="")
    return picture


def kubeconfig_unread() -> Picture:
    """The Secret with the kubeconfig is refused."""
    picture = Picture()
    home, namespace = picture.state.clusters[HOME], picture.state.caching.own_namespace
    home.unread[scope_key(namespace, f"{EAST}-kubeconfig")] = "forbidden: no list on secrets"
    return picture


def never_read() -> Picture:
    """Nothing was heard of the cluster yet."""
    picture = Picture()
    del picture.state.clusters[f"ic/{EAST}"]
    return picture


def unknown_class() -> Picture:
    """The claim was made with a class that the cluster does not have."""
    picture = Picture()
    picture.east.names.clear()
    picture.claim()
    return picture


def newer_class() -> Picture:
    """Another class is named since the claim was made, and the claim's own never was there."""
    picture = Picture()
    picture.claim(storage_class="fast")
    return picture


def other_class() -> Picture:
    """Another class is named since the claim was made, and the cluster has both."""
    picture = newer_class()
    picture.put(picture.east.name, "StorageClass", "", "fast", RWX)
    return picture


def no_class() -> Picture:
    """The cluster reports no storage class."""
    picture = Picture()
    picture.east.names.clear()
    picture.cluster(EAST, storage_class="")
    return picture


def absent_class() -> Picture:
    """The cluster reports a storage class that it does not have."""
    picture = Picture()
    del picture.east.names["StorageClass//rwx"]
    return picture


def twins() -> Picture:
    """Two names of one cluster; the first drawn is the younger."""
    picture = Picture("young", "old")
    for name in ("young", "old"):
        picture.put(f"ic/{name}", "Namespace", "", "kube-system", NamespaceLevel())
    old = picture.state.served["old"]
    old.level = old.level._replace(created="2025-01-01T00:00:00Z")
    return picture


def taken() -> Picture:
    """The claim of our name is another's."""
    picture = Picture()
    picture.claim(owner=Owner("other", "mine", "x"))
    return picture


def terminating() -> Picture:
    """The namespace on the cluster is on its way out."""
    picture = Picture()
    picture.put(picture.east.name, "Namespace", "", THERE, NamespaceLevel(terminating=True))
    return picture


def refused() -> Picture:
    """The API server refuses the claim."""
    picture = Picture()
    refusal = Refusal("Forbidden", "exceeded quota: storage", 2, LATER)
    picture.entry.refusals["create PersistentVolumeClaim"] = refusal
    return picture


def unread_kind() -> Picture:
    """Claims of the cluster may not be read."""
    picture = unbound()
    picture.east.unread["PersistentVolumeClaim"] = "forbidden"
    return picture


def chosen(*, gone: bool = False, healed: bool = False) -> Picture:
    """The scheduler chose a node for the claim."""
    picture = unbound()
    picture.entry.chosen = NODE._replace(gone_at=NOON if gone else 0)
    if healed:
        picture.entry.healed["gpu-1-uid"] = True
    return picture


def provisioner_says() -> Picture:
    """The provisioner's last Event says why there is no volume."""
    picture = unbound()
    picture.entry.claim_events = Said("ProvisioningFailed", "quota of shared file systems reached")
    return picture


def lost() -> Picture:
    """The claim has lost its volume."""
    picture = Picture()
    picture.claim("Lost", volume="pv-1")
    return picture


def going() -> Picture:
    """The claim is being deleted while a Pod mounts it."""
    picture = Picture()
    picture.claim("Bound", deleting=True)
    picture.entry.users = ("engine-0",)
    return picture


def unschedulable() -> Picture:
    """The Job's Pod fits on no node, so that the claim has no consumer."""
    picture = unbound()
    picture.job()
    picture.pod(reason="Unschedulable", message="no node is available: untolerated taint")
    return picture


def consumer_waits_for_the_claim() -> Picture:
    """The scheduler says of the Pod that its claim is unbound, which is known."""
    picture = unbound()
    picture.job()
    words = "no node is available: pod has unbound immediate PersistentVolumeClaims"
    picture.pod(reason="Unschedulable", message=words)
    return picture


ANEW = "once the claim is deleted it is made anew with rwx"
WAITING = f"waiting for claim {THERE}/{CLAIM}"
PENDING = [
    (no_way_in, "cluster is not provisioned yet: its status names no kubeconfig"),
    (
        kubeconfig_unread,
        (
            "Secret warmlog-system/east-kubeconfig with its kubeconfig cannot be read: "
            "forbidden: no list on secrets"
        ),
    ),
    (never_read, "cluster east was not read yet"),
    (
        no_class,
        (
            "cluster east reports no storage class for claims that many Pods mount, and has none "
            "that is called modelplane-rwx"
        ),
    ),
    (absent_class, "cluster east has no storage class rwx"),
    (unknown_class, f"{WAITING} to bind; cluster east has no storage class rwx"),
    (newer_class, f"{WAITING} to bind; cluster east has no storage class fast; {ANEW}"),
    (other_class, f"{WAITING} to bind; it has storage class fast; {ANEW}"),
    (
        twins,
        (
            "InferenceCluster old is the same cluster, and the older one: the model is staged "
            "under that name"
        ),
    ),
    (
        taken,
        f"claim {THERE}/{CLAIM} belongs to ModelCache other/mine (uid x): rename one of the two",
    ),
    (terminating, f"namespace {THERE} of cluster east is being deleted"),
    (
        refused,
        (
            f"the API server refused to create claim {THERE}/{CLAIM}: Forbidden: exceeded quota: "
            "storage; tried again at 2026-01-01T12:01:00Z"
        ),
    ),
    (
        unread_kind,
        (
            "PersistentVolumeClaim of cluster east cannot be read: forbidden; known last: "
            f"{WAITING} to bind"
        ),
    ),
    (Picture, f"{WAITING} to be created"),
    (unbound, f"{WAITING} to bind"),
    (consumer_waits_for_the_claim, f"{WAITING} to bind"),
    (chosen, f"{WAITING} to bind; the scheduler chose node gpu-1"),
    (
        lambda: chosen(gone=True),
        (
            f"{WAITING} to bind; the scheduler chose node gpu-1, which is gone since "
            "2026-01-01T12:00:00Z: at 2026-01-01T12:05:00Z the choice is taken back, so that "
            "another node is chosen"
        ),
    ),
    (
        lambda: chosen(gone=True, healed=True),
        (
            f"{WAITING} to bind; the scheduler chose node gpu-1, which is gone since "
            "2026-01-01T12:00:00Z: the choice was taken back, so that another node is chosen"
        ),
    ),
    (
        provisioner_says,
        f"{WAITING} to bind; ProvisioningFailed: quota of shared file systems reached",
    ),
    (lost, f"claim {THERE}/{CLAIM} has lost its volume pv-1"),
    (
        going,
        (
            f"claim {THERE}/{CLAIM} is being deleted, and is made anew once it is gone; mounted by "
            "Pod engine-0"
        ),
    ),
    (
        unschedulable,
        (
            f"{WAITING} to bind; the Pod of Job {THERE}/{JOB} waits: Unschedulable: no node is "
            "available: untolerated taint"
        ),
    ),
]


@pytest.mark.parametrize(("draw", "message"), PENDING)
def test_pending(draw: Callable[[], Picture], message: str) -> None:
    """A Pending entry names what it waits for [C2] [C7] [C51]"""
    assert draw().message == message
