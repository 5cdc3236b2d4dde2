"""Tailing: a log's rows as they come, also when the log is away for a while or is replaced.

For who only looks on: a controller that loses its log has other things to do.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import NamedTuple

from adapters.store.opening import OpenReader
from engine.errors import LogForbidden, LogTruncated, WarmlogError
from engine.events import Event
from engine.logs import LogIdentity

POLL_SECONDS = 0.5
"""How long rows of others may go unseen."""
RETRY_SECONDS = 1.0
"""How long after a failure the log is opened again."""

Opening = Callable[[], Awaitable[OpenReader]]
Sleep = Callable[[float], Awaitable[None]]


class Begun(NamedTuple):
    """A log is read from its first row on; what was read of another one is void."""

    identity: LogIdentity


class Rows(NamedTuple):
    """Rows that follow those given before, and where the log ended when they were read."""

    events: Sequence[Event]
    identity: LogIdentity


class Rested(NamedTuple):
    """All that there is was given; `words` say if a row is not whole."""

    identity: LogIdentity
    words: str


class Lost(NamedTuple):
    """The log cannot be read now, in words; it is tried again."""

    words: str


News = Begun | Rows | Rested | Lost


async def tail(opening: Opening, sleep: Sleep) -> AsyncGenerator[News, None]:
    """Give what a log holds and what is appended to it, for ever.

    Raises WarmlogError while it was never read: then it is the place that is wrong. Raises
    LogForbidden at any time.
    """
    known, after = "", 0
    while True:
        try:
            async with await opening() as reader:
                while True:
                    identity, words = await reader.identify(), ""
                    if identity.log_id != known or identity.position < after:
                        known, after = identity.log_id, 0
                        yield Begun(identity)
                    try:
                        async for batch in reader.read(after):
                            after = batch[-1].seq
                            yield Rows(batch, identity)
                    except LogTruncated as error:
                        words = str(error)
                    yield Rested(identity, words)
                    await sleep(POLL_SECONDS)
        except WarmlogError as error:
            if not known or isinstance(error, LogForbidden):
                raise
            yield Lost(str(error))
        await sleep(RETRY_SECONDS)
