"""Opening the log of a controller: what can heal by itself is waited for, the rest is said."""

from collections.abc import Callable

import structlog

from adapters.kubernetes.timing import SystemTimer, Timer
from adapters.kubernetes.vaults import SecretVault
from adapters.running.health import ControllerHealth
from adapters.running.writing import Fold, Identity, Writer, open_writer
from adapters.store.databases import SqlLog
from adapters.store.opening import open_log
from engine.errors import LogUnavailable
from engine.logs import EventLog

RETRY_SECONDS = 2.0

_log = structlog.get_logger(__name__)


async def open_patiently(
    location: str, health: ControllerHealth, timer: Timer | None = None
) -> SqlLog:
    """Open the log, made when it is missing; a store that does not answer is tried again.

    Raises LogUnreadable for what only a person can mend.
    """
    while True:
        try:
            return await open_log(location, create=True)
        except LogUnavailable as error:
            await _wait(health, timer, "the log cannot be opened yet", error)


async def vault_patiently(
    log: EventLog, health: ControllerHealth, timer: Timer | None = None
) -> SecretVault:
    """Give a vault under the log's key; a store that goes away meanwhile is tried again."""
    while True:
        try:
            return SecretVault(await log.secret_key())
        except LogUnavailable as error:
            await _wait(health, timer, "the log's key cannot be read yet", error)


async def begin_patiently(
    log: EventLog,
    identity: Identity,
    health: ControllerHealth,
    *,
    clock: Callable[[], int],
    fold_all: Fold,
    timer: Timer | None = None,
) -> Writer:
    """Begin a term as `open_writer` does; a store that goes away meanwhile is tried again.

    Raises Fenced, LogUnreadable, EventMalformed.
    """
    while True:
        try:
            return await open_writer(log, identity, clock(), fold_all)
        except LogUnavailable as error:
            await _wait(health, timer, "the session cannot begin yet", error)


async def _wait(
    health: ControllerHealth, timer: Timer | None, said: str, error: LogUnavailable
) -> None:
    health.waiting_for = str(error)
    _log.error(said, words=str(error))
    await (timer or SystemTimer()).sleep(RETRY_SECONDS)
