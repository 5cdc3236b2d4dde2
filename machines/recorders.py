"""Recorders: who else than a controller may have recorded a log, in words.

Such a log holds facts alone: `SessionStarted` names its `recorder`, and nothing is decided in it.
"""

RECORD = "record"  # `warmlog record`, which looks on itself; all others are imported

RECORDED_BY = {
    "kubectl": "recorded with kubectl",
    "audit": "taken from an audit log",
    RECORD: "recorded without a controller",
}
