"""The bodies of what a ModelCache has on a workload cluster."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.canonical_json import dumps
from machines.caches.hydration_bodies import (
    CacheNames,
    claim,
    hydration_job,
    literal,
    namespace,
    token_secret,
)
from machines.caches.hydration_scripts import SCRIPT
from machines.caches.hydration_settings import HydrationSettings
from machines.caches.sources import HUB_VERSION, fingerprint, marker
from machines.caches.specs import CacheSpec
from tests.hydration.containers import expanded

NAMES = CacheNames("ml-team", "qwen", "cache-uid", "mp-ml-team-51733")
OPEN = CacheSpec("HuggingFace", "Qwen/Qwen3-8B", "", "", "HF_TOKEN", 40, ())
GATED = OPEN._replace(revision="v1", secret_name="hub", secret_key="token")
LABELS = {"modelplane.ai/modelcache": "qwen", "warmlog.dev/cache-namespace": "ml-team"}
OWNER = {
    "warmlog.dev/cache-namespace": "ml-team",
    "warmlog.dev/cache-name": "qwen",
    "warmlog.dev/cache-uid": "cache-uid",
}
SETTINGS = HydrationSettings()


def container(spec: CacheSpec = OPEN, settings: HydrationSettings = SETTINGS) -> dict[str, Any]:
    """The container of a Job."""
    pod = hydration_job(NAMES, spec, "claim-uid", settings)["spec"]["template"]["spec"]
    [only] = pod["containers"]
    return dict(only)


def values(spec: CacheSpec = OPEN, settings: HydrationSettings = SETTINGS) -> dict[str, str]:
    """The plain values of a Job's environment; a variable that stands twice is an error."""
    env = container(spec, settings)["env"]
    assert len({entry["name"] for entry in env}) == len(env)
    return {entry["name"]: entry["value"] for entry in env if "value" in entry}


def test_the_claim() -> None:
    """A claim is the original's, for many nodes, and says whose it is [C74] [C76] [S76]"""
    assert claim(NAMES, OPEN, "modelplane-rwx") == {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": "modelcache-ml-team-qwen-17db2",
            "namespace": "mp-ml-team-51733",
            "labels": LABELS,
            "annotations": OWNER,
        },
        "spec": {
            "accessModes": ["ReadWriteMany"],
            "storageClassName": "modelplane-rwx",
            "resources": {"requests": {"storage": "40Gi"}},
        },
    }


def test_the_token_secret_holds_no_token() -> None:
    """The body of the token Secret has everything but its data [C44]"""
    assert token_secret(NAMES) == {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": "modelcache-ml-team-qwen-auth-ae01b",
            "namespace": "mp-ml-team-51733",
            "labels": LABELS,
            "annotations": OWNER,
        },
        "type": "Opaque",
    }


def test_the_namespace_is_nobodys() -> None:
    """A namespace may be shared by caches, so it names none of them."""
    expected = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "mp-ml-team-51733"}}
    assert namespace(NAMES.workload_namespace) == expected


def test_the_job() -> None:
    """A Job is bound to its claim and source, and each attempt is one Pod [C30] [C36] [C58]"""
    job = hydration_job(NAMES, OPEN, "claim-uid", SETTINGS)
    bound = {"warmlog.dev/claim-uid": "claim-uid", "warmlog.dev/fingerprint": fingerprint(OPEN)}
    assert job["metadata"] == {
        "name": "modelcache-ml-team-qwen-hydrate-256ec",
        "namespace": "mp-ml-team-51733",
        "labels": LABELS,
        "annotations": OWNER | bound,
    }
    spec = job["spec"]
    ignored = [{"type": "DisruptionTarget", "status": "True"}]
    template = spec.pop("template")
    assert spec == {
        "backoffLimit": 3,
        "ttlSecondsAfterFinished": 86400,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": ignored}]},
    }
    assert template["metadata"] == {"labels": LABELS}
    pod = template["spec"]
    claimed = {"claimName": "modelcache-ml-team-qwen-17db2"}
    assert pod.pop("volumes") == [{"name": "artifact", "persistentVolumeClaim": claimed}]
    pod.pop("containers")
    assert pod == {"restartPolicy": "Never", "automountServiceAccountToken": False}


def test_the_container() -> None:
    """The container runs the script on the volume, and its last words are kept [C52] [C58]"""
    only = container()
    assert only.pop("command") == ["/bin/sh", "-c", SCRIPT]
    only.pop("env")
    assert only == {
        "name": "hydrate",
        "image": "python:3.11-slim",
        "volumeMounts": [{"name": "artifact", "mountPath": "/mnt/artifact"}],
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "securityContext": {"allowPrivilegeEscalation": False},
    }


