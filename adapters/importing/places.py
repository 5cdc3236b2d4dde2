"""Places in material, and the account of what was used of it and what was not, by reason."""

from collections import Counter
from typing import NamedTuple

FIRST = 3  # places of each reason that are named


class Place(NamedTuple):
    """Where in the material something stands."""

    source: str
    document: int  # counted from 1; 0 for a line of no document
    line: int  # at which it begins, counted from 1

    def __str__(self) -> str:
        """Give it as people look it up."""
        document = f", document {self.document}" if self.document else ""
        return f"{self.source}{document}, line {self.line}"


class Mention(NamedTuple):
    """One thing that was not used: where it stands, what it is, and what was said of it."""

    place: Place
    about: str  # KIND/NAMESPACE/NAME, or ""
    words: str  # what is wrong with it beyond the reason; or ""


class Account:
    """What became of all that the material held. Memory does not grow with the material."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.documents = 0
        self.used = 0  # sights of objects that are ours
        self.unused: Counter[str] = Counter()  # by reason, in words
        self.mentions: dict[str, list[Mention]] = {}  # the first few of each reason
        self.strange: Counter[str] = Counter()  # sound, and no business of warmlog's, by what

    def refuse(self, reason: str, place: Place, about: str = "", words: str = "") -> None:
        """Count something that cannot be used, and keep the first few by name."""
        self.unused[reason] += 1
        named = self.mentions.setdefault(reason, [])
        if len(named) < FIRST:
            named.append(Mention(place, about, words))

    def pass_over(self, what: str) -> None:
        """Count something that is sound, and that warmlog has no use for."""
        self.strange[what] += 1
