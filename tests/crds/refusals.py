"""Specs of a ModelWarmup that nobody may accept, and which field is named.

The controller and `warmlog validate` name the very field. So does the server, except where it can
name only the list or the container that the field stands in.
"""

from typing import NamedTuple

from tests.crds.manifests import (
    BY_LABEL,
    BY_NAME,
    CONTAINER,
    IMAGE,
    PROBE,
    VOLUME,
    Json,
    container,
    containers,
    custom,
    image,
    images,
    names,
    policies,
    requiring,
    selecting,
    spec,
    targets,
    volumes,
)


class Bad(NamedTuple):
    """A spec that has to be refused."""

    spec: Json
    field: str  # as the controller names it
    served: str = ""  # as the server names it, if it names another place

    @property
    def place(self) -> str:
        """What the server names."""
        return self.served or self.field


_SELECTOR = "spec.targets[0].nodeSelector"
_EXPRESSION = f"{_SELECTOR}.matchExpressions[0]"
_IMAGE = "spec.imagePreload.images[0]"
_CONTAINER = "spec.custom.containers[0]"

_TARGETS: dict[str, Bad] = {
    "unknown mode": Bad(spec(mode="Continuous"), "spec.mode"),
    "no targets": Bad(spec(targets=None), "spec.targets"),
    "empty targets": Bad(targets(), "spec.targets"),
    "33 targets": Bad(targets(*[BY_NAME] * 33), "spec.targets"),
    "neither nodes nor selector": Bad(targets(BY_NAME, {}), "spec.targets[1]", "spec.targets"),
    "both nodes and selector": Bad(
        targets({**BY_NAME, **BY_LABEL}), "spec.targets[0]", "spec.targets"
    ),
    "nodes without names": Bad(targets({"nodes": {}}), "spec.targets[0].nodes.names"),
    "empty names": Bad(targets({"nodes": {"names": []}}), "spec.targets[0].nodes.names"),
    "1001 names": Bad(targets({"nodes": {"names": names(1001)}}), "spec.targets[0].nodes.names"),
    "1001 names in all": Bad(targets({"nodes": {"names": names(1000)}}, BY_NAME), "spec.targets"),
    "empty node name": Bad(targets({"nodes": {"names": [""]}}), "spec.targets[0].nodes.names[0]"),
    "space in a node name": Bad(
        targets({"nodes": {"names": ["a", "b c"]}}), "spec.targets[0].nodes.names[1]"
    ),
    "capitals in a node name": Bad(
        targets({"nodes": {"names": ["Node"]}}), "spec.targets[0].nodes.names[0]"
    ),
    "a node name of 254 letters": Bad(
        targets({"nodes": {"names": ["n" * 254]}}), "spec.targets[0].nodes.names[0]"
    ),
    "a name that is a number": Bad(
        targets({"nodes": {"names": [1]}}), "spec.targets[0].nodes.names[0]"
    ),
    "empty selector": Bad(selecting(), _SELECTOR, "spec.targets"),
    "selector with empty parts": Bad(
        selecting(matchLabels={}, matchExpressions=[]), _SELECTOR, "spec.targets"
    ),
    "label value with a space": Bad(
        selecting(matchLabels={"pool": "a b"}), f"{_SELECTOR}.matchLabels.pool"
    ),
    "a key that no label has": Bad(
        selecting(matchLabels={"a b": "c"}),
        f"{_SELECTOR}.matchLabels.a b",
        f"{_SELECTOR}.matchLabels",
    ),
    "a key whose prefix is too long": Bad(
        selecting(matchLabels={"p" * 254 + "/a": "c"}),
        f"{_SELECTOR}.matchLabels.{'p' * 254}/a",
        f"{_SELECTOR}.matchLabels",
    ),
    "a requirement whose key no label has": Bad(
        requiring(key="a/b/c", operator="Exists"), f"{_EXPRESSION}.key"
    ),
    "a requirement whose key is too long": Bad(
        requiring(key="n" * 64, operator="Exists"), f"{_EXPRESSION}.key"
    ),
    "a requirement whose key has too long a prefix": Bad(
        requiring(key="p" * 254 + "/a", operator="Exists"),
        f"{_EXPRESSION}.key",
        f"{_SELECTOR}.matchExpressions",
    ),
    "a requirement with an empty key": Bad(
        requiring(key="", operator="Exists"), f"{_EXPRESSION}.key"
    ),
    "a requirement without an operator": Bad(requiring(), f"{_EXPRESSION}.operator"),
    "unknown operator": Bad(requiring(operator="Gt", values=["1"]), f"{_EXPRESSION}.operator"),
    "In without values": Bad(
        requiring(operator="In"), f"{_EXPRESSION}.values", f"{_SELECTOR}.matchExpressions"
    ),
    "NotIn with no values": Bad(
        requiring(operator="NotIn", values=[]),
        f"{_EXPRESSION}.values",
        f"{_SELECTOR}.matchExpressions",
    ),
    "Exists with values": Bad(
        requiring(operator="Exists", values=["a"]),
        f"{_EXPRESSION}.values",
        f"{_SELECTOR}.matchExpressions",
    ),
    "a value that no label has": Bad(
        requiring(operator="In", values=["a", "-"]), f"{_EXPRESSION}.values[1]"
    ),
}

