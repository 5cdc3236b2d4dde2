"""From raw objects to the levels of what a ModelCache is about."""

from typing import Any

import pytest

from adapters.kubernetes.kinds import (
    CLAIM,
    HYDRATION_JOB,
    HYDRATION_POD,
    INFERENCE_CLUSTER,
    MODEL_CACHE,
    SECRET,
    STORAGE_CLASS,
)
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.kubernetes.vaults import SecretVault
from machines.caches.levels import (
    CacheLevel,
    ClaimLevel,
    ClusterLevel,
    HydrationJobLevel,
    HydrationPodLevel,
    Owner,
    SecretLevel,
    StorageClassLevel,
)
from tests.kubernetes import cache_objects as objects

OTHERS = "node(s) didn't match Pod's node affinity/selector"
OWNER = Owner("ml-team", "qwen", objects.CACHE_UID)


def test_a_cache_keeps_spec_finalizer_and_our_annotations() -> None:
    """Its status and the one who wrote it are handed on beside the level."""
    raw = objects.cache(
        finalizers=["other/one", "warmlog.dev/cache-in-use"],
        annotations={"warmlog.dev/retry": "1", "kubectl.kubernetes.io/x": "y"},
        managedFields=[{"manager": "someone", "subresource": "status", "time": "2026"}],
    )
    raw["status"] = {"summary": {"ready": "0/1"}}
    seen = normalise("prod", MODEL_CACHE, raw)
    spec = '{"huggingFace":{"repo":"a/b","sizeGiB":60},"source":"HuggingFace"}'
    assert seen.level == CacheLevel(2, spec, (("warmlog.dev/retry", "1"),), held=True)
    assert (seen.recovered, seen.editor) == (raw["status"], "someone")
    plain = normalise("prod", MODEL_CACHE, objects.cache(finalizers="odd")).level
    assert plain == CacheLevel(2, spec)


def test_a_cluster_keeps_what_others_say_of_it() -> None:
    """Labels, spec, the provider's kubeconfig, the storage class and its age; no condition."""
    raw: dict[str, Any] = {
        "metadata": {
            "name": "west", "uid": "u", "resourceVersion": "5", "labels": {"tier": "gpu"},
            "creationTimestamp": "2026-10-21T10:11:12Z",
        },
        "spec": {"cluster": {"source": "EKS"}},
        "status": {
            "providerConfigRef": {"name": "west-cluster-kubeconfig-1"},
            "cache": {"storageClassName": "efs"},
            "conditions": [{"type": "Reachable", "status": "True"}],
        },
    }  # fmt: skip
    seen = normalise("prod", INFERENCE_CLUSTER, raw)
    assert seen.level == ClusterLevel(
        (("tier", "gpu"),), '{"cluster":{"source":"EKS"}}', "west-cluster-kubeconfig-1", "efs",
        "2026-10-21T10:11:12Z",
    )  # fmt: skip
    assert (seen.recovered, seen.editor) == (None, "")


def test_a_claim_says_whose_it_is_and_what_it_waits_for() -> None:
    """Chosen node, latch, volume and size are kept; a phase that is none reads as Pending."""
    notes = {
        **objects.OWNER,
        "volume.kubernetes.io/selected-node": "n1",
        "warmlog.dev/hydrated": f"{objects.CLAIM_UID}/abc",
    }
    raw = objects.claim(phase="Bound", notes=notes, deleting=True)
    raw["spec"]["volumeName"] = "pv-1"
    raw["status"]["capacity"] = {"storage": "1Ti"}
    assert normalise("prod", CLAIM, raw).level == ClaimLevel(
        OWNER, "qwen", "Bound", "pv-1", "rwx", "60Gi", "1Ti", "n1",
        f"{objects.CLAIM_UID}/abc", deleting=True,
    )  # fmt: skip
    bare = normalise("prod", CLAIM, {"metadata": {**objects.claim()["metadata"], "labels": None}})
    assert bare.level == ClaimLevel(OWNER)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ([{"type": "Resizing", "status": "True"}], "Resizing"),
        ([{"type": "Resizing", "status": "False", "message": "x"}], ""),
        (
            [
                {"type": "Resizing", "status": "True"},
                {
                    "type": "ControllerResizeError",
                    "status": "True",
                    "message": "quota at 2026-10-21T10:11:12Z",
                },
            ],
            "quota at …",
        ),
    ],
)
def test_a_claim_whose_size_does_not_follow_says_why(conditions: Any, words: str) -> None:
    """The most telling condition's words, steadied. [C55]"""
    raw = objects.claim()
    raw["status"]["conditions"] = conditions
    level = normalise("prod", CLAIM, raw).level
    assert isinstance(level, ClaimLevel)
    assert level.resizing == words


