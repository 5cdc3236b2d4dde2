"""Hearsay: what material says of one cluster beside the objects themselves, kept until it matters.

A running controller asks for it when something waits; whoever only recorded may have asked, too.
"""

from collections.abc import Iterator, Sequence

from adapters.importing.told_engines import EngineBook
from adapters.importing.told_events import EventBook
from adapters.importing.told_users import UserBook
from adapters.importing.unlabelled_pods import UnlabelledPods
from engine.events import Event
from machines.observations import Observation
from machines.states import State


class Hearsay:
    """What is kept of one cluster."""

    def __init__(self, cluster: str) -> None:
        """Begin with nothing."""
        self.cluster = cluster
        self.pods = UnlabelledPods(cluster)
        self.events = EventBook(cluster)
        self.users = UserBook(cluster)
        self.engines = EngineBook(cluster, self.events)

    def answers(self, state: State, rows: Sequence[Event]) -> Iterator[Observation]:
        """Give the answers to what is asked, now that these rows came."""
        yield from self.engines.answers(state, rows)  # while it is known which Events are new
        yield from self.events.answers(state, rows)
        yield from self.users.answers(state, rows)