_IMAGES: dict[str, Bad] = {
    "nothing to run": Bad(spec(imagePreload=None), "spec"),
    "empty images": Bad(images(), "spec"),
    "init containers only": Bad(
        spec(imagePreload=None, custom={"initContainers": [CONTAINER]}), "spec"
    ),
    "33 images": Bad(
        images(*[{**IMAGE, "image": f"image:{number}"} for number in range(33)]),
        "spec.imagePreload.images",
    ),
    "an image twice": Bad(
        images(IMAGE, {**IMAGE, "image": "other"}, IMAGE),
        "spec.imagePreload.images[2].image",
        "spec.imagePreload.images",
    ),
    "no image": Bad(images({"command": ["true"]}), f"{_IMAGE}.image"),
    "empty image": Bad(image(image=""), f"{_IMAGE}.image"),
    "image of spaces": Bad(image(image=" "), f"{_IMAGE}.image"),
    "image that begins with a space": Bad(image(image=" a"), f"{_IMAGE}.image"),
    "image that ends with a wide space": Bad(image(image="a\u2003"), f"{_IMAGE}.image"),
    "no command": Bad(images({"image": "a"}), f"{_IMAGE}.command"),
    "empty command": Bad(image(command=[]), f"{_IMAGE}.command"),
    "a command that is text": Bad(image(command="true"), f"{_IMAGE}.command"),
    "65 command elements": Bad(image(command=["x"] * 65), f"{_IMAGE}.command"),
    "65 arguments": Bad(image(args=["x"] * 65), f"{_IMAGE}.args"),
    "unknown pull policy": Bad(image(imagePullPolicy="Sometimes"), f"{_IMAGE}.imagePullPolicy"),
    "empty pull secret": Bad(
        spec(imagePreload={"images": [IMAGE], "pullSecrets": [{"name": ""}]}),
        "spec.imagePreload.pullSecrets[0].name",
    ),
    "a pull secret that is no subdomain": Bad(
        spec(imagePreload={"images": [IMAGE], "pullSecrets": [{"name": "a_b"}]}),
        "spec.imagePreload.pullSecrets[0].name",
    ),
    "33 pull secrets": Bad(
        spec(imagePreload={"images": [IMAGE], "pullSecrets": [{"name": "a"}] * 33}),
        "spec.imagePreload.pullSecrets",
    ),
}

_POLICIES: dict[str, Bad] = {
    "parallelism 0": Bad(policies(parallelism=0), "spec.policies.parallelism"),
    "parallelism as text": Bad(policies(parallelism="8"), "spec.policies.parallelism"),
    "parallelism beyond 32 bits": Bad(policies(parallelism=2**31), "spec.policies.parallelism"),
    "half a node at a time": Bad(policies(parallelism=0.5), "spec.policies.parallelism"),
    "timeout 0": Bad(policies(jobTimeoutSeconds=0), "spec.policies.jobTimeoutSeconds"),
    "timeout beyond 64 bits": Bad(
        policies(jobTimeoutSeconds=2**63), "spec.policies.jobTimeoutSeconds"
    ),
    "retry limit -1": Bad(policies(retryLimit=-1), "spec.policies.retryLimit"),
    "retry limit beyond 32 bits": Bad(policies(retryLimit=2**31), "spec.policies.retryLimit"),
    "TTL 0": Bad(policies(ttlSecondsAfterFinished=0), "spec.policies.ttlSecondsAfterFinished"),
    "TTL beyond 32 bits": Bad(
        policies(ttlSecondsAfterFinished=2**31), "spec.policies.ttlSecondsAfterFinished"
    ),
}

