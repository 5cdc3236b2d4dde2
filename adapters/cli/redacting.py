"""Redacted logs for `warmlog export --redact`: what may be shown, and shows the same phases."""

import hashlib
from collections.abc import Callable, Iterable

from adapters.cli.exit_codes import ExitCode
from adapters.cli.extracting import Story, Told, Wanted
from adapters.cli.problems import Problem
from adapters.store.extracts import Rewritten
from engine.canonical_json import dumps
from engine.events import Event
from engine.logs import EventReader
from engine.replaying import END, replay
from machines.domain import WARMLOG
from machines.redacting import Redaction

_DIGITS = 32


async def redacted(source: EventReader) -> EventReader:
    """Give a log with its names replaced. Raises Problem when it would not show the same."""
    key = await _key(source)
    redaction = Redaction(key)
    await _each(source, redaction.relate)
    await _each(source, Comparison(redaction).take)
    await _each(source, redaction.learn)
    log_id = f"redacted-{hashlib.sha256(key).hexdigest()[:_DIGITS]}"
    found = Rewritten(source, log_id, redaction.redact)
    if _shown(await _told(found)) != _shown(await _told(source)):
        raise Problem(
            ExitCode.DIFFERENT,
            "Redacted, this log would not show the same phases, so nothing is written: try "
            "--object for the story of one object, or export it without --redact.",
        )
    return found


class Comparison:
    """Folds the rows as they are and as they are shown, side by side, for a redaction."""

    def __init__(self, redaction: Redaction) -> None:
        """Begin before the first row."""
        self._redaction = redaction
        self._whole, self._shown = WARMLOG.initial(""), WARMLOG.initial("")

    def take(self, event: Event) -> None:
        """Take in the next row."""
        self._redaction.compare(self._whole, self._shown, event)
        self._whole = WARMLOG.fold(self._whole, event)
        self._shown = WARMLOG.fold(self._shown, self._redaction.redact(event))
        WARMLOG.rest(self._whole)
        WARMLOG.rest(self._shown)


async def _each(source: EventReader, take: Callable[[Event], None]) -> None:
    async for batch in source.read():
        for event in batch:
            take(event)


async def _key(source: EventReader) -> bytes:
    """Derive the key from what nobody has who sees the redacted log alone."""
    identity = await source.identify()
    async for batch in source.read(until=1):
        return hashlib.sha256(dumps([identity.log_id, *batch[0]]).encode("ascii")).digest()
    return hashlib.sha256(identity.log_id.encode()).digest()


async def _told(log: EventReader) -> list[Told]:
    story = Story(Wanted(None, END))
    await replay(WARMLOG, log, look=story.look)
    return story.told


def _shown(told: Iterable[Told]) -> list[tuple[object, ...]]:
    """Give what must be the same: everything but the names, and the order that they are in."""
    return sorted(
        (one.at, one.uid, one.aspect.partition(" ")[0], _without_claim(one)) for one in told
    )


def _without_claim(one: Told) -> str:
    """Give what an aspect became, without the name of a claim."""
    if one.aspect == "mount":
        return "kept"
    of_cluster = one.aspect.startswith("cluster ")
    return one.value.partition(":")[0] if of_cluster else one.value
