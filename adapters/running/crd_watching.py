"""Watching the served CRD: what it lacks is told in the output, on `/readyz`, and in one Event."""

from collections.abc import Callable

import structlog

from adapters.kubernetes.announcing import Announcement
from adapters.kubernetes.crd_checking import check_crd
from adapters.kubernetes.kinds import DEFINITION, MODEL_WARMUP
from adapters.kubernetes.timing import Timer
from adapters.ports import Api
from engine.events import Subject
from machines.statuses import STATUS_PATHS

CRD_SECONDS = 10.0  # between two looks at a CRD that lacks something

_log = structlog.get_logger("warmlog")


async def watch_crd(
    api: Api,
    tell: Callable[[str], None],
    announce: Callable[[Announcement], None],
    timer: Timer,
    *,
    clock: Callable[[], int],
    timeout_seconds: float,
) -> None:
    """Look until nothing is lacking; `tell` is given the words of each look, "" when all is well.

    `clock` gives UTC nanoseconds.

    The same lack is announced once: an Event about it keeps its name over restarts.
    """
    told = ""
    while True:
        words = await check_crd(api, STATUS_PATHS, timeout_seconds=timeout_seconds)
        tell(words)
        if words and words != told:
            _log.warning(words)
            announce(_announcement(words, clock()))
        told = words
        if not words:
            return
        await timer.sleep(CRD_SECONDS)


def _announcement(words: str, at: int) -> Announcement:
    subject = Subject(DEFINITION.name, "", MODEL_WARMUP.resource, "")
    return Announcement(subject, "Warning", "SchemaLacksFields", words, at, 0, "Check")
