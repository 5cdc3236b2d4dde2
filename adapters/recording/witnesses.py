"""The domain of a recording: what is seen is folded as ever, and nothing is decided upon."""

from collections.abc import Sequence

from engine.events import Draft
from machines.domain import Warmlog
from machines.states import State


class Witnessing(Warmlog):
    """warmlog's domain for whoever only looks on."""

    def decide(self, state: State) -> Sequence[Draft]:
        """Decide nothing: what a cluster calls for is somebody else's to do."""
        del state
        return ()


WITNESSING = Witnessing()
