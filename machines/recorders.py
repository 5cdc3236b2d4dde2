"""Recorders: who else than a controller may have recorded a log, in words.

Such a log holds facts alone: `SessionStarted` names its `recorder`, and nothing is decided in it.
"""

RECORDED_BY = {
    "kubectl": "recorded with kubectl",
    "audit": "taken from an audit log",
    "record": "recorded without a controller",
}
