"""Dry runs of `warmlog plan`: what a server says, and what it may not be asked."""

from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from tests.cli.commands import printed, sample
from tests.cli.plans import NAMES, mixed_world, told, written
from tests.cli.serving import served


@pytest.mark.parametrize(
    ("kind", "consequence"),
    [
        ("Job", "the controller would try again"),
        ("Pod", "the Job would be accepted, and wait without a Pod"),
        ("ModelWarmup", "it cannot be applied"),
    ],
)
def test_a_refused_dry_run_is_told_in_the_servers_words(
    tmp_path: Path, kind: str, consequence: str
) -> None:
    """What the server says to each of the three objects is shown, and the code is 1."""
    world = mixed_world()
    world.forbid(kind, "default", "exceeded quota: two, requested: count/x=1, used: 2")
    code, text, _ = told(tmp_path, world, sample())
    assert code == ExitCode.DIFFERENT
    assert text.count("exceeded quota: two, requested: count/x=1, used: 2") == 1
    assert text.count(" is refused (403): ") == 1
    assert text.count(" would be accepted\n") == 2
    assert f"so {consequence}" in text
    assert "00000000" not in text


def test_a_refusal_for_good_is_told_apart(tmp_path: Path) -> None:
    """What the server can never accept fails the node; it is not tried again."""
    world = mixed_world()
    fault = failure(422, "Invalid", "volumes[1]: Duplicate", {"causes": [{"field": "spec.x"}]})
    world.api.faults.add(every("POST", "/jobs"), fault)
    code, text, _ = told(tmp_path, world, sample())
    assert code == ExitCode.DIFFERENT
    assert "so the node fails at once: the API server can never accept it" in text


def test_the_pod_that_is_tried_is_the_jobs(tmp_path: Path) -> None:
    """The dry run of a Pod has the template that the server made of the Job."""
    with served(mixed_world(), tmp_path) as server:
        printed("plan", written(tmp_path, sample()), "--kubeconfig", server.kubeconfig)
    [job, pod] = [each.body for each in server.requests if each.path.endswith(("jobs", "pods"))]
    wanted = job["spec"]["template"]["spec"]
    assert pod["spec"]["containers"][0]["image"] == wanted["containers"][0]["image"]
    assert pod["spec"]["affinity"] == wanted["affinity"]
    assert set(job["spec"]["template"]["metadata"]["labels"]) <= set(pod["metadata"]["labels"])


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/nodes", "which nodes get a Job is not known, for want of Node"),
        ("/namespaces/default", "which nodes get a Job is not known, for want of Namespace"),
    ],
)
def test_a_missing_right_is_named_and_the_rest_goes_on(
    tmp_path: Path, path: str, words: str
) -> None:
    """Without the right to read nodes or the namespace all the rest is still told."""
    world = mixed_world()
    fault = failure(403, "Forbidden", "User u cannot do that")
    world.api.faults.add(lambda request: request.path.endswith(path), fault, times=10)
    code, text, _ = told(tmp_path, world, sample(targets=NAMES))
    assert code == ExitCode.OK
    assert f"ModelWarmup default/runtime-image-warmup: {words}" in text
    assert "is missing: User u cannot do that" in text
    assert "Revision 6093a862b7a6" in text
    assert "Job for absent, as if it got one, would be accepted" in text


def test_a_missing_right_to_create_is_no_refusal(tmp_path: Path) -> None:
    """Whoever may not create Jobs is told that it is not known what would be said."""
    world = mixed_world()
    words = 'User "u" cannot create resource "jobs" in API group "batch"'
    world.api.faults.add(every("POST", "/jobs"), failure(403, "Forbidden", words))
    code, text, _ = told(tmp_path, world, sample())
    assert code == ExitCode.OK
    assert "Job for gpu-2 is not known: the right to create jobs.batch is missing" in text


def test_a_cluster_without_the_crd_is_said(tmp_path: Path) -> None:
    """Where the kind is not served, the command that mends it is named."""
    world = mixed_world()
    missing = failure(404, "NotFound", "the server could not find the requested resource", {})
    world.api.faults.add(every("", "/modelwarmups"), missing, times=10)
    _, text, _ = told(tmp_path, world, sample())
    assert "the cluster does not serve modelwarmups.model.aibrix.ai" in text
    assert "kubectl apply -k crds/" in text
    assert "4 nodes get a Job" in text
