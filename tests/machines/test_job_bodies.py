"""Job bodies: what the API server is asked to create."""

from typing import Any

from engine.canonical_json import dumps, loads
from engine.events import Subject
from machines.intents import CreateJob
from machines.job_bodies import body_digest, job_body
from machines.specs import parse

WARMUP = Subject("ModelWarmup", "ns", "mw", "mw-uid")
INTENT = CreateJob("mw-uid", "ns", "mw-1", "node-uid", "node-a", "ef7e2d9085ee", "")
IMAGES = [{"image": "busybox", "command": ["sh", "-c"], "args": ["exit 0"]}]

GOLDEN: dict[str, Any] = {
    "apiVersion": "batch/v1",
    "kind": "Job",
    "metadata": {
        "name": "mw-1",
        "namespace": "ns",
        "labels": {
            "model.aibrix.ai/warmup": "mw-uid",
            "model.aibrix.ai/revision": "ef7e2d9085ee",
        },
        "annotations": {
            "model.aibrix.ai/warmup-name": "mw",
            "model.aibrix.ai/target-node": "node-a",
            "model.aibrix.ai/target-node-uid": "node-uid",
        },
        "ownerReferences": [
            {
                "apiVersion": "model.aibrix.ai/v1alpha1",
                "kind": "ModelWarmup",
                "name": "mw",
                "uid": "mw-uid",
                "controller": True,
                "blockOwnerDeletion": True,
            }
        ],
    },
    "spec": {
        "backoffLimit": 2,
        "activeDeadlineSeconds": 1800,
        "podFailurePolicy": {
            "rules": [
                {
                    "action": "Ignore",
                    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
                }
            ]
        },
        "template": {
            "metadata": {
                "labels": {
                    "model.aibrix.ai/warmup": "mw-uid",
                    "model.aibrix.ai/revision": "ef7e2d9085ee",
                }
            },
            "spec": {
                "restartPolicy": "Never",
                "automountServiceAccountToken": False,
                "affinity": {
                    "nodeAffinity": {
                        "requiredDuringSchedulingIgnoredDuringExecution": {
                            "nodeSelectorTerms": [
                                {
                                    "matchFields": [
                                        {
                                            "key": "metadata.name",
                                            "operator": "In",
                                            "values": ["node-a"],
                                        }
                                    ],
                                    "matchExpressions": [
                                        {
                                            "key": "resource-pool.aibrix.ai/name",
                                            "operator": "In",
                                            "values": ["pool-x"],
                                        },
                                        {
                                            "key": "model.aibrix.ai/warmup-enabled",
                                            "operator": "In",
                                            "values": ["true"],
                                        },
                                        {
                                            "key": "node-role.kubernetes.io/control-plane",
                                            "operator": "DoesNotExist",
                                        },
                                        {
                                            "key": "node-role.kubernetes.io/master",
                                            "operator": "DoesNotExist",
                                        },
                                    ],
                                }
                            ]
                        }
                    }
                },
                "containers": [
                    {
                        "name": "image-0",
                        "image": "busybox",
                        "imagePullPolicy": "IfNotPresent",
                        "command": ["sh", "-c"],
                        "args": ["exit 0"],
                        "securityContext": {"allowPrivilegeEscalation": False},
                    }
                ],
            },
        },
    },
}


def body_of(**fields: Any) -> dict[str, Any]:
    """The body for a spec with these fields."""
    parsed = parse({"targets": [{"nodes": {"names": ["node-a"]}}], **fields})
    assert parsed.spec is not None, parsed.faults
    return job_body(parsed.spec, WARMUP, "pool-x", INTENT)


def pod_of(**fields: Any) -> dict[str, Any]:
    """The Pod's spec for a spec with these fields."""
    pod: dict[str, Any] = body_of(**fields)["spec"]["template"]["spec"]
    return pod


