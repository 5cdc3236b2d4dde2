"""Levels of Jobs, as warmlog and AIBrix's own controller make them, and as others change them."""

from machines.intents import CreateJob
from machines.levels import JobLevel

# What somebody may take off a Job, or change.
CHANGES: tuple[dict[str, str], ...] = (
    {}, {"warmup_uid": ""}, {"controller_uid": ""}, {"node_uid": "", "node_name": ""},
    {"node_uid": "n1-0"},
)  # fmt: skip


def job_level(intent: CreateJob, outcome: str, *, foreign: bool = False) -> JobLevel:
    """Give the level of the Job of `intent`; one without a node's uid is the original's."""
    controller = "somebody" if foreign else intent.warmup_uid
    reason = "BackoffLimitExceeded" if outcome == "Failed" else ""
    level = JobLevel(
        intent.warmup_uid, controller, intent.node_uid, intent.node_name, "", outcome, reason
    )
    if intent.node_uid:
        return level
    # AIBrix's own controller made it, for the first machine of that name.
    return level._replace(created="2026-01-01T01:00:00Z", unlabelled_pods=True)
