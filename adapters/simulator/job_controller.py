"""The Job controller: Pods for Jobs, back-off, deadline, and the two steps in which a Job ends.

Only what a Job of completions can do without indexes is here; that is every warmup Job.
"""

from typing import NamedTuple

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import SECOND, instant, timestamp
from adapters.simulator.conditions import (
    controller_of,
    has_ended,
    is_deleting,
    is_true,
    with_condition,
    without_finalizer,
)
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.failure_policy import Verdict, verdict_on
from adapters.simulator.plans import doubled
from adapters.simulator.resources import JOB, POD
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

TRACKING = "batch.kubernetes.io/job-tracking"
COMPONENT = "job-controller"

_API_BACKOFF, _API_BACKOFF_LIMIT = SECOND, 60 * SECOND
_FINAL_BY_INTERIM = {"SuccessCriteriaMet": "Complete", "FailureTarget": "Failed"}


class _Row(NamedTuple):
    """A Job's failures in a row, for its back-off."""

    failures: int
    last_at: int


class _View(NamedTuple):
    """A Job and its Pods at one look."""

    job: Manifest
    pods: list[Manifest]

    @property
    def uid(self) -> str:
        return str(self.job["metadata"]["uid"])

    @property
    def spec(self) -> Manifest:
        spec: Manifest = self.job["spec"]
        return spec

    @property
    def interim(self) -> str:
        """The interim condition that the Job has, if any."""
        return next((name for name in _FINAL_BY_INTERIM if is_true(self.job, name)), "")

    @property
    def active(self) -> list[Manifest]:
        return [pod for pod in self.pods if not has_ended(pod) and not is_deleting(pod)]

    @property
    def terminating(self) -> int:
        return sum(not has_ended(pod) and is_deleting(pod) for pod in self.pods)

    def failed(self, pod: Manifest) -> bool:
        """Say whether a Pod counts as failed: at its deletion, unless told to wait for its end."""
        phase = pod["status"].get("phase")
        if phase == "Failed":
            return True
        waits = self.spec.get("podReplacementPolicy") == "Failed"
        return not waits and is_deleting(pod) and phase != "Succeeded"


