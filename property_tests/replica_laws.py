"""What must hold of replicas whatever happens: each a sentence and a predicate over the state.

As in `cache_laws`: `ALWAYS` of every state, `BETWEEN` of a state and the next, `DECIDED` of
every decision and the state in which it was made.
"""

from collections.abc import Callable

from engine.canonical_json import dumps
from engine.events import Event
from machines.caches.changes import ChangeKind
from machines.caches.finding import CLAIM
from machines.caches.owning import Ownership
from machines.caches.statuses import cache_status
from machines.intents import Apply, Change, Create, Delete, ObjectIntent
from machines.kinds import REPLICA
from machines.replicas.composing import parts_of
from machines.replicas.holding import hold_of
from machines.replicas.indexing import reindex_replicas
from machines.replicas.leaving import is_abandoned, is_leaving, ours_there
from machines.replicas.levels import WorkloadLevel
from machines.replicas.mounting import cache_of, offer_of
from machines.replicas.owning import ownership
from machines.replicas.placing import home_is_known, known_place, place_of, unlisted_kinds
from machines.replicas.replicas import ReplicaState
from machines.replicas.states import Replica
from machines.replicas.wishes import what_of
from machines.states import SERVING_KINDS, State, copy_state


def everything_waited_for_has_its_timer(state: State) -> bool:
    """Whoever waits for an instant is woken at it, and nobody else is."""
    waits = {uid: one.waits for uid, one in state.caches.items()}
    waits |= {uid: one.waits for uid, one in state.replicas.items()}
    wanted = {(due, uid, what) for uid, dues in waits.items() for what, due in dues.items()}
    return set(state.timers) == wanted and state.timers == sorted(state.timers)


def what_is_open_is_known(state: State) -> bool:
    """Each open decision of a replica is open in it, and in no place twice."""
    held = [seq for one in state.replicas.values() for seq in one.open.values()]
    opened = {seq for seq, one in state.open.items() if one.owner.kind == REPLICA}
    return len(held) == len(set(held)) and set(held) == opened


def the_index_agrees(state: State) -> bool:
    """The index of keys is what a computation from scratch gives."""
    copied = copy_state(state)
    reindex_replicas(copied)
    return {key: sorted(uids) for key, uids in copied.replica_index.items()} == {
        key: sorted(uids) for key, uids in state.replica_index.items()
    }


def parts_are_those_that_are_there(state: State) -> bool:
    """Objects are noted under the replica that their annotations name, and nothing else is."""
    there = {
        (known.level.owner.uid, name, kind, uid)  # type: ignore[union-attr]  # all have owners
        for name, cluster in state.clusters.items()
        for kind in SERVING_KINDS
        for uid, known in cluster.objects[kind].items()
        if known.level.owner.uid  # type: ignore[union-attr]
    }
    noted = [(owner, *part) for owner, parts in state.parts.items() for part in parts]
    return len(noted) == len(set(noted)) and set(noted) == there


def what_serves_was_composed(state: State) -> bool:
    """Only what was composed deploys or serves; and what was is never held for its cache."""
    return all(
        (one.composed or one.state is ReplicaState.WAITING)
        and all(engine.running or engine.applying is not None for engine in one.engines.values())
        and not (any(engine.running for engine in one.engines.values()) and not one.composed)
        for one in state.replicas.values()
    )


def only_replicas_ask(state: State) -> bool:
    """Only replicas that are known have questions."""
    return state.asking_replicas.keys() <= state.replicas.keys()


def no_replica_ignores_anything(state: State) -> bool:
    """Facts may make a replica deploy or serve whatever it did before: nothing is ignored."""
    return not any(replica.ignored for replica in state.replicas.values())


ALWAYS: tuple[Callable[[State], bool], ...] = (
    no_replica_ignores_anything,
    everything_waited_for_has_its_timer,
    what_is_open_is_known,
    the_index_agrees,
    parts_are_those_that_are_there,
    what_serves_was_composed,
    only_replicas_ask,
)


def unknown_moves_nothing(before: State, event: Event, after: State) -> bool:
    """A replica of a cluster that is not known does not move."""
    for uid, old in before.replicas.items():
        new = after.replicas.get(uid)
        if new is None or new.state is old.state or new.spec is None:
            continue
        if known_place(after, new) is None or not home_is_known(after, new):
            return False
    return True


def what_was_composed_stays_so(before: State, event: Event, after: State) -> bool:
    """A replica once composed stays so; a kept mount changes by an apply, or to what Pods have."""
    for uid, new in after.replicas.items():
        old = before.replicas.get(uid)
        if old is None:
            continue
        if old.composed and not new.composed:
            return False
        for name, engine in new.engines.items():
            was = old.engines.get(name)
            answered = event.type == "IntentDone" and event.cause in old.open.values()
            changed = was and was.running and engine.kept != was.kept and not answered
            if changed and engine.kept not in _borne(after, new):
                return False
    return True


