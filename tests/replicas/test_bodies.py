"""The bodies of what a ModelReplica has on its cluster."""

import copy
import json

import pytest

from machines import labels
from machines.replicas.bodies import applied_digest, claim_templates, service, stamped, workload
from machines.replicas.mounts import NO_MOUNT, Mount
from machines.replicas.names import workload_name
from tests.crds.manifests import Json
from tests.replicas.composing import CACHE, GANG, NAMES, containers, engines, made, pods
from tests.replicas.specs import (
    GPU_CEL,
    container,
    engine,
    gpus,
    leader,
    replica,
    running,
    template,
    worker,
)

OWNER = {
    "warmlog.dev/replica-namespace": "ml-team",
    "warmlog.dev/replica-name": "r",
    "warmlog.dev/replica-uid": "replica-uid",
}


def test_a_deployment() -> None:
    """A standalone engine is a Deployment, which says whose it is and how many were asked for."""
    body = made(replica(engine(copies=3)))
    template = body["spec"].pop("template")
    assert template["metadata"] == {
        "labels": {"modelplane.ai/serving": "r", "modelplane.ai/workload": "r-main-bb4e3"}
    }
    assert body == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": "r-main-bb4e3",
            "namespace": "mp-ml-team-51733",
            "labels": {"modelplane.ai/serving": "r"},
            "annotations": {**OWNER, "warmlog.dev/copies": "3"},
        },
        "spec": {
            "replicas": 3,
            "selector": {"matchLabels": {"modelplane.ai/workload": "r-main-bb4e3"}},
        },
    }


def test_a_gang() -> None:
    """An engine of many nodes is a LeaderWorkerSet of as many Pods as it has nodes."""
    body = made(GANG)
    spec = body["spec"]
    assert (body["apiVersion"], body["kind"]) == (
        "leaderworkerset.x-k8s.io/v1",
        "LeaderWorkerSet",
    )
    assert body["metadata"]["annotations"] == {**OWNER, "warmlog.dev/copies": "2"}
    assert (spec["replicas"], spec["leaderWorkerTemplate"]["size"]) == (2, 4)
    assert set(spec) == {"replicas", "leaderWorkerTemplate"}
    assert made(replica(engine(worker(3), leader(), copies=2))) == body


def test_nothing_of_ours_is_in_a_pod() -> None:
    """No annotation or label of ours is in a Pod template: it would restart what runs [C25]"""
    for raw in (replica(), GANG):
        assert labels.OURS not in json.dumps(pods(made(raw, CACHE, dynamo=True)))


def test_the_service() -> None:
    """One Service brings traffic to all engines of a replica that serve."""
    assert service(NAMES) == {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "name": "r",
            "namespace": "mp-ml-team-51733",
            "labels": {"modelplane.ai/serving": "r"},
            "annotations": OWNER,
        },
        "spec": {
            "selector": {"modelplane.ai/serving": "r"},
            "ports": [{"port": 80, "targetPort": 8000}],
        },
    }


def test_only_who_serves_gets_traffic() -> None:
    """Workers serve nobody: they have neither the label, nor a port, nor a probe [C71]"""
    head, follower = pods(made(GANG))
    assert head["metadata"]["labels"]["modelplane.ai/serving"] == "r"
    assert "metadata" not in follower
    [container_of_worker] = follower["spec"]["containers"]
    assert not {"ports", "readinessProbe"} & set(container_of_worker)


def test_a_gang_has_a_name_of_its_own() -> None:
    """Its headless Service, which is called like it, is never the replica's Service [C69]"""
    assert made(GANG)["metadata"]["name"] != service(NAMES)["metadata"]["name"]
    assert workload_name("r", "r") != "r"


def test_engines_of_one_replica_select_their_own_pods() -> None:
    """No Pod of one engine is selected by the Deployment of another [C70]"""
    bodies = [
        workload(NAMES, each, NO_MOUNT, dynamo=False, replicas=True)
        for each in engines(replica(engine(name="a"), engine(name="b")))
    ]
    one, other = (body["spec"]["selector"]["matchLabels"] for body in bodies)
    for body, own, foreign in ((bodies[0], one, other), (bodies[1], other, one)):
        has = body["spec"]["template"]["metadata"]["labels"].items()
        assert own.items() <= has
        assert not foreign.items() <= has


def test_claim_templates() -> None:
    """Each member that claims devices has a template with its requests as they were written."""
    nic = {"name": "nic", "deviceClassName": "nic.nvidia.com", "count": 8}
    both = replica(engine(leader(deviceRequests=[gpus(8), nic]), worker()))
    head, follower = claim_templates(NAMES, engines(both)[0])
    assert head == {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {
            "name": "r-main-leader-devices-f58c6",
            "namespace": "mp-ml-team-51733",
            "labels": {"modelplane.ai/serving": "r"},
            "annotations": OWNER,
        },
        "spec": {
            "spec": {
                "devices": {
                    "requests": [
                        {
                            "name": "gpu",
                            "exactly": {
                                "deviceClassName": "gpu.nvidia.com",
                                "count": 8,
                                "selectors": [{"cel": {"expression": GPU_CEL}}],
                            },
                        },
                        {
                            "name": "nic",
                            "exactly": {"deviceClassName": "nic.nvidia.com", "count": 8},
                        },
                    ]
                }
            }
        },
    }
    assert follower["metadata"]["name"] == "r-main-worker-devices-99b8a"


