"""Occasions: what of a replica is worth a Kubernetes Event, as long as it holds.

As in `caches.occasions`: each has a key that stays the same while its cause does, whatever its
words are. A replica that runs and whose cache has no mount for it is a Warning, once for each
cause; one that waits for its cache is none, as that is what it is to do.
"""

from collections.abc import Iterator

from machines.caches.causes import Cause
from machines.caches.occasions import NORMAL, WARNING, Occasion, contested_occasion
from machines.caches.states import SILENCE
from machines.caches.telling import thing_words
from machines.replicas import causes
from machines.replicas.conditions import changed_words, terminating_row
from machines.replicas.holding import (
    INVALID,
    NO_CACHE,
    NO_CLUSTER,
    UNSUPPORTED,
    hold_of,
    hold_words,
    kept_words,
)
from machines.replicas.leaving import is_abandoned, is_leaving
from machines.replicas.mounts import mount_of
from machines.replicas.moving import is_available, workloads_there
from machines.replicas.obstacles import (
    NAME_TAKEN,
    availability_words,
    obstacles,
    waiting_rollouts,
    workload_words_of,
)
from machines.replicas.placing import no_way_words, place_of
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.states import State


def replica_occasions(state: State, replica: Replica) -> Iterator[Occasion]:
    """Give everything that holds of a replica, in a fixed order."""
    yield from _of_the_whole(replica)
    if is_leaving(replica):
        yield from _leaving(state, replica)
    elif not is_abandoned(replica):
        yield from _held(state, replica)
        yield from _kept(state, replica)
        yield from _starting(state, replica)
        yield from _rolling(state, replica)
        yield from _composed(state, replica)
    for one in obstacles(state, replica):
        reason = NAME_TAKEN if one.reason == NAME_TAKEN else "Refused"
        yield Occasion(("refused", one.what, one.reason), WARNING, reason, one.words)
    if replica.left != SILENCE:
        yield Occasion(("left", replica.left.reason), WARNING, "LeftBehind", replica.left.words)


def _of_the_whole(replica: Replica) -> Iterator[Occasion]:
    if replica.spec_changed:
        key = "edited", *replica.spec_changed
        yield Occasion(key, WARNING, "SpecChanged", changed_words(replica))
    if replica.contested_by:
        yield contested_occasion(replica.contested_by)


def _leaving(state: State, replica: Replica) -> Iterator[Occasion]:
    """Told when it cannot go on: what is cleared away in a moment is nothing to tell."""
    cause = causes.cluster_cause(state, replica)
    if cause not in {"", causes.NOT_READ_YET, causes.CLUSTER_GONE}:
        note = terminating_row(state, replica).message
        yield Occasion(("leaving", cause), WARNING, NO_CLUSTER, note)


def _held(state: State, replica: Replica) -> Iterator[Occasion]:
    hold = hold_of(state, replica)
    if hold is None:
        return
    if hold.reason in {INVALID, UNSUPPORTED}:
        runs = "; what runs is left as it is" if replica.composed else ""
        key = "held", hold.reason, hold.words if hold.reason == UNSUPPORTED else ""
        yield Occasion(key, WARNING, hold.reason, f"{hold.words}{runs}")
    elif hold.reason == NO_CLUSTER:
        cause = causes.cluster_cause(state, replica)
        concerns = not replica.composed or bool(no_way_words(state, replica))
        if concerns and cause not in {"", causes.NOT_READ_YET}:
            yield Occasion(("held", NO_CLUSTER, cause), WARNING, NO_CLUSTER, hold.words)
    elif hold.reason == NO_CACHE and not replica.composed:
        cache = replica.spec.cache_name if replica.spec else ""
        waits = "held", NO_CACHE, cache, *causes.cache_cause(state, replica)
        yield Occasion(waits, NORMAL, NO_CACHE, hold_words(state, hold))


def _kept(state: State, replica: Replica) -> Iterator[Occasion]:
    """A cache that has no mount for what runs: once for each cause, but how it goes on is one."""
    words = "" if no_way_words(state, replica) else kept_words(state, replica)
    if words and replica.spec is not None:
        cause = causes.cache_cause(state, replica)
        if cause.reason in causes.ON_THE_WAY:
            cause = Cause("OnTheWay")
        key = "kept", replica.spec.cache_name, *cause
        yield Occasion(key, WARNING, "CacheNotReady", words)


def _starting(state: State, replica: Replica) -> Iterator[Occasion]:
    """What the Pods of an engine say of why they do not run; that they start is no trouble."""
    place = place_of(state, replica)
    if place is None or replica.spec is None:
        return
    there = workloads_there(state, replica, place)
    for engine in replica.spec.engines:
        known = there[engine.name]
        heard = replica.heard.get(known.subject.uid) if known is not None else None
        if known is None or heard is None or is_available(known) or not heard.said.reason:
            continue
        thing = workload_words_of(state, replica, engine)
        note = f"engine {engine.name}: {thing} {availability_words(replica, known)}"
        key = "starting", engine.name, heard.said.reason
        yield Occasion(key, WARNING, "ModelStarting", note)


def _rolling(state: State, replica: Replica) -> Iterator[Occasion]:
    """What the Pods of a rollout say of why it does not come to an end."""
    for one in waiting_rollouts(state, replica):
        yield Occasion(("rolling", one.engine, one.reason), WARNING, "RolloutWaiting", one.words)


def _composed(state: State, replica: Replica) -> Iterator[Occasion]:
    """Told of a replica that is new to warmlog, and whenever it has another mount."""
    if not replica.composed:
        return
    claim = mount_of(replica.kept).claim_name
    mount = f", with the mount of claim {claim}" if claim else ", without a mount"
    place = place_of(state, replica)
    there = workloads_there(state, replica, place) if place is not None else {}
    things = [thing_words(*known.subject[:3]) for known in there.values() if known is not None]
    note = f"composed {', '.join(things)} on cluster {replica.cluster_name}{mount}"
    new = replica.untouched and len(things) == len(there) and bool(things)
    if new or not replica.untouched:
        key = "composed", claim
        yield Occasion(key, NORMAL, "Composed", note if replica.untouched else "")
    if replica.state is ReplicaState.SERVING:
        note = f"every engine is available on cluster {replica.cluster_name}"
        yield Occasion(("serving",), NORMAL, "Serving", note)