def test_the_whole_body() -> None:
    """An image-only Job is this, to the last field.

    It is pinned by the node's name field, not by a label or nodeName, has no tolerations, and the
    scheduler checks the boundary once more [W11] [W54] [W104]
    """
    assert body_of(imagePreload={"images": IMAGES}) == GOLDEN


def test_no_ttl_from_the_start() -> None:
    """A Job is created without a TTL, or it would go before the others have run [W8]"""
    assert "ttlSecondsAfterFinished" not in body_of(imagePreload={"images": IMAGES})["spec"]


def test_names_of_any_length_are_no_label() -> None:
    """Labels hold uid and revision; names, of any length, are annotations [W3] [W105]"""
    long = WARMUP._replace(name="w" * 253)
    spec = parse({"targets": [{"nodes": {"names": ["x"]}}], "imagePreload": {"images": IMAGES}})
    assert spec.spec is not None
    body = job_body(spec.spec, long, "p", INTENT._replace(node_name="n" * 253))
    marks = {**body["metadata"]["labels"], **body["spec"]["template"]["metadata"]["labels"]}
    assert all(len(value) <= 63 for value in marks.values())


def test_policies_are_the_jobs_own() -> None:
    """The timeout is each Job's own, and no retries at all can be asked for [W10] [W20]"""
    policies = {"jobTimeoutSeconds": 60, "retryLimit": 0}
    spec = body_of(imagePreload={"images": IMAGES}, policies=policies)["spec"]
    assert (spec["activeDeadlineSeconds"], spec["backoffLimit"]) == (60, 0)


def test_policies_are_capped_when_used() -> None:
    """A retry limit or timeout beyond all sense becomes 20, and 30 days [W74]"""
    policies = {"jobTimeoutSeconds": 10**9, "retryLimit": 100_000}
    spec = body_of(imagePreload={"images": IMAGES}, policies=policies)["spec"]
    assert (spec["activeDeadlineSeconds"], spec["backoffLimit"]) == (30 * 24 * 3600, 20)


def test_pull_secrets_once_each() -> None:
    """Secrets of images, then of custom Pods, each once, in order of first mention [W109]"""
    preload = {"images": IMAGES, "pullSecrets": [{"name": "b"}, {"name": "a"}]}
    custom = {"imagePullSecrets": [{"name": "a"}, {"name": "registry.auth"}]}
    assert pod_of(imagePreload=preload, custom=custom)["imagePullSecrets"] == [
        {"name": "b"}, {"name": "a"}, {"name": "registry.auth"},
    ]  # fmt: skip


def test_each_list_of_secrets_on_its_own() -> None:
    """One list alone is used, a secret that stands twice in it is used once, none is no field."""
    twice = [{"name": "b"}, {"name": "a"}, {"name": "b"}]
    expected = [{"name": "b"}, {"name": "a"}]
    container = {"name": "c", "image": "x"}
    assert pod_of(imagePreload={"images": IMAGES, "pullSecrets": twice})["imagePullSecrets"] == (
        expected
    )
    custom = {"containers": [container], "imagePullSecrets": twice}
    assert pod_of(custom=custom)["imagePullSecrets"] == expected
    assert "imagePullSecrets" not in pod_of(custom={"containers": [container]})


def test_custom_alone() -> None:
    """Without images the custom containers are the Pod's only ones, and it is pinned all the same.

    Nothing of the Pod is theirs to say: no service account, no tolerations, no host namespaces.
    """
    custom: dict[str, Any] = {
        "initContainers": [{"name": name, "image": "x"} for name in ("z", "a", "m")],
        "containers": [{"name": "image-0", "image": "x"}, {"name": "b", "image": "y"}],
    }
    pod = pod_of(custom=custom)
    assert pod == {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "affinity": GOLDEN["spec"]["template"]["spec"]["affinity"],
        **custom,
    }


