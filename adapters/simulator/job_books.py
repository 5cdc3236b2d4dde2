"""A Job's books: what its Pods amount to, and the status that follows. Nothing is changed here."""

from typing import NamedTuple

from adapters.simulator.clock import SECOND, instant, timestamp
from adapters.simulator.conditions import (
    condition_of,
    has_ended,
    is_deleting,
    is_true,
    with_condition,
)
from adapters.simulator.failure_policy import verdict_on
from adapters.simulator.storage import Manifest

TRACKING = "batch.kubernetes.io/job-tracking"

_FINAL_BY_INTERIM = {"SuccessCriteriaMet": "Complete", "FailureTarget": "Failed"}


class View(NamedTuple):
    """A Job and its Pods at one look."""

    job: Manifest
    pods: list[Manifest]

    @property
    def uid(self) -> str:
        """The Job's uid."""
        return str(self.job["metadata"]["uid"])

    @property
    def spec(self) -> Manifest:
        """The Job's spec."""
        spec: Manifest = self.job["spec"]
        return spec

    @property
    def interim(self) -> str:
        """The condition that announces the Job's end, if it has one."""
        return next((name for name in _FINAL_BY_INTERIM if is_true(self.job, name)), "")

    @property
    def is_finished(self) -> bool:
        """Whether the Job is Complete or Failed."""
        return is_true(self.job, "Complete") or is_true(self.job, "Failed")

    @property
    def active(self) -> list[Manifest]:
        """The Pods that run or may run."""
        return [pod for pod in self.pods if not has_ended(pod) and not is_deleting(pod)]

    @property
    def terminating(self) -> int:
        """How many Pods were told to go and have not ended."""
        return sum(not has_ended(pod) and is_deleting(pod) for pod in self.pods)

    @property
    def over(self) -> list[Manifest]:
        """The Pods that will not count any more once our finalizer is off."""
        return [
            pod
            for pod in self.pods
            if is_tracked(pod)
            and (self.has_failed(pod) or pod["status"].get("phase") == "Succeeded")
        ]

    def has_failed(self, pod: Manifest) -> bool:
        """Say whether a Pod failed: at its deletion already, unless its end is waited for."""
        phase = pod["status"].get("phase")
        if phase == "Failed":
            return True
        waits = self.spec.get("podReplacementPolicy") == "Failed"
        return not waits and is_deleting(pod) and phase != "Succeeded"


class Tally(NamedTuple):
    """How many Pods ended, and the uids of those that wait for their finalizer to go."""

    succeeded: int
    failed: int
    waiting_succeeded: tuple[str, ...]
    waiting_failed: tuple[str, ...]

    @property
    def all_succeeded(self) -> int:
        """Those that wait included."""
        return self.succeeded + len(self.waiting_succeeded)

    @property
    def all_failed(self) -> int:
        """Those that wait included."""
        return self.failed + len(self.waiting_failed)


def is_tracked(pod: Manifest) -> bool:
    """Say whether a Pod still has to be counted."""
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def tallied(view: View) -> Tally:
    """Count Pods that ended: first as uncounted, and for good once the finalizer is off."""
    status = view.job["status"]
    uncounted = status.get("uncountedTerminatedPods") or {}
    tracked = {pod["metadata"]["uid"]: pod for pod in view.pods if is_tracked(pod)}
    counts, waiting = {}, {}
    for word in ("succeeded", "failed"):
        listed = uncounted.get(word) or []
        kept = [uid for uid in listed if uid in tracked]
        fresh = [
            uid for uid, pod in tracked.items() if uid not in kept and _ended_as(view, pod) == word
        ]
        counts[word] = status.get(word, 0) + len(listed) - len(kept)
        waiting[word] = (*kept, *fresh)
    return Tally(counts["succeeded"], counts["failed"], waiting["succeeded"], waiting["failed"])


def announced(view: View, tally: Tally, now: int) -> Manifest | None:
    """Give the condition that announces the Job's end, when it is time for it."""
    verdicts = (verdict_on(view.job, pod) for pod in view.pods if view.has_failed(pod))
    fatal = next((verdict for verdict in verdicts if verdict.fails_job), None)
    if fatal is not None:
        return _condition("FailureTarget", "PodFailurePolicy", fatal.message)
    if tally.all_failed > view.spec["backoffLimit"]:
        words = "Job has reached the specified backoff limit"
        return _condition("FailureTarget", "BackoffLimitExceeded", words)
    ends_at = deadline(view.job)
    if ends_at is not None and ends_at <= now:
        words = "Job was active longer than specified deadline"
        return _condition("FailureTarget", "DeadlineExceeded", words)
    wanted, succeeded = view.spec.get("completions"), tally.all_succeeded
    if succeeded >= wanted if wanted is not None else succeeded and not view.active:
        words = "Reached expected number of succeeded pods"
        return _condition("SuccessCriteriaMet", "CompletionsReached", words)
    return None


