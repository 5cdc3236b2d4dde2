"""Serving caches and replicas: whether their kinds are there, and nobody else's.

Looked at until they are: definitions that are installed later need no restart. What is not served
is said in the output and on `/readyz`, and the other kinds go on. ModelReplicas are looked for
where ModelCaches and InferenceClusters are served; that there can be none is a fact for the log,
since no claim is let go of while a replica may hold on to it.
"""

from collections.abc import Awaitable, Callable

import structlog

from adapters.kubernetes.crd_checking import Unserved, caches_unserved, replicas_unserved
from adapters.kubernetes.kinds import MODEL_REPLICA
from adapters.kubernetes.timing import Timer
from adapters.ports import Api
from machines.observations import Observation, Unread

LOOK_SECONDS = 10.0

Sink = Callable[[tuple[Observation, ...]], Awaitable[None]]

_log = structlog.get_logger("warmlog")


async def await_caches(
    api: Api,
    tell: Callable[[str], None],
    timer: Timer,
    *,
    timeout_seconds: float,
    believes: bool = False,
) -> None:
    """Look until they are served; `tell` is given the words of each look, "" when they are.

    With `believes` they are taken to be served while nobody says that they are not.
    """

    async def look() -> str:
        unserved = await caches_unserved(api, timeout_seconds=timeout_seconds)
        return _words(unserved, believes=believes)

    await _await_served(look, tell, timer)


async def await_replicas(
    api: Api,
    tell: Callable[[str], None],
    sink: Sink,
    timer: Timer,
    *,
    timeout_seconds: float,
    believes: bool = False,
) -> None:
    """Look until they are served; `sink` is given the fact that they are not, when that is sure."""

    async def look() -> str:
        unserved = await replicas_unserved(api, timeout_seconds=timeout_seconds)
        await sink(unserved_facts(api.cluster, unserved))
        return _words(unserved, believes=believes)

    await _await_served(look, tell, timer)


def _words(unserved: Unserved | None, *, believes: bool) -> str:
    if unserved is None or (believes and not unserved.certain):
        return ""
    return unserved.words


def unserved_facts(home: str, unserved: Unserved | None) -> tuple[Observation, ...]:
    """Give what a look at the definition of ModelReplicas has to say to the log."""
    if unserved is None or not unserved.certain:
        return ()
    return (Unread(home, MODEL_REPLICA.name, unserved.words, served=False),)


async def _await_served(
    look: Callable[[], Awaitable[str]], tell: Callable[[str], None], timer: Timer
) -> None:
    told = ""
    while True:
        words = await look()
        tell(words)
        if not words:
            return
        if words != told:
            _log.warning(words)
        told = words
        await timer.sleep(LOOK_SECONDS)
