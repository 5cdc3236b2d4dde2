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


def _pulled(status: dict[str, Any]) -> dict[str, Any]:
    """The status of a container whose image is on the node."""
    return {**status, "imageID": "docker.io/library/busybox@sha256:0123"}


# As containerd's kubelet words it; CRI-O looks for the command earlier, and waits.
_NOT_FOUND = (
    "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc"
    ' create failed: unable to start container process: exec: "vllm": executable file not found in'
    " $PATH: unknown"
)
_CRI_O = "container create failed: executable file `vllm` not found in $PATH: No such file"

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
            Cause("Error", "container fetch failed with exit code 2", 2),
        ),
        (
            "Failed",
            {"containerStatuses": [_ended(0, "Completed"), _ended(137, "OOMKilled", name="b")]},
            Cause("OOMKilled", "container b failed with exit code 137", 137),
        ),
        (
            "Failed",
            {"containerStatuses": [_ended(1, "", "no token hf_aBcD1234efgh\n")]},
            Cause("Error", "container image-0 failed with exit code 1: no token hf_…", 1),
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


@pytest.mark.parametrize(
    ("status", "message", "exit_code"),
    [
        (
            _ended(128, "StartError", _NOT_FOUND),
            (
                "the image is there, but container image-0 could not start its command"
                f" (StartError, exit code 128): {_NOT_FOUND}"
            ),
            128,
        ),
        (
            _ended(127, "ContainerCannotRun", "no such file"),
            (
                "the image is there, but container image-0 could not start its command"
                " (ContainerCannotRun, exit code 127): no such file"
            ),
            127,
        ),
        (
            _pulled(_ended(127, "Error", "libcuda.so.1: cannot open shared object file")),
            (
                "the image is there, but container image-0 failed with exit code 127:"
                " libcuda.so.1: cannot open shared object file"
            ),
            127,
        ),
        (
            _waiting("RunContainerError", _NOT_FOUND),
            f"the image is there, but container image-0 cannot start its command: {_NOT_FOUND}",
            None,
        ),
        (
            _waiting("CreateContainerError", _CRI_O),
            f"the image is there, but container image-0 cannot start its command: {_CRI_O}",
            None,
        ),
        (
            _waiting("RunContainerError"),
            "the image is there, but container image-0 cannot start its command",
            None,
        ),
    ],
)
def test_an_image_without_its_command(
    status: dict[str, Any], message: str, exit_code: int | None
) -> None:
    """That the image was pulled and only its command failed has a reason of its own [W70]"""
    phase = "Pending" if "waiting" in status["state"] else "Failed"
    cause = pod_cause(objects.pod(phase, containerStatuses=[status]))
    assert cause == Cause("CommandFailed", message, exit_code)


@pytest.mark.parametrize(
    ("status", "deleting", "reason"),
    [
        (_ended(1), False, "Error"),  # nothing says that the image ever came
        (_pulled(_ended(137, "OOMKilled")), False, "OOMKilled"),
        (_pulled(_ended(143)), True, "Error"),  # killed with its Pod
        (_waiting("CreateContainerError", "no volume to mount"), False, "CreateContainerError"),
    ],
)
def test_what_is_not_the_commands_fault(
    status: dict[str, Any], *, deleting: bool, reason: str
) -> None:
    """A kubelet's better word, a deletion, or an image that never came is not called that."""
    phase = "Pending" if "waiting" in status["state"] else "Failed"
    pod = objects.pod(phase, deleting=deleting, containerStatuses=[status])
    assert pod_cause(pod).reason == reason


def test_a_failure_beside_a_long_pull_is_told_at_once() -> None:
    """A container's end is told while another still pulls, long before its Pod is Failed [W51]"""
    check = _pulled(_ended(3, "Error", "no GPU", "check"))
    for beside in (_waiting("ContainerCreating"), _waiting("ImagePullBackOff", "not found")):
        cause = pod_cause(objects.pod("Pending", containerStatuses=[beside, check]))
        assert cause == Cause(
            "CommandFailed",
            "the image is there, but container check failed with exit code 3, while others of its"
            " Pod are still at work: no GPU",
            3,
        )


def test_what_an_init_container_keeps_from_running_is_not_at_work() -> None:
    """Regular containers that will never begin are not called at work."""
    status: dict[str, Any] = {
        "initContainerStatuses": [_pulled(_ended(3, "Error", "", "check"))],
        "containerStatuses": [_waiting("PodInitializing")],
    }
    for phase in ("Pending", "Failed"):
        cause = pod_cause(objects.pod(phase, **status))
        assert cause.message == "the image is there, but container check failed with exit code 3"
    failed: dict[str, Any] = {"containerStatuses": [_ended(3), _waiting("ContainerCreating")]}
    assert "at work" not in pod_cause(objects.pod("Failed", **failed)).message


def test_words_of_a_program_are_bounded_and_keep_their_end() -> None:
    """A long last message is cut at its start, so that the error itself is kept."""
    status: dict[str, Any] = {
        "containerStatuses": [_ended(1, "Error", "line\n" * 900 + "OSError: disk full")]
    }
    cause = pod_cause(objects.pod("Failed", **status))
    assert cause.message.startswith("container image-0 failed with exit code 1: …")
    assert cause.message.endswith("OSError: disk full")
    assert len(cause.message) <= 1024


def test_long_reasons_and_names_are_bounded() -> None:
    """No field of a level grows with what a kubelet or a manifest says."""
    status: dict[str, Any] = {"containerStatuses": [_ended(1, "R" * 5000, "m" * 5000, "n" * 5000)]}
    cause = pod_cause(objects.pod("Failed", **status))
    assert len(cause.reason) <= 256
    assert len(cause.message) <= 1024
