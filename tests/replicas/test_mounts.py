"""The mount of an engine: read out of a status, and found again in a Pod."""

import copy
import json
from typing import Any

import pytest

from machines.caches.mounts import mount
from machines.replicas.mounts import (
    MOST_PARTS,
    MOST_VALUE,
    NO_MOUNT,
    SHARED_MEMORY,
    SHARED_MEMORY_PATH,
    EnvPart,
    Mount,
    MountPart,
    MountRefused,
    VolumePart,
    mount_in,
    read_mount,
)

CLAIM = "modelcache-ml-team-qwen-17db2"
PUBLISHED = mount(CLAIM)
MOUNT = Mount(
    (VolumePart("model-cache", CLAIM),),
    (MountPart("model-cache", "/mnt/models"),),
    (EnvPart("HF_HUB_CACHE", "/mnt/models"),),
)


def pod(env: list[dict[str, Any]] | None = None, **published: Any) -> dict[str, Any]:
    """The spec of an engine's Pod that has a mount."""
    given = {**PUBLISHED, **published}
    engine = {
        "name": "engine",
        "volumeMounts": [
            {"name": SHARED_MEMORY, "mountPath": SHARED_MEMORY_PATH},
            *given["volumeMounts"],
        ],
        "env": given["env"] if env is None else env,
    }
    dshm = {"name": "dshm", "emptyDir": {"medium": "Memory"}}
    return {"containers": [engine], "volumes": [dshm, *given["volumes"]]}


def volume(**fields: Any) -> dict[str, Any]:
    """A mount whose volume has other fields."""
    return {**PUBLISHED, "volumes": [{**PUBLISHED["volumes"][0], **fields}]}


def mounted(**fields: Any) -> dict[str, Any]:
    """A mount whose place in the container has other fields."""
    return {**PUBLISHED, "volumeMounts": [{**PUBLISHED["volumeMounts"][0], **fields}]}


def variable(**fields: Any) -> dict[str, Any]:
    """A mount whose variable has other fields."""
    return {**PUBLISHED, "env": [{**PUBLISHED["env"][0], **fields}]}


def claimed(**fields: Any) -> dict[str, Any]:
    """A mount whose claim has other fields."""
    return volume(persistentVolumeClaim={"claimName": CLAIM, **fields})


def test_the_published_mount_is_read_as_it_stands() -> None:
    """What a Ready entry publishes comes back byte for byte, so no engine restarts."""
    assert read_mount(PUBLISHED) == MOUNT
    assert json.dumps(MOUNT.to_json()) == json.dumps(PUBLISHED)
    assert MOUNT.claim_name == CLAIM
    assert not MOUNT.is_empty


def test_the_mount_may_be_written_to() -> None:
    """Engines write locks and compiled files: nothing makes the cache read-only [C58]"""
    assert "readOnly" not in json.dumps(MOUNT.to_json())


def test_no_mount_is_nothing() -> None:
    """Without a mount there is no key, no claim, and nothing to read."""
    assert NO_MOUNT.to_json() == {}
    assert NO_MOUNT.is_empty
    assert NO_MOUNT.claim_name == ""
    nothing: list[Any] = [None, {}, {"env": []}, {"env": None}]
    assert all(read_mount(raw) == NO_MOUNT for raw in nothing)


def test_other_plain_mounts_are_taken_over() -> None:
    """A read-only volume, a folder of it and a variable of any name are plain as well."""
    raw: dict[str, Any] = {
        "volumes": [
            {"name": "v", "persistentVolumeClaim": {"claimName": "c.d", "readOnly": True}},
            {"name": "w", "persistentVolumeClaim": {"claimName": "e", "readOnly": False}},
        ],
        "volumeMounts": [
            {"name": "v", "mountPath": "/a/..b", "subPath": "s/t", "readOnly": True},
            {"name": "w", "mountPath": "/c", "subPath": "", "readOnly": None},
        ],
        "env": [{"name": "A.B", "value": ""}, {"name": "C", "value": "x y\n"}],
    }
    read = read_mount(raw)
    assert read == Mount(
        (VolumePart("v", "c.d", read_only=True), VolumePart("w", "e")),
        (MountPart("v", "/a/..b", "s/t", read_only=True), MountPart("w", "/c")),
        (EnvPart("A.B", ""), EnvPart("C", "x y\n")),
    )
    assert read_mount(read.to_json()) == read


