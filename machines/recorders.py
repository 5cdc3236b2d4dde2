"""Recorders: who recorded a log: a controller, or who else, in words.

What no controller recorded holds facts alone: `SessionStarted` names its `recorder`, and nothing
is decided in it.
"""

from collections.abc import Iterable

from engine.canonical_json import loads
from engine.events import Event

RECORD = "record"  # `warmlog record`, which looks on itself; all others are imported

_RECORDED = {
    "kubectl": "recorded with kubectl, imported by warmlog {}",
    "audit": "taken from an audit log, imported by warmlog {}",
    RECORD: "recorded without a controller by warmlog {}",
}


class Recorders:
    """Who recorded the rows that were folded so far."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._sessions: dict[tuple[str, str], None] = {}  # recorder and version

    def note(self, event: Event) -> None:
        """Take in a row."""
        if event.type == "SessionStarted":
            data = loads(event.data)
            told = str(data.get("recorder", "")), str(data.get("version"))
            self._sessions[told] = None

    @property
    def words(self) -> str:
        """Say who it was."""
        return recorded_by(self._sessions)

    @property
    def is_foreign(self) -> bool:
        """Say whether no controller recorded any of it."""
        return bool(self._sessions) and all(recorder for recorder, _ in self._sessions)


def recorded_by(sessions: Iterable[tuple[str, str]]) -> str:
    """Say who recorded sessions, each given by its recorder and version."""
    found = tuple(sessions)
    if not any(recorder for recorder, _ in found):
        versions = dict.fromkeys(version for _, version in found)
        return f"recorded by warmlog {' and '.join(versions)}"
    by = " and ".join(dict.fromkeys(recorded_words(*session) for session in found))
    return f"{by}; what it says is to come, a controller would do"


def recorded_words(recorder: str, version: str) -> str:
    """Say who recorded a session; no `recorder` is a controller of that version."""
    return _RECORDED.get(recorder, "recorded by warmlog {}").format(version)
