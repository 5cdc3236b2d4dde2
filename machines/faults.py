"""Faults of a spec, collected while it is read: bad input is named, never raised."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.canonical_json import Number
from machines.syntaxes import Syntax

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1


class Fault(NamedTuple):
    """Why a spec cannot work: the path of the field, and what is wrong with it."""

    field: str
    words: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.field}: {self.words}"


class Faults:
    """Walks raw JSON, collecting what is wrong with it.

    A field that holds null counts as left out, as it does for the API server.
    """

    def __init__(self) -> None:
        """Begin without a fault."""
        self._words_by_field: dict[str, str] = {}

    def found(self) -> tuple[Fault, ...]:
        """Give every fault, in the order in which they were found."""
        return tuple(Fault(*item) for item in self._words_by_field.items())

    def add(self, field: str, words: str) -> None:
        """Note what is wrong with a field, once: what follows from the first fault is no other."""
        self._words_by_field.setdefault(field, words)

    def has(self, field: str) -> bool:
        """Say whether something is wrong with this very field."""
        return field in self._words_by_field

    def mapping(self, value: Any, field: str) -> dict[str, Any]:
        """Give an object; an empty one when there is none."""
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.add(field, "must be an object")
        return {}

    def items(self, value: Any, field: str, most: int | None = None) -> Iterator[tuple[str, Any]]:
        """Give each entry of a list with its path, those beyond the most as well."""
        if value is None:
            return
        if not isinstance(value, list):
            self.add(field, "must be a list")
            return
        if most is not None and len(value) > most:
            self.add(field, f"must have at most {most} entries, and has {len(value)}")
        for index, item in enumerate(value):
            yield f"{field}[{index}]", item

    def objects(
        self, value: Any, field: str, most: int | None = None
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give each entry of a list of objects with its path."""
        for path, item in self.items(value, field, most):
            if isinstance(item, dict):
                yield path, item
            else:
                self.add(path, "must be an object")

    def text(self, value: Any, field: str) -> str:
        """Give a text; an empty one when there is none."""
        if value is None:
            return ""
        if isinstance(value, str):
            return value
        self.add(field, "must be a string")
        return ""

    def element(self, value: Any, field: str) -> str:
        """Give a text that stands in a list or under a key of its own, where null is no text."""
        if value is None:
            self.add(field, "must be a string")
        return self.text(value, field)

    def texts(self, value: Any, field: str, most: int | None = None) -> tuple[str, ...]:
        """Give a list of texts."""
        return tuple(self.element(item, path) for path, item in self.items(value, field, most))

    def number(self, value: Any, field: str, default: int, least: int, most: int) -> int:
        """Give a whole number, or the default when there is none or it is not within bounds."""
        if value is None:
            return default
        whole = _whole(value)
        if whole is None:
            self.add(field, "must be a whole number")
        elif whole < least:
            self.add(field, f"must be at least {least}")
        elif whole > most:
            self.add(field, f"must be at most {most}")
        else:
            return whole
        return default

    def named(self, value: Any, field: str, syntax: Syntax) -> str:
        """Give a name, which has to be there and to follow a syntax."""
        name = self.text(value, field)
        self.unless_fine(field, syntax.refusal(name))
        return name

    def unless_fine(self, field: str, refusal: str) -> None:
        """Note a refusal, if it says anything."""
        if refusal:
            self.add(field, refusal)


def _whole(value: Any) -> int | None:
    """Give the integer that a JSON number is, however it is written."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float | Number):
        number = float(value)
        return int(number) if number.is_integer() else None
    return None
