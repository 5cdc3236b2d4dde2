"""Examples: what the property tests are tried with, drawn once from fixed seeds, and their trials.

A trial is one property test with one example. The stories that tests share are drawn once for all
of them, so that a mutant is judged without Hypothesis, at the cost of playing alone.
"""

import importlib
import json
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from adapters.store.json_lines import JsonLinesReader
from engine.verifying import verify
from machines.domain import WARMLOG
from property_tests.playing.drawing import draw_and_play
from property_tests.playing.performing import play
from property_tests.playing.quieting import be_quiet
from property_tests.running import run
from tests.recordings import reading

RECORDINGS = "recordings"
_QUIET: dict[str, Any] = {
    "deadline": None,
    "database": None,
    "suppress_health_check": list(HealthCheck),
}


class Trial(NamedTuple):
    """One property test with one example: it raises what breaks."""

    name: str
    room: str
    play: Callable[[], Any]
    example: str  # trials of one example come by the same lines
    is_dear: bool = False


class Searched(NamedTuple):
    """A module of property tests, and how many examples each of its tests is tried with."""

    name: str
    examples: int


SEARCHED = (
    Searched("test_core", 100),
    Searched("test_caches", 70),
    Searched("test_replicas", 30),
    Searched("test_expected_phases", 50),
    Searched("test_expected_entries", 50),
)
SEED = 20_261_130
WORLD_SEEDS = range(20)  # six in ten are of warmups, three of caches, one of replicas
WORLD_ROWS = 60  # after which such a story comes to its end
# The dearest laws by far, and the least likely to be the only ones that break: each is tried with
# every so manyth story.
DEAR = {
    "test_folding_in_pieces_is_folding_at_once": 5,
    "test_what_is_not_looked_at_would_not_move": 1,
}


def trials() -> Iterator[Trial]:
    """Give every trial that a mutant has to stand."""
    drawn: dict[int, list[Any]] = {}
    for searched in SEARCHED:
        module = importlib.import_module(f"property_tests.{searched.name}")
        for name, test in vars(module).items():
            if name.startswith("test_") and test.__module__ == module.__name__:
                yield from _trials_of(searched, name, test, drawn)
    yield from _worlds()
    yield from _recordings()


def _worlds() -> Iterator[Trial]:
    be_quiet()
    for number in WORLD_SEEDS:
        story = draw_and_play(number, least_rows=WORLD_ROWS).story
        yield Trial(f"worlds {number}", "worlds", partial(play, story), f"world {number}")


def _trials_of(searched: Searched, name: str, test: Any, drawn: dict[int, Any]) -> Iterator[Trial]:
    room = searched.name
    if not hasattr(test, "hypothesis"):
        for index, arguments in enumerate(_parameters(test)):
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
    for index, example in list(enumerate(drawn[key]))[::step]:
        told, about = f"{room}.{name} {index}", f"{room} {key} {index}"
        yield Trial(told, room, partial(inner, **example), about, is_dear)


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


def _parameters(test: Any) -> list[dict[str, Any]]:
    """Give the arguments of each case of a parametrized test; one without any of another one."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    columns: list[list[dict[str, Any]]] = []
    for mark in marks:
        names, values = mark.args[:2]
        names = [one.strip() for one in names.split(",")] if isinstance(names, str) else names
        rows = [value if len(names) > 1 else (value,) for value in values]
        columns.append([dict(zip(names, row, strict=True)) for row in rows])
    return [{k: v for part in parts for k, v in part.items()} for parts in product(*columns)]


def _recordings() -> Iterator[Trial]:
    expected: dict[str, reading.Expected] = json.loads(reading.EXPECTED.read_text())
    for name in reading.names():
        told = f"{RECORDINGS} {name}"
        yield Trial(told, RECORDINGS, partial(_recording, name, expected[name]), told)


def _recording(name: str, expected: reading.Expected) -> None:
    """A recording ends as it ended, and is decided as it was decided."""
    path = reading.FOLDER / f"{name}.jsonl"
    assert run(reading.outcomes(path)) == expected
    assert run(_divergences(JsonLinesReader(path))) == []


async def _divergences(reader: JsonLinesReader) -> list[str]:
    return [str(each) async for each in verify(WARMLOG, reader)]
