"""Reviewing: which nodes a warmup wants, asked anew whenever a Node, the Namespace or it changes.

Nothing is concluded before every kind of the cluster has been listed in this session: a node that
has not been listed is unknown, not absent.
"""

from engine.events import Event
from engine.instants import SECOND
from machines.annotations import wait_seconds
from machines.indexing import (
    arm,
    disarm,
    drop_target,
    put_target,
    refresh_slot,
    touch,
)
from machines.levels import NamespaceLevel, NodeLevel
from machines.messages import described
from machines.moving import fire, settle_target
from machines.node_jobs import OUTCOMES, UNFINISHED, NodeJobState, NodeJobTrigger
from machines.selecting import Wanted, demanded_names, refusal, shunning, wanted, wanted_name
from machines.spec_parts import MAX_TARGETS
from machines.states import NOTHING, Cluster, Known, State, Target, Warmup, Words
from machines.warmups import TERMINAL


def review_warmup(state: State, warmup: Warmup, event: Event) -> None:
    """Ask for every node of the cluster, for every target that is no node there, and every name."""
    cluster = state.clusters[warmup.cluster]
    if not _open(cluster, warmup):
        return
    pooled = bool(pool_of(cluster, warmup))
    if pooled is not warmup.pooled:
        warmup.pooled = pooled
        touch(state, warmup)
    for uid in cluster.objects["Node"]:
        review_node(state, warmup, uid, event)
    for key, target in list(warmup.targets.items()):
        if target.state in UNFINISHED and key not in cluster.objects["Node"] and _is_uid(key):
            _leave(state, warmup, target, event)
    if warmup.spec is not None:
        for name in demanded_names(warmup.spec.targets):
            review_name(state, warmup, name, event)
    if not warmup.resolved_once:
        warmup.resolved_once = True
        touch(state, warmup)


def review_node(state: State, warmup: Warmup, uid: str, event: Event) -> None:
    """Ask for one node that exists."""
    cluster = state.clusters[warmup.cluster]
    if not _open(cluster, warmup) or warmup.spec is None:
        return
    known = cluster.objects["Node"][uid]
    level = known.level
    if not isinstance(level, NodeLevel):
        return
    labels = dict(level.labels)
    ask = wanted(warmup.spec.targets, known.subject.name, labels)
    kept_out = refusal(labels, pool_of(cluster, warmup))
    has_ended = uid in warmup.targets and warmup.targets[uid].state in OUTCOMES
    filtered = bool(ask and kept_out and not ask.named and not has_ended)
    _skip(state, warmup, uid, skipped=filtered)
    if ask and not kept_out:
        _admit(state, warmup, known, ask, event)
        return
    target = warmup.targets.get(uid)
    if target is not None and target.state in UNFINISHED:
        _leave(state, warmup, target, event)
    elif ask and ask.named and not (target and target.state is not NodeJobState.WITHDRAWN):
        review_name(state, warmup, known.subject.name, event)


def review_node_gone(state: State, warmup: Warmup, known: Known, event: Event) -> None:
    """A node is gone: unfinished targets leave, outcomes stay, names wait."""
    if not _open(state.clusters[warmup.cluster], warmup):
        return
    _skip(state, warmup, known.subject.uid, skipped=False)
    target = warmup.targets.get(known.subject.uid)
    if target is not None and target.state in UNFINISHED:
        _leave(state, warmup, target, event)
    elif warmup.spec and known.subject.name in demanded_names(warmup.spec.targets):
        review_name(state, warmup, known.subject.name, event)


def review_name(state: State, warmup: Warmup, name: str, event: Event) -> None:
    """Let a demanded name wait while no machine that may be warmed bears it."""
    key = name_key(name)
    old = warmup.targets.get(key)
    if warmup.spec is None or _satisfied(state, warmup, name):
        if old is not None and old.state in UNFINISHED:
            disarm(state, old.deadline, warmup.subject.uid, f"wait:{key}")
            drop_target(state, warmup, key, event)
        return
    if (old is not None and old.state not in UNFINISHED) or (
        old is None and not _has_room(state, warmup, name)
    ):
        return
    waiting = _why_waiting(state.clusters[warmup.cluster], warmup, name)
    if old is not None:
        target = old._replace(waiting=waiting)
    else:
        ask = wanted_name(warmup.spec.targets, name)
        if ask is None:
            return
        deadline = (warmup.suspended_at or event.at) + wait_seconds(warmup) * SECOND
        target = Target(
            key, name, NodeJobState.PENDING, named=True, first_entry=ask.first_entry,
            entries=ask.entries, waiting=waiting, deadline=deadline,
        )  # fmt: skip
        if not warmup.suspended_at:
            arm(state, deadline, warmup.subject.uid, f"wait:{key}")
    put_target(state, warmup, described(state, warmup, target), event)


def pool_of(cluster: Cluster, warmup: Warmup) -> str:
    """Give the pool label of the warmup's namespace, "" when it has none or is not known."""
    uid = cluster.namespace_uids.get(warmup.subject.namespace, "")
    known = cluster.objects["Namespace"].get(uid)
    return known.level.pool if known and isinstance(known.level, NamespaceLevel) else ""