_CONTAINERS: dict[str, Bad] = {
    "unnamed container": Bad(containers({"image": "a"}), f"{_CONTAINER}.name"),
    "container name that is no label": Bad(container(name="A_b"), f"{_CONTAINER}.name"),
    "container name of 64 letters": Bad(container(name="a" * 64), f"{_CONTAINER}.name"),
    "container without image": Bad(containers({"name": "a"}), f"{_CONTAINER}.image"),
    "container with empty image": Bad(container(image=""), f"{_CONTAINER}.image"),
    "container image that ends with a space": Bad(container(image="a "), f"{_CONTAINER}.image"),
    "container with unknown pull policy": Bad(
        container(imagePullPolicy="Sometimes"), f"{_CONTAINER}.imagePullPolicy"
    ),
    "container kept up": Bad(
        container(restartPolicy="Always"), f"{_CONTAINER}.restartPolicy", "spec.custom.containers"
    ),
    "a restart policy that is empty": Bad(
        container(restartPolicy=""), f"{_CONTAINER}.restartPolicy", "spec.custom.containers"
    ),
    "init container kept up": Bad(
        custom(initContainers=[{**CONTAINER, "restartPolicy": "Never"}]),
        "spec.custom.initContainers[0].restartPolicy",
        "spec.custom.initContainers",
    ),
    "a container name twice": Bad(
        containers(CONTAINER, CONTAINER), "spec.custom.containers[1].name", "spec.custom.containers"
    ),
    "an init container name twice": Bad(
        custom(initContainers=[CONTAINER, CONTAINER]),
        "spec.custom.initContainers[1].name",
        "spec.custom.initContainers",
    ),
    "an init container called like a container": Bad(
        custom(initContainers=[CONTAINER], containers=[CONTAINER]),
        f"{_CONTAINER}.name",
        "spec.custom.containers",
    ),
    "a container called like the image's": Bad(
        container(name="image-0"), f"{_CONTAINER}.name", "spec.custom.containers"
    ),
    "an init container called like the image's": Bad(
        custom(initContainers=[{**CONTAINER, "name": "image-0"}]),
        "spec.custom.initContainers[0].name",
        "spec.custom.initContainers",
    ),
    "33 containers": Bad(
        containers(*[{**CONTAINER, "name": f"c-{number}"} for number in range(33)]),
        "spec.custom.containers",
    ),
    "33 init containers": Bad(
        custom(initContainers=[{**CONTAINER, "name": f"i-{number}"} for number in range(33)]),
        "spec.custom.initContainers",
    ),
    "a container's command that is text": Bad(
        container(command="sh -c true"), f"{_CONTAINER}.command"
    ),
    "a container's argument that is a number": Bad(
        container(args=["-n", 5]), f"{_CONTAINER}.args[1]"
    ),
    "an environment that is no list": Bad(container(env="A=b"), f"{_CONTAINER}.env"),
    "an environment of texts": Bad(
        container(env=["A=b"]), f"{_CONTAINER}.env[0]", f"{_CONTAINER}.env"
    ),
    "resources that are a list": Bad(
        containers(CONTAINER, {**CONTAINER, "name": "b", "resources": []}),
        "spec.custom.containers[1].resources",
    ),
    "a terminal that is text": Bad(container(tty="yes"), f"{_CONTAINER}.tty"),
    **{
        f"{field} of an init container": Bad(
            custom(initContainers=[CONTAINER, {**CONTAINER, "name": "b", field: PROBE}]),
            f"spec.custom.initContainers[1].{field}",
        )
        for field in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")
    },
}

