"""Rebuilding an aggregate with the `eventsourcing` library: what a replay is measured beside."""

import time
from uuid import UUID

from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event


class Phases(Aggregate):
    """An object that goes through phases, as small as one can be."""

    def __init__(self) -> None:
        """Begin without a phase."""
        self.phase = ""

    @event("PhaseSeen")
    def see(self, phase: str, node: str) -> None:
        """It is in this phase, on this node."""
        self.phase = phase


def rebuilt_in(count: int) -> float:
    """Keep one aggregate of so many events in SQLite; give the seconds of CPU to make it anew."""
    application: Application[UUID] = Application(
        env={"PERSISTENCE_MODULE": "eventsourcing.sqlite", "SQLITE_DBNAME": ":memory:"}
    )
    aggregate = Phases()
    for number in range(count - 1):
        aggregate.see("Running" if number % 2 else "Pending", f"node-{number}")
    application.save(aggregate)
    begun = time.process_time()
    application.repository.get(aggregate.id)
    return time.process_time() - begun
