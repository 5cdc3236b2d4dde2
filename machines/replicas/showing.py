"""Showing: when what is published of a replica has changed, and by which event."""

from hashlib import sha256

from engine.canonical_json import dumps
from engine.events import Event
from machines.condition_rows import turned
from machines.replicas.conditions import condition_rows
from machines.replicas.states import Replica
from machines.replicas.statuses import shown_status
from machines.states import State


def show_replica(state: State, replica: Replica, event: Event) -> None:
    """Note since when conditions hold, and the position of a status that is another than before."""
    rows = condition_rows(state, replica)
    replica.condition_times = turned(rows, replica.condition_times, event.at)
    face = sha256(dumps(shown_status(state, replica, rows)).encode()).hexdigest()[:16]
    if face != replica.face:
        replica.face, replica.position = face, event.seq