def missing(view: View, tally: Tally) -> int:
    """Say how many Pods are to be created."""
    present = len(view.active)
    if view.spec.get("podReplacementPolicy") == "Failed":
        present += view.terminating
    return max(_wanted(view, tally) - present, 0)


def surplus(view: View, tally: Tally) -> list[Manifest]:
    """Give the Pods that run although fewer are wanted, those that have come least far."""
    count = len(view.active) - _wanted(view, tally)
    return sorted(view.active, key=_progress)[: max(count, 0)]


def _wanted(view: View, tally: Tally) -> int:
    """Say how many Pods are to be at work; of a Job without completions one success is enough."""
    parallelism: int = view.spec["parallelism"]
    completions: int | None = view.spec.get("completions")
    if completions is None:
        return len(view.active) if tally.all_succeeded else parallelism
    return min(parallelism, max(completions - tally.all_succeeded, 0))


def _progress(pod: Manifest) -> tuple[bool, bool, bool]:
    return (
        bool(pod["spec"].get("nodeName")),
        pod["status"].get("phase") == "Running",
        is_true(pod, "Ready"),
    )


def status_of(view: View, tally: Tally, announcement: Manifest | None, now: int) -> Manifest:
    """Give the status that the Pods call for; one step towards the end at a time."""
    old, suspended = view.job["status"], view.spec.get("suspend", False)
    status = dict(old)
    if suspended:
        status.pop("startTime", None)
    else:
        status.setdefault("startTime", timestamp(now))
    waiting = {"succeeded": [*tally.waiting_succeeded], "failed": [*tally.waiting_failed]}
    status["uncountedTerminatedPods"] = {word: uids for word, uids in waiting.items() if uids}
    for word, count in (("succeeded", tally.succeeded), ("failed", tally.failed)):
        status.pop(word, None)
        if count:
            status[word] = count
    status = at_work(status, view)
    if announcement is not None:
        return with_condition(status, _probed(announcement, now), now)
    if view.interim:
        settled = not status["uncountedTerminatedPods"] and not old.get("terminating")
        if settled and not view.active and not view.terminating:
            return _ended(view, status, now)
    elif suspended or is_true(view.job, "Suspended"):
        return with_condition(status, _probed(_suspension(suspended=suspended), now), now)
    return status


def at_work(status: Manifest, view: View) -> Manifest:
    """Give a status with how many Pods are at work now, are ready, or were told to go."""
    kept = {word: value for word, value in status.items() if word != "active"}
    ready = sum(is_true(pod, "Ready") for pod in view.active)
    active = {"active": len(view.active)} if view.active else {}
    return {**kept, **active, "terminating": view.terminating, "ready": ready}


def deadline(job: Manifest) -> int | None:
    """Give the instant at which a Job has been active for too long."""
    seconds = job["spec"].get("activeDeadlineSeconds")
    if seconds is None or "startTime" not in job["status"]:
        return None
    return instant(job["status"]["startTime"]) + int(seconds) * SECOND


def finished_at(pod: Manifest) -> int:
    """Give the instant at which a Pod ended, as well as it can be told."""
    ends: list[str] = [
        (entry["state"].get("terminated") or {}).get("finishedAt", "")
        for entry in pod["status"].get("containerStatuses") or ()
    ]
    if ends and all(ends):
        return max(map(instant, ends))
    ready = condition_of(pod, "Ready")
    if ready is not None and ready["status"] == "False":
        return instant(ready["lastTransitionTime"])
    metadata = pod["metadata"]
    if is_deleting(pod):
        grace = metadata.get("deletionGracePeriodSeconds", 0) * SECOND
        return instant(metadata["deletionTimestamp"]) - int(grace)
    return instant(metadata["creationTimestamp"])


def _ended_as(view: View, pod: Manifest) -> str:
    if pod["status"].get("phase") == "Succeeded":
        return "succeeded"
    if view.has_failed(pod) and verdict_on(view.job, pod).counts:
        return "failed"
    return ""


def _ended(view: View, status: Manifest, now: int) -> Manifest:
    """Give the status of a Job whose last Pod is over."""
    final = _FINAL_BY_INTERIM[view.interim]
    if final == "Complete":
        status["completionTime"] = timestamp(now)
    interim = condition_of(view.job, view.interim) or {}
    return with_condition(status, _probed({**interim, "type": final}, now), now)


def _condition(kind: str, reason: str, message: str) -> Manifest:
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def _suspension(*, suspended: bool) -> Manifest:
    reason = "JobSuspended" if suspended else "JobResumed"
    words = "Job suspended" if suspended else "Job resumed"
    status = "True" if suspended else "False"
    return {"type": "Suspended", "status": status, "reason": reason, "message": words}


def _probed(condition: Manifest, now: int) -> Manifest:
    return {**condition, "lastProbeTime": timestamp(now)}
