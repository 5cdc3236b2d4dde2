"""Writing: the only way into the log and the state of a running controller.

A batch of observations becomes rows, the rows are folded and decided upon, and facts and decisions
are appended in one transaction. Until that is durable nothing is acted upon and no status is
projected: between `fold_in` and `flush` the state is ahead of the log, and nobody looks at it.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

from engine.canonical_json import dumps
from engine.errors import Fenced, LogUnavailable
from engine.events import Draft, Event, Subject
from engine.logs import EventLog
from engine.replaying import Replayed, replay
from engine.stepping import Cursor, Domain, step
from machines.caches.settings import CachingSettings
from machines.domain import WARMLOG
from machines.ingesting import ingest
from machines.observations import Observation
from machines.states import State

Fold = Callable[[], Awaitable[Replayed[State]]]

SESSION = Subject("Session", "", "", "")


class Identity(NamedTuple):
    """Who writes: recorded once per start."""

    version: str
    code_digest: str  # sha256 hex of what folds and decides
    settings_digest: str  # sha256 hex of the settings, where the log lies left out
    caching: CachingSettings | None = None  # what decides about caches; None: as it is by default
    recorder: str = ""  # what else than a controller writes it

    def to_json(self) -> dict[str, Any]:
        """Give the shape in the log."""
        data = self._asdict()
        del data["caching"], data["recorder"]
        if self.caching is not None:
            data["caching"] = self.caching.to_json()
        return {**data, "recorder": self.recorder} if self.recorder else data

    def draft(self) -> Draft:
        """Give the row with which a term begins."""
        return Draft("", str(SESSION), "SessionStarted", 1, dumps(self.to_json()))


class Writer:
    """A term of one writer. Not safe for use by two tasks at once."""

    def __init__(
        self, log: EventLog, state: State, cursor: Cursor, domain: Domain[State] = WARMLOG
    ) -> None:
        """Go on from `cursor`; use `open_writer` to begin a term. `domain` decides, or does not."""
        self.state = state
        self.cursor = cursor
        self._log = log
        self._domain = domain
        self._unsent: tuple[Event, ...] = ()

    @property
    def unsent_rows(self) -> int:
        """How many rows are folded but not durable, because the store could not take them."""
        return len(self._unsent)

    def fold_in(self, observations: Sequence[Observation], clock: int) -> None:
        """Fold and decide; the rows wait for `flush`. `clock` is UTC nanoseconds."""
        drafts = ingest(self.state, observations, clock)
        self.state, made = step(self._domain, self.state, self.cursor, drafts, clock)
        self.cursor = made.cursor
        self._unsent += made.events

    async def flush(self) -> tuple[Event, ...]:
        """Append the rows that are folded; give them, durable, to be acted upon.

        Raises LogUnavailable (LogFull) when the store cannot take them now: they are kept for the
        next call. Raises Fenced or PositionTaken when this term is over.
        """
        if not self._unsent:
            return ()
        sending = self._unsent
        await self._log.append(self.cursor.epoch, sending[0].seq - 1, sending)
        self._unsent = self._unsent[len(sending) :]
        return sending


async def open_writer(
    log: EventLog,
    identity: Identity,
    clock: int,
    fold_all: Fold | None = None,
    domain: Domain[State] = WARMLOG,
) -> Writer:
    """Fold the log (by `fold_all`, when given), and begin a new term with `SessionStarted`.

    The log is read first: who cannot read it must not take it from the writer who can.
    Raises LogUnavailable, LogUnreadable, and Fenced when another writer took over meanwhile.
    """
    before = await (fold_all() if fold_all else replay(domain, log))
    opened = await log.open_epoch(identity.draft(), clock)
    replayed = await replay(domain, log, start=before)
    if replayed.cursor.epoch > opened.epoch:
        msg = "another writer took over while the log was read; a new start takes over from it"
        raise Fenced(msg)
    if replayed.cursor.position != opened.event.seq:
        msg = f"the log was read to {replayed.cursor.position} only: it is tried again"
        raise LogUnavailable(msg)
    cursor = replayed.cursor._replace(epoch=opened.epoch)
    return Writer(log, replayed.state, cursor, domain)
