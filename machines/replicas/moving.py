"""Moving: a replica is brought to where the facts of its cluster, taken together, put it."""

from engine.events import Event
from machines.caches.moving import IGNORED_KEPT
from machines.caches.states import IgnoredTrigger
from machines.replicas.composing import find_part
from machines.replicas.drifting import note_owned
from machines.replicas.levels import PartLevel, WorkloadLevel
from machines.replicas.names import workload_name
from machines.replicas.owning import is_ours
from machines.replicas.part_names import part_names, workload_kind
from machines.replicas.placing import Place, is_known, place_of
from machines.replicas.replicas import REPLICA_MOVES, REPLICAS, ReplicaTrigger
from machines.replicas.states import Engine, Replica
from machines.states import Known, State

_DESTINATION = {move.trigger: move.dest for move in REPLICA_MOVES}


def move_replica(state: State, replica: Replica, event: Event) -> None:
    """Take in what is known of a replica's cluster, and move it; what is unknown moves nothing."""
    place = place_of(state, replica)
    if place is None or replica.spec is None or not is_known(place, replica.spec):
        return
    for name, known in workloads_there(state, replica, place).items():
        if known is not None:
            _take_over(replica, name, known)
    _note_fields(state, replica, place)
    _apply(replica, _trigger(state, replica, place), event)


def workloads_there(state: State, replica: Replica, place: Place) -> dict[str, Known | None]:
    """Give by engine the workload that is there and this replica's."""
    engines = replica.spec.engines if replica.spec else ()
    found = {}
    for engine in engines:
        name = workload_name(replica.subject.name, engine.name)
        known = find_part(place, workload_kind(engine), name)
        found[engine.name] = known if is_ours(state, replica, known) else None
    return found


def _take_over(replica: Replica, engine: str, known: Known) -> None:
    """A workload of which this log has no history runs with the mount that its Pods have."""
    before, level = replica.engines.get(engine, Engine()), known.level
    if before.running or before.applying is not None or not isinstance(level, WorkloadLevel):
        return
    replica.engines[engine] = Engine(running=True, kept=level.mount)
    replica.kept, replica.composed = level.mount or replica.kept, True


def _note_fields(state: State, replica: Replica, place: Place) -> None:
    """Note what we own of each object that bears what we applied, unless an apply is under way."""
    names = part_names(replica.subject.name, replica.spec) if replica.spec else []
    there = {}
    for kind, name in names:
        known = find_part(place, kind, name)
        level = known.level if known else None
        if known is None or not isinstance(level, WorkloadLevel | PartLevel):
            continue
        there[known.subject.uid] = True
        if level.applied and f"apply {kind} {name}" not in replica.open:
            note_owned(replica, known)
    replica.owned = {uid: fields for uid, fields in replica.owned.items() if uid in there}


def _trigger(state: State, replica: Replica, place: Place) -> ReplicaTrigger | None:
    if not replica.composed:
        return None
    there = workloads_there(state, replica, place).values()
    available = [known is not None and is_available(known) for known in there]
    return ReplicaTrigger.AVAILABLE if all(available) else ReplicaTrigger.COMPOSED


def is_available(known: Known) -> bool:
    """Say whether a workload is available."""
    level = known.level
    return isinstance(level, WorkloadLevel) and level.available == "True"


def _apply(replica: Replica, trigger: ReplicaTrigger | None, event: Event) -> None:
    if trigger is None:
        return
    moved = REPLICAS.next(replica.state, trigger)
    if moved is not None:
        replica.state, replica.moved_at = moved, event.at
    elif _DESTINATION[trigger] is not replica.state:
        one = IgnoredTrigger(event.seq, event.at, trigger.value, replica.state.value)
        replica.ignored = (*replica.ignored, one)[-IGNORED_KEPT:]