SECRET = {"secretKeyRef": {"name": "root", "key": "token"}}
REFUSED = {
    "mount": [],
    "initContainers": {**PUBLISHED, "initContainers": []},
    "volumes": {**PUBLISHED, "volumes": {}},
    "volumes[0]": {**PUBLISHED, "volumes": ["x"]},
    "volumes[0].hostPath": volume(hostPath={"path": "/"}),
    "volumes[0].secret": {
        **PUBLISHED,
        "volumes": [{"name": "model-cache", "secret": {"secretName": "root"}}],
    },
    "volumes[0].persistentVolumeClaim": volume(persistentVolumeClaim=None),
    "volumes[0].persistentVolumeClaim.claimName": claimed(claimName="../x"),
    "volumes[0].persistentVolumeClaim.readOnly": claimed(readOnly="yes"),
    "volumes[0].persistentVolumeClaim.volumeMode": claimed(volumeMode="Block"),
    "volumes[0].name": volume(name="dshm"),
    "volumes[1].name": {**PUBLISHED, "volumes": PUBLISHED["volumes"] * 2},
    "volumeMounts[0].name": mounted(name="dshm"),
    "volumeMounts[0].mountPath": mounted(mountPath=SHARED_MEMORY_PATH),
    "volumeMounts[1].mountPath": {**PUBLISHED, "volumeMounts": PUBLISHED["volumeMounts"] * 2},
    "volumeMounts[0].subPath": mounted(subPath="../other"),
    "volumeMounts[0].subPathExpr": mounted(subPathExpr="$(POD_NAME)"),
    "volumeMounts[0].readOnly": mounted(readOnly=1),
    "volumeMounts[0].mountPropagation": mounted(mountPropagation="Bidirectional"),
    "env[0].valueFrom": variable(valueFrom=SECRET),
    "env[0].name": variable(name="A B"),
    "env[0].value": variable(value="x" * (MOST_VALUE + 1)),
    "env[1].name": {**PUBLISHED, "env": PUBLISHED["env"] * 2},
    "env": {
        **PUBLISHED,
        "env": [{"name": f"V{index}", "value": ""} for index in range(MOST_PARTS + 1)],
    },
}


@pytest.mark.parametrize("path", REFUSED)
def test_what_is_not_plain_is_refused(path: str) -> None:
    """Nothing but claims and plain values gets from a status into an engine; the path is named."""
    with pytest.raises(MountRefused) as refused:
        read_mount(REFUSED[path])
    assert str(refused.value).startswith(f"{path}: ")
    assert refused.value.fault.field == path


@pytest.mark.parametrize(
    "path", ["", "mnt", "/", "/mnt/", "//mnt", "/mnt/../etc", "/mnt/.", "/m:ro", "/m\n", "/a\x00"]
)
def test_paths_are_plain_as_well(path: str) -> None:
    """A path that climbs, is no path, or carries an option is refused."""
    with pytest.raises(MountRefused, match=r"volumeMounts\[0\].mountPath: "):
        read_mount(mounted(mountPath=path))


def test_a_refusal_says_what_is_allowed() -> None:
    """The words tell who wrote the status what may stand there, and are never long."""
    with pytest.raises(MountRefused) as refused:
        read_mount(variable(valueFrom=SECRET))
    assert str(refused.value) == (
        "env[0].valueFrom: is not allowed: there may be name and value alone"
    )
    with pytest.raises(MountRefused) as long:
        read_mount({"x" * 100_000: 1})
    assert len(str(long.value)) < 200


def test_a_pod_gives_its_mount_back() -> None:
    """What an engine was given is found in its Pod, whatever else is there."""
    assert mount_in(pod()) == MOUNT
    user = [{"name": "A", "value": "b"}, *PUBLISHED["env"], {"name": "T", "valueFrom": SECRET}]
    assert mount_in(pod(env=user)) == MOUNT


def test_a_mount_is_found_in_the_container_of_the_engine() -> None:
    """A container beside the engine has no say; without an engine it is the first."""
    spec = pod()
    beside = {"name": "sidecar", "env": [{"name": "HF_HUB_CACHE", "value": "/mnt/models/other"}]}
    assert mount_in({**spec, "containers": [beside, *spec["containers"]]}) == MOUNT
    renamed = {**spec["containers"][0], "name": "vllm"}
    assert mount_in({**spec, "containers": [renamed, beside]}) == MOUNT


@pytest.mark.parametrize(
    "own", [{"value": "/srv/mine"}, {"value": "/mnt/models2"}, {"valueFrom": SECRET}, {}]
)
def test_the_users_own_variable_is_not_the_mounts(own: dict[str, Any]) -> None:
    """Where the user says where the hub's cache lies, only the volume is kept."""
    found = mount_in(pod(env=[{"name": "HF_HUB_CACHE", **own}]))
    assert found == MOUNT._replace(env=())


def test_the_mounts_variable_is_found_beside_the_users() -> None:
    """Modelplane let the user's variable follow its own: the first is the mount's."""
    both = [*PUBLISHED["env"], {"name": "HF_HUB_CACHE", "value": "/srv/mine"}]
    assert mount_in(pod(env=both)) == MOUNT


@pytest.mark.parametrize(
    "spec",
    [
        None,
        {},
        {"containers": []},
        {"containers": [{}]},
        {"containers": [{"name": "engine"}]},
        {"containers": [{"name": "engine", "volumeMounts": [{"name": "model-cache"}]}]},
        pod(volumes=[]),
        pod(volumeMounts=[]),
        pod(volumes=[{"name": "model-cache", "hostPath": {"path": "/weights"}}]),
        pod(volumeMounts=[{"name": "model-cache", "mountPath": "/m", "subPathExpr": "$(A)"}]),
        {**pod(), "volumes": 7},
        {**pod(), "containers": {"engine": {}}},
    ],
)
def test_what_is_not_plainly_there_is_no_mount(spec: Any) -> None:
    """A Pod without the volume, or with one that is no claim, has no mount to keep."""
    before = copy.deepcopy(spec)
    assert mount_in(spec) == NO_MOUNT
    assert spec == before
