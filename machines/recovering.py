"""Recovering: what a status from another log, or from AIBrix's own controller, still tells.

It comes from outside, so every field is taken only in the type and within the bounds that a status
of ours has: what is written again must be accepted again.
"""

from collections.abc import Iterator
from typing import Any

from engine.canonical_json import dumps
from engine.instants import parse_rfc3339, rfc3339
from machines.phases import PUBLISHED_TARGET_PHASES
from machines.showing import SHOWN_TARGETS, cut_to_bytes, share, shown_words
from machines.states import Recovered, Words

_LARGEST_COUNT = 2**31 - 1  # the schema's int32
_NAME_BYTES = 253  # of a Kubernetes name
_SHORT_BYTES = 64


def recovered_of(status: dict[str, Any]) -> Recovered:
    """Give what is kept of a terminal `.status`, raw JSON of any shape."""
    return Recovered(
        started_at=_time(status.get("startTime")),
        completed_at=_time(status.get("completionTime")),
        desired=_count(status.get("desiredNodes")),
        succeeded=_count(status.get("succeededNodes")),
        failed=_count(status.get("failedNodes")),
        skipped=_count(status.get("skippedNodes")),
        revision=_text(status.get("observedRevision"), _SHORT_BYTES),
        omitted=_count(status.get("omittedTargetDetails")),
        targets=dumps(list(_details(status.get("targets")))),
    )


def _details(raw: Any) -> Iterator[dict[str, Any]]:
    given = raw if isinstance(raw, list) else []
    named = [row for row in given if isinstance(row, dict) and isinstance(row.get("nodeName"), str)]
    size = share(len(named))
    for row in named[:SHOWN_TARGETS]:
        said = Words(_text(row.get("reason"), size), _text(row.get("message"), 2 * size))
        words = shown_words(said, size)
        fields = {
            "nodeName": _text(row["nodeName"], _NAME_BYTES),
            "source": _text(row.get("source"), _SHORT_BYTES),
            "revision": _text(row.get("revision"), _SHORT_BYTES),
            "jobName": _text(row.get("jobName"), _SHORT_BYTES),
            "reason": words.reason,
            "message": words.message,
            "lastTransitionTime": _time(row.get("lastTransitionTime")),
            "phase": row["phase"] if row.get("phase") in PUBLISHED_TARGET_PHASES else "",
            "sourceCount": _count(row.get("sourceCount")),
        }
        yield {name: value for name, value in fields.items() if value}


def _text(raw: Any, size: int) -> str:
    return cut_to_bytes(raw, size) if isinstance(raw, str) else ""


def _count(raw: Any) -> int:
    fits = isinstance(raw, int) and not isinstance(raw, bool) and 0 <= raw <= _LARGEST_COUNT
    return raw if fits else 0


def _time(raw: Any) -> str:
    try:
        return rfc3339(parse_rfc3339(raw))
    except (TypeError, ValueError, OverflowError):
        return ""
