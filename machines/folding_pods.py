"""Folding facts about Pods: what holds a slot, why a Job does not run, and when to give up."""

from engine.events import Event, Subject
from machines.asking import asked_target
from machines.causes import DISRUPTED, HOPELESS
from machines.folding_jobs import forget, owner, refresh_reading, track_job, untrack
from machines.indexing import put_target, refresh_silence, refresh_slot
from machines.levels import JobPods, Level, PodLevel
from machines.messages import disrupted_text
from machines.moving import describe_again, fail_target, settle_target
from machines.node_jobs import NodeJobState, NodeJobTrigger
from machines.states import NOTHING, Cluster, Job, State, Target, Warmup, Words
from machines.warmups import TERMINAL

# Disruptions that a node may have beyond its retries: a drain comes and goes, an eviction that
# never stops does not, and Kubernetes alone would never end it.
DISRUPTIONS_SPARED = 3


def fold_pod(
    state: State, event: Event, subject: Subject, level: PodLevel, old: Level | None
) -> None:
    """A Pod of ours is at this level; `old` is the one before."""
    if isinstance(old, PodLevel) and old.job_uid != level.job_uid:
        fold_pod_gone(state, event, subject, old)
    if not level.job_uid:
        return
    pods = state.pods.setdefault(level.job_uid, {})
    if level.ended:
        pods.pop(subject.uid, None)
    else:
        pods[subject.uid] = True
    job = state.jobs.get(level.job_uid)
    if pods and _is_unplaced(job):
        _infer_job(state, event, subject.namespace, level)
    elif job is not None and not job.podded:
        state.jobs[job.uid] = job._replace(podded=True)
    _pods_changed(state, event, level.job_uid, level, old)


def fold_pod_gone(state: State, event: Event, subject: Subject, level: PodLevel) -> None:
    """A Pod is gone: it holds no slot any more, whatever it was doing."""
    state.pods.get(level.job_uid, {}).pop(subject.uid, None)
    _pods_changed(state, event, level.job_uid, None)


def fold_events(state: State, event: Event, job_uid: str, words: Words) -> None:
    """The cluster was asked why nothing runs for a Job; these Events are its answer."""
    target = asked_target(state, job_uid)
    warmup = owner(state, state.jobs[job_uid]) if target else None
    if target is not None and warmup is not None:
        put_target(state, warmup, target._replace(cause=words), event)
        describe_again(state, warmup, target.key, event)


def fold_pods_read(state: State, event: Event, job_uid: str, pods: JobPods) -> None:
    """The Pods of a Job that no watch shows were read; this is all that there is of them."""
    job = state.jobs.get(job_uid)
    if job is None:
        return
    old = job.pods or JobPods()
    state.pods[job_uid] = dict.fromkeys(pods.live, True)
    state.jobs[job_uid] = job._replace(
        pods=pods, pods_at=event.at, podded=job.podded or bool(pods.live or pods.failed)
    )
    if pods.failed != old.failed:
        _pods_changed(state, event, job_uid, pods.failed, old.failed)
    _pods_changed(state, event, job_uid, pods.newest, old.newest)


def place_pods(state: State, cluster: Cluster, event: Event) -> None:
    """Find the machine of every Job of which only Pods are known, now that all is listed."""
    for known in list(cluster.objects["Pod"].values()):
        level = known.level
        if not isinstance(level, PodLevel) or level.ended or not level.job_uid:
            continue
        if _is_unplaced(state.jobs.get(level.job_uid)):
            _infer_job(state, event, known.subject.namespace, level)


def recall_pods(state: State, cluster: Cluster, event: Event) -> None:
    """Take up what Pods said before there was a target that it could be said of.

    In a log that begins, they may be listed before all else: a Pod that waits says it once.
    """
    for known in sorted(cluster.objects["Pod"].values(), key=lambda one: one.version):
        level = known.level
        job = state.jobs.get(level.job_uid) if isinstance(level, PodLevel) else None
        warmup = owner(state, job) if job else None
        target = warmup.targets.get(job.node_uid) if warmup and job else None
        if warmup is None or target is None or not isinstance(level, PodLevel):
            continue
        heard = target.failure if level.ended else target.cause
        noted = target if heard.reason else _note_pod(target, level)
        if noted != target:
            put_target(state, warmup, noted, event)
            _give_up(state, warmup, noted, event)
            describe_again(state, warmup, target.key, event)


