"""Watching served CRDs: what one lacks is told in the output, on `/readyz`, and in one Event."""

from collections.abc import Callable
from typing import NamedTuple

import structlog

from adapters.kubernetes.announcing import Announcement
from adapters.kubernetes.crd_checking import check_crd, compare_crd
from adapters.kubernetes.kinds import (
    DEFINITION,
    INFERENCE_CLUSTER,
    MODEL_CACHE,
    MODEL_REPLICA,
    MODEL_WARMUP,
    Kind,
)
from adapters.kubernetes.timing import Timer
from adapters.ports import Api
from engine.events import Subject
from machines.caches.statuses import CACHE_STATUS_PATHS, CLUSTER_STATUS_PATHS
from machines.replicas.statuses import REPLICA_STATUS_PATHS
from machines.statuses import STATUS_PATHS

CRD_SECONDS = 10.0  # between two looks at a CRD that lacks something

_log = structlog.get_logger("warmlog")


class Projected(NamedTuple):
    """A kind whose status is written, and every field of it."""

    kind: Kind
    status_paths: tuple[str, ...]
    is_optional: bool = False  # that it is not served is told where that matters


PROJECTED = (
    Projected(MODEL_WARMUP, STATUS_PATHS),
    Projected(MODEL_CACHE, CACHE_STATUS_PATHS, is_optional=True),
    Projected(INFERENCE_CLUSTER, CLUSTER_STATUS_PATHS, is_optional=True),
    Projected(MODEL_REPLICA, REPLICA_STATUS_PATHS, is_optional=True),
)


async def watch_crd(
    api: Api,
    projected: Projected,
    tell: Callable[[str], None],
    announce: Callable[[str], None],
    timer: Timer,
    *,
    timeout_seconds: float,
) -> None:
    """Look until nothing is lacking; `tell` is given the words of each look, "" when all is well.

    `announce` is given the words of each lack once.
    """
    kind, paths, is_optional = projected
    look = compare_crd if is_optional else check_crd
    told = ""
    while True:
        words = await look(api, paths, timeout_seconds=timeout_seconds, kind=kind)
        tell(words or "")
        if words and words != told:
            _log.warning(words)
            announce(words)
        told = words or ""
        if words == "":
            return
        await timer.sleep(CRD_SECONDS)


def lack_announcement(kind: Kind, words: str, at: int) -> Announcement:
    """Give the Event about a lack; it keeps its name over restarts."""
    subject = Subject(DEFINITION.name, "", kind.resource, "")
    return Announcement(subject, "Warning", "SchemaLacksFields", words, at, 0, "Check")