def test_a_storage_class_says_how_its_claims_are_bound() -> None:
    """A class that says nothing binds at once and does not grow."""
    metadata = {"name": "rwx", "uid": "u", "resourceVersion": "5"}
    assert normalise("prod", STORAGE_CLASS, {"metadata": metadata}).level == StorageClassLevel()
    raw = {
        "metadata": metadata,
        "provisioner": "efs.csi.aws.com",
        "volumeBindingMode": "WaitForFirstConsumer",
        "allowVolumeExpansion": True,
    }
    level = StorageClassLevel("efs.csi.aws.com", "WaitForFirstConsumer", expandable=True)
    assert normalise("prod", STORAGE_CLASS, raw).level == level


def test_a_secret_says_which_keys_it_has() -> None:
    """Behind the vault there are digests; that of an empty value is empty."""
    vault = SecretVault(b"k" * 32)
    raw = objects.secret({"HF_TOKEN": "hf_secret", "EMPTY": ""})
    level = normalise("prod", SECRET, vault.keep("prod", raw)).level
    assert level == SecretLevel(
        (("EMPTY", ""), ("HF_TOKEN", vault.digest(raw["data"]["HF_TOKEN"]))), OWNER, "qwen"
    )
    many = vault.keep("prod", objects.secret({f"k{number}": "v" for number in range(300)}))
    level = normalise("prod", SECRET, many).level
    assert isinstance(level, SecretLevel)
    assert len(level.keys) == 256


def test_a_secret_that_did_not_pass_the_vault_is_refused() -> None:
    """Its values are never handed on, and the words hold none."""
    with pytest.raises(ObjectMalformed, match="past the vault") as error:
        normalise("prod", SECRET, objects.secret({"HF_TOKEN": "hf_secret"}))
    assert "hf_secret" not in str(error.value)


def test_a_hydration_job_is_bound_to_claim_and_content() -> None:
    """Its kind in the log is its own; its end is read as that of any Job."""
    notes = {
        **objects.OWNER,
        "warmlog.dev/claim-uid": objects.CLAIM_UID,
        "warmlog.dev/fingerprint": "abc",
    }
    raw = objects.hydration_job(notes=notes)
    raw["status"] = {
        "failed": 4,
        "conditions": [
            {
                "type": "Failed",
                "status": "True",
                "reason": "BackoffLimitExceeded",
                "message": "Job has reached the specified backoff limit",
            }
        ],
    }
    seen = normalise("prod", HYDRATION_JOB, raw)
    assert seen.subject.kind == "HydrationJob"
    assert seen.level == HydrationJobLevel(
        OWNER, "qwen", objects.CLAIM_UID, "abc", "Failed", "BackoffLimitExceeded",
        "Job has reached the specified backoff limit", 4,
    )  # fmt: skip


def _container(state: dict[str, Any]) -> dict[str, Any]:
    return {"name": "hydrate", "imageID": "x", "state": state}


@pytest.mark.parametrize(
    ("status", "reason", "message", "code"),
    [
        ({"phase": "Running"}, "", "", None),
        (
            {
                "phase": "Failed",
                "containerStatuses": [
                    _container(
                        {
                            "terminated": {
                                "exitCode": 1,
                                "reason": "Error",
                                "message": "No space left on device hf_abcDEF123",
                            }
                        }
                    )
                ],
            },
            "Error",
            "No space left on device hf_…",
            1,
        ),
        (
            {
                "phase": "Failed",
                "containerStatuses": [
                    _container({"terminated": {"exitCode": 137, "reason": "OOMKilled"}})
                ],
            },
            "OOMKilled",
            "container hydrate failed with exit code 137 and said nothing",
            137,
        ),
        (
            {
                "phase": "Failed",
                "reason": "Evicted",
                "message": "The node was low on resource",
                "containerStatuses": [_container({"terminated": {"exitCode": 137}})],
            },
            "Evicted",
            "The node was low on resource",
            137,
        ),
        (
            {
                "phase": "Pending",
                "containerStatuses": [
                    _container(
                        {
                            "waiting": {
                                "reason": "CreateContainerConfigError",
                                "message": 'secret "modelcache-ml-team-qwen-auth-ae01b" not found',
                            }
                        }
                    )
                ],
            },
            "CreateContainerConfigError",
            'secret "modelcache-ml-team-qwen-auth-ae01b" not found',
            None,
        ),
        (
            {
                "phase": "Pending",
                "conditions": [
                    {
                        "type": "PodScheduled",
                        "status": "False",
                        "reason": "Unschedulable",
                        "message": "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't"
                        " match Pod's node affinity/selector. preemption: 0/3 nodes are available",
                    }
                ],
            },
            "Unschedulable",
            "no node is available: Insufficient cpu, " + OTHERS,
            None,
        ),
    ],
)
def test_a_hydration_pod_says_its_cause_or_its_last_words(
    status: dict[str, Any], reason: str, message: str, code: int | None
) -> None:
    """A failed container's own words stand alone; it is pinned to no node. [C51] [C52]"""
    seen = normalise("prod", HYDRATION_POD, objects.hydration_pod(status))
    assert seen.subject.kind == "HydrationPod"
    assert seen.level == HydrationPodLevel("job-uid", "n1", status["phase"], reason, message, code)