def _is_unplaced(job: Job | None) -> bool:
    """Say whether a Job is not known, or only by Pods that had no known machine yet."""
    return job is None or (job.level is None and not job.exists and not job.node_uid)


def _infer_job(state: State, event: Event, namespace: str, level: PodLevel) -> None:
    """Conclude from a live Pod that its Job was there; the Pod holds a slot in its name."""
    node_uid = state.clusters[event.cluster].node_uids.get(level.node_name, "")
    job = Job(level.job_uid, event.cluster, namespace, "", level.warmup_uid, node_uid, exists=False)
    old = state.jobs.get(job.uid)
    if old is not None:
        untrack(state, old)
    track_job(state, job, event)


def _pods_changed(
    state: State, event: Event, job_uid: str, level: PodLevel | None, old: Level | None = None
) -> None:
    if not state.pods.get(job_uid):
        state.pods.pop(job_uid, None)
    refresh_silence(state, job_uid, event.at)
    job = state.jobs.get(job_uid)
    warmup = owner(state, job) if job else None
    if job is None:
        return
    if not job.exists and job_uid not in state.pods:
        forget(state, job)
    else:
        refresh_reading(state, job, event.at)
    if warmup is None:
        return
    target = warmup.targets.get(job.node_uid)
    if target is not None and level is not None:
        noted = _note_pod(target, level)
        known = isinstance(old, PodLevel) and old.reason == DISRUPTED
        if level.reason == DISRUPTED and not known:
            noted = noted._replace(disruptions=noted.disruptions + 1)
        put_target(state, warmup, noted, event)
        _give_up(state, warmup, noted, event)
    refresh_slot(state, warmup, job.node_uid)
    describe_again(state, warmup, job.node_uid, event)


def _give_up(state: State, warmup: Warmup, target: Target, event: Event) -> None:
    """End a target whose Pods can never run, or are disrupted without an end.

    Kubernetes alone would never stop: it counts neither as a failure of the Job.
    """
    if target.state is not NodeJobState.HYDRATING or warmup.state in TERMINAL:
        return
    if target.cause.reason in HOPELESS:
        fail_target(state, warmup, target, NodeJobTrigger.HOPELESS, target.cause, event)
    elif target.disruptions >= _disruption_limit(warmup):
        words = Words("Evicted", disrupted_text(target))
        fail_target(state, warmup, target, NodeJobTrigger.DISRUPTED_TOO_OFTEN, words, event)
    else:
        return
    settle_target(state, warmup, target.key, event)


def _disruption_limit(warmup: Warmup) -> int:
    return (warmup.spec.retry_limit if warmup.spec else 0) + DISRUPTIONS_SPARED


def _note_pod(target: Target, level: PodLevel) -> Target:
    """Keep what a Pod says of itself: why it does not run, and how it failed."""
    if level.reason == DISRUPTED:
        words = Words(DISRUPTED, level.message)
        return target._replace(cause=NOTHING if level.ended else words, disruption=words)
    said = NOTHING if level.ended else Words(level.reason, level.message)
    if level.phase == "Failed":
        return target._replace(cause=NOTHING, failure=_failure(target, level))
    if level.deleting and not level.ended:
        return target
    return target if target.cause == said else target._replace(cause=said)


def _failure(target: Target, level: PodLevel) -> Words:
    """A Pod that was cut off before it ran tells less than what had kept it from running.

    A kubelet gives the containers of a deleted Pod that never started exit code 137. And one that
    was cut off in its second attempt tells less than how the first one failed by itself.
    """
    if target.cause.reason and (level.exit_code is None or level.deleting):
        return target.cause
    if target.failure.reason and level.deleting:
        return target.failure
    message = level.message
    if level.exit_code is not None:
        code = f"exit code {level.exit_code}"
        message = message if code in message else f"{code}: {message}" if message else code
    return Words(level.reason or "PodFailed", message)
