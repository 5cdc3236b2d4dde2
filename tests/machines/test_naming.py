"""Naming: a name stands for the newest object of it that is known."""

import itertools

from engine.events import Subject
from machines.levels import NamespaceLevel
from machines.naming import put_name, take_name
from machines.states import Cluster, Known


def subject(uid: str) -> Subject:
    """One of several namespaces that have one name."""
    return Subject("Namespace", "", "team", uid)


def shown(*uids: str) -> Cluster:
    """A cluster that shows them all, in this order."""
    cluster = Cluster("c")
    for version, uid in enumerate(uids, 1):
        cluster.objects["Namespace"][uid] = Known(subject(uid), version, NamespaceLevel())
        put_name(cluster, cluster.namespace_uids, "team", subject(uid))
    return cluster


def gone(cluster: Cluster, uid: str) -> bool:
    """One of them goes."""
    del cluster.objects["Namespace"][uid]
    return take_name(cluster, cluster.namespace_uids, "team", subject(uid))


def test_a_name_is_the_older_ones_again_when_the_newer_goes() -> None:
    """However they go, the name stands for the newest that is left, and at last for nothing."""
    for order in itertools.permutations("abc"):
        cluster, left = shown(*"abc"), list("abc")
        for uid in order:
            held = left[-1] == uid
            assert gone(cluster, uid) is held
            left.remove(uid)
            newest = {"team": left[-1]} if left else {}
            assert cluster.namespace_uids == newest
        assert cluster.namesakes == {}


def test_an_object_that_is_seen_again_is_no_namesake_of_itself() -> None:
    """Another level of the same object leaves nothing to remember."""
    assert shown("a", "a").namesakes == {}