class JobController(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Jobs and Pods."""
        super().__init__(around)
        self._rows: dict[str, _Row] = {}
        self._refusals: dict[str, int] = {}
        around.storage.subscribe(self._on_change)

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == JOB.kind:
            if change.type == DELETED:
                self._forget(change.object["metadata"]["uid"])
            else:
                self._enqueue(change.key, self._soon(change.key))
        elif kind == POD.kind:
            owner = controller_of(change.object)
            if owner is not None and owner["kind"] == JOB.kind:
                key = key_of(change.object["metadata"]["namespace"], owner["name"])
                batch = self.chance.between(self.timing.pod_batch, "batch", key, change.version)
                self._enqueue(key, self.agenda.now + batch)
            if change.type != DELETED and _is_tracked(change.object):
                self._look_for_orphan(change)

    def _soon(self, key: str) -> int:
        span = self.timing.job_sync
        return self.agenda.now + self.chance.between(span, "job", key, self.storage.version)

    def _enqueue(self, key: str, at: int) -> None:
        self.agenda.put(at, ("job", key), lambda: self._sync(key))

    def _forget(self, uid: str) -> None:
        self._rows.pop(uid, None)
        self._refusals.pop(uid, None)
        for kind, pod in self.storage.dependents(uid):
            if kind == POD.kind and _is_tracked(pod):
                self._release_later(pod)

    def _look_for_orphan(self, change: Change) -> None:
        """A Pod that lost its Job must not be kept by our finalizer."""
        owner = controller_of(change.object)
        if owner is not None:
            namespace = change.object["metadata"]["namespace"]
            job = self.storage.get(JOB.kind, key_of(namespace, owner["name"]))
            if job is not None and job["metadata"]["uid"] == owner["uid"]:
                return
        self._release_later(change.object)

    def _release_later(self, pod: Manifest) -> None:
        uid = pod["metadata"]["uid"]
        at = self._soon(uid)
        self.agenda.put(at, ("release", uid), lambda: self._release(pod))

    def _release(self, pod: Manifest) -> None:
        self.change_item(pod, lambda current: without_finalizer(current, TRACKING))

    def _sync(self, key: str) -> None:
        job = self.storage.get(JOB.kind, key)
        if job is None:
            return
        uid = job["metadata"]["uid"]
        view = _View(job, [pod for kind, pod in self.storage.dependents(uid) if kind == POD.kind])
        if is_true(job, "Complete") or is_true(job, "Failed"):
            for pod in filter(_is_tracked, view.pods):
                self._release(pod)
            return
        status = self._next_status(view)
        if status != job["status"]:
            job = self.change_status(job, lambda _: status) or job
        self._act(view._replace(job=job))

    def _next_status(self, view: _View) -> Manifest:
        """Give the status that the Pods call for; one step towards the end at a time."""
        status = dict(view.job["status"])
        suspended = view.spec.get("suspend", False)
        if suspended:
            status.pop("startTime", None)
        elif "startTime" not in status:
            status["startTime"] = timestamp(self.agenda.now)
        settled = self._settle(view, status)
        active = len(view.active)
        status["active"] = active
        status["terminating"] = view.terminating
        status["ready"] = sum(is_true(pod, "Ready") for pod in view.active)
        if not active:
            del status["active"]
        if view.interim:
            if settled and not active and not view.terminating:
                status = self._ended(view, status)
            return status
        interim = self._interim(view, status)
        if interim is not None:
            status = with_condition(status, interim, self.agenda.now)
        elif suspended or is_true(view.job, "Suspended"):
            status = with_condition(status, _suspension(suspended), self.agenda.now)
        return status

    def _settle(self, view: _View, status: Manifest) -> bool:
        """Count Pods that ended: first as uncounted, and for good once our finalizer is off.

        Says whether nothing is left to be counted.
        """
        uncounted = status.get("uncountedTerminatedPods") or {}
        tracked = {pod["metadata"]["uid"]: pod for pod in view.pods if _is_tracked(pod)}
        waiting: Manifest = {}
        for word in ("succeeded", "failed"):
            listed = uncounted.get(word) or []
            kept = [uid for uid in listed if uid in tracked]
            if len(kept) < len(listed):
                status[word] = status.get(word, 0) + len(listed) - len(kept)
            fresh = [
                uid
                for uid, pod in tracked.items()
                if uid not in kept and self._ended_as(view, pod) == word
            ]
            if fresh:
                self._note(view.uid, word, len(fresh))
            if kept or fresh:
                waiting[word] = [*kept, *fresh]
        status["uncountedTerminatedPods"] = waiting
        return not waiting

    @staticmethod
    def _ended_as(view: _View, pod: Manifest) -> str:
        if pod["status"].get("phase") == "Succeeded":
            return "succeeded"
        if view.failed(pod) and verdict_on(view.job, pod).counts:
            return "failed"
        return ""

    def _note(self, uid: str, word: str, count: int) -> None:
        failures = self._rows[uid].failures if uid in self._rows else 0
        failures = failures + count if word == "failed" else 0
        self._rows[uid] = _Row(failures, self.agenda.now)

    def _interim(self, view: _View, status: Manifest) -> Manifest | None:
        """Give the condition that announces the Job's end, when it is time for it."""
        waiting = status["uncountedTerminatedPods"]
        failed = status.get("failed", 0) + len(waiting.get("failed", ()))
        succeeded = status.get("succeeded", 0) + len(waiting.get("succeeded", ()))
        fatal = self._fatal(view)
        if fatal is not None:
            return _condition("FailureTarget", "PodFailurePolicy", fatal.message)
        if failed > view.spec["backoffLimit"]:
            words = "Job has reached the specified backoff limit"
            return _condition("FailureTarget", "BackoffLimitExceeded", words)
        deadline = _deadline(view.job, status)
        if deadline is not None and deadline <= self.agenda.now:
            words = "Job was active longer than specified deadline"
            return _condition("FailureTarget", "DeadlineExceeded", words)
        wanted = view.spec.get("completions")
        enough = succeeded >= wanted if wanted is not None else succeeded > 0 and not view.active
        if enough:
            words = "Reached expected number of succeeded pods"
            return _condition("SuccessCriteriaMet", "CompletionsReached", words)
        return None

    @staticmethod
    def _fatal(view: _View) -> Verdict | None:
        verdicts = (verdict_on(view.job, pod) for pod in view.pods if view.failed(pod))
        return next((verdict for verdict in verdicts if verdict.fails_job), None)

    def _ended(self, view: _View, status: Manifest) -> Manifest:
        """Give the status of a Job whose last Pod is over."""
        interim = next(
            condition
            for condition in view.job["status"]["conditions"]
            if condition["type"] == view.interim
        )
        final = _FINAL_BY_INTERIM[view.interim]
        if final == "Complete":
            status["completionTime"] = timestamp(self.agenda.now)
            words = "Job completed"
        else:
            words = interim["message"]
        warning = final == "Failed"
        reason = interim["reason"] if warning else "Completed"
        self.around.recorder.record(view.job, COMPONENT, reason, words, warning=warning)
        ending = {**interim, "type": final, "lastProbeTime": timestamp(self.agenda.now)}
        return with_condition(status, ending, self.agenda.now)

    def _act(self, view: _View) -> None:
        """Do to the Pods what the status that was just written says."""
        key = key_of(view.job["metadata"]["namespace"], view.job["metadata"]["name"])
        over = [
            pod
            for pod in view.pods
            if _is_tracked(pod) and (view.failed(pod) or pod["status"].get("phase") == "Succeeded")
        ]
        for pod in over:
            self._release(pod)
        if over or view.interim:
            self._enqueue(key, self._soon(key))
        if view.interim or view.spec.get("suspend"):
            for pod in view.active:
                self.delete(pod)
                words = f"Deleted pod: {pod['metadata']['name']}"
                self.around.recorder.record(view.job, COMPONENT, "SuccessfulDelete", words)
            return
        deadline = _deadline(view.job, view.job["status"])
        if deadline is not None:
            self._put_deadline(key, deadline)
        if not is_deleting(view.job):
            self._create_missing(key, view)

    def _put_deadline(self, key: str, deadline: int) -> None:
        # Under a key of its own: an earlier look must not make the Job forget its deadline.
        self.agenda.put(deadline, ("deadline", key), lambda: self._sync(key))

    def _create_missing(self, key: str, view: _View) -> None:
        status, spec = view.job["status"], view.spec
        waiting = status["uncountedTerminatedPods"]
        succeeded = status.get("succeeded", 0) + len(waiting.get("succeeded", ()))
        wanted = spec["parallelism"]
        if spec.get("completions") is not None:
            wanted = min(wanted, spec["completions"] - succeeded)
        present = len(view.active)
        if spec.get("podReplacementPolicy") == "Failed":
            present += view.terminating
        if present >= wanted:
            return
        row = self._rows.get(view.uid)
        if row is not None and row.failures:
            backoff = doubled(
                self.timing.job_backoff, row.failures - 1, self.timing.job_backoff_limit
            )
            if row.last_at + backoff > self.agenda.now:
                again = row.last_at + backoff
                self.agenda.put(again, ("backoff", key), lambda: self._sync(key))
                return
        for _ in range(wanted - present):
            if not self._create_pod(key, view):
                return

    def _create_pod(self, key: str, view: _View) -> bool:
        """Create one Pod; a refusal is told in an Event and tried again later."""
        record = self.around.recorder.record
        try:
            pod = self.registry.create(POD, view.job["metadata"]["namespace"], _pod_of(view.job))
        except Refusal as refusal:
            words = f"Error creating: {refusal.response.body['message']}"
            record(view.job, COMPONENT, "FailedCreate", words, warning=True)
            times = self._refusals.get(view.uid, 0)
            self._refusals[view.uid] = times + 1
            again = self.agenda.now + doubled(_API_BACKOFF, times, _API_BACKOFF_LIMIT)
            self.agenda.put(again, ("refused", key), lambda: self._sync(key))
            return False
        self._refusals.pop(view.uid, None)
        record(view.job, COMPONENT, "SuccessfulCreate", f"Created pod: {pod['metadata']['name']}")
        return True


def _pod_of(job: Manifest) -> Manifest:
    """Give the Pod that a Job's template calls for."""
    metadata, template = job["metadata"], job["spec"]["template"]
    owner = {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    given = {
        **template["metadata"],
        "generateName": f"{metadata['name']}-",
        "ownerReferences": [owner],
        "finalizers": [TRACKING],
    }
    return {"kind": "Pod", "apiVersion": "v1", "metadata": given, "spec": template["spec"]}


def _is_tracked(pod: Manifest) -> bool:
    return TRACKING in (pod["metadata"].get("finalizers") or ())


def _condition(kind: str, reason: str, message: str) -> Manifest:
    return {"type": kind, "status": "True", "reason": reason, "message": message}


def _suspension(suspended: bool) -> Manifest:  # noqa: FBT001 -- the one thing it depends on
    reason = "JobSuspended" if suspended else "JobResumed"
    status = "True" if suspended else "False"
    words = "Job suspended" if suspended else "Job resumed"
    return {"type": "Suspended", "status": status, "reason": reason, "message": words}


def _deadline(job: Manifest, status: Manifest) -> int | None:
    seconds = job["spec"].get("activeDeadlineSeconds")
    if seconds is None or "startTime" not in status:
        return None
    return instant(status["startTime"]) + int(seconds) * SECOND
