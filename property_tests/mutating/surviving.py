"""Surviving: the mutants that are known to survive, in `survivors.toml`, each with the reason.

An entry says where the mutant stands (file, function, the line's text), what becomes what, and
why nothing notices. `harmless = true` says that nothing could: the mutant does the same, or what
it does is no fault. The others are holes in the property tests, and count as such.
"""

import tomllib
from pathlib import Path
from typing import NamedTuple

from property_tests.mutating.mutants import Mutant

LISTED = Path(__file__).with_name("survivors.toml")

Key = tuple[str, str, str, str, str]


class Survivor(NamedTuple):
    """A mutant that is known to survive."""

    file: str
    function: str
    line: str  # its text
    old: str
    new: str
    reason: str
    harmless: bool

    @property
    def key(self) -> Key:
        """Give what it is found by, whatever line it moved to."""
        return self[:5]


def key_of(mutant: Mutant) -> Key:
    """Give what the mutant's entry would be found by."""
    return mutant.path, mutant.function, mutant.context, mutant.old, mutant.new


def listed() -> dict[Key, Survivor]:
    """Read the entries."""
    entries = tomllib.loads(LISTED.read_text("utf-8")).get("survivor", [])
    found = [Survivor(**{"function": "", "harmless": False, **entry}) for entry in entries]
    return {one.key: one for one in found}


def entry_of(mutant: Mutant) -> str:
    """Give the entry that would list a mutant, for a person to finish."""
    names = ("file", "function", "line", "old", "new")
    pairs = zip(names, key_of(mutant), strict=True)
    lines = [f"{name} = {_quoted(value)}" for name, value in pairs]
    return "\n".join(["[[survivor]]", *lines, 'reason = ""', "harmless = false", ""])


def _quoted(text: str) -> str:
    if "'" not in text and "\n" not in text:
        return f"'{text}'"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
