"""Recorders: who else than a controller may have recorded a log, in words.

Such a log holds facts alone: `SessionStarted` names its `recorder`, and nothing is decided in it.
"""

RECORD = "record"  # `warmlog record`, which looks on itself; all others are imported

_RECORDED = {
    "kubectl": "recorded with kubectl, imported by warmlog {}",
    "audit": "taken from an audit log, imported by warmlog {}",
    RECORD: "recorded without a controller by warmlog {}",
}


def recorded_words(recorder: str, version: str) -> str:
    """Say who recorded a session; no `recorder` is a controller of that version."""
    return _RECORDED.get(recorder, "recorded by warmlog {}").format(version)
