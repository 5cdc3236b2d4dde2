"""A toy domain: it counts, and decides to ring at every third "tick" that has not been rung for."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.canonical_json import dumps, loads
from engine.events import Draft, Event, Subject
from engine.stepping import Projection

TOY = Subject("Toy", "", "t", "1")
TICK = Draft("c", str(TOY), "Tick", 1, "{}")


@dataclass
class Count:
    """How many ticks there were, and how many of them were rung for."""

    log_id: str
    ticks: int = 0
    rung: int = 0
    rested: int = 0


class Toy:
    """Ring once for every third tick."""

    def initial(self, log_id: str) -> Count:
        """Give the state of an empty log."""
        return Count(log_id)

    def fold(self, state: Count, event: Event) -> Count:
        """Count."""
        if event.type == "Ring":
            state.rung += loads(event.data)["times"]
        else:
            state.ticks += 1
        return state

    def decide(self, state: Count) -> Sequence[Draft]:
        """Ring for what was not rung for, one row for each."""
        missing = state.ticks // 3 - state.rung
        return [Draft("c", str(TOY), "Ring", 1, dumps({"times": 1})) for _ in range(missing)]

    def rest(self, state: Count) -> None:
        """Note it."""
        state.rested += 1

    def is_decision(self, type_name: str) -> bool:
        """A ring is one."""
        return type_name == "Ring"

    def project(self, state: Count) -> Iterable[Projection]:
        """Give the counts."""
        yield Projection("c", TOY, {"ticks": state.ticks, "rung": state.rung})

    def copy(self, state: Count) -> Count:
        """Give another one like it."""
        return Count(state.log_id, state.ticks, state.rung, state.rested)

    def dump(self, state: Count) -> str:
        """Give it as text."""
        return dumps([state.log_id, state.ticks, state.rung])

    def load(self, text: str) -> Count:
        """Read it back."""
        log_id, ticks, rung = loads(text)
        return Count(log_id, ticks, rung)


class Undecided(Toy):
    """The same, and whoever has it decide makes a mistake."""

    def decide(self, state: Count) -> Sequence[Draft]:
        """Refuse."""
        raise AssertionError("a replay never decides")

    def rest(self, state: Count) -> None:
        """Refuse."""
        raise AssertionError("a replay never rests")