@pytest.mark.parametrize(
    "raw", [replica(), GANG, replica(engine(leader(deviceRequests=None), worker()))]
)
def test_pods_claim_by_templates_that_exist(raw: Json) -> None:
    """A Pod names a template exactly when it is composed, and its container claims all of it."""
    named = [
        claim["resourceClaimTemplateName"]
        for pod in pods(made(raw))
        for claim in pod["spec"].get("resourceClaims", [])
    ]
    templates = claim_templates(NAMES, engines(raw)[0])
    assert named == [each["metadata"]["name"] for each in templates]
    claiming = [each for each in containers(made(raw)) if "resources" in each]
    assert [each["resources"] for each in claiming] == [{"claims": [{"name": "devices"}]}] * len(
        named
    )


def test_a_probe_leaves_time() -> None:
    """An engine that takes a second to say that it is well is not taken out of service [C72]"""
    for raw in (replica(), GANG):
        assert containers(made(raw))[0]["readinessProbe"]["timeoutSeconds"] == 5


def test_the_cache_is_mounted_for_all() -> None:
    """Every Pod of an engine has the mount, leader and workers alike, and may write to it [C58]"""
    for raw in (replica(), GANG):
        for pod in pods(made(raw, CACHE)):
            claim = {"name": "model-cache", "persistentVolumeClaim": {"claimName": "claim-a"}}
            assert pod["spec"]["volumes"][1:] == [claim]
            place = {"name": "model-cache", "mountPath": "/mnt/models"}
            assert pod["spec"]["containers"][0]["volumeMounts"][1:] == [place]


@pytest.mark.parametrize("given", [NO_MOUNT, CACHE])
def test_what_an_engine_runs_is_the_users(given: Mount) -> None:
    """With a cache or without, its command and arguments are as they were written [C61] [C68]"""
    raw = replica(
        engine(
            leader(template=template(container(args=["--model=a/b"]))),
            worker(template=template(container(command=["join"]))),
        ),
    )
    head, follower = containers(made(raw, given))
    assert (head.get("command"), head.get("args")) == (None, ["--model=a/b"])
    assert (follower.get("command"), follower.get("args")) == (["join"], None)


def test_empty_arguments() -> None:
    """A Deployment always had a list of arguments, and a LeaderWorkerSet never an empty one."""
    for raw in (running(), running(command=[], args=[])):
        [only] = containers(made(raw))
        assert only["args"] == []
        assert "command" not in only
    bare = template(container(command=[], args=[]))
    for only in containers(made(replica(engine(leader(template=bare), worker(template=bare))))):
        assert not {"args", "command"} & set(only)


def test_a_long_name_is_in_no_label_of_ours() -> None:
    """A name that no label can have is told by annotations; what refuses it names the object."""
    names = NAMES._replace(name="r" * 100)
    metadata = service(names)["metadata"]
    assert "labels" not in metadata
    assert metadata["annotations"]["warmlog.dev/replica-name"] == "r" * 100


def test_whose_an_object_is_says_the_namespace_as_well() -> None:
    """Replicas of one name in two teams are told apart in a namespace that they share [C76]"""
    other = NAMES._replace(namespace="other", uid="other-uid")
    for raw in (replica(), GANG):
        [each] = engines(raw)
        mine = [workload(NAMES, each, CACHE, dynamo=False, replicas=True), service(NAMES)]
        theirs = [workload(other, each, CACHE, dynamo=False, replicas=True), service(other)]
        for one, two in zip(mine, theirs, strict=True):
            assert one["metadata"]["annotations"] != two["metadata"]["annotations"]


def test_how_many_may_be_left_unsaid() -> None:
    """While somebody else scales, a body says nothing of it, and asks for the same otherwise."""
    for raw in (replica(), GANG):
        counted, uncounted = made(raw), made(raw, replicas=False)
        assert "replicas" not in uncounted["spec"]
        assert applied_digest(counted) == applied_digest(uncounted)
        assert counted["metadata"] == uncounted["metadata"]


def test_a_stamp_says_what_was_applied() -> None:
    """The digest is the same with its annotation and without, and a body is left as it was."""
    for body in (made(replica(), CACHE), made(GANG), service(NAMES)):
        before = copy.deepcopy(body)
        twice = stamped(stamped(body))
        assert before == body
        assert twice == stamped(body)
        assert twice["metadata"]["annotations"][labels.APPLIED] == applied_digest(body)
        assert applied_digest(twice) == applied_digest(body)


@pytest.mark.parametrize(
    "other",
    [
        made(replica(engine(copies=2))),
        made(replica(), CACHE),
        made(running(image="other")),
        workload(
            NAMES._replace(uid="u"), engines(replica())[0], NO_MOUNT, dynamo=False, replicas=True
        ),
    ],
)
def test_what_differs_has_another_digest(other: Json) -> None:
    """Another count, mount, image or owner asks for an apply."""
    assert applied_digest(other) != applied_digest(made(replica()))
