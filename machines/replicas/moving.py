"""Moving: a replica is brought to where the facts of its cluster, taken together, put it."""

from engine.events import Event
from machines.replicas.composing import find_part, is_composed_with
from machines.replicas.kinds import WORKLOADS
from machines.replicas.leaving import ours_there
from machines.replicas.levels import WorkloadLevel
from machines.replicas.names import workload_name
from machines.replicas.owning import is_ours
from machines.replicas.part_names import workload_kind
from machines.replicas.placing import Place, known_place, place_of, unlisted_kinds
from machines.replicas.replicas import REPLICAS, ReplicaTrigger
from machines.replicas.specs import EngineSpec
from machines.replicas.states import Engine, Replica
from machines.replicas.wishes import APPLY
from machines.states import Known, State
from machines.triggering import pull


def move_replica(state: State, replica: Replica, event: Event) -> None:
    """Take in what is known of a replica's cluster, and move it; what is unknown moves nothing."""
    if replica.spec is None:
        _move_as_it_is(state, replica, event)
        return
    place = known_place(state, replica)
    if place is None:
        return
    there = workloads_there(state, replica, place)
    taken = [_take_over(replica, name, known) for name, known in there.items() if known is not None]
    if any(taken):
        _keep(replica)
    for engine in replica.spec.engines:
        _catch_up(replica, place, engine, there[engine.name])
    if replica.composed:
        pull(replica, REPLICAS, _trigger(state, replica, place), event)


def _move_as_it_is(state: State, replica: Replica, event: Event) -> None:
    """A replica whose spec can never work has what it had: all that is there of it counts."""
    place = place_of(state, replica)
    known = place is not None and place.cluster.reachable and not unlisted_kinds(place, WORKLOADS)
    if place is None or not known or not replica.composed:
        return
    found = [one for one in ours_there(state, replica, place) if one.subject.kind in WORKLOADS]
    serves = bool(found) and all(map(is_available, found))
    pull(replica, REPLICAS, ReplicaTrigger.AVAILABLE if serves else ReplicaTrigger.COMPOSED, event)


def workloads_there(state: State, replica: Replica, place: Place) -> dict[str, Known | None]:
    """Give by engine the workload that is there and this replica's."""
    engines = replica.spec.engines if replica.spec else ()
    found = {}
    for engine in engines:
        name = workload_name(replica.subject.name, engine.name)
        known = find_part(place, workload_kind(engine), name)
        found[engine.name] = known if is_ours(state, replica, known) else None
    return found


def _take_over(replica: Replica, engine: str, known: Known) -> bool:
    """A workload of which this log has no history runs with the mount that its Pods have."""
    before, level = replica.engines.get(engine, Engine()), known.level
    if before.running or before.applying is not None or not isinstance(level, WorkloadLevel):
        return False
    replica.engines[engine] = Engine(running=True, kept=level.mount)
    replica.composed = True
    return True


def _catch_up(replica: Replica, place: Place, engine: EngineSpec, known: Known | None) -> None:
    """An apply that was carried out after nobody found it counts: its workload bears it.

    Not while one is under way, or nothing was seen since the last answer: what is known then is of
    before.
    """
    before, level = replica.engines.get(engine.name), known.level if known else None
    if known is None or before is None or before.applying is not None:
        return
    if not isinstance(level, WorkloadLevel) or level.mount == before.kept:
        return
    name = workload_name(replica.subject.name, engine.name)
    made = replica.made.get(f"{APPLY} {workload_kind(engine)} {name}")
    if made is not None and made.version == known.version:
        return
    if is_composed_with(replica, place, engine, level):
        replica.engines[engine.name] = before._replace(kept=level.mount)
        replica.kept = level.mount


def _keep(replica: Replica) -> None:
    """What the workloads have says more than a status that was told before they were seen."""
    names = [engine.name for engine in replica.spec.engines] if replica.spec else []
    mounts = [replica.engines[name].kept for name in names if name in replica.engines]
    missing = len(mounts) < len(names)
    replica.kept = next(filter(None, mounts), replica.kept if missing else "")


def _trigger(state: State, replica: Replica, place: Place) -> ReplicaTrigger:
    there = workloads_there(state, replica, place).values()
    available = [known is not None and is_available(known) for known in there]
    return ReplicaTrigger.AVAILABLE if all(available) else ReplicaTrigger.COMPOSED


def is_available(known: Known) -> bool:
    """Say whether a workload is available."""
    level = known.level
    return isinstance(level, WorkloadLevel) and level.available == "True"


def is_rolling(known: Known) -> bool:
    """Say whether a workload serves with Pods of an earlier template, or lacks some of its own."""
    level = known.level
    return isinstance(level, WorkloadLevel) and level.rolling and is_available(known)