def _borne(state: State, replica: Replica) -> set[str]:
    """Give the mounts that the workloads of a replica have."""
    place = known_place(state, replica)
    levels = [one.level for one in ours_there(state, replica, place)] if place else []
    return {level.mount for level in levels if isinstance(level, WorkloadLevel)}


def positions_never_go_back(before: State, event: Event, after: State) -> bool:
    """A status's position grows, and is that of an event that was folded."""
    return all(
        before.replicas[uid].position <= one.position <= event.seq
        for uid, one in after.replicas.items()
        if uid in before.replicas
    )


BETWEEN: tuple[Callable[[State, Event, State], bool], ...] = (
    unknown_moves_nothing,
    what_was_composed_stays_so,
    positions_never_go_back,
)


def decided_on_what_is_known(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """Nothing is decided before its home, and on a cluster before its kinds, were listed."""
    replica = state.replicas[intent.owner_uid]
    if intent.kind == REPLICA:
        return home_is_known(state, replica)
    place = place_of(state, replica)
    known = place is not None and place.cluster.reachable
    kinds = place is not None and not unlisted_kinds(place, (intent.kind,))
    return home_is_known(state, replica) and known and kinds


def one_of_a_kind_at_a_time(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """Nothing is decided again before its answer."""
    return what_of(intent) not in state.replicas[intent.owner_uid].open


def held_before_anything_is_made(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """Nothing is made before the finalizer is on, nor while anything is in the way of it."""
    replica = state.replicas[intent.owner_uid]
    if not isinstance(intent, Apply | Create):
        return True
    wanted = not is_leaving(replica) and not is_abandoned(replica)
    return replica.level.held and wanted and hold_of(state, replica) is None


def mounts_are_published_or_kept(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """An engine gets what its cache publishes here, else what it had, else it is not made."""
    replica, place = (
        state.replicas[intent.owner_uid],
        place_of(state, state.replicas[intent.owner_uid]),
    )
    if not isinstance(intent, Apply) or place is None:
        return True
    parts = parts_of(replica, place, offer_of(state, replica))
    [part] = [one for one in parts if (one.kind, one.name) == (intent.kind, intent.name)]
    return part.mount is None or part.mount == _expected(state, replica, part.engine)


def _expected(state: State, replica: Replica, engine: str) -> str | None:
    """Give the mount by the contract's own words, from what the cache's status publishes."""
    if replica.spec is None or not replica.spec.cache_name:
        return ""
    cache = cache_of(state, replica)
    if cache is not None and not cache.level.deleting:
        for row in cache_status(state, cache).get("clusters", []):
            retained = row.get("retained", False)
            if row["name"] == replica.cluster_name and "mount" in row and not retained:
                return dumps(row["mount"])
    before = replica.engines.get(engine)
    if before is not None and before.running:
        return before.kept
    return replica.kept if replica.composed else None


def only_ours_is_touched(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """Only what is ours, or nobody's who exists, is applied to or deleted."""
    replica = state.replicas[intent.owner_uid]
    if intent.kind == REPLICA or isinstance(intent, Create) or not intent.uid:
        return True
    known = state.clusters[cluster].objects[intent.kind].get(intent.uid)
    return ownership(state, replica, known) in {Ownership.OURS, Ownership.OPEN}


def let_go_when_nothing_is_left(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """The finalizer goes when nothing known is left there, or somebody asks for it."""
    replica = state.replicas[intent.owner_uid]
    if not isinstance(intent, Change) or intent.change != ChangeKind.RELEASE:
        return True
    place = place_of(state, replica)
    left = ours_there(state, replica, place) if place is not None else []
    return is_abandoned(replica) or (replica.level.deleting and not left)


DECIDED: tuple[Callable[[State, str, ObjectIntent], bool], ...] = (
    decided_on_what_is_known,
    one_of_a_kind_at_a_time,
    held_before_anything_is_made,
    mounts_are_published_or_kept,
    only_ours_is_touched,
    let_go_when_nothing_is_left,
)


def claims_of_replicas_are_kept(state: State, cluster: str, intent: ObjectIntent) -> bool:
    """No claim is deleted that a replica there was composed with, or is being."""
    if not isinstance(intent, Delete) or intent.kind != CLAIM:
        return True
    return not any(
        intent.name in engine.kept or intent.name in (engine.applying or "")
        for one in state.replicas.values()
        if not one.gone and place_of(state, one) is not None
        for engine in one.engines.values()
        if place_of(state, one).name == cluster  # type: ignore[union-attr]
    )