def test_images_and_custom() -> None:
    """Images come first, in their order, each as it would be alone; then custom containers."""
    second = {"image": "alpine", "command": ["true"], "imagePullPolicy": "Always"}
    container = {"name": "c", "image": "x", "securityContext": {"privileged": True}}
    pod = pod_of(imagePreload={"images": [*IMAGES, second]}, custom={"containers": [container]})
    assert pod["containers"] == [
        *GOLDEN["spec"]["template"]["spec"]["containers"],
        {
            "name": "image-1",
            "image": "alpine",
            "imagePullPolicy": "Always",
            "command": ["true"],
            "securityContext": {"allowPrivilegeEscalation": False},
        },
        container,
    ]
    assert pod.keys() == GOLDEN["spec"]["template"]["spec"].keys()


def test_tokens_may_be_projected() -> None:
    """The account's token is not mounted by itself, but a custom volume may hold one."""
    volume = {"name": "t", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}}
    mount = {"name": "t", "mountPath": "/t"}
    container = {"name": "c", "image": "x", "volumeMounts": [mount]}
    pod = pod_of(custom={"containers": [container], "volumes": [volume]})
    assert pod["automountServiceAccountToken"] is False
    assert pod["volumes"] == [volume]


def test_a_body_is_rebuilt_alike() -> None:
    """Building a body leaves the spec as it was, so the next one is the same, number for number."""
    text = '{"containers":[{"image":"x","name":"c","resources":{"limits":{"cpu":1.50}}}]}'
    custom = loads(text)
    first = body_of(imagePreload={"images": IMAGES}, custom=custom)
    assert body_digest(first) == body_digest(
        body_of(imagePreload={"images": IMAGES}, custom=custom)
    )
    assert dumps(custom) == text
    assert '"cpu":1.50' in dumps(first)


def test_custom_fragments_are_copied_as_they_are() -> None:
    """Generated containers come first; what is custom follows untouched."""
    custom: dict[str, Any] = {
        "containers": [{"name": "c", "image": "x", "fieldOfTomorrow": {"a": [1]}}],
        "initContainers": [{"name": "i", "image": "y"}],
        "volumes": [{"name": "v", "emptyDir": {"sizeLimit": "1Gi"}}],
    }
    pod = pod_of(imagePreload={"images": IMAGES}, custom=custom)
    assert [each["name"] for each in pod["containers"]] == ["image-0", "c"]
    assert pod["containers"][1] == custom["containers"][0]
    assert pod["initContainers"] == custom["initContainers"]
    assert pod["volumes"] == custom["volumes"]


def test_equal_containers_keep_their_names() -> None:
    """Containers that differ in nothing but their names are all there, called as given [W108]"""
    same = {"image": "tool:1", "command": ["true"]}
    custom = {"containers": [{"name": name, **same} for name in ("b", "a")]}
    pod = pod_of(imagePreload={"images": [{"image": "tool:1", "command": ["true"]}]}, custom=custom)
    assert [each["name"] for each in pod["containers"]] == ["image-0", "b", "a"]


def test_only_custom_containers_have_requests() -> None:
    """Containers of images ask for nothing, as the original's; custom ones ask as given [W69]"""
    asks = {"requests": {"cpu": "1"}, "limits": {"memory": "1Gi"}}
    custom = {"containers": [{"name": "c", "image": "x", "resources": asks}]}
    first, second = pod_of(imagePreload={"images": IMAGES}, custom=custom)["containers"]
    assert "resources" not in first
    assert second["resources"] == asks


def test_images_are_pulled_side_by_side() -> None:
    """All images are regular containers of one Pod: none waits for another one's end [W112]"""
    images = [{"image": f"tool:{number}", "command": ["true"]} for number in range(3)]
    pod = pod_of(imagePreload={"images": images})
    assert [each["image"] for each in pod["containers"]] == ["tool:0", "tool:1", "tool:2"]
    assert "initContainers" not in pod


def test_digests_tell_bodies_apart() -> None:
    """Equal bodies have one digest, whatever the order of their fields; others have another."""
    body = body_of(imagePreload={"images": IMAGES})
    assert body_digest(body) == body_digest(dict(reversed(body.items())))
    assert body_digest(body) != body_digest({**body, "kind": "Pod"})
