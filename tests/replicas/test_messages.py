"""Messages of a ModelReplica: whatever it has not come to says what it waits for, with names."""

from collections.abc import Iterable

import pytest

from engine.events import Draft, Event
from machines.replicas.conditions import condition_rows
from tests.replicas.builders import DEPLOYMENT, GANG, UID, ReplicaScene, engine, spec_of

KINDS = pytest.mark.parametrize("what", [DEPLOYMENT, GANG])


class Watched(ReplicaScene):
    """A scene in which after each row that shows the replica it is asked what it says."""

    def __init__(self) -> None:
        """Begin with nothing said."""
        self.silent: list[str] = []
        super().__init__()

    def step(self, drafts: Iterable[Draft]) -> tuple[Event, ...]:
        """Fold, decide, and look."""
        made = super().step(drafts)
        replica = self.state.replicas.get(UID)
        if replica is not None and replica.told:
            self.silent += [
                f"{made[0].type}: {row}"
                for row in condition_rows(self.state, replica)
                if not row.message and (row.status == "False" or row.type == "Terminating")
            ]
        return made


@KINDS
def test_nothing_that_is_false_is_silent(what: str) -> None:
    """From the first row of a replica to its last one, in its ordinary life."""
    scene = Watched()
    scene.cache()
    scene.replica(spec=spec_of(engine(gang=what == GANG)))
    scene.stage()
    scene.serve(what)
    scene.claim("Lost")
    scene.unreachable()
    scene.wait(60)
    scene.reachable()
    scene.start()
    scene.sync("home")
    scene.sync("ic/one")
    scene.removed(what)
    scene.carry_out()
    scene.available(what)
    scene.replica(spec=spec_of(engine(gang=what == GANG)), deleting=True)
    scene.carry_out()
    assert UID not in scene.state.replicas
    assert scene.silent == []
