"""Examples: what the property tests are tried with, drawn once from fixed seeds, and their trials.

A trial is one property test with one example. The stories that tests share are drawn once for all
of them, so that a mutant is judged without Hypothesis, at the cost of playing alone.
"""

import importlib
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from property_tests.mutating.again import CHAOS
from property_tests.mutating.focusing import SEEDS, focused
from property_tests.mutating.trials import Trial

_QUIET: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}
_WITH_ID = type(pytest.param())


class Searched(NamedTuple):
    """A module of property tests, and how many examples each of its tests is tried with."""

    name: str
    examples: int
    told: int = 0  # stories of chaos that only have to make the same rows again
    also: tuple[int, ...] = ()  # later ones, in which conditions came out as they did in no other


SEARCHED = (
    Searched("test_core", 150, told=1200, also=(
        1340, 1512, 1557, 1880, 2062, 2215, 2261, 2372, 2679, 2855, 2869, 2946, 2965,
    )),
    Searched("test_caches", 60, told=300),
    Searched("test_replicas", 30, told=100),
    Searched("test_expected_phases", 150),
    Searched("test_expected_entries", 150),
    Searched("test_expected_conditions", 60),
)  # fmt: skip
FOCUSED_ON = 300  # of the stories of chaos are what `focused` ones are made of
SEED = 20_261_130
# The dearest laws by far, and the least likely to be the only ones that break: each is tried with
# every so manyth story.
DEAR = {
    "test_folding_in_pieces_is_folding_at_once": 5,
    "test_what_is_not_looked_at_would_not_move": 1,
}


def trials(drawn: dict[str, list[Any]]) -> Iterator[Trial]:
    """Give every trial of a property test; the stories of chaos that were drawn go to `drawn`."""
    for searched in SEARCHED:
        kept: dict[int, list[Any]] = {}
        module = importlib.import_module(f"property_tests.{searched.name}")
        for name, test in vars(module).items():
            if name.startswith("test_") and test.__module__ == module.__name__:
                yield from _trials_of(searched, name, test, kept)
        if searched.name in CHAOS:
            stories = {"story": module.STORIES}
            most = max(searched.told, *(one + 1 for one in searched.also), 0)
            found = [one["story"] for one in _draw(stories, most)]
            begun, seeds = found[:FOCUSED_ON], SEEDS.get(searched.name, ())
            drawn[searched.name] = [
                *found[: searched.told],
                *(found[one] for one in searched.also),
                *(focused(begun, one) for one in seeds),
            ]


def _trials_of(searched: Searched, name: str, test: Any, drawn: dict[int, Any]) -> Iterator[Trial]:
    room = searched.name
    if not hasattr(test, "hypothesis"):
        for index, arguments in enumerate(parameters_of(test)):
            told = f"{room}.{name} {index}"
            yield Trial(told, room, partial(test, **arguments), told)
        return
    strategies = test.hypothesis._given_kwargs  # noqa: SLF001 -- what it is tried with
    if any(_is_interactive(one) for one in strategies.values()):
        told = f"{room}.{name}"
        yield Trial(told, room, partial(_search, test, searched.examples), told)
        return
    key = hash(tuple(id(one) for one in strategies.values()))
    if key not in drawn:
        drawn[key] = _draw(strategies, searched.examples)
    inner = test.hypothesis.inner_test
    is_dear, step = name in DEAR, DEAR.get(name, 1)
    for place, arguments in enumerate(parameters_of(test)):
        for index, example in list(enumerate(drawn[key]))[::step]:
            number = f"{index} {place}" if arguments else f"{index}"
            told, about = f"{room}.{name} {number}", f"{room} {key} {number}"
            play = partial(inner, **example, **arguments)
            yield Trial(told, room, play, about, f"{room}.{name}", is_dear)


def _is_interactive(strategy: st.SearchStrategy[Any]) -> bool:
    """Whether what it gives draws again while the test runs, so that it cannot be kept."""
    return any(word in repr(strategy) for word in ("randoms(", "data("))


def _draw(strategies: dict[str, st.SearchStrategy[Any]], count: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    @seed(SEED)
    @settings(max_examples=count, phases=[Phase.generate], **_QUIET)
    @given(st.fixed_dictionaries(strategies))
    def note(example: dict[str, Any]) -> None:
        found.append(example)

    note()
    return found


def _search(test: Any, count: int) -> None:
    few = settings(max_examples=count, phases=[Phase.generate], **_QUIET)
    test._hypothesis_internal_use_settings = few  # noqa: SLF001 -- as @settings does
    seed(SEED)(test)()


def parameters_of(test: Any) -> list[dict[str, Any]]:
    """Give the arguments of each case of a parametrized test; one without any of another one."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    columns: list[list[dict[str, Any]]] = []
    for mark in marks:
        names, values = mark.args[:2]
        names = [one.strip() for one in names.split(",")] if isinstance(names, str) else names
        rows = [_row(value, len(names)) for value in values]
        columns.append([dict(zip(names, row, strict=True)) for row in rows])
    return [{k: v for part in parts for k, v in part.items()} for parts in product(*columns)]


def _row(value: Any, count: int) -> Sequence[Any]:
    if isinstance(value, _WITH_ID):
        return value.values
    row: Sequence[Any] = value if count > 1 else (value,)
    return row
