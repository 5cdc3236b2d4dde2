"""Condition rows: conditions without their times, and how they are published with them."""

from typing import Any, NamedTuple

from engine.instants import rfc3339
from machines.showing import CONDITION_BYTES, cut_to_bytes


class Row(NamedTuple):
    """One condition, without its time."""

    type: str
    status: str  # True or False
    reason: str
    message: str = ""


def turned(rows: list[Row], times: dict[str, tuple[str, int]], at: int) -> dict[str, Any]:
    """Give since when each condition has its status: `at` for those that have another than before.

    Called whenever an object has been settled, with its `condition_times`, to become the new ones.
    """
    return {
        row.type: times[row.type] if times.get(row.type, ("", 0))[0] == row.status
        else (row.status, at)
        for row in rows
    }  # fmt: skip


def faces(rows: list[Row]) -> tuple[tuple[str, ...], ...]:
    """Give what decides the bytes of `published`; a time is another only with its status."""
    return tuple(
        (row.type, row.status, row.reason, cut_to_bytes(row.message, CONDITION_BYTES))
        for row in rows
    )


def published(
    rows: list[Row], times: dict[str, tuple[str, int]], generation: int
) -> list[dict[str, Any]]:
    """Give conditions as a status has them, with the times that `turned` gave."""
    return [
        {
            "type": row.type,
            "status": row.status,
            "reason": row.reason,
            "message": cut_to_bytes(row.message, CONDITION_BYTES),
            "lastTransitionTime": rfc3339(times.get(row.type, ("", 0))[1]),
            "observedGeneration": generation,
        }
        for row in rows
    ]


def contested_row(manager: str) -> Row:
    """Give the condition of an object whose status somebody else keeps writing."""
    return Row("Contested", "True", "StatusEdited", contested_text(manager))


def contested_text(manager: str) -> str:
    """Say that somebody keeps writing a status, and what is done about it."""
    return f"{manager} keeps writing this status; it is written back once a minute"
