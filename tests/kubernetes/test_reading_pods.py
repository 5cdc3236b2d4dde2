"""Reading Pods by the label that Kubernetes gives them, for Jobs whose Pods no watch shows."""

from typing import Any

from adapters.kubernetes.reading_pods import JOBS_AT_ONCE, read_pods
from adapters.ports import Response
from engine.events import Subject
from machines.levels import JobPods
from machines.observations import PodsRead
from tests.kubernetes import objects
from tests.kubernetes.fakes import ScriptedApi, page, refused
from tests.kubernetes.intents import BROKEN

JOB = Subject("Job", "default", "warm-1", objects.JOB_UID)


def pod(uid: str, phase: str, created: str, *, job: str = objects.JOB_UID, **more: Any) -> Any:
    """A Pod without a label of ours."""
    raw = objects.pod(phase, **more)
    raw["metadata"] |= {
        "uid": uid,
        "creationTimestamp": created,
        "labels": {"batch.kubernetes.io/controller-uid": job},
        "ownerReferences": [{"kind": "Job", "uid": job, "controller": True}],
    }
    return raw


async def read(*answers: Any, jobs: tuple[Subject, ...] = (JOB,)) -> tuple[list[PodsRead], Any]:
    """Read; every answer is used."""
    api = ScriptedApi(*answers)
    found = await read_pods(api, "default", jobs, timeout_seconds=5)
    assert api.answers == []
    return found, api


async def test_what_lives_and_what_failed() -> None:
    """The newest Pod that lives says why it does not run, and the newest that failed how."""
    waiting = {"state": {"waiting": {"reason": "ImagePullBackOff", "message": "denied"}}}
    items = [
        pod("p3", "Pending", "2026-01-01T00:00:03Z", containerStatuses=[{"name": "c", **waiting}]),
        pod("p1", "Failed", "2026-01-01T00:00:01Z", reason="Evicted"),
        pod("p2", "Failed", "2026-01-01T00:00:02Z", reason="OOMKilled"),
        pod("p0", "Running", "2026-01-01T00:00:00Z", deleting=True),
    ]
    found, api = await read(page(*items))
    (one,) = found
    assert (one.cluster, one.subject, one.pods.live) == ("prod", JOB, ("p0", "p3"))
    assert one.pods.newest is not None
    assert (one.pods.newest.phase, one.pods.newest.reason) == ("Pending", "ImagePullBackOff")
    assert one.pods.failed is not None
    assert one.pods.failed.reason == "OOMKilled"
    assert dict(api.requests[0].query)["labelSelector"] == (
        f"batch.kubernetes.io/controller-uid in ({objects.JOB_UID})"
    )
    assert api.requests[0].path == "/api/v1/namespaces/default/pods"


async def test_no_pod_is_an_answer() -> None:
    """That none is left is told, of each Job that was asked for."""
    other = JOB._replace(uid="other")
    items = [pod("p", "Running", "", job="other"), {"metadata": {}}]
    found, _ = await read(page(*items), jobs=(JOB, other))
    assert [(one.subject, one.pods.live) for one in found] == [(JOB, ()), (other, ("p",))]


async def test_half_an_answer_is_none() -> None:
    """A refusal, a broken connection, or a list that breaks off tell nothing."""
    assert (await read(refused(403)))[0] == []
    assert (await read(BROKEN))[0] == []
    assert (await read(page(continued="more"), refused(410)))[0] == []
    found, api = await read(page(continued="more"), page())
    assert found == [PodsRead("prod", JOB, JobPods())]
    assert dict(api.requests[1].query)["continue"] == "more"


async def test_many_jobs_are_asked_for_in_parts() -> None:
    """A selector names no more Jobs than fit, and one part that fails costs no other."""
    jobs = tuple(JOB._replace(uid=f"j{index}") for index in range(JOBS_AT_ONCE + 1))
    found, _ = await read(Response(500, None), page(), jobs=jobs)
    assert [one.subject.uid for one in found] == [f"j{JOBS_AT_ONCE}"]
