"""Pods in material say why an engine does not run, as they would have told a controller."""

from itertools import permutations
from pathlib import Path

import pytest

from adapters.importing.told_engines import EngineBook
from adapters.importing.told_events import EventBook
from tests.importing.reading import Raw, Read, event, listed, raw, read_text
from tests.importing.test_told_events import core, pool, said
from tests.kubernetes import replica_objects as objects
from tests.replicas import specs

GENERATED = f"{objects.WORKLOAD}-6d4cf56db6-"
UNPLACED = {
    "type": "PodScheduled", "status": "False", "reason": "Unschedulable",
    "message": "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: 0/3 nodes",
}  # fmt: skip
CRASHED = {"exitCode": 1, "reason": "Error", "message": "CUDA out of memory"}
LOOPING = {
    "name": "engine", "ready": False, "lastState": {"terminated": CRASHED},
    "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}},
}  # fmt: skip
OUT_OF_MEMORY = ("Error", "CUDA out of memory")
READY = [{"type": "Ready", "status": "True"}]
DENIED = "pods is forbidden: exceeded quota: gpus"


def home() -> Raw:
    """The cluster itself, as the InferenceCluster that the replica is pinned to."""
    return raw("InferenceCluster", "west", 1, spec={"cluster": {"source": "InCluster"}})


def replica() -> Raw:
    """The ModelReplica, of one engine."""
    told = objects.replica(creationTimestamp="2026-01-01T12:00:00Z")
    return {
        **told, "apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica",
        "spec": specs.replica(),
    }  # fmt: skip


def workload(version: int = 60, *, available: str = "False") -> Raw:
    """Its Deployment, which is not available."""
    said = [{"type": "Available", "status": available, "reason": "R", "message": "m"}]
    told = objects.deployment(str(version), conditions=said)
    return {**told, "apiVersion": "apps/v1", "kind": "Deployment"}


def parts() -> list[Raw]:
    """Something of every kind that has to be listed before a replica is known."""
    service = {**objects.service(), "apiVersion": "v1", "kind": "Service"}
    template = {
        **objects.claim_template(), "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
    }  # fmt: skip
    for number, one in enumerate((service, template)):
        one["metadata"]["uid"] = f"part-{number}"
    return [service, template]


def pod(
    version: int = 61, *, name: str = "aaaaa", workload: str = objects.WORKLOAD, **status: object
) -> Raw:
    """A Pod of the Deployment."""
    labels = {"modelplane.ai/workload": workload, **objects.SERVING}
    metadata = {
        "namespace": objects.NAMESPACE, "generateName": GENERATED, "labels": labels,
    }  # fmt: skip
    return raw(
        "Pod", f"{GENERATED}{name}", version, metadata=metadata, spec=objects.pod_spec(),
        status={"phase": "Pending", **status},
    )  # fmt: skip


def told(folder: Path, *watched: tuple[str, Raw], first: tuple[Raw, ...] = ()) -> Read:
    """Read a List as `kubectl get -o json` prints it, and a stream as `--watch` does."""
    stream = "".join(event(kind, one) for kind, one in watched)
    return read_text(folder, listed(*pool(), *parts(), *first) + stream)


def test_why_an_engine_does_not_run_is_told_in_any_order(tmp_path: Path) -> None:
    """Whichever of the Pod, the workload, the replica and its cluster comes last."""
    crashing = pod(phase="Running", containerStatuses=[LOOPING])
    for order in permutations((home(), replica(), workload(), crashing)):
        read = told(tmp_path, *(("ADDED", one) for one in order), first=(workload(59),))
        assert said(read) == [OUT_OF_MEMORY], [one["kind"] for one in order]
        assert read.account.strange["Pods that are not ours, and run a workload"] == 1


def test_one_list_is_enough(tmp_path: Path) -> None:
    """A List with everything in it tells what the scheduler says of the Pod, steadied."""
    unplaced = pod(conditions=[UNPLACED])
    read = told(tmp_path, first=(home(), replica(), workload(), unplaced))
    [(reason, message)] = said(read)
    assert reason == "Unschedulable"
    assert "Insufficient nvidia.com/gpu" in message
    [condition] = [row for row in read.rows if row.type == "EventsRead"]
    assert condition.subject.startswith(f"Deployment/{objects.NAMESPACE}/{objects.WORKLOAD}/")


def test_a_pod_that_is_silent_is_told_by_its_events(tmp_path: Path) -> None:
    """What the kubelet says of a volume counts, whichever comes first, the Pod or the Event."""
    silent = pod()
    failed = core(silent, "FailedMount", "no such claim")
    for order in permutations((silent, failed)):
        read = told(
            tmp_path, *(("ADDED", one) for one in order), first=(home(), replica(), workload())
        )
        assert said(read) == [("FailedMount", "no such claim")]


def test_a_workload_without_pods_is_told_by_its_own_events(tmp_path: Path) -> None:
    """That no Pod may be made is said of the workload; without any word nothing is told."""
    first = (home(), replica(), workload())
    assert said(told(tmp_path, first=first)) == []
    denied = core(workload(), "FailedCreate", DENIED)
    assert said(told(tmp_path, ("ADDED", denied), first=first)) == [("FailedCreate", DENIED)]


def test_the_newest_trouble_counts_until_it_is_over(tmp_path: Path) -> None:
    """A Pod that becomes ready or goes has no say any more, and Pods of others have none."""
    crashing = pod(phase="Running", containerStatuses=[LOOPING])
    ready = pod(70, phase="Running", conditions=READY)
    other = pod(workload="r-other", name="bbbbb", phase="Running", containerStatuses=[LOOPING])
    first = (home(), replica(), workload(), other)
    assert said(told(tmp_path, first=first)) == []
    for kind, last in (("MODIFIED", ready), ("DELETED", crashing)):
        read = told(tmp_path, (kind, last), first=(*first, crashing))
        assert said(read) == [OUT_OF_MEMORY, ("", "")]


def test_an_engine_that_serves_is_not_asked_about(tmp_path: Path) -> None:
    """Of a workload that is available nothing is told, whatever one of its Pods says."""
    crashing = pod(phase="Running", containerStatuses=[LOOPING])
    read = told(tmp_path, first=(home(), replica(), workload(available="True"), crashing))
    assert said(read) == []


def test_secrets_are_struck_out_of_what_pods_say(tmp_path: Path) -> None:
    """A value that stands in a container's last words does not enter the log."""
    value = "s3cr3t-of-nobody"
    secret = raw("Secret", "hub", 3, data={"token": "czNjcjN0LW9mLW5vYm9keQ=="})
    last = {"terminated": {**CRASHED, "message": f"denied for {value}"}}
    crashing = pod(phase="Running", containerStatuses=[{**LOOPING, "lastState": last}])
    read = told(tmp_path, first=(secret, home(), replica(), workload(), crashing))
    [(_, words)] = said(read)
    assert words.startswith("denied for ")
    assert value not in words


@pytest.mark.parametrize("most", [1, 3])
def test_what_is_kept_of_pods_has_a_bound(most: int) -> None:
    """Of workloads those are kept whose Pods were shown last."""
    book = EngineBook("local", EventBook("local"), most)
    for number in range(5):
        assert book.note(pod(name=f"p{number}", workload=f"w{number}"), gone=False)
    assert book.kept == (most, most)
