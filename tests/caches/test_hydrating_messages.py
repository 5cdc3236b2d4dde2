"""Messages of entries that are Hydrating: each row of what they may wait for."""

from collections.abc import Callable

import pytest

from machines.caches.entries import EntryState
from machines.caches.states import Refusal, Said
from tests.caches.pictures import (
    CLAIM,
    FAILURE,
    JOB,
    LATER,
    NODE,
    THERE,
    Picture,
    spec_of,
)


def hydrating() -> Picture:
    """A picture whose Job is on its way."""
    picture = Picture()
    picture.hydrating()
    return picture


def one_attempt_failed() -> Picture:
    """An attempt failed, and the Job tries again."""
    picture = hydrating()
    picture.job(failed_attempts=1)
    return picture


def misconfigured() -> Picture:
    """The container cannot be made."""
    picture = hydrating()
    picture.pod(reason="CreateContainerConfigError", message='secret "x" not found')
    return picture


def no_pods() -> Picture:
    """No Pod can be made for the Job."""
    picture = hydrating()
    picture.entry.job_events = Said("FailedCreate", "pods is forbidden: exceeded quota")
    return picture


def retrying() -> Picture:
    """It is tried again."""
    picture = hydrating()
    picture.entry.failure = FAILURE
    return picture


def old_job() -> Picture:
    """The Job that is there is another claim's."""
    picture = hydrating()
    picture.job(claim_uid="another")
    return picture


def no_job() -> Picture:
    """The Job is still to be made."""
    picture = Picture()
    picture.claim("Bound")
    picture.entry.state = EntryState.HYDRATING
    return picture


def on_a_lost_node() -> Picture:
    """The cloud took the node away on which the Pod runs."""
    picture = hydrating()
    picture.pod(phase="Running", node_name="gpu-9")
    return picture


def held_by_a_pod() -> Picture:
    """The Job before is gone, and a Pod of it hangs on a node that does not answer."""
    picture = no_job()
    picture.entry.job_uid = f"{JOB}-uid"
    picture.pod(phase="Running", node_name="gpu-1", deleting=True)
    return picture


def job_refused() -> Picture:
    """The API server refuses the Job."""
    picture = no_job()
    picture.entry.refusals["create HydrationJob"] = Refusal("Forbidden", "denied", 1, LATER)
    return picture


def not_latched() -> Picture:
    """The Job is done, and the claim does not say so yet."""
    picture = hydrating()
    picture.job("Complete")
    return picture


def latch_refused() -> Picture:
    """The API server does not take the latch."""
    picture = not_latched()
    picture.entry.refusals["Latch PersistentVolumeClaim"] = Refusal("Forbidden", "no", 1, LATER)
    return picture


def resizing() -> Picture:
    """The volume does not follow the size asked for."""
    picture = hydrating()
    picture.claim("Bound", resizing="VolumeResizeFailed: not enough room")
    return picture


INTO = f"org/model at v1 into claim {THERE}/{CLAIM}"
HYDRATING = [
    (hydrating, f"downloading {INTO}"),
    (one_attempt_failed, f"downloading {INTO}; 1 attempt of it failed"),
    (
        misconfigured,
        (
            f"downloading {INTO}; the Pod of Job {THERE}/{JOB} waits: CreateContainerConfigError: "
            'secret "x" not found'
        ),
    ),
    (
        no_pods,
        (
            f"downloading {INTO}; no Pod can be made for Job {THERE}/{JOB}: FailedCreate: pods is "
            "forbidden: exceeded quota"
        ),
    ),
    (
        retrying,
        (
            f"downloading {INTO}; before, Job {THERE}/{JOB} failed after 4 attempts: "
            "Error: No space left on device; "
            "BackoffLimitExceeded: Job has reached the specified backoff limit"
        ),
    ),
    (no_job, f"waiting to download {INTO}"),
    (old_job, f"waiting to download {INTO}; an earlier Job {THERE}/{JOB} is to go first"),
    (
        on_a_lost_node,
        f"downloading {INTO}; the Pod of Job {THERE}/{JOB} is on node gpu-9, which is gone",
    ),
    (
        held_by_a_pod,
        (
            f"waiting to download {INTO}; Pod {JOB}-abcde of an earlier Job {THERE}/{JOB} "
            "must end before the next can begin"
        ),
    ),
    (
        job_refused,
        (
            f"waiting to download {INTO}: the API server refused to create Job {THERE}/{JOB}: "
            "Forbidden: denied; tried again at 2026-01-01T12:01:00Z"
        ),
    ),
    (
        not_latched,
        (
            f"org/model at v1 is whole in claim {THERE}/{CLAIM}: it is published once that is "
            "written onto the claim"
        ),
    ),
    (
        latch_refused,
        (
            f"org/model at v1 is whole in claim {THERE}/{CLAIM}: it is published once that is "
            f"written onto the claim; the API server refused to mark "
            f"claim {THERE}/{CLAIM} as hydrated: "
            "Forbidden: no; tried again at 2026-01-01T12:01:00Z"
        ),
    ),
    (
        resizing,
        f"downloading {INTO}; its size does not follow: VolumeResizeFailed: not enough room",
    ),
]


@pytest.mark.parametrize(("draw", "message"), HYDRATING)
def test_hydrating(draw: Callable[[], Picture], message: str) -> None:
    """A Hydrating entry names repo, revision and claim, and what its Pod waits for [C51] [S23]"""
    assert draw().message == message


def test_the_default_branch() -> None:
    """Without a revision the message says that it is the default branch."""
    picture = Picture(spec=spec_of(revision=""))
    picture.hydrating()
    assert picture.message.startswith("downloading org/model at its default branch into claim")


def test_a_bound_claim_is_where_its_volume_is() -> None:
    """Of a bound claim the node that was chosen is not told: the volume may be elsewhere [S71]"""
    picture = hydrating()
    picture.claim("Bound", selected_node="gpu-1")
    picture.entry.chosen = NODE
    assert "gpu-1" not in picture.message
