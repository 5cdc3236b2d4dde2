"""Expecting: a recording's courses as they were once, held against those that this code gives.

Each step must come at its row: one that is another there, comes where there was none, or does not
come, is told once for its aspect, which is not looked at further.
"""

from collections.abc import Iterator, Mapping, Sequence

from engine.comparing import Step
from engine.events import Event
from engine.verifying import Claim, Judge
from machines.courses import Place, Recorder
from machines.states import State

NOTHING = "nothing"

Expected = Mapping[Place, Mapping[str, Sequence[Step]]]


class Expecting:
    """Reads one log from its beginning on, up to the last row that the expectations are of."""

    def __init__(self, judge: Judge[State], expected: Expected, until: int) -> None:
        """Have `judge` say the rest of what is otherwise."""
        self._judge = judge
        self._expected = expected
        self._until = until
        self._recorder = Recorder()
        self._parted: dict[tuple[Place, str], bool] = {}
        self._due: dict[int, list[tuple[Place, str, int]]] = {}
        for place, aspects in expected.items():
            for aspect, steps in aspects.items():
                for index, step in enumerate(steps):
                    self._due.setdefault(step.position, []).append((place, aspect, index))

    def compares(self, event: Event) -> bool | None:
        """Say whether decisions from this row on are compared; None: as before."""
        return self._judge.compares(event)

    def claims(self, state: State, event: Event) -> Iterator[Claim]:
        """Give what this row says, or said once, of a status that is otherwise here."""
        yield from self._judge.claims(state, event)
        if event.seq > self._until:
            return
        for new in self._recorder.take(state, event):
            steps = self._expected.get(new.place, {}).get(new.aspect, ())
            wanted = steps[new.order] if new.order < len(steps) else None
            if wanted != new.step:
                yield from self._part(new.place, new.uid, new.aspect, wanted, new.step)
        for place, aspect, index in self._due.get(event.seq, ()):
            made = self._recorder.places().get(place, {}).get(aspect, [])
            if len(made) <= index:
                wanted = self._expected[place][aspect][index]
                yield from self._part(place, self._recorder.uid(place), aspect, wanted, None)

    def _part(
        self, place: Place, uid: str, aspect: str, wanted: Step | None, made: Step | None
    ) -> Iterator[Claim]:
        if self._parted.setdefault((place, aspect), False):
            return
        self._parted[place, aspect] = True
        steps = self._recorder.places().get(place, {}).get(aspect, [])
        before = [step for step in steps if step is not made]
        last = before[-1].value if before else NOTHING
        at = (made or wanted or Step(0, "")).position
        recorded = wanted.value if wanted and wanted.position <= at else last
        here = made.value if made else last
        yield Claim(place[0], f"{place[1]}/{uid}", aspect, recorded, here)
