"""Custom fragments of a spec: what makes a Job certain to be refused is named, the rest passes."""

from typing import Any

import pytest

from machines.fragments import CONTAINER_FIELDS, VOLUME_SOURCES
from machines.specs import Parsed, parse

Json = dict[str, Any]

CONTAINER: Json = {"name": "c", "image": "tool:1"}
VOLUME: Json = {"name": "v", "emptyDir": {}}
MOUNT: Json = {"name": "v", "mountPath": "/v"}
DEVICE: Json = {"name": "v", "devicePath": "/dev/v"}
PROBE: Json = {"exec": {"command": ["true"]}}


def parsed(images: int = 1, /, **custom: Any) -> Parsed:
    """A spec with these custom lists, and so many images beside them."""
    entries = [{"image": f"busybox:{number}", "command": ["true"]} for number in range(images)]
    targets = [{"nodes": {"names": ["a"]}}]
    return parse({"targets": targets, "imagePreload": {"images": entries}, "custom": custom})


def faults(images: int = 1, /, **custom: Any) -> list[str]:
    """The fields of `custom` that are named as faulty."""
    found = parsed(images, **custom).faults
    assert all(fault.words for fault in found)
    return [fault.field.removeprefix("spec.custom.") for fault in found]


def container(**fields: Any) -> list[Json]:
    """A list of one container with these fields."""
    return [{**CONTAINER, **fields}]


