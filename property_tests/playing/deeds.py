"""Deeds: what may happen in a world. Declared once, for Hypothesis and for stories alike.

`@deed` and `@beginning` stand where Hypothesis' `@rule` and `@initialize` stood: they are those,
and they note what each argument may be. A deed is told in its story only where it stands by itself,
not where a deed is done as a part of another one.
"""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, NamedTuple, Protocol, TypeVar

from hypothesis.stateful import initialize, precondition, rule

from property_tests.playing.choices import Choice

Method = TypeVar("Method", bound=Callable[..., None])
Begin = Callable[..., None]
_MARK = "warmlog_deed"


class Deed(NamedTuple):
    """One thing that may happen."""

    name: str
    words: str  # the first line of its docstring
    choices: Mapping[str, Choice[Any]]
    weight: float = 1
    when: Callable[[Any], bool] | None = None  # it can only happen where this holds

    def plain(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Write its arguments as JSON has them."""
        return {name: self.choices[name].plain(value) for name, value in arguments.items()}

    def read(self, plain: Mapping[str, Any]) -> dict[str, Any]:
        """Read what `plain` wrote; an argument that was declared later is the simplest."""
        return {
            name: choice.read(plain[name]) if name in plain else choice.simplest()
            for name, choice in self.choices.items()
        }


class Telling(Protocol):
    """A world that tells what happens in it."""

    def tell(self, deed: Deed, act: Callable[..., None], arguments: Mapping[str, Any]) -> None:
        """Do a deed that stands by itself, and note it; else only do it."""


def deed(
    *, weight: float = 1, when: Callable[[Any], bool] | None = None, **choices: Choice[Any]
) -> Callable[[Method], Method]:
    """Declare something that may happen, with what its arguments may be."""

    def declare(method: Method) -> Method:
        declared = Deed(method.__name__, _words(method), choices, weight, when)
        as_rule: Any = rule(**_strategies(choices))
        made = as_rule(_told(declared, method))
        marked: Method = _marked(made if when is None else precondition(when)(made), declared)
        return marked

    return declare


def beginning(**choices: Choice[Any]) -> Callable[[Begin], Begin]:
    """Declare how a world begins; worlds that are made of another begin in their own way."""

    def declare(method: Begin) -> Begin:
        declared = Deed(method.__name__, _words(method), choices, weight=0)
        as_start: Any = initialize(**_strategies(choices))
        marked: Begin = _marked(as_start(_told(declared, method)), declared)
        return marked

    return declare


def deeds_of(world: type[Any]) -> Mapping[str, Deed]:
    """Give all that may happen in worlds of a class, by name and in the order of names."""
    found = {name: getattr(getattr(world, name), _MARK, None) for name in sorted(dir(world))}
    return {name: one for name, one in found.items() if one is not None}


def _told(declared: Deed, method: Begin) -> Begin:
    @wraps(method)
    def told(self: Telling, *arguments: Any, **named: Any) -> None:
        if arguments:  # only a part of another deed names no arguments
            method(self, *arguments, **named)
        else:
            self.tell(declared, method, named)

    return told


def _marked(made: Any, declared: Deed) -> Any:
    setattr(made, _MARK, declared)
    return made


def _strategies(choices: Mapping[str, Choice[Any]]) -> dict[str, Any]:
    return {name: choice.strategy for name, choice in choices.items()}


def _words(method: Callable[..., None]) -> str:
    return (method.__doc__ or method.__name__).partition("\n")[0]
