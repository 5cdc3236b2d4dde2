"""Intents about one Job, and answers that are, or are not, about it."""

from adapters.ports import ApiUnanswered
from machines.intents import CreateJob, DeleteJob, Effect, Intent, Resolve, StampTtl
from tests.kubernetes import objects
from tests.kubernetes.fakes import refused

CREATE = CreateJob(
    objects.WARMUP_UID, "default", "warm-1", objects.NODE_UID, "n1", "ef7e2d9085ee", "digest"
)
DELETE = DeleteJob(objects.WARMUP_UID, "default", "warm-1", objects.JOB_UID, objects.NODE_UID)
STAMP = StampTtl(objects.WARMUP_UID, "default", "warm-1", objects.JOB_UID, objects.NODE_UID, 3600)
RESOLVE = Resolve(objects.WARMUP_UID, "default")
BODY = {"metadata": {"name": "warm-1"}}

NOT_FOUND = refused(
    404,
    "NotFound",
    'jobs.batch "warm-1" not found',
    {"name": "warm-1", "group": "batch", "kind": "jobs"},
)
BROKEN = ApiUnanswered("the connection was cut")

# 404s that are not about Job warm-1: of a proxy, of a path, of another object.
ELSEWHERE = [
    refused(404, message="404 page not found"),
    refused(404, "NotFound", "the server could not find the requested resource", {}),
    refused(404, "NotFound", "no such kind here", {"kind": "jobs"}),
    refused(404, "NotFound", "no such job here", {"kind": "jobs", "name": "warm-2"}),
    refused(404, "NotFound", "no such pod here", {"kind": "pods", "name": "warm-1"}),
]


def effect(intent: Intent) -> Effect:
    """Give an intent as it goes out."""
    return Effect(7, "prod", intent, BODY if isinstance(intent, CreateJob) else None)
