"""samples/modelwarmup/: what the manifests say, and the rules that all of them keep."""

import copy
import re
from typing import Any

import pytest

from machines.spec_parts import Image
from machines.specs import parse
from tests.samples.manifests import (
    FOLDER,
    NAMES,
    commands,
    container,
    containers,
    manifest,
    read,
    unknown_fields,
)

CACHE = "/var/lib/aibrix/models"
POOL = {"resource-pool.aibrix.ai/name": "latency-pool"}
PRECHECKED = ("vllm-qwen-warmup", "sglang-qwen-warmup")
# What keeps a container running: servers, and programs that wait.
ENDLESS = re.compile(
    r"launch_server|api_server|aibrix_runtime|\bsleep\b|\btail\b|infinity|\bserve\b"
)

# Sample -> parallelism, jobTimeoutSeconds, retryLimit, ttlSecondsAfterFinished.
POLICIES = {
    "modelwarmup": (8, 1800, 2, 3600),
    "model-download": (8, 1800, 2, 3600),
    "node-precheck": (8, 300, 1, 3600),
    "gpu-precheck": (8, 600, 1, 3600),
    "vllm-qwen-warmup": (2, 3600, 1, 7200),
    "sglang-qwen-warmup": (2, 3600, 1, 7200),
}
IMAGES = {
    "modelwarmup": Image("busybox:1.36", ("sh", "-c", "exit 0")),
    "vllm-qwen-warmup": Image("vllm/vllm-openai:v0.10.2", ("vllm", "serve"), ("--help=all",)),
    "sglang-qwen-warmup": Image(
        "lmsysorg/sglang:v0.5.5.post3",
        ("python3", "-c", "import sglang; print(sglang.__version__)"),
    ),
}
HOST_PATHS = {
    "model-download": CACHE,
    "node-precheck": CACHE,
    "vllm-qwen-warmup": f"{CACHE}/vllm-qwen3-0.6b",
    "sglang-qwen-warmup": f"{CACHE}/sglang-qwen3-0.6b",
}


def host_paths(name: str) -> list[dict[str, Any]]:
    """The hostPath of each volume of a sample; a volume of another kind is an empty one."""
    volumes = manifest(name)["spec"].get("custom", {}).get("volumes", [])
    return [volume.get("hostPath", {}) for volume in volumes]


def test_the_folder_holds_the_samples_and_their_readme() -> None:
    """There are the six manifests and a README, and nothing that no test looks at."""
    expected = {"README.md", *(f"{name}.yaml" for name in NAMES)}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_understood(name: str) -> None:
    """The controller finds no fault in the spec, and reads out of it what the file says."""
    document = manifest(name)
    parsed = parse(document["spec"])
    assert parsed.faults == ()
    assert parsed.spec is not None
    images = (IMAGES[name],) if name in IMAGES else ()
    assert parsed.spec.images == images
    assert parsed.spec.custom == document["spec"].get("custom")
    policies = (parsed.spec.parallelism, parsed.spec.timeout_seconds)
    assert (*policies, parsed.spec.retry_limit, parsed.spec.ttl_seconds) == POLICIES[name]
    assert parsed.spec.capped == ()
    [target] = document["spec"]["targets"]
    assert target == {"nodeSelector": {"matchLabels": POOL}}
    assert document["metadata"]["namespace"] == "default"


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_has_no_field_that_nobody_knows(name: str) -> None:
    """As kubectl reads it, strictly: no key twice, no unknown field, however deep."""
    assert unknown_fields(manifest(name)) == []


