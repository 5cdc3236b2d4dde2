"""Stories: what happened in one world, as data that goes to JSON and back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engine.canonical_json import dumps


class Step(NamedTuple):
    """One deed of a story."""

    deed: str
    arguments: Mapping[str, Any]  # as JSON has them


@dataclass(frozen=True)
class Story:
    """How a world began, and what was done in it, in order."""

    world: str  # its sort, a key of WORLDS
    seed: int | None  # that it was drawn from; None when it was found otherwise
    opening: Mapping[str, Any]  # the arguments of the beginning, as JSON has them
    deeds: tuple[Step, ...]

    def with_deeds(self, deeds: tuple[Step, ...]) -> "Story":
        """Give the same story with other deeds."""
        return replace(self, deeds=deeds)

    def with_opening(self, opening: Mapping[str, Any]) -> "Story":
        """Give the same story with another beginning."""
        return replace(self, opening=opening)


def to_json(story: Story) -> str:
    """Write a story, each deed on a line of its own."""
    head = {"opening": story.opening, "seed": story.seed, "world": story.world}
    deeds = ",\n".join(dumps([step.deed, step.arguments]) for step in story.deeds)
    return f'{{"deeds":[\n{deeds}\n],\n{dumps(head)[1:]}\n'


def from_json(text: str) -> Story:
    """Read what `to_json` wrote."""
    told = json.loads(text)  # numbers as Python has them: what was drawn is found again
    deeds = tuple(Step(deed, arguments) for deed, arguments in told["deeds"])
    return Story(told["world"], told["seed"], told["opening"], deeds)
