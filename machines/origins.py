"""Origins: of which object a status is, and of which log and moment, as it says itself."""

from typing import Any, TypeGuard

_FIELD = "warmlog"


def origin(uid: str, log_id: str, position: int) -> dict[str, Any]:
    """Give what every status of ours bears."""
    return {_FIELD: {"uid": uid, "log": log_id, "position": position}}


def is_of(uid: str, status: Any) -> TypeGuard[dict[str, Any]]:
    """Say whether a status is warmlog's own, and of this very object."""
    ours = status.get(_FIELD) if isinstance(status, dict) else None
    return isinstance(ours, dict) and ours.get("uid") == uid


def is_later(status: dict[str, Any], log_id: str, position: int) -> bool:
    """Say whether a status that bears an origin is of another log, or of a later position."""
    ours = status[_FIELD]
    told = ours.get("position")
    return bool(isinstance(told, int) and told > position) or ours.get("log") != log_id