def test_the_strict_reading_finds_misspelt_fields() -> None:
    """A field that is misspelt is found in every part of a manifest."""
    document = copy.deepcopy(manifest("node-precheck"))
    document["metadata"]["label"] = {}
    document["spec"]["polices"] = {}
    document["spec"]["targets"][0]["nodeSelector"]["matchLabel"] = {}
    custom = document["spec"]["custom"]
    custom["initContainers"][0]["securityContext"]["priviliged"] = True
    custom["containers"][0]["arguments"] = []
    custom["volumes"][0]["hostPath"]["typ"] = "Directory"
    assert sorted(unknown_fields(document)) == [
        "metadata.label",
        "spec.custom.containers[0].arguments",
        "spec.custom.initContainers[0].securityContext.priviliged",
        "spec.custom.volumes[0].hostPath.typ",
        "spec.polices",
        "spec.targets[0].nodeSelector.matchLabel",
    ]
    with pytest.raises(AssertionError, match="stands twice"):
        read("spec: {policies: {retryLimit: 1, retryLimit: 2}}")


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_asks_for_no_privilege(name: str) -> None:
    """No container is privileged or may become so, and each gives up every capability."""
    for one in containers(name):
        context = one["securityContext"]
        assert context["allowPrivilegeEscalation"] is False
        assert context["capabilities"] == {"drop": ["ALL"]}
        assert "privileged" not in context
        assert "hostPort" not in str(one)


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_reaches_no_more_of_the_host_than_the_model_folder(name: str) -> None:
    """The only volumes are folders at or below the model cache, made when they are missing."""
    folders = [HOST_PATHS[name]] if name in HOST_PATHS else []
    wanted = [{"path": folder, "type": "DirectoryOrCreate"} for folder in folders]
    assert host_paths(name) == wanted


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_ends_by_itself(name: str) -> None:
    """Each container has a command of its own, and none of them starts a server or waits."""
    for command in commands(name):
        words = " ".join(command)
        assert not ENDLESS.search(words) or words == "vllm serve --help=all"


@pytest.mark.parametrize("name", NAMES)
def test_a_samples_images_are_pinned_to_a_version(name: str) -> None:
    """Each image has a tag that says a version."""
    spec = manifest(name)["spec"]
    images = [*spec.get("imagePreload", {}).get("images", []), *containers(name)]
    for one in images:
        assert re.fullmatch(r"[a-z0-9/-]+:v?\d[\w.-]+", one["image"])


def test_the_two_engines_are_checked_alike() -> None:
    """The init container before both engines is the same, and only the folders differ."""
    vllm, sglang = (container(name, "precheck") for name in PRECHECKED)
    assert vllm == sglang
    assert host_paths("vllm-qwen-warmup") != host_paths("sglang-qwen-warmup")


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (
            "model-download",
            ["--model-uri=sshleifer/tiny-gpt2", "--local-dir=/models/sshleifer-tiny-gpt2"],
        ),
        *[(name, ["--model-uri=Qwen/Qwen3-0.6B", "--local-dir=/models"]) for name in PRECHECKED],
    ],
)
def test_a_download_goes_into_the_mounted_folder(name: str, arguments: list[str]) -> None:
    """The public downloader gets the model and a folder below its mount."""
    download = container(name, "download")
    assert download["image"] == "aibrix/runtime:v0.8.0"
    assert download["command"] == ["aibrix_download"]
    assert download["args"] == arguments
    assert download["volumeMounts"] == [{"name": "models", "mountPath": "/models"}]


def test_the_gpu_check_takes_one_gpu() -> None:
    """It runs nvidia-smi, pinned, with a limit of one GPU; the regular container takes none."""
    check, done = containers("gpu-precheck")
    assert (check["image"], check["command"]) == (
        "nvidia/cuda:12.4.1-base-ubuntu22.04",
        ["nvidia-smi"],
    )
    assert check["resources"] == {"limits": {"nvidia.com/gpu": "1"}}
    assert (done["image"], done["command"]) == ("busybox:1.36", ["true"])
    assert "resources" not in done


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_has_the_command_for_each_sample(name: str) -> None:
    """One line applies it, and the warmup is named where people look for how it goes."""
    readme = (FOLDER / "README.md").read_text()
    assert f"kubectl apply -f samples/modelwarmup/{name}.yaml" in readme
    assert manifest(name)["metadata"]["name"] in readme
