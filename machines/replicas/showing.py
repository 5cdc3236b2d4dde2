"""Showing: when what is published of a replica has changed, and by which event."""

from engine.events import Event
from machines.condition_rows import turned
from machines.replicas.conditions import condition_rows
from machines.replicas.states import Replica
from machines.replicas.statuses import status_face
from machines.states import State


def show_replica(state: State, replica: Replica, event: Event) -> None:
    """Note since when conditions hold, and the position of a status that is another than before."""
    rows = condition_rows(state, replica)
    replica.condition_times = turned(rows, replica.condition_times, event.at)
    face = status_face(state, replica, rows)
    if face != replica.face:
        replica.face, replica.position = face, event.seq
