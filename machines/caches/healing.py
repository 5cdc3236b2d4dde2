"""Healing: a claim that waits for a node which is gone is cleared of that node, once per node.

The scheduler only ever tries the node in the claim's annotation, so that a new Pod alone does not
help; without the annotation it chooses anew.
"""

from engine.events import Event
from machines.caches.finding import Site, live_pods
from machines.caches.levels import HydrationPodLevel
from machines.caches.states import NO_NODE, Cache, Chosen, Entry
from machines.caches.timing import is_waiting
from machines.multimaps import put
from machines.states import Cluster, Known


def chosen_now(entry: Entry, site: Site, event: Event) -> Chosen:
    """Give the node that an unbound claim waits for, and since when it is gone."""
    level = site.claim_level
    if not level.selected_node or level.phase == "Bound":
        return NO_NODE
    old, name = entry.chosen, level.selected_node
    uid = site.cluster.node_uids.get(name, "")
    if uid:
        return Chosen(name, uid)
    if old.node_name != name:
        return Chosen(name, "", event.at)
    return old._replace(gone_at=old.gone_at or event.at)


def await_nodes(cluster: Cluster, cache_uid: str, entry: Entry) -> None:
    """Have what becomes of the chosen node, and of those of the Job's Pods, lead to the cache."""
    names = [pod_node(pod) for pod in live_pods(cluster, entry.job_uid)]
    for name in dict.fromkeys(filter(None, (entry.chosen.node_name, *names))):
        put(cluster.awaited_nodes, name, cache_uid)


def pod_node(pod: Known) -> str:
    """Give the name of the node that a hydration Pod is on; "" until the scheduler chose."""
    return pod.level.node_name if isinstance(pod.level, HydrationPodLevel) else ""


def node_key(chosen: Chosen) -> str:
    """Give what stands for the machine: its uid, or its name when it was never known."""
    return chosen.node_uid or f"name:{chosen.node_name}"


def is_to_be_healed(cache: Cache, entry: Entry, site: Site) -> bool:
    """Say whether the claim has waited long enough, and was not cleared of this node before."""
    chosen, level = entry.chosen, site.claim_level
    return (
        _is_given_up(cache, entry)
        and level.phase != "Bound"
        and level.selected_node == chosen.node_name
        and node_key(chosen) not in entry.healed
    )


def stuck_pods(cache: Cache, entry: Entry, site: Site) -> list[Known]:
    """Give the hydration Pods that are themselves bound to the node that is gone."""
    if not _is_given_up(cache, entry):
        return []
    pods = live_pods(site.cluster, site.job.subject.uid) if site.job else []
    return [
        pod
        for pod in pods
        if isinstance(pod.level, HydrationPodLevel)
        and pod_node(pod) == entry.chosen.node_name
        and not pod.level.deleting
    ][:1]


def _is_given_up(cache: Cache, entry: Entry) -> bool:
    return bool(entry.chosen.gone_at) and not is_waiting(cache, entry, "heal")
