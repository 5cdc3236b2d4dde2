"""Sights: what is to be said of an object and of its parts, each with what makes it news.

The demos tell them as they come, and so does `warmlog watch`.
"""

from collections.abc import Iterator
from typing import NamedTuple

from adapters.cli.printing import STYLES
from machines.caches.causes import own_cause
from machines.caches.conditions import condition_rows
from machines.caches.messages import Messages, entry_message
from machines.caches.sights import sight_of
from machines.caches.states import Cache, Entry, ServedCluster
from machines.caches.statuses import cluster_row
from machines.conditions import ON_THE_WAY
from machines.explaining import NodeView, node_view, status_headline
from machines.messages import cause_text
from machines.phases import WARMUP_PHASE
from machines.replicas.causes import cache_cause
from machines.replicas.histories import standing
from machines.replicas.holding import NO_CACHE, kept_words
from machines.replicas.mounts import mount_of
from machines.replicas.states import Replica
from machines.states import State, Target, Warmup
from machines.statuses import warmup_status

Watched = Warmup | Cache | Replica | ServedCluster


class Sight(NamedTuple):
    """What is to be said of an object; news when `key` is another than before."""

    name: str  # of a node or a cluster; of the object itself where it has no parts, else ""
    key: tuple[object, ...]
    words: str
    style: str


def whole_sight(state: State, one: Watched) -> Sight:
    """Give what is to be said of an object as a whole."""
    if isinstance(one, Warmup):
        phase = WARMUP_PHASE[one.state]
        headline = status_headline(warmup_status(state, one))
        return Sight("", (phase,), f"{phase}: {headline}", STYLES[phase])
    if isinstance(one, Cache):
        rows = condition_rows(state, one, Messages(state, one))
        ready = next(row for row in rows if row.type == "Ready")
        return Sight("", (ready.reason,), _said(ready.reason, ready.message), "")
    if isinstance(one, Replica):
        return replica_sight(state, one)._replace(name="")
    _, reason, message = cluster_row(state, one)
    return Sight("", (reason,), _said(reason, message), "" if reason == "Reachable" else "red")


def part_sights(state: State, one: Watched, seen: dict[str, Target]) -> Iterator[Sight]:
    """Give what is to be said of a warmup's nodes, or of a cache's clusters.

    Nodes that are as in `seen`, which keeps up, are passed over: there may be a thousand.
    """
    if isinstance(one, Warmup):
        for target in one.targets.values():
            if seen.get(target.key) is target:  # records are replaced, never changed
                continue
            seen[target.key] = target
            view = node_view(one, target)
            style = STYLES.get(view.state.value, "")
            yield Sight(target.node_name, told(target), change_words(view), style)
    elif isinstance(one, Cache):
        for entry in one.entries.values():
            yield entry_sight(state, one, entry)


def entry_sight(state: State, cache: Cache, entry: Entry) -> Sight:
    """Give an entry's phase, why it waits, and as news the node that was chosen for it."""
    # other words alone are not worth a line
    key = entry.state, own_cause(sight_of(state, cache, entry)), entry.chosen.node_name
    words = _said(entry.state.value, entry_message(state, cache, entry))
    return Sight(entry.cluster, key, words, STYLES[entry.state.value])


def replica_sight(state: State, replica: Replica) -> Sight:
    """Give where a replica stands, and why it waits, or what it goes on with."""
    stands, words = standing(state, replica)
    waits = stands == NO_CACHE or bool(kept_words(state, replica))
    claim = mount_of(replica.kept).claim_name
    key = stands, claim, cache_cause(state, replica) if waits else None
    said = f"{stands}: {words or f'with the mount of claim {claim}'}"
    return Sight(replica.subject.name, key, said, STYLES.get(stands, ""))


def told(target: Target) -> tuple[object, ...]:
    """Give what is worth a line: the state, and words that are not those of any ordinary way."""
    ordinary = target.words.reason in ON_THE_WAY
    return target.state, None if ordinary else target.words


def change_words(view: NodeView) -> str:
    """Give a node's state, and its reason when it is none of those on every node's way."""
    why = "" if view.words.reason in ON_THE_WAY else cause_text(view.words)
    return _said(view.state.value, why)


def _said(what: str, why: str) -> str:
    return f"{what}: {why}" if why else what
