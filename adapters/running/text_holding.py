"""Text holding: keeps a text that came too soon after another, and hands it in when it may come.

The log records a new text under the same reason at most once a minute. What comes sooner waits
here; a newer level of the same object takes its place.
"""

from collections.abc import Sequence

from machines.ingesting import held_until
from machines.observations import Deleted, Observation, Seen
from machines.states import State


class TextHolder:
    """The texts held in one session. Times are UTC nanoseconds."""

    def __init__(self) -> None:
        """Begin with none."""
        self._held: dict[tuple[str, str], tuple[int, Seen]] = {}  # by cluster and uid

    def sift(
        self, state: State, observations: Sequence[Observation], now: int
    ) -> list[Observation]:
        """Give what may be ingested now: what was held long enough, then what comes in time."""
        passed: list[Observation] = []
        for key, (due, seen) in list(self._held.items()):
            if due <= now:
                del self._held[key]
                passed.append(seen)
        for observation in observations:
            if not isinstance(observation, Seen):
                if isinstance(observation, Deleted):
                    self._held.pop((observation.cluster, observation.subject.uid), None)
                passed.append(observation)
                continue
            key = (observation.cluster, observation.subject.uid)
            due_at = held_until(state, observation, now)
            if due_at is None:
                self._held.pop(key, None)
                passed.append(observation)
            else:
                self._held[key] = (due_at, observation)
        return passed

    def forget(self, cluster: str) -> None:
        """Keep nothing of a cluster: it is not followed any more, or another one now."""
        for key in list(self._held):
            if key[0] == cluster:
                del self._held[key]

    def next_due(self) -> int | None:
        """Give the next instant at which a held text may come in, or None."""
        return min((due for due, _ in self._held.values()), default=None)
