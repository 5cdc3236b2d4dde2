"""Recordings: logs opened to be read by a command, which says how far it is and what it met."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from adapters.cli.counters import Counter
from adapters.cli.exit_codes import ExitCode
from adapters.cli.problems import Misuse, complain
from adapters.code_digests import code_digest, code_version
from engine.canonical_json import loads
from engine.errors import LogTruncated
from engine.events import Event
from engine.logs import EventReader, LogIdentity
from engine.replaying import Moment
from machines.recorders import RECORD, recorded_by

if TYPE_CHECKING:
    from adapters.store.concerning import Names  # a command imports itself alone
    from adapters.store.credentials import Credentials
    from adapters.store.opening import OpenReader
    from adapters.store.sifting import Part

MOST_ROWS = 1000
"""How many rows of a log are held at once."""
_MOST_ROWS = "WARMLOG_READ_ROWS"  # another number of them: rows may be as large as 1 MiB
TOKEN_FILE, CA_FILE = "WARMLOG_TOKEN_FILE", "WARMLOG_CA_FILE"  # for a controller's address
_DIGITS = 6  # of the largest number of rows
_SHORT = 8  # digits of a digest that people compare

Result = TypeVar("Result")


class Session(NamedTuple):
    """Who wrote a part of the log."""

    version: str
    code_digest: str
    recorder: str = ""  # who recorded it, if no controller: `machines.recorders`

    def __str__(self) -> str:
        """Give the version, and enough of the digest to tell two builds apart."""
        return f"{self.version} (code {self.code_digest[:_SHORT]})"


class Recording:
    """A reader (engine.logs.EventReader) that takes note of sessions, and survives a cut."""

    def __init__(self, reader: EventReader, place: str, most_rows: int = MOST_ROWS) -> None:
        """Read through `reader` the log that people call `place`, so many rows at once at most."""
        self.place = place
        self.cut: LogTruncated | None = None
        self.sessions: dict[Session, None] = {}
        self.rows = 0  # read last
        self.position = 0  # of the last of them
        self._reader = reader
        self.most_rows = most_rows

    async def identify(self) -> LogIdentity:
        """Say which log this is."""
        return await self._reader.identify()

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = MOST_ROWS
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows up to `until`, or up to where the file is cut."""
        batch_rows = min(batch_rows, self.most_rows)
        identity = await self.identify()
        self.rows, self.position = 0, after
        total = identity.position if until is None else until
        with Counter("reading the log", total) as counter:
            try:
                async for batch in self._reader.read(after, until, batch_rows=batch_rows):
                    for event in batch:
                        if event.type == "SessionStarted":
                            self._note(event)
                    self.rows += len(batch)
                    self.position = batch[-1].seq
                    counter.show(self.rows)
                    yield batch
            except LogTruncated as error:
                self.note_cut(error)

    def note_cut(self, error: LogTruncated) -> None:
        """Take note of where the log is cut."""
        self.cut = error

    async def sifted(self, names: "Names | None", moment: Moment) -> "Part | None":
        """Give the rows that can have to do with objects of a name, or else with any, at a moment.

        What they tell of sessions is noted here as well. None where all rows have to be read.
        """
        from adapters.store.concerning import sifted

        part = await sifted(self._reader, names, moment)
        if part is None:
            return None
        return part._replace(reader=_Part(part.reader, self))

    @property
    def other_code(self) -> tuple[Session, ...]:
        """Give the sessions that other code than this wrote, oldest first."""
        return tuple(each for each in self.sessions if each.code_digest != code_digest())

    @property
    def is_foreign(self) -> bool:
        """Say whether no controller recorded any of what was read: there are facts alone."""
        return bool(self.sessions) and all(each.recorder for each in self.sessions)

    @property
    def recorded_by(self) -> str:
        """Say in words who recorded it."""
        return recorded_by((each.recorder, each.version) for each in self.sessions)

    def close_account(self, shown: str = "shown") -> ExitCode:
        """Say on stderr who recorded it, if not this code, and where it is cut; give the code."""
        if self.other_code:
            by = " and ".join(map(str, self.other_code))
            here = Session(code_version(), code_digest())
            imported = all(each.recorder not in {"", RECORD} for each in self.sessions)
            made = "imported" if imported else "recorded"
            complain(f"{made} by {by}, {shown} by {here}")
        if self.cut is None:
            return ExitCode.OK
        complain(str(self.cut))
        return ExitCode.LOG_CUT

    def _note(self, event: Event) -> None:
        data = loads(event.data)
        told = (str(data.get("version")), str(data.get("code_digest")))
        self.sessions[Session(*told, str(data.get("recorder", "")))] = None


class _Part(Recording):
    """A part of a recording: what it tells of sessions and of a cut is told of the whole."""

    def __init__(self, reader: EventReader, whole: Recording) -> None:
        super().__init__(reader, whole.place, whole.most_rows)
        self._whole = whole
        self.sessions = whole.sessions

    def note_cut(self, error: LogTruncated) -> None:
        """Take note of where the whole is cut."""
        super().note_cut(error)
        self._whole.note_cut(error)


@asynccontextmanager
async def recording(location: str) -> AsyncIterator[Recording]:
    """Open the log at `location` to read it. Raises LogUnreadable, LogUnavailable, Misuse."""
    from adapters.store.locations import parse_location

    most_rows = _most_rows(os.environ.get(_MOST_ROWS, ""))
    reader = await open_reader(location)
    try:
        yield Recording(reader, parse_location(location).name, most_rows)
    finally:
        await reader.close()


async def open_reader(location: str, given: "Credentials | None" = None) -> "OpenReader":
    """Open a log to read it, a controller's with the credentials given or of the environment.

    Raises LogUnreadable, LogUnavailable.
    """
    from adapters.store.opening import open_to_read

    return await open_to_read(location, given or credentials())


def credentials(token_file: Path | None = None, ca_file: Path | None = None) -> "Credentials":
    """Give what a controller is asked with; the environment has what is not given."""
    from adapters.store.credentials import Credentials

    return Credentials(token_file or _named_in(TOKEN_FILE), ca_file or _named_in(CA_FILE))


def _named_in(variable: str) -> Path | None:
    text = os.environ.get(variable, "")
    return Path(text) if text else None


def _most_rows(text: str) -> int:
    if not text:
        return MOST_ROWS
    if not text.isascii() or not text.isdigit() or not 1 <= len(text) <= _DIGITS or not int(text):
        raise Misuse(f"{_MOST_ROWS}={text!r} is no number of rows: write {MOST_ROWS}, or 1.")
    return int(text)


def run(work: Coroutine[Any, Any, Result]) -> Result:
    """Run a command's work to its end."""
    return asyncio.run(work)
