"""Telling worlds: what every world of the property tests has, so that its deeds are a story."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hypothesis import currently_in_test_context, note
from hypothesis.stateful import RuleBasedStateMachine, invariant

from adapters.store.memory_logs import MemoryLog
from engine.events import Event
from machines.states import State
from property_tests.invariants import judge
from property_tests.playing.deeds import Deed
from property_tests.witnessing import Witness

Listener = Callable[[Sequence[Event], State], None]
Judge = Callable[["TellingWorld"], None]  # raises AssertionError when it is broken
Told = tuple[str, dict[str, Any]]  # the name of a deed, and its arguments as JSON has them


class TellingWorld(RuleBasedStateMachine):
    """A world that notes what happens in it. Hypothesis runs it, or a story does."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        super().__init__()
        self.told_deeds: list[Told] = []
        self.broken: Exception | None = None  # what ended the story
        self.listeners: list[Listener] = []  # told of each durable batch and the state after it
        self.judges: list[Judge] = []  # who look at the world when it is at rest
        self.witness: Witness  # of all that the controllers of this world do
        self._is_telling = False

    @property
    def all_logs(self) -> Sequence[MemoryLog]:
        """Every log that the controllers of this world wrote, the newest last."""
        raise NotImplementedError

    @property
    def now(self) -> int:
        """The virtual instant, UTC nanoseconds."""
        raise NotImplementedError

    def listen(self, rows: tuple[Event, ...], state: State) -> None:
        """Hear of a durable batch, and of the state after it."""
        for listener in self.listeners:
            listener(rows, state)

    def tell(self, deed: Deed, act: Callable[..., None], arguments: Mapping[str, Any]) -> None:
        """Do a deed that stands by itself, and note it; else only do it."""
        if self._is_telling:
            act(self, **arguments)
            return
        self.told_deeds.append((deed.name, deed.plain(arguments)))
        self._is_telling = True
        try:
            act(self, **arguments)
        except Exception as error:
            self.broken = error
            raise
        finally:
            self._is_telling = False

    def after_each(self) -> None:
        """Do what follows each deed."""

    @invariant()
    def _after_each(self) -> None:
        self.after_each()

    def finish(self) -> None:
        """Let all faults end, come to rest, and note how it is then."""
        raise NotImplementedError

    def judge(self) -> None:
        """Check, once all is at rest, what was promised of every world."""
        judge(self.witness.evidence)
        for one in self.judges:
            one(self)

    def teardown(self) -> None:
        """Finish a world that has begun, and that no deed has broken."""
        if not self.told_deeds or self.broken is not None:
            return
        self._is_telling = True  # nothing of the end belongs to the story
        try:
            self.finish()
            self.judge()
        except Exception as error:
            self.broken = error
            raise

    @staticmethod
    def say(words: str) -> None:
        """Say something that helps who reads of a failure."""
        if currently_in_test_context():
            note(words)
