"""Opening the log of a controller: what can heal by itself is waited for, the rest is said."""

import asyncio

import structlog

from adapters.running.health import ControllerHealth
from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from engine.errors import LogUnavailable

RETRY_SECONDS = 2.0

_log = structlog.get_logger(__name__)


async def open_patiently(location: str, health: ControllerHealth) -> SqlLog:
    """Open the log, made when it is missing; a store that does not answer is tried again.

    Raises LogUnreadable for what only a person can mend.
    """
    while True:
        try:
            return await open_log(location, create=True)
        except LogUnavailable as error:
            health.waiting_for = str(error)
            _log.error("the log cannot be opened yet", words=str(error))
            await asyncio.sleep(RETRY_SECONDS)