def nodes_outside(cluster: Cluster, warmup: Warmup) -> list[tuple[str, dict[str, str], str]]:
    """Give the nodes matched outside the boundary, by name: each with its labels, and why."""
    pool = pool_of(cluster, warmup)
    found = []
    for uid in warmup.skipped:
        known = cluster.objects["Node"].get(uid)
        if known is not None and isinstance(known.level, NodeLevel):
            marks = dict(known.level.labels)
            found.append((known.subject.name, marks, refusal(marks, pool)))
    return sorted(found, key=lambda node: (node[0], node[2]))


def namespace_trouble(cluster: Cluster, name: str) -> str:
    """Say why nothing can be created in a namespace, or "" when nothing speaks against it."""
    known = cluster.objects["Namespace"].get(cluster.namespace_uids.get(name, ""))
    going = known and isinstance(known.level, NamespaceLevel) and known.level.terminating
    return f"namespace {name} is being deleted" if going else ""


def name_key(name: str) -> str:
    """Give the key of the target that stands for a name; no uid looks like it."""
    return f"name:{name}"


def _is_uid(key: str) -> bool:
    return not key.startswith("name:")


def _open(cluster: Cluster, warmup: Warmup) -> bool:
    """Say whether targets may come and go: not in a namespace that is going, nor after the end."""
    return (
        cluster.is_synced
        and not warmup.blocked
        and warmup.state not in TERMINAL
        and not warmup.gone
        and not warmup.level.deleting
    )


def _satisfied(state: State, warmup: Warmup, name: str) -> bool:
    """A name is satisfied by a machine under it that is wanted now, or that has an outcome."""
    uid = state.clusters[warmup.cluster].node_uids.get(name, "")
    target = warmup.targets.get(uid)
    if target is not None and target.state is not NodeJobState.WITHDRAWN:
        return True
    return name in warmup.ended_names


def _why_waiting(cluster: Cluster, warmup: Warmup, name: str) -> Words:
    known = cluster.objects["Node"].get(cluster.node_uids.get(name, ""))
    if known is None or not isinstance(known.level, NodeLevel):
        return Words("NodeNotFound", f"node {name} does not exist")
    kept_out = refusal(dict(known.level.labels), pool_of(cluster, warmup))
    return Words("NodeNotAuthorized", f"node {name} may not be warmed: {kept_out}")


def _admit(state: State, warmup: Warmup, known: Known, ask: Wanted, event: Event) -> None:
    uid, name = known.subject.uid, known.subject.name
    shunned = shunning(known.level) if isinstance(known.level, NodeLevel) else ""
    target = warmup.targets.get(uid)
    if target is None:
        if not _has_room(state, warmup, name):
            return
        target = Target(uid, name, NodeJobState.PENDING, ask.named, ask.first_entry, ask.entries)
    elif target.state is NodeJobState.WITHDRAWN:
        moved = fire(state, warmup, target, NodeJobTrigger.NODE_RETURNED, event)
        target = moved or target
    elif target.state not in UNFINISHED:
        return
    target = target._replace(
        named=ask.named, first_entry=ask.first_entry, entries=ask.entries, shunned=shunned
    )
    put_target(state, warmup, described(state, warmup, target), event)
    settle_target(state, warmup, uid, event)
    if ask.named:
        review_name(state, warmup, name, event)


def _has_room(state: State, warmup: Warmup, name: str) -> bool:
    """Admit no more than the API's bound; a waiting name that the node satisfies makes room."""
    present = len(warmup.targets) - warmup.counts.get(NodeJobState.WITHDRAWN.value, 0)
    if present - (name_key(name) in warmup.targets) < MAX_TARGETS:
        return True
    if not warmup.overflowed:
        warmup.overflowed = True
        warmup.oversized = not warmup.resolved_once
        touch(state, warmup)
    return False


def _leave(state: State, warmup: Warmup, target: Target, event: Event) -> None:
    """A wanted node is not wanted any more, or not there; it has no outcome."""
    disarm(state, target.retry_at, warmup.subject.uid, f"retry:{target.key}")
    clean = target._replace(retry_at=0, refusals=0, refusal=NOTHING, cause=NOTHING, deadline=0)
    if target.named:
        fire(state, warmup, clean, NodeJobTrigger.NAMED_NODE_LEFT, event)
        drop_target(state, warmup, target.key, event)
        review_name(state, warmup, target.node_name, event)
    else:
        moved = fire(state, warmup, clean, NodeJobTrigger.SELECTED_NODE_LEFT, event)
        put_target(state, warmup, (moved or clean)._replace(words=NOTHING), event)
    refresh_slot(state, warmup, target.key)
    settle_target(state, warmup, target.key, event)


def _skip(state: State, warmup: Warmup, uid: str, *, skipped: bool) -> None:
    """Count a node that a selector matches outside the boundary; one with an outcome is none."""
    if skipped == (uid in warmup.skipped):
        return
    if skipped:
        warmup.skipped[uid] = True
    else:
        del warmup.skipped[uid]
    touch(state, warmup)
