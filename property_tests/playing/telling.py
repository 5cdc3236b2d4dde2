"""Telling: a story in plain words, one numbered line for each deed."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.events import Event
from property_tests.playing.deeds import Deed, deeds_of
from property_tests.playing.stories import Story
from property_tests.playing.worlds import WORLDS

WIDTH = 200  # of a line that tells a row


def tell_story(story: Story) -> str:
    """Tell what happened in a story."""
    deeds = deeds_of(WORLDS[story.world])
    lines = [_line(deeds["begin"], story.opening)]
    lines += [_line(deeds[step.deed], step.arguments) for step in story.deeds]
    return "\n".join(f"{number:3}. {line}" for number, line in enumerate(lines))


def _line(deed: Deed, arguments: Mapping[str, Any]) -> str:
    told = "; ".join(
        f"{name.replace('_', ' ')} {_value(arguments[name])}"
        for name in deed.choices
        if name in arguments
    )
    return f"{deed.words} ({told})" if told else deed.words


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case str():
            return value if value and value.replace("-", "").isalnum() else repr(value)
        case list():
            return "[" + ", ".join(map(_value, value)) + "]"
        case dict():
            return "{" + ", ".join(f"{name} {_value(one)}" for name, one in value.items()) + "}"
        case _:
            return str(value)


def tell_rows(rows: Sequence[Event]) -> str:
    """Tell the rows of logs, one line each, with the seconds since the first."""
    began = rows[0].at if rows else 0
    return "\n".join(
        f"{row.seq:5} +{(row.at - began) / 1e9:9.3f}s {row.cluster:9} {row.type:24} "
        f"{row.subject.rpartition('/')[0]} {row.data}"[:WIDTH]
        for row in rows
    )