_MOUNT: Json = {"name": "cache", "mountPath": "/models"}
_DEVICE: Json = {"name": "cache", "devicePath": "/dev/models"}
# What is wrong -> the field of the container, what it holds, and where the fault is in there.
_BAD_MOUNTS: dict[str, tuple[str, list[Json], str]] = {
    "a mount of no volume": ("volumeMounts", [{**_MOUNT, "name": "x"}], "[0].name"),
    "an unnamed mount": ("volumeMounts", [{"mountPath": "/"}], "[0].name"),
    "a mount to nowhere": ("volumeMounts", [{"name": "cache"}], "[0].mountPath"),
    "two mounts at a place": ("volumeMounts", [_MOUNT, _MOUNT], "[1].mountPath"),
    "a device of no volume": ("volumeDevices", [{**_DEVICE, "name": "x"}], "[0].name"),
    "a device at no place": ("volumeDevices", [{"name": "cache"}], "[0].devicePath"),
    "two devices at a place": ("volumeDevices", [_DEVICE, _DEVICE], "[1].devicePath"),
}

_MOUNTS: dict[str, Bad] = {
    **{
        f"{case}, in {kind}": Bad(
            custom(**{kind: [{**CONTAINER, field: mounts}]}, volumes=[VOLUME]),
            f"spec.custom.{kind}[0].{field}{fault}",
            f"spec.custom.{kind}[0].{field}",
        )
        for kind in ("initContainers", "containers")
        for case, (field, mounts, fault) in _BAD_MOUNTS.items()
    },
    "a mount although there are no volumes": Bad(
        container(volumeMounts=[_MOUNT]),
        f"{_CONTAINER}.volumeMounts[0].name",
        f"{_CONTAINER}.volumeMounts",
    ),
}

_VOLUMES: dict[str, Bad] = {
    "unnamed volume": Bad(volumes({"emptyDir": {}}), "spec.custom.volumes[0].name"),
    "volume without a source": Bad(volumes({"name": "a"}), "spec.custom.volumes[0]"),
    "volume with two sources": Bad(volumes({**VOLUME, "emptyDir": {}}), "spec.custom.volumes[0]"),
    "a volume source that is text": Bad(
        volumes({"name": "a", "emptyDir": "1Gi"}), "spec.custom.volumes[0].emptyDir"
    ),
    "a volume source that is nothing": Bad(
        volumes({"name": "a", "emptyDir": None}), "spec.custom.volumes[0]"
    ),
    "a volume name twice": Bad(
        volumes(VOLUME, VOLUME), "spec.custom.volumes[1].name", "spec.custom.volumes"
    ),
    "volume name that is no label": Bad(
        volumes({**VOLUME, "name": "a.b"}), "spec.custom.volumes[0].name"
    ),
    "33 volumes": Bad(
        volumes(*[{**VOLUME, "name": f"v-{number}"} for number in range(33)]),
        "spec.custom.volumes",
    ),
    "unnamed custom secret": Bad(
        custom(imagePullSecrets=[{}]), "spec.custom.imagePullSecrets[0].name"
    ),
    "custom secret that is no subdomain": Bad(
        custom(imagePullSecrets=[{"name": "Registry/auth"}]),
        "spec.custom.imagePullSecrets[0].name",
    ),
    "33 custom secrets": Bad(
        custom(imagePullSecrets=[{"name": "a"}] * 33), "spec.custom.imagePullSecrets"
    ),
}

# What is wrong -> the spec, and the field that is named.
BAD: dict[str, Bad] = {
    **_TARGETS,
    **_IMAGES,
    **_POLICIES,
    **_CONTAINERS,
    **_MOUNTS,
    **_VOLUMES,
}

# Of these no version of the kind was ever accepted: not a rule speaks, but the type.
WRONG_TYPES = frozenset(
    {
        "a name that is a number",
        "parallelism as text",
        "parallelism beyond 32 bits",
        "retry limit beyond 32 bits",
        "TTL beyond 32 bits",
        "timeout beyond 64 bits",
        "half a node at a time",
        "a command that is text",
        "a container's command that is text",
        "a container's argument that is a number",
        "an environment that is no list",
        "a terminal that is text",
    }
)
