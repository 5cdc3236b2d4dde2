"""Documents: what one YAML or JSON document holds, and where each field of it stands."""

from typing import Any, NamedTuple


class Position(NamedTuple):
    """A place in a file, counted from one as editors do; line 0 is the file as a whole."""

    line: int
    column: int


NOWHERE = Position(0, 0)


class Misreading(NamedTuple):
    """What is wrong with a text before anybody asks what it means."""

    at: Position
    field: str  # "" where no field is concerned
    words: str
    is_twice: bool = False  # whether all that is wrong is that a field stands there again


class Unreadable(Exception):
    """A document cannot be read at all."""

    def __init__(self, at: Position, words: str, field: str = "") -> None:
        """Keep where and why."""
        super().__init__(words)
        self.misreading = Misreading(at, field, words)


class Document(NamedTuple):
    """One document of a file: plain JSON values, and positions by the path of the field.

    A path is written as `spec.targets[0].nodes.names[1]`, and is "" for the whole.
    """

    value: Any
    positions: dict[str, Position]
    plain: dict[str, str]  # path -> as it stands there, of scalars that are no text without quotes
    misreadings: tuple[Misreading, ...] = ()

    def where(self, path: str) -> Position:
        """Give where a field stands, or else the nearest one around it that stands somewhere."""
        path = path[:_LONGEST_PATH]
        while path and path not in self.positions:
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        return self.positions.get(path, NOWHERE)


# Hostile names of fields must not make paths longer than all the rest: what would have a longer
# path is told of under the path of what is around it.
_LONGEST_PATH = 2000


def child(path: str, key: str) -> str:
    """Give the path of a field below `path`."""
    return _bounded(path, f"{path}.{key}" if path else key)


def item(path: str, index: int) -> str:
    """Give the path of an entry of the list at `path`."""
    return _bounded(path, f"{path}[{index}]")


def _bounded(path: str, longer: str) -> str:
    return longer if len(longer) <= _LONGEST_PATH else path
