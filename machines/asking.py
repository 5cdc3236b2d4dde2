"""Asking: which Jobs are silent, so that the cluster's Events have to be read.

A Job whose Pods are refused (quota, Pod Security), and a Pod that cannot mount its volumes, say so
nowhere but in their Events, and Events are never watched. So they are read, at the edge, for a Job
that has been silent for a while; what they say is a fact. Reading changes nothing in a cluster,
hence needs no intent.
"""

from collections.abc import Iterator
from typing import NamedTuple

from engine.events import Subject
from machines.folding_jobs import owner
from machines.node_jobs import NodeJobState
from machines.states import Job, State, Target
from machines.warmups import TERMINAL

SILENT_SECONDS = 2  # before the first question


class Question(NamedTuple):
    """Whose Events to read, and since when the Job is silent (UTC nanoseconds)."""

    cluster: str
    subject: Subject
    job_uid: str
    job_name: str
    since: int


def questions(state: State) -> Iterator[Question]:
    """Give every question that the state leaves open, the longest silence first."""
    for uid in state.silent:
        question = question_about(state, uid)
        if question is not None:
            yield question


def question_about(state: State, job_uid: str) -> Question | None:
    """Give the question about one Job, or about its Pod; None when there is none."""
    if asked_target(state, job_uid) is None:
        return None
    job = state.jobs[job_uid]
    subject = _subject(state, job)
    return Question(job.cluster, subject, job_uid, job.name, state.silent[job_uid])


def asked_target(state: State, job_uid: str) -> Target | None:
    """Give the target that waits for a silent Job; None when nobody has to know any more."""
    job = state.jobs.get(job_uid) if job_uid in state.silent else None
    warmup = owner(state, job) if job else None
    if job is None or warmup is None or warmup.gone or warmup.state in TERMINAL:
        return None
    target = warmup.targets.get(job.node_uid)
    return target if target and target.state is NodeJobState.HYDRATING else None


def _subject(state: State, job: Job) -> Subject:
    """Name the newest Pod of a Job, or the Job itself when it has none."""
    known = state.clusters[job.cluster].objects["Pod"]
    pods = [uid for uid in state.pods.get(job.uid, ()) if uid in known]
    if pods:
        return known[pods[-1]].subject
    if job.pods is not None and len(job.pods.live) == 1:
        return Subject("Pod", job.namespace, "", job.pods.live[0])  # read, and not watched
    return Subject("Job", job.namespace, job.name, job.uid)
