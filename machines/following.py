"""Following: which Jobs have Pods that no watch of ours shows, so that they have to be read.

The Pods of AIBrix's own Jobs bear no label of ours. What they are at is read by the label that
Kubernetes gives them, while the Job is unfinished or a Pod of it may hold the slot. A read changes
nothing in a cluster, hence needs no intent; what it says is a fact about the Job.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.events import Subject
from machines.levels import JobPods, PodLevel
from machines.states import State


class Followed(NamedTuple):
    """A Job whose Pods are read, and since when it is as it is (UTC nanoseconds)."""

    subject: Subject
    since: int


def followed(state: State, cluster: str) -> Iterator[Followed]:
    """Give the Jobs of a cluster whose Pods have to be read."""
    for uid, since in state.unwatched.items():
        job = state.jobs[uid]
        if job.cluster == cluster:
            yield Followed(Subject("Job", job.namespace, job.name, uid), since)


def wordless(pods: JobPods | None) -> JobPods | None:
    """Give the same without the words of its reasons: those may change from one moment to next."""
    if pods is None:
        return None
    return pods._replace(newest=_wordless(pods.newest), failed=_wordless(pods.failed))


def _wordless(level: PodLevel | None) -> PodLevel | None:
    return level._replace(message="") if level and level.reason else level
