"""The cluster of one ModelWarmup: its Jobs and Pods, and what runs there of itself."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.events import Subject
from machines.levels import JobLevel, PodLevel
from machines.observations import Deleted, Seen
from property_tests.exploring.worlds import Budget, Move, Side, Wires

CLUSTER, NAMESPACE = "c", "ns"
WARMUP = Subject("ModelWarmup", NAMESPACE, "mw", "mw-uid")
RETRIES = 1
WATCHED = ("Job", "Pod")


class JobThere(NamedTuple):
    """A Job in the cluster."""

    subject: Subject
    version: int
    level: JobLevel


class PodThere(NamedTuple):
    """A Pod in the cluster."""

    subject: Subject
    version: int
    level: PodLevel
    hidden: bool = False  # its Job went before anybody could have heard of it


class WarmupWorld(NamedTuple):
    """The cluster, and what is between it and the controller."""

    budget: Budget
    made: tuple[int, ...]  # Jobs that there ever were, by node
    wires: Wires = Wires()
    jobs: tuple[JobThere, ...] = ()
    pods: tuple[PodThere, ...] = ()
    job_news: tuple[Seen | Deleted, ...] = ()
    pod_news: tuple[Seen | Deleted, ...] = ()
    listed: bool = False  # in this session
    stored: bool = False  # the terminal status is on the server


def seen(there: JobThere | PodThere) -> Seen:
    """Observe an object as it is."""
    return Seen(CLUSTER, there.subject, str(there.version), there.level)


def news(news: Seen | Deleted) -> str:
    """Say what news tell."""
    what = f"{news.subject.kind} {news.subject.uid}"
    if isinstance(news, Deleted):
        return f"{what} is gone"
    level = news.level
    state = getattr(level, "outcome", "") or getattr(level, "phase", "") or "at work"
    return f"{what} is {state}"


def news_of(world: WarmupWorld, news: Seen | Deleted) -> WarmupWorld:
    """Send news; there is none of a kind that is yet to be listed."""
    if not world.listed:
        return world
    if news.subject.kind == "Job":
        return world._replace(job_news=(*world.job_news, news))
    return world._replace(pod_news=(*world.pod_news, news))


def job_of(world: WarmupWorld, uid: str) -> JobThere | None:
    """Give the Job of this uid; None when there is none."""
    return next((job for job in world.jobs if job.subject.uid == uid), None)


def job_is(world: WarmupWorld, job: JobThere, **changes: Any) -> WarmupWorld:
    """Change a Job."""
    after = JobThere(job.subject, job.version + 1, job.level._replace(**changes))
    jobs = tuple(after if one is job else one for one in world.jobs)
    return news_of(world._replace(jobs=jobs), seen(after))


def job_deleted(world: WarmupWorld, job: JobThere) -> WarmupWorld:
    """Delete a Job in the background: its Pods are there for a while yet."""
    jobs = tuple(one for one in world.jobs if one is not job)
    unheard = {one.subject for one in world.pod_news if isinstance(one, Seen)}
    pods = tuple(
        pod._replace(hidden=pod.subject in unheard)
        if pod.level.job_uid == job.subject.uid and pod.version == 1
        else pod
        for pod in world.pods
    )
    news = Deleted(CLUSTER, job.subject, str(job.version + 1), job.level)
    return news_of(world._replace(jobs=jobs, pods=pods), news)


def _pod_is(world: WarmupWorld, pod: PodThere, **changes: Any) -> WarmupWorld:
    after = pod._replace(version=pod.version + 1, level=pod.level._replace(**changes))
    pods = tuple(after if one is pod else one for one in world.pods)
    return news_of(world._replace(pods=pods), seen(after))


def _pod_deleted(world: WarmupWorld, pod: PodThere) -> WarmupWorld:
    pods = tuple(one for one in world.pods if one is not pod)
    news = Deleted(CLUSTER, pod.subject, str(pod.version + 1), pod.level)
    return news_of(world._replace(pods=pods), news)


def _pods_of(world: WarmupWorld, job: JobThere) -> list[PodThere]:
    return [pod for pod in world.pods if pod.level.job_uid == job.subject.uid]


def _own(words: str, world: WarmupWorld, *, fault: bool = False) -> Move:
    return Move(words, world, fault=fault, side=Side.CLUSTER)


def job_goes_on(world: WarmupWorld, job: JobThere) -> Iterator[Move]:
    """What the Job's controller does next, and what a person may."""
    uid, level, pods = job.subject.uid, job.level, _pods_of(world, job)
    if world.budget.failures:
        spent = world._replace(budget=world.budget._replace(failures=world.budget.failures - 1))
        yield _own(f"somebody deletes {uid}", job_deleted(spent, job), fault=True)
        if not level.outcome:
            late = job_is(spent, job, outcome="Finishing", reason="DeadlineExceeded")
            yield _own(f"{uid} has run for too long", late, fault=True)
    if level.ended:
        return
    if level.outcome == "Finishing":
        if all(pod.level.ended for pod in pods):
            outcome = "Failed" if level.reason else "Complete"
            yield _own(f"{uid} is {outcome}", job_is(world, job, outcome=outcome))
        return
    failed = sum(pod.level.phase == "Failed" for pod in pods)
    if any(pod.level.phase == "Succeeded" for pod in pods):
        yield _own(f"{uid} is about to be Complete", job_is(world, job, outcome="Finishing"))
    elif failed > level.failed_attempts:
        over = (
            {"outcome": "Finishing", "reason": "BackoffLimitExceeded"} if failed > RETRIES else {}
        )
        counted = job_is(world, job, failed_attempts=failed, **over)
        yield _own(f"{uid} counts {failed} failed Pod", counted)
    elif failed == len(pods):
        yield _own(f"a Pod of {uid} runs", _pod_made(world, job, len(pods)))


def ttl_passes(world: WarmupWorld) -> Iterator[Move]:
    """An hour after its end a Job goes with its Pods, when all else has happened long ago."""
    for job in world.jobs:
        if job.level.ttl_seconds is not None:
            after = job_deleted(world, job)
            for pod in _pods_of(world, job):
                after = _pod_deleted(after, pod)
            yield Move(f"the TTL of {job.subject.uid} is over", after)


def _pod_made(world: WarmupWorld, job: JobThere, index: int) -> WarmupWorld:
    name = f"{job.subject.uid}-pod-{index}"
    level = PodLevel(WARMUP.uid, job.subject.uid, job.level.node_name, "Running")
    pod = PodThere(Subject("Pod", NAMESPACE, name, name), 1, level)
    return news_of(world._replace(pods=(*world.pods, pod)), seen(pod))


def pod_goes_on(world: WarmupWorld, pod: PodThere) -> Iterator[Move]:
    """What the kubelet and the garbage collector do next."""
    uid = pod.subject.uid
    job = job_of(world, pod.level.job_uid)
    if job is None:
        yield _own(f"Pod {uid} goes after its Job", _pod_deleted(world, pod))
        return
    if pod.level.ended:
        return
    if job.level.outcome == "Finishing":
        yield _own(f"Pod {uid} is stopped", _pod_deleted(world, pod))
        return
    yield _own(f"Pod {uid} succeeds", _pod_is(world, pod, phase="Succeeded"))
    if world.budget.failures:
        spent = world._replace(budget=world.budget._replace(failures=world.budget.failures - 1))
        yield _own(f"Pod {uid} fails", _pod_is(spent, pod, phase="Failed", exit_code=3), fault=True)
