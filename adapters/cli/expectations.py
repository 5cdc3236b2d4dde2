"""Expectations: the courses of recordings as they were once, in a file, by the id of the log.

    {"LOG ID": {"courses": {"CLUSTER OBJECT": {"ASPECT": ["ROW VALUE", …]}}, "position": N}}

`warmlog verify --write-expected FILE` writes it, `--expect FILE` reads it.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Problem
from engine.comparing import Step
from machines.courses import Place, Recorder
from machines.expecting import Expected


class Expectation(NamedTuple):
    """What is expected of one log, up to a row."""

    courses: Expected
    position: int


def read_expectations(path: Path) -> dict[str, Expectation]:
    """Read a file, by the id of the log. Raises Problem."""
    try:
        raw = json.loads(path.read_text("utf-8"))
        return {log_id: _read(one) for log_id, one in raw.items()}
    except OSError as error:
        words = f"{path} cannot be read ({error.strerror}): name a file of --write-expected."
        raise Problem(ExitCode.USAGE, words) from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        words = f"{path} holds no expectations: make it with `warmlog verify --write-expected`."
        raise Problem(ExitCode.USAGE, words) from error


def write_expectations(path: Path, found: dict[str, dict[str, Any]]) -> None:
    """Write a file, by the id of the log, as a person can read it. Raises Problem."""
    try:
        path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    except OSError as error:
        words = f"{path} cannot be written ({error.strerror}): check its folder and its volume."
        raise Problem(ExitCode.OUTPUT_FAILED, words) from error


def expectation_json(recorder: Recorder, position: int) -> dict[str, Any]:
    """Give what is written of one log."""
    courses = {
        " ".join(place): {
            aspect: [f"{step.position} {step.value}" for step in steps]
            for aspect, steps in aspects.items()
        }
        for place, aspects in recorder.places().items()
    }
    return {"courses": courses, "position": position}


def _read(raw: dict[str, Any]) -> Expectation:
    courses = {
        _place(name): {aspect: [_step(text) for text in steps] for aspect, steps in aspects.items()}
        for name, aspects in raw["courses"].items()
    }
    return Expectation(courses, int(raw["position"]))


def _place(text: str) -> Place:
    cluster, _, name = text.rpartition(" ")
    return cluster, name


def _step(text: str) -> Step:
    position, _, value = text.partition(" ")
    return Step(int(position), value)
