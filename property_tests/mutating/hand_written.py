"""Hand-written: the cases that people wrote of the pure core, as trials, and the logs they make.

Each is a few rows that somebody chose and what must come of them. They are tests like any other,
and run without a fixture; what their scenes leave in the log must come again, too.
"""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import FrameType
from typing import Any

from engine.events import Event
from property_tests.mutating.examples import parameters_of
from property_tests.mutating.modules import ROOT
from property_tests.mutating.trials import Trial

ROOM = "hand-written"
MOST_ROWS = 300  # of a log that must come again, too: longer ones are about numbers
FOLDERS = ("engine", "machines", "caches", "replicas")

Made = tuple[str, list[Event]]  # a name, and the rows of a log


def trials(made: list[Made]) -> Iterator[Trial]:
    """Give every case; the logs that they make go to `made`."""
    for folder in FOLDERS:
        for path in sorted((ROOT / "tests" / folder).glob("test_*.py")):
            yield from trials_of(f"tests.{folder}.{path.stem}", made)


def trials_of(module_name: str, made: list[Made]) -> Iterator[Trial]:
    """Give the cases of one module of tests that ask for no fixture."""
    module = importlib.import_module(module_name)
    for name, test in list(vars(module).items()):
        if not name.startswith("test_") or getattr(test, "__module__", "") != module_name:
            continue
        wanted = set(inspect.signature(test).parameters)
        if inspect.iscoroutinefunction(test) or hasattr(test, "hypothesis"):
            continue  # it takes a loop, or draws what it tries
        for index, arguments in enumerate(parameters_of(test)):
            if wanted != set(arguments):
                continue  # it wants a fixture
            told = f"{module_name}.{name} {index}"
            play = partial(test, **arguments)
            if not index:  # the others of a test differ from its first in little
                made += [(f"{told} {each}", rows) for each, rows in enumerate(_logs_of(test, play))]
            yield Trial(told, ROOM, play, told, f"{module_name}.{name}")


def _logs_of(test: Any, play: Callable[[], Any]) -> list[list[Event]]:
    """Play a case as it is; give the rows of the scenes that it had in hand when it was done."""
    found: list[list[Event]] = []

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code is test.__code__:
            rows = [getattr(one, "rows", None) for one in frame.f_locals.values()]
            found.extend([*one] for one in rows if isinstance(one, list) and _is_log(one))

    sys.setprofile(watch)
    try:
        play()
    finally:
        sys.setprofile(None)
    return found


def _is_log(rows: list[Any]) -> bool:
    """Say whether these are the rows of one log, whole."""
    seqs = [one.seq for one in rows if isinstance(one, Event)]
    return 1 < len(seqs) <= MOST_ROWS and seqs == list(range(1, len(rows) + 1))
