"""Reading the Pods of Jobs that bear no label of ours, by the label that Kubernetes gives them."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import POD
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.kubernetes.object_parts import CONTROLLER_UID
from adapters.kubernetes.reading import read_items
from adapters.kubernetes.reflecting import number
from adapters.ports import Api
from engine.events import Subject
from machines.levels import JobPods, PodLevel
from machines.observations import PodsRead

JOBS_AT_ONCE = 40  # in one selector: a query has to fit into a line


class FoundPod(NamedTuple):
    """A Pod of a Job, by what tells the newest one."""

    created: str
    version: int
    uid: str
    level: PodLevel


async def read_pods(
    api: Api, namespace: str, jobs: Sequence[Subject], *, timeout_seconds: float
) -> list[PodsRead]:
    """Give what the Pods of these Jobs of one namespace are at; nothing without a whole answer."""
    found: list[PodsRead] = []
    for begin in range(0, len(jobs), JOBS_AT_ONCE):
        some = jobs[begin : begin + JOBS_AT_ONCE]
        raws = await _list(api, namespace, some, timeout_seconds)
        if raws is None:
            continue
        pods: dict[str, list[FoundPod]] = {job.uid: [] for job in some}
        for raw in raws:
            pod = found_pod(api.cluster, raw)
            if pod is not None and pod.level.job_uid in pods:
                pods[pod.level.job_uid].append(pod)
        found += [PodsRead(api.cluster, job, summary(pods[job.uid])) for job in some]
    return found


async def _list(
    api: Api, namespace: str, jobs: Iterable[Subject], timeout_seconds: float
) -> list[dict[str, Any]] | None:
    selector = f"{CONTROLLER_UID} in ({','.join(job.uid for job in jobs)})"
    query = (("labelSelector", selector),)
    return await read_items(api, POD.path(namespace), query, timeout_seconds=timeout_seconds)


def found_pod(cluster: str, raw: dict[str, Any]) -> FoundPod | None:
    """Reduce a raw Pod, whatever labels it bears; None of one that cannot be read."""
    try:
        seen = normalise(cluster, POD, raw)
    except ObjectMalformed:
        return None
    created = text(mapping(raw.get("metadata")).get("creationTimestamp"))
    if not isinstance(seen.level, PodLevel):
        return None
    return FoundPod(created, number(seen.version), seen.subject.uid, seen.level)


def summary(pods: Iterable[FoundPod]) -> JobPods:
    """Sum up the Pods of one Job."""
    pods = list(pods)
    live = [pod for pod in pods if not pod.level.ended]
    failed = [pod for pod in pods if pod.level.phase == "Failed"]
    return JobPods(
        tuple(sorted(pod.uid for pod in live)),
        max(live).level if live else None,
        max(failed).level if failed else None,
    )
