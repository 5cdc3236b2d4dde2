"""Breaking: how a world broke its promises, so that two failures can be told to be the same."""

import traceback
from typing import NamedTuple


class Broken(AssertionError):
    """A sentence that does not hold of a world, and where it does not."""

    def __init__(self, sentence: str, *findings: str) -> None:
        """Say which sentence is broken, and what shows it."""
        super().__init__("\n  ".join((sentence, *findings)))
        self.sentence = sentence


class Breach(NamedTuple):
    """How a world broke."""

    kind: str  # two failures of one kind are taken for one
    words: str

    def __str__(self) -> str:
        return self.words


def breach_of(error: Exception) -> Breach:
    """Tell how a world broke, by the sentence, or by what was raised and where."""
    words = str(error).strip() or type(error).__name__
    if isinstance(error, Broken):
        return Breach(error.sentence, words)
    place = traceback.extract_tb(error.__traceback__)[-1]
    name = place.filename.rpartition("/")[2]
    if not isinstance(error, AssertionError):
        words = f"{type(error).__name__}: {words}"
    said = f"{words} ({name}, {place.name}: {place.line})"
    return Breach(f"{type(error).__name__} in {name}, {place.name}: {place.line}", said)
