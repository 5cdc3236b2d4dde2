"""Folding what becomes known of the machines that Jobs serve which do not say it themselves."""

from engine.events import Event
from machines.folding_jobs import owner, track_job, untrack
from machines.folding_pods import place_pods
from machines.moving import settle_target
from machines.placing import is_misplaced, left_key, machine_of
from machines.states import Cluster, Job, State


def place_jobs(state: State, cluster: Cluster, event: Event) -> None:
    """Find the machine of every Job, also of one known by its Pods, now that all is listed."""
    for job in list(state.jobs.values()):
        if job.cluster == cluster.name:
            _place_again(state, cluster, job, event)
    place_pods(state, cluster, event)


def place_jobs_of(state: State, cluster: Cluster, node_name: str, event: Event) -> None:
    """Find the machine of every Job that names this node, which has just been seen."""
    for key in (left_key(node_name), ""):
        for warmup_uid in cluster.unplaced.get(key, ()):
            for uid in state.warmups[warmup_uid].jobs.get(key, ()):
                _place_again(state, cluster, state.jobs[uid], event)


def _place_again(state: State, cluster: Cluster, job: Job, event: Event) -> None:
    """Give a Job to its machine, unless its outcome counts already as that of one that left."""
    warmup = owner(state, job)
    if warmup is None or job.level is None or job.node_uid in warmup.targets:
        return
    if is_misplaced(cluster, job):
        untrack(state, job)
        settle_target(state, warmup, job.node_uid, event)
        track_job(state, job._replace(node_uid=machine_of(cluster, job.level)), event)
