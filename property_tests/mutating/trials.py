"""Trials: what a mutant has to stand. Each raises what breaks, or `Differs`."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Differs(Exception):
    """What honest code had done does not come again: nothing says that it is wrong."""


class Trial(NamedTuple):
    """One property with one example: it raises what breaks."""

    name: str
    room: str
    play: Callable[[], Any]
    example: str  # trials of one example come by the same lines
    test: str = ""  # trials of one test take turns with those of others
    is_dear: bool = False
    only_again: bool = False  # it tells nothing but that something is otherwise than it was
