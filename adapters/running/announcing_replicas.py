"""Announcing replicas: one Event for each occasion, never one per pass.

What held when the session began has been told already.
"""

from adapters.kubernetes.announcing import Announcement
from adapters.running.occasion_books import Mark, OccasionBook
from machines.replicas.occasions import replica_occasions
from machines.replicas.placing import home_is_known
from machines.replicas.states import Replica
from machines.states import State


class ReplicaAnnouncer:
    """Keeps which occasions were told."""

    def __init__(self, state: State) -> None:
        """Take what holds now as told."""
        self._book = OccasionBook("Serve")
        for uid, replica in state.replicas.items():
            self._book.note(uid, _mark_of(replica), list(replica_occasions(state, replica)))

    def news(self, state: State) -> list[Announcement]:
        """Give what holds and was not told, and take it as told."""
        found: list[Announcement] = []
        for uid, replica in state.replicas.items():
            mark = _mark_of(replica)
            if self._book.is_as_before(uid, mark) or not home_is_known(state, replica):
                continue
            occasions = list(replica_occasions(state, replica))
            if not replica.gone:
                found += self._book.untold(state, replica.subject, replica.position, occasions)
            self._book.note(uid, mark, occasions)
        self._book.keep(state.replicas.keys())
        return found


def _mark_of(replica: Replica) -> Mark:
    """Give what changes whenever an occasion may: the status, and what it does not show."""
    refused = [(what, refusal.reason) for what, refusal in replica.refusals.items()]
    return replica.position, tuple(refused), replica.left
