"""Unlabelled Pods: those of Jobs that are ours, when they bear no label of ours.

AIBrix's own controller labels its Jobs only. A running controller reads such Pods by their Job;
here what material shows of them is kept, and told once their Job and its ModelWarmup are known.
"""

from collections.abc import Iterator

from adapters.importing.sights import Raw
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.object_parts import job_uid_of
from adapters.kubernetes.reading_pods import FoundPod, found_pod, summary
from engine.events import Subject
from machines.observations import PodsRead
from machines.states import State

MOST_JOBS = 20_000  # whose Pods are kept: material holds those of everybody's Jobs


class UnlabelledPods:
    """The Pods of one cluster that a Job controls and that bear no label of ours."""

    def __init__(self, cluster: str, most_jobs: int = MOST_JOBS) -> None:
        """Begin with none; keep those of so many Jobs."""
        self._most_jobs = most_jobs
        self.cluster = cluster
        self._pods: dict[str, dict[str, FoundPod]] = {}  # by the Job's uid and their own
        self._changed: set[str] = set()  # uids of Jobs of which there may be news
        self._told: set[str] = set()  # uids of Jobs of which something was told

    @property
    def jobs(self) -> tuple[str, ...]:
        """Give the uids of the Jobs whose Pods are kept."""
        return tuple(self._pods)

    def note(self, raw: Raw, *, gone: bool) -> None:
        """Take in an object as it is, or its end: a Pod without a label, or a Job."""
        metadata = mapping(raw.get("metadata"))
        uid = text(metadata.get("uid"))
        if raw.get("kind") == "Job":
            self._changed.add(uid)
            return
        job = job_uid_of(metadata)
        pod = found_pod(self.cluster, raw) if job else None
        if pod is None:
            return
        self._changed.add(job)
        if gone:
            self._pods.get(job, {}).pop(uid, None)
        else:
            self._pods.setdefault(job, {})[uid] = pod
            self._let_go()

    def _let_go(self) -> None:
        """Forget the Pods of the Job that came first, if there are too many and it is not ours."""
        if len(self._pods) > self._most_jobs:
            oldest = next(iter(self._pods))
            pods = self._pods.pop(oldest)
            if oldest in self._told:
                self._pods[oldest] = pods

    def tell(self, state: State) -> Iterator[PodsRead]:
        """Give what is new of the Pods of those Jobs that are ours and show none otherwise."""
        changed, self._changed = self._changed, set()
        for uid in tuple(state.unwatched):
            job = state.jobs[uid]
            news = uid in self._pods and (uid in changed or uid not in self._told)
            if job.cluster == self.cluster and news:
                self._told.add(uid)
                subject = Subject("Job", job.namespace, job.name, uid)
                pods = self._pods.get(uid, {}).values()
                yield PodsRead(self.cluster, subject, summary(pods))
