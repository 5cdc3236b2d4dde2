"""The Pods of AIBrix's own Jobs, which bear no label, are told by the Job that controls them."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from adapters.importing.unlabelled_pods import UnlabelledPods
from machines.labels import POOL, TARGET_NODE, TARGET_NODE_UID, WARMUP_UID
from tests.importing.reading import Raw, Read, event, listed, raw, read_text

OWNER = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "name": "job",
    "uid": "job-uid",
    "controller": True,
}
BY = {"kind": "ModelWarmup", "name": "mw", "uid": "mw-uid", "controller": True}
WORDS = "denied by the registry"


def warmup() -> Raw:
    """A ModelWarmup."""
    target = {"nodeSelector": {"matchLabels": {POOL: "p"}}}
    image = {"image": "busybox:1.36", "command": ["true"]}
    return raw(
        "ModelWarmup", "mw", 2, spec={"targets": [target], "imagePreload": {"images": [image]}}
    )


def job() -> Raw:
    """A Job as AIBrix makes it: its Pods get labels, but none of ours."""
    metadata = {
        "labels": {WARMUP_UID: "mw-uid"},
        "annotations": {TARGET_NODE: "a", TARGET_NODE_UID: "a-uid"},
        "ownerReferences": [BY],
    }
    labels = {"batch.kubernetes.io/controller-uid": "job-uid"}
    return raw(
        "Job", "job", 3, metadata=metadata, spec={"template": {"metadata": {"labels": labels}}}
    )


def pod(version: int = 4, **status: Any) -> Raw:
    """The Job's Pod."""
    return raw("Pod", "pod", version, metadata={"ownerReferences": [OWNER]}, status=status)


def waiting(version: int = 4) -> Raw:
    """The Pod while its image cannot be pulled."""
    state = {"waiting": {"reason": "ErrImagePull", "message": WORDS}}
    return pod(version, phase="Pending", containerStatuses=[{"name": "c", "state": state}])


def newest(read: Read) -> list[Any]:
    """What was told of the newest Pod, each time."""
    return [data.get("newest", {}) for data in read.data("JobPodsRead")]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_why_such_a_pod_waits_is_told_whatever_comes_first(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    """The ModelWarmup, the Job and the Pod may come in any order."""
    raws = (warmup(), job(), waiting())
    read = read_text(tmp_path, "".join(event("ADDED", raws[number]) for number in order))
    assert [told["message"] for told in newest(read)] == [WORDS]


def test_such_a_pod_is_followed_to_its_end(tmp_path: Path) -> None:
    """What it is at later is told, and that it is gone."""
    read = read_text(
        tmp_path,
        listed(warmup(), job(), waiting()),
        event("MODIFIED", pod(5, phase="Running")) + event("DELETED", pod(6)),
    )
    assert [told.get("phase") for told in newest(read)] == ["Pending", "Running", None]


def test_pods_of_other_jobs_leave_no_trace(tmp_path: Path) -> None:
    """They are counted as not ours."""
    other = raw("Pod", "pod", 4, metadata={"ownerReferences": [{**OWNER, "uid": "another"}]})
    read = read_text(tmp_path, listed(warmup(), job(), other))
    assert not read.data("JobPodsRead")


def test_pods_of_others_do_not_fill_the_memory() -> None:
    """Those of the Jobs that came first are forgotten when too many follow."""
    pods = UnlabelledPods("local", most_jobs=3)
    for number in range(5):
        owner = {**OWNER, "uid": f"uid-{number}"}
        pods.note(raw("Pod", f"p{number}", 9, metadata={"ownerReferences": [owner]}), gone=False)
    assert pods.jobs == ("uid-2", "uid-3", "uid-4")
