"""The Job controller: Pods for Jobs, back-off, deadline, and the two steps in which a Job ends.

Only what a Job of completions can do without indexes is here; that is every warmup Job.
"""

from typing import NamedTuple

from adapters.simulator.answers import Refusal
from adapters.simulator.clock import SECOND
from adapters.simulator.conditions import (
    condition_of,
    controller_of,
    is_deleting,
    is_true,
    without_finalizer,
)
from adapters.simulator.controlled_objects import pod_of
from adapters.simulator.controlling import Controller, Surroundings
from adapters.simulator.job_books import (
    TRACKING,
    Tally,
    View,
    announced,
    at_work,
    deadline,
    finished_at,
    is_tracked,
    missing,
    status_of,
    surplus,
    tallied,
)
from adapters.simulator.plans import doubled
from adapters.simulator.resources import JOB, POD
from adapters.simulator.storage import DELETED, Change, Manifest, key_of

COMPONENT = "job-controller"

_API_BACKOFF, _API_BACKOFF_LIMIT = SECOND, 60 * SECOND


class _Failures(NamedTuple):
    """A Job's failures in a row, for its back-off."""

    in_a_row: int = 0
    last_at: int = 0
    noted: frozenset[str] = frozenset()  # uids of the Pods that ended


class JobController(Controller):
    """See the module."""

    def __init__(self, around: Surroundings) -> None:
        """Watch Jobs and Pods."""
        super().__init__(around)
        self._failures: dict[str, _Failures] = {}
        self._refusals: dict[str, int] = {}
        self._stopped = False
        around.storage.subscribe(self._on_change, JOB.kind, POD.kind)

    def stop(self) -> None:
        """Do nothing any more: somebody else looks after Jobs and their Pods."""
        self._stopped = True

    def _on_change(self, kind: str, change: Change) -> None:
        if kind == JOB.kind:
            if change.type == DELETED:
                self._forget(change.object["metadata"]["uid"])
            elif not change.object["spec"].get("managedBy"):
                self._enqueue(change.key, self._soon(change.key))
        elif kind == POD.kind:
            # An orphan's Job hears of it, too, by what the Pod was before.
            owner = controller_of(change.object) or controller_of(change.previous or change.object)
            if owner is not None and owner["kind"] == JOB.kind:
                key = key_of(change.object["metadata"]["namespace"], owner["name"])
                batch = self.chance.between(self.timing.pod_batch, "batch", key, change.version)
                self._enqueue(key, self.agenda.now + batch)
            if change.type != DELETED and is_tracked(change.object):
                self._look_for_orphan(change)

    def _soon(self, key: str) -> int:
        span = self.timing.job_sync
        return self.agenda.now + self.chance.between(span, "job", key, self.storage.version)

    def _enqueue(self, key: str, at: int) -> None:
        self.agenda.put(at, ("job", key), lambda: self._sync(key))

    def _forget(self, uid: str) -> None:
        self._failures.pop(uid, None)
        self._refusals.pop(uid, None)
        for kind, pod in self.storage.dependents(uid):
            if kind == POD.kind and is_tracked(pod):
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

    def _view(self, job: Manifest) -> View:
        dependents = self.storage.dependents(job["metadata"]["uid"])
        return View(job, [pod for kind, pod in dependents if kind == POD.kind])

    def _sync(self, key: str) -> None:
        """Look at a Job and its Pods, change the Pods, then write what came of it."""
        job = self.storage.get(JOB.kind, key)
        if job is None or job["spec"].get("managedBy") or self._stopped:
            return
        view = self._view(job)
        if view.is_finished or is_deleting(job):
            # No Pod of a Job that is deleted is made or deleted: the garbage collector has them.
            for pod in filter(is_tracked, view.pods):
                self._release(pod)
            status = at_work(job["status"], self._view(job))
            if not view.is_finished and status != job["status"]:
                self.change_status(job, lambda _: status)
        else:
            self._advance(key, view)

    def _advance(self, key: str, view: View) -> None:
        """Take a Job one step towards its end."""
        job, tally = view.job, tallied(view)
        self._note(view)
        now = self.agenda.now
        announcement = None if view.interim else announced(view, tally, now)
        ending = bool(view.interim or announcement)
        waits = ending and not view.active
        self._change_pods(key, view, tally, ending=ending)
        view = self._view(job)
        tally = tallied(view)
        status = status_of(view, tally, announcement, now)
        if status != job["status"]:
            job = self.change_status(job, lambda _: status) or job
            self._tell_end(job)
        for pod in view.over:
            self._release(pod)
        # What waits for its last Pods to be gone is looked at again when one of them goes.
        if view.over or (ending and not (waits and status == view.job["status"])):
            self._enqueue(key, self._soon(key))
        ends_at = deadline(job)
        if ends_at is not None and not ending:
            # Under a key of its own: an earlier look must not make the Job forget its deadline.
            self.agenda.put(max(ends_at, now + 1), ("deadline", key), lambda: self._sync(key))

    def _note(self, view: View) -> None:
        """Keep count of failures in a row, those that a policy ignores too; a success ends it."""
        known = self._failures.get(view.uid, _Failures())
        fresh = [pod for pod in view.over if pod["metadata"]["uid"] not in known.noted]
        if not fresh:
            return
        failed = [pod for pod in fresh if view.has_failed(pod)]
        noted = known.noted | {pod["metadata"]["uid"] for pod in fresh}
        if len(failed) < len(fresh):
            self._failures[view.uid] = _Failures(noted=noted)
        else:
            last_at = max(map(finished_at, failed))
            self._failures[view.uid] = _Failures(known.in_a_row + len(failed), last_at, noted)

    def _change_pods(self, key: str, view: View, tally: Tally, *, ending: bool) -> None:
        if ending or view.spec.get("suspend"):
            self._delete_pods(view, view.active, count=ending)
            return
        too_many = surplus(view, tally)
        if too_many:
            self._delete_pods(view, too_many, count=False)
            return
        wanted = missing(view, tally)
        if not wanted:
            return
        again = self._backed_off_until(view)
        if again > self.agenda.now:
            self.agenda.put(again, ("backoff", key), lambda: self._sync(key))
            return
        for _ in range(wanted):
            if not self._create_pod(key, view):
                return

    def _delete_pods(self, view: View, pods: list[Manifest], *, count: bool) -> None:
        """Delete Pods; those that are not to work now do not count as failed."""
        for pod in pods:
            if not count:
                self._release(pod)
            self.delete(pod)
            words = f"Deleted pod: {pod['metadata']['name']}"
            self.around.recorder.record(view.job, COMPONENT, "SuccessfulDelete", words)

    def _backed_off_until(self, view: View) -> int:
        failures = self._failures.get(view.uid, _Failures())
        if not failures.in_a_row:
            return 0
        base, limit = self.timing.job_backoff, self.timing.job_backoff_limit
        return failures.last_at + doubled(base, failures.in_a_row - 1, limit)

    def _create_pod(self, key: str, view: View) -> bool:
        """Create one Pod; a refusal is told in an Event and tried again later."""
        record = self.around.recorder.record
        try:
            body = pod_of(view.job, JOB, finalizers=[TRACKING])
            pod = self.registry.create(POD, view.job["metadata"]["namespace"], body)
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

    def _tell_end(self, job: Manifest) -> None:
        failed = condition_of(job, "Failed")
        if failed is not None:
            reason, words = failed["reason"], failed["message"]
            self.around.recorder.record(job, COMPONENT, reason, words, warning=True)
        elif is_true(job, "Complete"):
            self.around.recorder.record(job, COMPONENT, "Completed", "Job completed")