RICH: Json = {
    **CONTAINER,
    "command": ["sh", "-c", "nvidia-smi"],
    "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}],
    "resources": {"limits": {"nvidia.com/gpu": "1"}},
    "securityContext": {"privileged": True},
    "volumeMounts": [MOUNT, {"name": "token", "mountPath": "/token"}],
    "volumeDevices": [{"name": "disk", "devicePath": "/dev/disk"}],
    "fieldOfTomorrow": {"deep": [1, None]},
}
RICH_VOLUMES: list[Json] = [
    {"name": "v", "hostPath": {"path": "/models", "type": "DirectoryOrCreate"}},
    {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
    {"name": "disk", "persistentVolumeClaim": {"claimName": "disk"}},
    {"name": "key", "secret": {"secretName": "key"}},
    {"name": "new", "sourceOfTomorrow": {"size": 1}},
]


def test_what_can_work_is_taken_as_it_stands() -> None:
    """hostPath, privileged, GPUs, tokens, Secrets and fields of tomorrow are nobody's fault."""
    init = [{**RICH, "name": "i"}]
    read = parsed(initContainers=init, containers=[RICH], volumes=RICH_VOLUMES)
    assert read.faults == ()
    assert read.spec is not None
    assert read.spec.custom == {
        "initContainers": init, "containers": [RICH], "volumes": RICH_VOLUMES,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("lists", "field"),
    [
        ({"containers": "c"}, "containers"),
        ({"containers": ["c"]}, "containers[0]"),
        ({"containers": [None]}, "containers[0]"),
        ({"containers": [{"image": "x"}]}, "containers[0].name"),
        ({"containers": container(name="A_b")}, "containers[0].name"),
        ({"containers": container(name="a.b")}, "containers[0].name"),
        ({"containers": container(name="a" * 64)}, "containers[0].name"),
        ({"containers": [{"name": "c"}]}, "containers[0].image"),
        ({"containers": container(image="")}, "containers[0].image"),
        ({"containers": container(image=" tool:1")}, "containers[0].image"),
        ({"containers": container(image="tool:1\n")}, "containers[0].image"),
        ({"containers": container(imagePullPolicy="Often")}, "containers[0].imagePullPolicy"),
        ({"containers": container(restartPolicy="Never")}, "containers[0].restartPolicy"),
        ({"initContainers": container(restartPolicy="Always")}, "initContainers[0].restartPolicy"),
        ({"initContainers": container(restartPolicy="")}, "initContainers[0].restartPolicy"),
        ({"containers": container(command="sh -c true")}, "containers[0].command"),
        ({"containers": container(args=["-n", 5])}, "containers[0].args[1]"),
        ({"containers": container(env={"A": "b"})}, "containers[0].env"),
        ({"containers": container(ports=[80])}, "containers[0].ports[0]"),
        ({"containers": container(resources=[])}, "containers[0].resources"),
        ({"containers": container(stdin="yes")}, "containers[0].stdin"),
        ({"containers": container(workingDir=5)}, "containers[0].workingDir"),
        ({"volumes": "v"}, "volumes"),
        ({"volumes": ["v"]}, "volumes[0]"),
        ({"volumes": [{"emptyDir": {}}]}, "volumes[0].name"),
        ({"volumes": [{**VOLUME, "name": "a.b"}]}, "volumes[0].name"),
        ({"volumes": [VOLUME, {"name": "v", "hostPath": {"path": "/"}}]}, "volumes[1].name"),
        ({"volumes": [{"name": "v"}]}, "volumes[0]"),
        ({"volumes": [{"name": "v", "emptyDir": None}]}, "volumes[0]"),
        ({"volumes": [{"name": "v", "emptyDir": "x"}]}, "volumes[0].emptyDir"),
        ({"volumes": [{"name": "v", "ofTomorrow": 5}]}, "volumes[0].ofTomorrow"),
        ({"imagePullSecrets": [{}]}, "imagePullSecrets[0].name"),
        ({"imagePullSecrets": [{"name": "A"}]}, "imagePullSecrets[0].name"),
        ({"imagePullSecrets": ["a"]}, "imagePullSecrets[0]"),
    ],
)
def test_a_fault_names_its_field(lists: Json, field: str) -> None:
    """What no API server would take, or what would never end, is refused by its path [W32]"""
    assert faults(**lists) == [field]


def test_names_are_unique_in_the_pod() -> None:
    """Init containers, containers and the generated ones share one set of names [W33]"""
    again = faults(
        2,
        initContainers=[CONTAINER, CONTAINER, {**CONTAINER, "name": "image-1"}],
        containers=[CONTAINER, {**CONTAINER, "name": "image-0"}],
    )
    assert again == [
        "initContainers[1].name",
        "initContainers[2].name",
        "containers[0].name",
        "containers[1].name",
    ]


@pytest.mark.parametrize("images", [1, 2])
def test_only_names_that_are_used_are_reserved(images: int) -> None:
    """With two images image-0 and image-1 are taken, image-2 and image-5 are free."""
    names = ["image-2", "image-5", "image-00", "image"]
    free = names + ["image-0", "image-1"][images:]
    assert faults(images, containers=[{**CONTAINER, "name": name} for name in free]) == []
    taken = ["image-0", "image-1"][:images]
    found = faults(images, containers=[{**CONTAINER, "name": name} for name in taken])
    assert found == [f"containers[{index}].name" for index in range(images)]


def test_a_volume_has_one_source() -> None:
    """No source and two are both told, the latter by name; null is no source [W34]"""
    two = {**VOLUME, "hostPath": {"path": "/v"}}
    read = parsed(volumes=[{**two, "secret": None}])
    assert [str(fault) for fault in read.faults] == [
        "spec.custom.volumes[0]: must have exactly one source, and has emptyDir, hostPath"
    ]
    assert faults(volumes=[{**VOLUME, "hostPath": None}]) == []


def test_a_volumes_name_means_one_volume() -> None:
    """Two volumes of one name are refused, whichever the mounts mean [W107]"""
    read = parsed(volumes=[VOLUME, {"name": "v", "hostPath": {"path": "/models"}}])
    assert read.spec is None
    assert [str(fault) for fault in read.faults] == [
        "spec.custom.volumes[1].name: is the name of another volume as well: v"
    ]


@pytest.mark.parametrize("source", VOLUME_SOURCES)
def test_every_source_will_do(source: str) -> None:
    """Not one of Kubernetes' volume sources is refused."""
    assert faults(volumes=[{"name": "v", source: {}}]) == []


@pytest.mark.parametrize("kind", ["initContainers", "containers"])
def test_mounts_name_declared_volumes(kind: str) -> None:
    """Each mount and each device names a volume of the spec and a place of its own [W34]"""
    mounts = [MOUNT, {"name": "w", "mountPath": "/w"}, {"mountPath": "/x"}, {"name": "v"}, MOUNT]
    devices = [DEVICE, {"name": "w", "devicePath": "/dev/w"}, {"name": "v"}, DEVICE]
    lists = {kind: container(volumeMounts=mounts, volumeDevices=devices)}
    assert faults(volumes=[VOLUME], **lists) == [
        f"{kind}[0].volumeMounts[1].name",
        f"{kind}[0].volumeMounts[2].name",
        f"{kind}[0].volumeMounts[3].mountPath",
        f"{kind}[0].volumeMounts[4].mountPath",
        f"{kind}[0].volumeDevices[1].name",
        f"{kind}[0].volumeDevices[2].devicePath",
        f"{kind}[0].volumeDevices[3].devicePath",
    ]


def test_volumes_that_cannot_be_read_leave_mounts_alone() -> None:
    """When it is not known which volumes there are, no mount is blamed for that."""
    assert faults(volumes="v", containers=container(volumeMounts=[MOUNT])) == ["volumes"]


@pytest.mark.parametrize("field", ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"])
def test_what_only_regular_containers_may_have(field: str) -> None:
    """Probes and hooks are Kubernetes' to judge, but on an init container it takes none [W67]"""
    what = container(**{field: PROBE})
    assert faults(containers=what) == []
    assert faults(initContainers=what) == [f"initContainers[0].{field}"]
    assert faults(initContainers=container(**{field: None})) == []


@pytest.mark.parametrize("kind", ["initContainers", "containers", "volumes", "imagePullSecrets"])
def test_lists_have_an_end(kind: str) -> None:
    """Each custom list has at most 32 entries, and entries beyond are checked as well [W30]"""
    rest: Json = {"emptyDir": {}} if kind == "volumes" else {"image": "x"}
    entries: list[Any] = [{**rest, "name": f"entry-{number}"} for number in range(33)]
    assert faults(**{kind: entries[:32]}) == []
    assert faults(**{kind: entries}) == [kind]
    assert faults(**{kind: [*entries[:32], {**rest, "name": "-"}]}) == [kind, f"{kind}[32].name"]


@pytest.mark.parametrize("custom", [{}, {"containers": []}, {"volumes": None}])
def test_empty_custom_is_none(custom: Json) -> None:
    """Custom that holds nothing is no custom, with whatever empty lists."""
    spec = parsed(**custom).spec
    assert spec is not None
    assert spec.custom is None


@pytest.mark.parametrize("field", CONTAINER_FIELDS)
def test_null_is_nothing(field: str) -> None:
    """A field that holds null counts as left out, as it does for the API server."""
    assert faults(containers=container(**{field: None})) == []


def test_every_fault_at_once_in_the_order_of_the_fields() -> None:
    """All that is wrong in all of the lists is told together, and each field once."""
    found = faults(
        imagePullSecrets=[{"name": " "}],
        volumes=[{}],
        containers=[{"restartPolicy": "Always", "volumeMounts": [{}]}],
        initContainers=[{"name": "i"}],
    )
    assert found == [
        "initContainers[0].image",
        "containers[0].name",
        "containers[0].image",
        "containers[0].restartPolicy",
        "containers[0].volumeMounts[0].name",
        "containers[0].volumeMounts[0].mountPath",
        "volumes[0].name",
        "volumes[0]",
        "imagePullSecrets[0].name",
    ]
