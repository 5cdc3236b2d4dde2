"""Contents: what a row says, read out of its text; folding needs no more of the text than this.

Whoever folds one row many times reads it once. What is read is never changed by folding.
"""

from typing import Any, NamedTuple

from engine.canonical_json import loads
from engine.events import Event, Subject
from machines.levels import LEVEL_BY_KIND

KIND_BY_TYPE = {f"{kind}Seen": kind for kind in LEVEL_BY_KIND}


class Content(NamedTuple):
    """What a row is about, and its data; a level that was seen is one already."""

    subject: Subject
    data: dict[str, Any]


def content_of(event: Event) -> Content:
    """Read a row. Raises what reading its text, or its level, raises."""
    subject, data = Subject.parse(event.subject), loads(event.data)
    if event.type in KIND_BY_TYPE:
        data["level"] = LEVEL_BY_KIND[subject.kind].from_json(data["level"])
    return Content(subject, data)
