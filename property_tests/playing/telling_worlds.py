"""Telling worlds: what every world of the property tests has, so that its deeds are a story."""

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import currently_in_test_context, note
from hypothesis.stateful import RuleBasedStateMachine, invariant

from property_tests.playing.deeds import Deed

Told = tuple[str, dict[str, Any]]  # the name of a deed, and its arguments as JSON has them


class TellingWorld(RuleBasedStateMachine):
    """A world that notes what happens in it. Hypothesis runs it, or a story does."""

    def __init__(self) -> None:
        """Begin with nothing told."""
        super().__init__()
        self.told_deeds: list[Told] = []
        self.broken: Exception | None = None  # what ended the story
        self._is_telling = False

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
        """Let all faults end, come to rest, and check what was promised."""
        raise NotImplementedError

    def teardown(self) -> None:
        """Finish a world that has begun, and that no deed has broken."""
        if not self.told_deeds or self.broken is not None:
            return
        self._is_telling = True  # nothing of the end belongs to the story
        try:
            self.finish()
        except Exception as error:
            self.broken = error
            raise

    @staticmethod
    def say(words: str) -> None:
        """Say something that helps who reads of a failure."""
        if currently_in_test_context():
            note(words)
