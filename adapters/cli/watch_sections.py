"""The tables of `warmlog watch`: one for each kind of object, those that need somebody first."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from adapters.cli.status_tables import condition
from adapters.cli.watch_states import Following
from engine.events import Subject
from machines.caches.entries import EntryState
from machines.caches.messages import entry_message
from machines.caches.states import Cache, Entry, ServedCluster
from machines.caches.statuses import cache_status, cluster_row
from machines.explaining import NodeView, node_views, status_headline
from machines.messages import cause_text
from machines.node_jobs import NodeJobState
from machines.phases import WARMUP_PHASE
from machines.replicas.histories import standing
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.states import State, Warmup
from machines.statuses import warmup_status
from machines.warmups import WarmupState

Cells = tuple[str, ...]


class Section(NamedTuple):
    """One table: a row's cells are made when it is shown."""

    heads: Cells
    rows: Sequence[Callable[[], Cells]]


def sections_of(following: Following) -> list[Section]:
    """Give the tables of what is watched; of a ModelWarmup that alone is asked for also its nodes.

    A kind of which there is nothing has none.
    """
    state, found = following.state, following.watched()
    made = [
        _warmups(state, [one for one in found if isinstance(one, Warmup)]),
        _caches(state, [one for one in found if isinstance(one, Cache)]),
        _replicas(state, [one for one in found if isinstance(one, Replica)]),
        _clusters(state, [one for one in found if isinstance(one, ServedCluster)]),
    ]
    if following.wanted.reference is not None:
        made += [_nodes(one) for one in found if isinstance(one, Warmup)]
    return [section for section in made if section.rows]


def _order(subject: Subject, *, done: bool) -> tuple[bool, str, str]:
    return done, subject.namespace, subject.name


def _warmups(state: State, found: list[Warmup]) -> Section:
    found.sort(key=lambda one: _order(one.subject, done=one.state is WarmupState.READY))
    return Section(
        ("NAMESPACE", "MODELWARMUP", "PHASE", "DESIRED", "ACTIVE", "SUCCEEDED", "FAILED", "WHY"),
        [partial(_warmup, state, one) for one in found],
    )


def _warmup(state: State, one: Warmup) -> Cells:
    status = warmup_status(state, one)
    counts = (status[f"{name}Nodes"] for name in ("desired", "active", "succeeded", "failed"))
    named = one.subject.namespace, one.subject.name, WARMUP_PHASE[one.state]
    return *named, *map(str, counts), status_headline(status)


def _caches(state: State, found: Sequence[Cache]) -> Section:
    entries = [(one, entry) for one in found for entry in one.entries.values()]
    entries.sort(key=lambda each: _order(each[0].subject, done=each[1].state is EntryState.READY))
    return Section(
        ("NAMESPACE", "MODELCACHE", "CLUSTER", "PHASE", "WHY"),
        [
            *(partial(_cache, state, one) for one in found if not one.entries),
            *(partial(_entry, state, one, entry) for one, entry in entries),
        ],
    )


def _cache(state: State, one: Cache) -> Cells:
    """Give what is to be said of a cache that is on no cluster."""
    ready = condition(cache_status(state, one), "Ready")
    return one.subject.namespace, one.subject.name, "", ready["reason"], ready["message"]


def _entry(state: State, one: Cache, entry: Entry) -> Cells:
    subject, message = one.subject, entry_message(state, one, entry)
    return subject.namespace, subject.name, entry.cluster, entry.state.value, message


def _replicas(state: State, found: list[Replica]) -> Section:
    found.sort(key=lambda one: _order(one.subject, done=one.state is ReplicaState.SERVING))
    return Section(
        ("NAMESPACE", "MODELREPLICA", "CLUSTER", "STANDS", "WHY"),
        [partial(_replica, state, one) for one in found],
    )


def _replica(state: State, one: Replica) -> Cells:
    subject = one.subject
    return subject.namespace, subject.name, one.cluster_name, *standing(state, one)


def _clusters(state: State, found: Sequence[ServedCluster]) -> Section:
    rows = [(one.subject, *cluster_row(state, one)) for one in found]
    rows.sort(key=lambda row: _order(row[0], done=row[1] == "True"))
    return Section(
        ("INFERENCECLUSTER", "REACHABLE", "WHY"),
        [partial(tuple[str, ...], (name.name, status, words)) for name, status, _, words in rows],
    )


def _nodes(warmup: Warmup) -> Section:
    views = [each for each in node_views(warmup) if each.state is not NodeJobState.READY]
    return Section(("NODE", "STATE", "WHY"), [partial(_node, view) for view in views])


def _node(view: NodeView) -> Cells:
    return view.name, view.state.value, cause_text(view.words)
