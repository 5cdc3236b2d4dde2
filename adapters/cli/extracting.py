"""Extracts for `warmlog export`: one object's story, or what came since a moment, as a small log.

What is left out must not change what is shown: the extract is folded, and if the phases are not
those of the whole log, in their order and at their times, more of it is kept.
"""

import hashlib
from array import array
from bisect import bisect_right
from itertools import product
from typing import NamedTuple

from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Problem, complain
from adapters.cli.recordings import Recording
from adapters.explaining.references import Reference, listed
from adapters.store.extracts import Extract
from engine.events import Event
from engine.logs import EventReader
from engine.replaying import END, Moment, replay
from machines.courses import Recorder
from machines.domain import WARMLOG
from machines.extracting import PASSING, Prefix, Selection, Ties
from machines.states import State

_DIGITS = 8  # of the digest that tells extracts of one log apart


class Wanted(NamedTuple):
    """What is to be kept: the story of an object, or of all, from a moment on."""

    reference: Reference | None
    since: Moment  # END: from the beginning


class Told(NamedTuple):
    """A step of an object, as whole and extract must tell it alike."""

    at: int
    cluster: str
    name: str  # kind/namespace/name
    uid: str
    aspect: str
    value: str


class Story:
    """The steps that a log tells of, as far as they are wanted."""

    def __init__(self, wanted: Wanted, ties: Ties | None = None) -> None:
        """Begin before the first row; what the rows say of whose things are goes to `ties`."""
        self.told: list[Told] = []
        self.pivotal: set[int] = set()  # positions of rows by which anything made a step
        self.before = 0  # position of the last row before the moment
        self._wanted = wanted
        self._ties = ties
        self._recorder = Recorder()

    def look(self, state: State, event: Event) -> bool:
        """Take in a row that was just folded; the end is not here."""
        if self._ties is not None:
            self._ties.note(event, state)
        is_before = self._is_before(event)
        if is_before:
            self.before = event.seq
        reference = self._wanted.reference
        for new in self._recorder.take(state, event):
            self.pivotal.add(event.seq)
            wanted = reference is None or new.place[1] == "/".join(reference)
            if wanted and not is_before:
                self.told.append(Told(event.at, *new.place, new.uid, new.aspect, new.step.value))
        WARMLOG.rest(state)
        return False

    def _is_before(self, event: Event) -> bool:
        since = self._wanted.since
        if since.position is not None:
            return event.seq < since.position
        return since.at is not None and event.at < since.at


async def extract(source: Recording, wanted: Wanted) -> EventReader:
    """Give the smallest extract that tells the same. Raises Problem for an object not there."""
    name = wanted.reference or Reference("", "", "")
    ties = Ties(name)
    story = Story(wanted, ties)
    await replay(WARMLOG, source, look=story.look)
    if wanted.reference is not None and not ties.found:
        raise Problem(ExitCode.NOT_FOUND, _not_there(source, wanted.reference, ties))
    for every_place, passing in product((False, True), (*PASSING, ())):
        selection = Selection(name, ties, every_place=every_place) if wanted.reference else None
        prefix = Prefix(story.pivotal, passing)
        found = await _select(source, selection, prefix, story.before)
        begun = bisect_right(found.kept, story.before) + 1
        told = Story(Wanted(wanted.reference, Moment(begun) if story.before else END))
        await replay(WARMLOG, found, look=told.look)
        if told.told == story.told:
            return found
    complain("nothing can be left out without changing what is shown: every row is kept")
    return source


async def _select(
    source: Recording, selection: Selection | None, prefix: Prefix, before: int
) -> Extract:
    """Make the extract of what is selected, and of the rows up to `before` what still counts."""
    facts, rest = array("q"), array("q")
    async for batch in source.read():
        for event in batch:
            if selection is not None:
                selection.note(event)
            if event.seq <= before:
                prefix.note(event)
            else:
                rest.append(event.seq)
            if not WARMLOG.is_decision(event.type):
                facts.append(event.seq)
    kept = {*prefix.kept(), *rest}
    if selection is not None:
        kept.intersection_update(selection.kept())
    order = array("q", sorted(kept))
    identity = await source.identify()
    digest = hashlib.sha256(order.tobytes()).hexdigest()[:_DIGITS]
    log_id = f"{identity.log_id}-{digest}"
    return Extract(source, log_id, order, [seq for seq in facts if seq in kept])


def _not_there(source: Recording, wanted: Reference, ties: Ties) -> str:
    known = [Reference(*name) for name in ties.known()]
    instead = f"it holds {listed(known)}" if known else "it holds no object at all"
    return f"The log {source.place} holds no {wanted}: {instead}."
