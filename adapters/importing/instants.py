"""Instants: when an object was as it is shown, as far as Kubernetes' own times in it tell."""

from collections.abc import Iterator
from typing import Any

from adapters.kubernetes.fields import integer, mapping, mappings, text
from engine.instants import SECOND, parse_rfc3339

# Below `status`: fields that say when something happened. None of them lies in the future.
_HAPPENED = frozenset(
    {
        "lastTransitionTime", "lastUpdateTime", "lastProbeTime", "lastHeartbeatTime",
        "startTime", "completionTime", "startedAt", "finishedAt",
    }
)  # fmt: skip
_OF_EVENTS = ("eventTime", "firstTimestamp", "lastTimestamp", "deprecatedLastTimestamp")
_LATEST = 2**63 - 1  # nanoseconds: what a log can hold
_MOST_DEEP = 12  # levels of a status that are looked at


def newest_instant(raw: dict[str, Any]) -> int:
    """Give the newest time in a raw object, UTC nanoseconds; 0 when it holds none.

    A deletion's time is when the object may go, so the grace it was given is taken off.
    """
    metadata = mapping(raw.get("metadata"))
    grace = max(integer(metadata.get("deletionGracePeriodSeconds")) or 0, 0)
    told = [
        instant_of(metadata.get("creationTimestamp")),
        instant_of(metadata.get("deletionTimestamp")) - grace * SECOND,
        *(instant_of(entry.get("time")) for entry in mappings(metadata.get("managedFields"))),
        *(instant_of(each) for each in _happened(raw.get("status"))),
        *(instant_of(raw.get(name)) for name in _OF_EVENTS),
        instant_of(mapping(raw.get("series")).get("lastObservedTime")),
    ]
    return max(told)


def instant_of(value: Any) -> int:
    """Read an RFC 3339 time as UTC nanoseconds; 0 for what is none, or not of a log's years."""
    try:
        instant = parse_rfc3339(text(value))
    except ValueError:
        return 0
    return instant if 0 <= instant <= _LATEST else 0


def _happened(status: Any) -> Iterator[Any]:
    layer = [status]
    for _ in range(_MOST_DEEP):
        inner: list[Any] = []
        for value in layer:
            if isinstance(value, dict):
                yield from (each for name, each in value.items() if name in _HAPPENED)
                inner += (each for each in value.values() if isinstance(each, dict | list))
            elif isinstance(value, list):
                inner += (each for each in value if isinstance(each, dict | list))
        layer = inner
