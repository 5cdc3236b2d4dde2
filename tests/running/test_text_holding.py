"""Text holding: a text that comes too soon after another waits, and is not lost."""

from adapters.running.text_holding import TextHolder
from engine.events import Subject
from engine.instants import SECOND
from machines.levels import PodLevel
from machines.observations import Seen
from machines.states import Cluster, Known, State

TWINS = ("sim", "ic/twin")
POD = Subject("Pod", "default", "p", "uid-p")


def said(words: str) -> PodLevel:
    """A Pod that cannot be scheduled, in these words."""
    return PodLevel(job_uid="j", reason="Unschedulable", message=words)


def test_a_text_waits_for_each_cluster_by_itself() -> None:
    """Two InferenceClusters that prove to be one cluster show the same Pod: each keeps its text."""
    state = State("log")
    for name in TWINS:
        state.clusters[name] = Cluster(name)
        state.clusters[name].objects["Pod"][POD.uid] = Known(POD, 1, said("first"))
    holder = TextHolder()
    news = [Seen(name, POD, "2", said("second")) for name in TWINS]
    assert holder.sift(state, news, SECOND) == []
    assert holder.sift(state, [], 60 * SECOND) == news
