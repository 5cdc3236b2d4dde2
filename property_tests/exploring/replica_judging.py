"""Judging the world of one ModelReplica: what it looks at of a core, and what must hold there.

The sentences of `property_tests/invariants.py` about a replica and its mounts, as far as the core
and the cluster show them at any moment; the laws of the core's state and decisions are checked
beside them. Nothing is sent here without its intent: requests are made of open decisions alone.
"""

from collections.abc import Iterator
from typing import NamedTuple

from machines.caches.entries import EntryState
from machines.caches.statuses import cache_status
from machines.intents import Delete
from machines.replicas.holding import NO_CACHE, hold_of
from machines.replicas.mounts import mount_of
from machines.replicas.replicas import ReplicaState
from machines.replicas.statuses import replica_status
from machines.states import State
from property_tests.exploring.cores import Heard
from property_tests.exploring.replica_cluster import (
    CACHES,
    CLAIM,
    CLAIMS,
    DEPLOYMENT,
    FIRST,
    JOB,
    SECOND,
    ReplicaWorld,
    claim_of,
    is_bound,
    mounted,
    of_kind,
)
from tests.caches.builders import ONE
from tests.replicas.builders import UID


class EntryView(NamedTuple):
    """What the world looks at of a cache's entry."""

    ready: bool
    published: bool  # with a mount
    claim_uid: str


class ReplicaView(NamedTuple):
    """What the world looks at of a core, beside its decisions."""

    entries: tuple[tuple[str, EntryView], ...]  # by cache
    state: ReplicaState
    held: bool  # for want of a mount
    has: bool  # a Deployment was seen
    kept: str  # cache whose mount was composed last
    words: str  # why it does not serve, or does so with another mount than it is to have


def view_of(state: State) -> ReplicaView | None:
    """Give what the world looks at of a core, beside its decisions."""
    replica = state.replicas.get(UID)
    if replica is None:
        return None
    hold = hold_of(state, replica)
    conditions = {one["type"]: one for one in replica_status(state, replica)["conditions"]}
    said = [conditions[one].get("message", "") for one in ("ModelAccepted", "ModelReady")]
    return ReplicaView(
        tuple(_entries(state)),
        replica.state,
        hold is not None and hold.reason == NO_CACHE,
        bool(state.clusters[ONE].objects[DEPLOYMENT]) if ONE in state.clusters else False,
        CLAIMS.get(mount_of(replica.kept).claim_name, "?") if replica.kept else "",
        "; ".join(filter(None, said)),
    )


def broken_in(heard: Heard, world: ReplicaWorld) -> Iterator[str]:
    """Give what does not hold of the cluster and should, whatever happens next."""
    yield from _broken_cluster(world)
    for opened in heard.opened:
        if isinstance(opened.intent, Delete) and opened.intent.kind in (CLAIM, DEPLOYMENT):
            yield f"{opened.intent.kind} {opened.intent.name} is to be deleted, and is wanted"
    view: ReplicaView | None = heard.view
    if view is None:
        return
    under_way = any(getattr(one.intent, "kind", "") == DEPLOYMENT for one in heard.opened)
    if view.held and view.has and all(world.listed) and not under_way:
        yield "it waits for its cache, and has a workload"
    if view.kept and not _was_filled(world, view.kept):
        yield f"it tells the mount of {view.kept}, whose claim was never filled"
    for cache, entry in view.entries:
        if entry.ready != entry.published:
            yield f"{cache} is Ready: {entry.ready}, and publishes a mount: {entry.published}"
        if entry.ready and entry.claim_uid not in world.filled:
            yield f"the mount of {cache} is published, and its claim was never filled"


def _broken_cluster(world: ReplicaWorld) -> Iterator[str]:
    """Give what its Pods got and should not have."""
    if world.given not in ((), (FIRST,), (SECOND,), (FIRST, SECOND)):
        yield f"its Pods got, one after another, claims of {', '.join(world.given)}"
    if SECOND in world.given and not world.switched:
        yield "its Pods got the claim of a cache that its spec does not refer to"
    for cache in world.given:
        if not _was_filled(world, cache):
            yield f"its Pods got the claim of {cache}, which was never filled"


def unsettled_in(heard: Heard, world: ReplicaWorld) -> Iterator[str]:
    """Give what is not as it should be although nothing is left to happen but faults."""
    view: ReplicaView = heard.view
    if heard.opened:
        yield "a decision has no answer"
    if len(view.entries) != len(CACHES):
        yield "a cache has no entry"
    for cache, entry in view.entries:
        if entry.ready != is_bound(claim_of(world, cache)):
            yield f"{cache} is Ready: {entry.ready}, and its claim is not so"
    if any(getattr(job.level, "outcome", "") for job in of_kind(world, JOB)):
        yield "a finished Job is left"
    yield from _unsettled_replica(view, world)


def _unsettled_replica(view: ReplicaView, world: ReplicaWorld) -> Iterator[str]:
    """Give what is not as it should be of the replica in the end."""
    wanted = SECOND if world.switched else FIRST
    ready = is_bound(claim_of(world, wanted))
    deployments = of_kind(world, DEPLOYMENT)
    if not (ready or world.given):
        if not view.held or view.state is not ReplicaState.WAITING or _has_parts(world):
            yield "it has no mount, and does not wait for one with nothing composed"
        if not view.words:
            yield "it waits, and does not say for what"
        return
    has = wanted if ready else world.given[-1]
    if [mounted(one) for one in deployments] != [has] or view.kept != has:
        yield f"it should have the mount of {has}"
    serves = all(getattr(one.level, "available", "") == "True" for one in deployments)
    if (view.state is ReplicaState.SERVING) != serves:
        yield f"its Deployment serves: {serves}, and it is {view.state}"
    if not serves and is_bound(claim_of(world, has)):
        yield "its Pods could run, and do not"
    if not view.words and not (ready and serves):
        yield "it has not what it is to have, and does not say so"


def _has_parts(world: ReplicaWorld) -> bool:
    """Say whether anything of the replica is there."""
    return any(one.subject.kind not in (CLAIM, JOB) for one in world.objects)


def _entries(state: State) -> Iterator[tuple[str, EntryView]]:
    for uid, name in CACHES.items():
        cache = state.caches.get(uid)
        if cache is None:
            continue
        rows = {one["name"]: one for one in cache_status(state, cache).get("clusters", [])}
        for one in cache.entries.values():
            published = "mount" in rows.get(one.cluster, {})
            yield name, EntryView(one.state is EntryState.READY, published, one.claim_uid)


def _was_filled(world: ReplicaWorld, cache: str) -> bool:
    return any(uid.startswith(f"claim-{cache}-") for uid in world.filled)
