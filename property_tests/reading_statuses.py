"""Reading statuses: what a person reads in them, by the contracts."""

from typing import Any

from adapters.simulator.storage import Manifest
from engine.canonical_json import dumps
from machines import labels
from property_tests.cluster_accounts import condition
from property_tests.evidence import annotations, has_ended

Status = dict[str, Any]

ENDS = ("Succeeded", "Degraded", "Failed")
# The reasons that a Job has for its failure; all others are the controller's own.
OF_JOBS = ("BackoffLimitExceeded", "DeadlineExceeded", "PodFailurePolicy")
# Why an entry or a replica may not be Ready in a world in which all is well.
ENTRY_WAITS = ("Secret", "older one", "does not answer", "belongs to", "cannot be read")
ENTRY_SAYS_MORE = ("does not answer", "is kept for")
CACHE_STAYS = ("does not", "cannot", "older", "is kept for")
REPLICA_WAITS = ("ModelCache", "InferenceCluster", "kubeconfig", "belongs to", "PrefillDecode",
                 "LeaderWorkerSet", "older one", "does not answer", "exists already", "token",
                 "Secret", "claim", "is not supported", "no longer", "abandon")  # fmt: skip


def failures(status: Status) -> set[tuple[str, str, str]]:
    """Give the failed targets that a status shows: node, Job and reason of each."""
    return {
        (one["nodeName"], one.get("jobName", ""), one["reason"])
        for one in status["targets"]
        if one["phase"] == "Failed"
    }


def failed_by_their_jobs(status: Status) -> set[str]:
    """Give the names of the nodes that failed for a reason of their Job's."""
    return {name for name, job, reason in failures(status) if job and reason in OF_JOBS}


def is_ended_by_spec(status: Status) -> bool:
    """Say whether a warmup ended since its spec cannot be carried out."""
    invalid = condition(status, "Valid").get("status") == "False"
    return invalid or "TargetLimit" in dumps(status)


def says_why(kind: str, status: Status) -> bool:
    """Say whether all that is not done in a status says what it waits for."""
    if kind == "ModelWarmup":
        progressing = condition(status, "Progressing")
        going_on = status["phase"] not in ENDS
        told = not going_on or bool(progressing["reason"] and progressing["message"])
        return told and all(_target_says_why(one) for one in status["targets"])
    if kind == "ModelCache":
        return all(one["phase"] == "Ready" or one.get("message") for one in status["clusters"])
    return all(
        row["status"] == "True" or row["message"]
        for row in status["conditions"]
        if row["type"] in {"Ready", "ModelReady", "ModelAccepted"}
    )


def _target_says_why(target: Status) -> bool:
    return bool(target.get("reason")) and (
        bool(target.get("message")) or target["reason"] == "JobRunning"
    )


def is_settled(item: Manifest) -> bool:
    """Say whether an object is as it was wished, or names what it waits for in a well world."""
    status, kind = item["status"], item["kind"]
    going = "deletionTimestamp" in item["metadata"]
    if kind == "ModelWarmup":
        return says_why(kind, status)
    if kind == "ModelCache":
        stays = not going or _names(dumps(status["clusters"]), CACHE_STAYS)
        return stays and all(_entry_is_settled(one) for one in status["clusters"])
    ready, accepted = condition(status, "Ready"), condition(status, "ModelAccepted")
    words = f"{ready['message']} {accepted['message']}"
    cleaning = going and condition(status, "Terminating")["reason"] == "CleaningUp"
    return not cleaning and (ready["status"] == "True" or _names(words, REPLICA_WAITS))


def _entry_is_settled(entry: Status) -> bool:
    words = entry.get("message", "")
    silent = (not words) == (entry["phase"] == "Ready") or _names(words, ENTRY_SAYS_MORE)
    return silent and (entry["phase"] in {"Ready", "Pending"} or _names(words, ENTRY_WAITS))


def _names(words: str, causes: tuple[str, ...]) -> bool:
    return any(one in words for one in causes)


def is_in_vain(owner: Manifest, job: Manifest) -> bool:
    """Say whether a warmup's Job is not waited for, or lacks the label by which it is watched."""
    if owner["status"]["phase"] in ENDS:
        return not has_ended(job)
    if labels.WARMUP_UID not in (job["metadata"].get("labels") or {}):
        return True
    node = annotations(job).get(labels.TARGET_NODE)
    running = {one["nodeName"] for one in owner["status"]["targets"] if one["phase"] == "Running"}
    return not has_ended(job) and node not in running
