"""Why a Pod does not run: the nearest cause, from statuses as kubelets write them."""

from typing import Any

import pytest

from adapters.kubernetes.pod_causes import Cause, pod_cause
from tests.kubernetes import objects


def _waiting(reason: str, message: str = "", name: str = "image-0") -> dict[str, Any]:
    return {"name": name, "state": {"waiting": {"reason": reason, "message": message}}}


def _ended(
    code: int, reason: str = "Error", message: str = "", name: str = "image-0"
) -> dict[str, Any]:
    ended = {"exitCode": code, "reason": reason, "message": message}
    return {"name": name, "state": {"terminated": ended}}


_UNSCHEDULABLE = {
    "type": "PodScheduled",
    "status": "False",
    "reason": "Unschedulable",
    "message": (
        "0/2 nodes are available: 1 node(s) didn't satisfy plugin(s) [NodeAffinity],"
        " 1 node(s) had untolerated taint(s). preemption: 0/2 nodes are available:"
        " 2 Preemption is not helpful for scheduling."
    ),
}
_DISRUPTED = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "PreemptionByScheduler",
    "message": "default-scheduler: preempting to accommodate a higher priority pod",
}


@pytest.mark.parametrize(
    ("phase", "status", "cause"),
    [
        ("Pending", {}, Cause()),
        (
            "Pending",
            {"conditions": [_UNSCHEDULABLE]},
            Cause("Unschedulable", "no node is available: node(s) had untolerated taint(s)"),
        ),
        (
            "Pending",
            {"conditions": [{**_UNSCHEDULABLE, "reason": None, "message": None}]},
            Cause("Unschedulable", ""),
        ),
        ("Pending", {"containerStatuses": [_waiting("ContainerCreating")]}, Cause()),
        (
            "Pending",
            {
                "initContainerStatuses": [_waiting("PodInitializing")],
                "containerStatuses": [_waiting("PodInitializing")],
            },
            Cause(),
        ),
        (
            "Pending",
            {"containerStatuses": [_waiting("ErrImagePull", "not found")]},
            Cause("ImagePullBackOff", "not found"),
        ),
        (
            "Pending",
            {
                "containerStatuses": [
                    _waiting("ImagePullBackOff", "not found"),
                    _waiting("InvalidImageName", 'couldn\'t parse image "X:"', "image-1"),
                ]
            },
            Cause("InvalidImageName", 'couldn\'t parse image "X:"'),
        ),
        (
            "Pending",
            {"containerStatuses": [_waiting("CreateContainerError")]},
            Cause("CreateContainerError", "container image-0 waits"),
        ),
        (
            "Pending",
            {
                "initContainerStatuses": [
                    {
                        "name": "fetch",
                        "state": {"waiting": {"reason": "CrashLoopBackOff", "message": "back-off"}},
                        "lastState": {"terminated": {"exitCode": 2, "reason": "Error"}},
                    }
                ],
                "containerStatuses": [_waiting("PodInitializing")],
            },
            Cause("Error", "container fetch exited with code 2", 2),
        ),
        (
            "Failed",
            {"containerStatuses": [_ended(0, "Completed"), _ended(137, "OOMKilled", name="b")]},
            Cause("OOMKilled", "container b exited with code 137", 137),
        ),
        (
            "Failed",
            {"containerStatuses": [_ended(1, "", "no token hf_aBcD1234efgh\n")]},
            Cause("Error", "container image-0 exited with code 1: no token hf_…", 1),
        ),
        (
            "Failed",
            {
                "reason": "DeadlineExceeded",
                "message": "Pod was active on the node longer than the specified deadline",
                "containerStatuses": [_ended(143)],
            },
            Cause(
                "DeadlineExceeded",
                "Pod was active on the node longer than the specified deadline",
                143,
            ),
        ),
        (
            "Failed",
            {
                "reason": "Evicted",
                "message": "The node was low on resource: memory.",
                "conditions": [
                    {**_DISRUPTED, "reason": "TerminationByKubelet", "message": "as above"}
                ],
                "containerStatuses": [_ended(137)],
            },
            Cause("DisruptionTarget", "Evicted: The node was low on resource: memory.", 137),
        ),
        (
            "Running",
            {"conditions": [_DISRUPTED]},
            Cause(
                "DisruptionTarget",
                "PreemptionByScheduler: default-scheduler: preempting to accommodate a higher"
                " priority pod",
            ),
        ),
        ("Running", {"conditions": [{**_DISRUPTED, "status": "False"}]}, Cause()),
        ("Succeeded", {"conditions": [_DISRUPTED], "reason": "x"}, Cause()),
        ("Failed", {}, Cause("PodFailed", "the Pod failed without a word")),
        (
            "Failed",
            {"reason": "Evicted", "message": "Pod warm-1-x7k2p used 9 bytes"},
            Cause("Evicted", "Pod warm-1-… used 9 bytes"),
        ),
    ],
)
def test_the_nearest_cause_is_given(phase: str, status: dict[str, Any], cause: Cause) -> None:
    """Disruption, own reason, exit code, waiting container, scheduler: in that order."""
    assert pod_cause(objects.pod(phase, **status)) == cause


def test_words_of_a_program_are_bounded_and_keep_their_end() -> None:
    """A long last message is cut at its start, so that the error itself is kept."""
    status: dict[str, Any] = {
        "containerStatuses": [_ended(1, "Error", "line\n" * 900 + "OSError: disk full")]
    }
    cause = pod_cause(objects.pod("Failed", **status))
    assert cause.message.startswith("container image-0 exited with code 1: …")
    assert cause.message.endswith("OSError: disk full")
    assert len(cause.message) <= 1024


def test_long_reasons_and_names_are_bounded() -> None:
    """No field of a level grows with what a kubelet or a manifest says."""
    status: dict[str, Any] = {"containerStatuses": [_ended(1, "R" * 5000, "m" * 5000, "n" * 5000)]}
    cause = pod_cause(objects.pod("Failed", **status))
    assert len(cause.reason) <= 256
    assert len(cause.message) <= 1024
