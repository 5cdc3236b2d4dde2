"""Surviving: the mutants that are known to survive, in `survivors.toml`, each with the reason.

An entry says where mutants stand and what becomes what, and why nothing notices: `file` and
`reason`, and as many of `function`, the `line`'s text, `old` and `new` as it takes to say which are
meant; what it leaves out may be anything. `harmless = true` says that nothing could notice: such a
mutant does the same, or what it does is no fault. The others are holes in the property tests, and
count as such.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

from property_tests.mutating.mutants import Mutant

LISTED = Path(__file__).with_name("survivors.toml")


class Survivor(NamedTuple):
    """Mutants that are known to survive; what is "" may be anything."""

    file: str
    reason: str
    function: str = ""
    line: str = ""  # its text
    old: str = ""
    new: str = ""
    harmless: bool = False

    def is_of(self, mutant: Mutant) -> bool:
        """Say whether this entry speaks of a mutant."""
        said = self.file, self.function, self.line, self.old, self.new
        pairs = zip(said, _places(mutant), strict=True)
        return all(mine in {"", its} for mine, its in pairs)


def _places(mutant: Mutant) -> tuple[str, ...]:
    return mutant.path, mutant.function, mutant.context, mutant.old, mutant.new


@cache
def listed() -> tuple[Survivor, ...]:
    """Read the entries."""
    entries = tomllib.loads(LISTED.read_text("utf-8")).get("survivor", [])
    return tuple(Survivor(**entry) for entry in entries)


def known_as(mutant: Mutant) -> Survivor | None:
    """Give the entry that speaks of a mutant; None when nobody has said anything of it."""
    return next((one for one in listed() if one.is_of(mutant)), None)


def entry_of(mutant: Mutant) -> str:
    """Give the entry that would list a mutant, for a person to finish."""
    names = ("file", "function", "line", "old", "new")
    pairs = zip(names, _places(mutant), strict=True)
    lines = [f"{name} = {_quoted(value)}" for name, value in pairs]
    return "\n".join(["[[survivor]]", *lines, 'reason = ""', "harmless = false", ""])


def _quoted(text: str) -> str:
    if "'" not in text and "\n" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
