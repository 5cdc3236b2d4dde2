"""Naming: which of the known objects a name stands for: the newest that was seen.

Of one name two can be known for a moment, as when a cluster was led elsewhere and back before its
lists came: when the newer one goes, the name is the older one's again.
"""

from engine.events import Subject
from machines.states import Cluster


def put_name(cluster: Cluster, index: dict[str, str], name: str, subject: Subject) -> None:
    """Have a name stand for an object that was just seen."""
    old = index.get(name)
    if old is not None and old != subject.uid and old in cluster.objects[subject.kind]:
        cluster.namesakes[subject.uid] = old
    index[name] = subject.uid


def take_name(cluster: Cluster, index: dict[str, str], name: str, subject: Subject) -> bool:
    """Have a name not stand for an object that is gone any more; say whether it did."""
    old = cluster.namesakes.pop(subject.uid, "")
    for newer, older in list(cluster.namesakes.items()):
        if older == subject.uid:
            cluster.namesakes[newer] = old
    if index.get(name) != subject.uid:
        return False
    if old in cluster.objects[subject.kind]:
        index[name] = old
    else:
        del index[name]
    return True
