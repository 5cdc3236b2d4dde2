"""Serving caches: whether ModelCaches and InferenceClusters are there, and nobody else's.

Looked at until they are: definitions that are installed later need no restart. What is not served
is said in the output and on `/readyz`, and the other kinds go on.
"""

from collections.abc import Callable

import structlog

from adapters.kubernetes.crd_checking import caches_served
from adapters.kubernetes.timing import Timer
from adapters.ports import Api

LOOK_SECONDS = 10.0

_log = structlog.get_logger("warmlog")


async def await_caches(
    api: Api, tell: Callable[[str], None], timer: Timer, *, timeout_seconds: float
) -> None:
    """Look until they are served; `tell` is given the words of each look, "" when they are."""
    told = ""
    while True:
        words = await caches_served(api, timeout_seconds=timeout_seconds)
        tell(words)
        if not words:
            return
        if words != told:
            _log.warning(words)
        told = words
        await timer.sleep(LOOK_SECONDS)