def test_the_environment() -> None:
    """What is staged is said in the environment; nothing makes the library offline [C50] [C63]"""
    assert values() == {
        "HF_HOME": "/tmp/warmlog-hub",  # noqa: S108 -- as the body has it
        "HF_HUB_CACHE": "/mnt/artifact",
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_SHARED_BLOBS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DOWNLOAD_TIMEOUT": "60",
        "HF_HUB_ETAG_TIMEOUT": "30",
        "HF_XET_CHUNK_CACHE_SIZE_BYTES": "0",
        "WARMLOG_CLAIM_UID": "claim-uid",
        "WARMLOG_HUB_VERSION": HUB_VERSION,
        "WARMLOG_MARKER": marker(OPEN),
        "WARMLOG_REPO": "Qwen/Qwen3-8B",
        "WARMLOG_REVISION": "",
    }
    assert values(GATED)["WARMLOG_REVISION"] == "v1"


def test_the_token_is_read_from_its_secret() -> None:
    """The token comes from the copy beside the Job, and only where a Secret is named [C42]"""
    [token] = [entry for entry in container(GATED)["env"] if "value" not in entry]
    named = {"name": "modelcache-ml-team-qwen-auth-ae01b", "key": "token"}
    assert token == {"name": "HF_TOKEN", "valueFrom": {"secretKeyRef": named}}
    assert "HF_TOKEN" not in {entry["name"] for entry in container(OPEN)["env"]}


def test_settings_reach_the_pod() -> None:
    """Image, resources, tolerations, proxy, mirror and index are the operator's [C49] [C51]"""
    resources = {"requests": {"cpu": "1", "memory": "2Gi"}, "limits": {"memory": "4Gi"}}
    tolerations = [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 0},
    ]
    env = {
        "HTTPS_PROXY": "http://proxy:3128",
        "HF_ENDPOINT": "https://mirror.example",
        "HF_HUB_ETAG_TIMEOUT": "90",
        "PIP_INDEX_URL": "https://index.example/simple",
    }
    settings = HydrationSettings(
        "registry.example/hydrate:1", dumps(resources), dumps(tolerations), tuple(env.items())
    )
    only = container(settings=settings)
    assert only["image"] == "registry.example/hydrate:1"
    assert only["resources"] == resources
    pod = hydration_job(NAMES, OPEN, "claim-uid", settings)["spec"]["template"]["spec"]
    assert pod["tolerations"] == tolerations
    assert env.items() <= values(settings=settings).items()


def test_a_mirror_is_not_asked_for_xet() -> None:
    """Xet is left to the hub itself, unless the operator says that the mirror speaks it."""
    mirror = ("HF_ENDPOINT", "https://mirror.example")
    assert values(settings=HydrationSettings(env=(mirror,)))["HF_HUB_DISABLE_XET"] == "1"
    spoken = HydrationSettings(env=(mirror, ("HF_HUB_DISABLE_XET", "0")))
    assert values(settings=spoken)["HF_HUB_DISABLE_XET"] == "0"
    assert "HF_HUB_DISABLE_XET" not in values()


def test_settings_do_not_change_what_a_job_is_about() -> None:
    """A setting cannot move the volume, rename the source, or put another token in place."""
    meant = ("HF_HUB_CACHE", "WARMLOG_REPO", "WARMLOG_MARKER", "WARMLOG_CLAIM_UID", "HF_TOKEN")
    settings = HydrationSettings(env=tuple((name, "else") for name in meant))
    assert values(GATED, settings) == values(GATED)
    assert values(OPEN, settings) == values(OPEN)


@given(st.text(), st.dictionaries(st.text(), st.text()))
def test_no_value_is_ever_expanded(value: str, known: dict[str, str]) -> None:
    """Whatever a value is, the container gets it as it stands, by Kubernetes' own rule [C50]"""
    assert expanded(literal(value), known) == value


def test_values_are_written_so() -> None:
    """A repository that looks like a reference to the token stays what it looks like [C50]"""
    assert values(OPEN._replace(repo="$(HF_TOKEN)"))["WARMLOG_REPO"] == "$$(HF_TOKEN)"
    proxied = HydrationSettings(env=(("HTTPS_PROXY", "http://a:$(B)@c"),))
    assert values(settings=proxied)["HTTPS_PROXY"] == "http://a:$$(B)@c"


@pytest.mark.parametrize("name", ["q" * 63, "q" * 64, "a.b-" * 40 + "c"])
def test_long_names_are_legal_labels(name: str) -> None:
    """A cache whose name is too long for a label gets one that is not, and keeps its annotation."""
    metadata = claim(NAMES._replace(name=name), OPEN, "rwx")["metadata"]
    label = metadata["labels"]["modelplane.ai/modelcache"]
    assert len(label) <= 63
    assert (label == name) == (len(name) <= 63)
    assert metadata["annotations"]["warmlog.dev/cache-name"] == name


def test_equal_inputs_give_equal_bytes() -> None:
    """A body is built anew whenever it is needed, and is the same each time."""
    bodies = {json.dumps(hydration_job(NAMES, GATED, "claim-uid", SETTINGS)) for _ in range(2)}
    assert len(bodies) == 1
    mine = claim(NAMES, OPEN, "rwx")
    mine["metadata"]["labels"]["x"] = "y"
    assert claim(NAMES, OPEN, "rwx")["metadata"]["labels"] == LABELS
