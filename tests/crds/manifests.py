"""Specs of a ModelWarmup that a server has to accept, and that it has to refuse."""

from typing import Any

Json = dict[str, Any]

BY_NAME: Json = {"nodes": {"names": ["node-a"]}}
BY_LABEL: Json = {"nodeSelector": {"matchLabels": {"pool": "a"}}}
IMAGE: Json = {"image": "busybox:1.36", "command": ["true"]}
CONTAINER: Json = {"name": "download", "image": "tool:1"}
VOLUME: Json = {"name": "cache", "hostPath": {"path": "/models", "type": "DirectoryOrCreate"}}
LONG = "x" * 5000


def spec(**fields: Any) -> Json:
    """A whole spec: one named node and one image, but for the fields given; None leaves one out."""
    whole = {"targets": [BY_NAME], "imagePreload": {"images": [IMAGE]}, **fields}
    return {name: value for name, value in whole.items() if value is not None}


def targets(*entries: Json) -> Json:
    """A spec with these targets."""
    return spec(targets=list(entries))


def selecting(**selector: Any) -> Json:
    """A spec whose one target is this selector."""
    return targets({"nodeSelector": selector})


def requiring(**requirement: Any) -> Json:
    """A spec whose selector has this one requirement."""
    return selecting(matchExpressions=[{"key": "pool", **requirement}])


def images(*entries: Json) -> Json:
    """A spec that pulls these images."""
    return spec(imagePreload={"images": list(entries)})


def image(**fields: Any) -> Json:
    """A spec that pulls one image."""
    return images({**IMAGE, **fields})


def custom(**lists: Any) -> Json:
    """A spec that pulls one image and has these custom lists."""
    return spec(custom=lists)


def containers(*entries: Json) -> Json:
    """A spec with these custom containers."""
    return custom(containers=list(entries))


def container(**fields: Any) -> Json:
    """A spec with one custom container."""
    return containers({**CONTAINER, **fields})


def volumes(*entries: Json) -> Json:
    """A spec with these custom volumes."""
    return custom(volumes=list(entries))


def policies(**values: Any) -> Json:
    """A spec with these policies."""
    return spec(policies=values)


def names(count: int) -> list[str]:
    """Names of that many nodes."""
    return [f"node-{number}" for number in range(count)]


# A container with a field of every kind, some of them unknown to any Kubernetes version.
RICH_CONTAINER: Json = {
    **CONTAINER,
    "imagePullPolicy": "Always",
    "command": ["sh", "-c", "df /models"],
    "env": [{"name": "TOKEN", "valueFrom": {"secretKeyRef": {"name": "hf", "key": "token"}}}],
    "resources": {"limits": {"cpu": 2, "memory": "4Gi", "nvidia.com/gpu": "1"}},
    "volumeMounts": [{"name": "cache", "mountPath": "/models"}],
    "securityContext": {"privileged": True, "runAsUser": 0},
    "fieldOfTomorrow": {"list": [{"deep": [1, 2.5, None, "x"]}]},
}

GOOD: dict[str, Json] = {
    "image only": spec(),
    "mode once": spec(mode="Once"),
    "mode empty": spec(mode=""),
    "no images but custom": spec(imagePreload=None, custom={"containers": [CONTAINER]}),
    "empty images but custom": spec(
        imagePreload={"images": []}, custom={"containers": [CONTAINER]}
    ),
    "custom empty": spec(custom={}),
    "32 targets": targets(*[BY_NAME, BY_LABEL] * 16),
    "1000 names": targets({"nodes": {"names": names(1000)}}),
    "a name twice": targets({"nodes": {"names": ["a", "a"]}}, {"nodes": {"names": ["a"]}}),
    "empty label value": selecting(matchLabels={"pool": ""}),
    "In": requiring(operator="In", values=["a", "b"]),
    "NotIn": requiring(operator="NotIn", values=["a"]),
    "Exists": requiring(operator="Exists"),
    "DoesNotExist with no values": requiring(operator="DoesNotExist", values=[]),
    "32 images with all they can have": images(
        *[
            {
                "image": f"{LONG}:{number}",
                "command": ["true"] * 64,
                "args": [""] * 64,
                "imagePullPolicy": "",
            }
            for number in range(32)
        ]
    ),
    "a pull secret twice": spec(
        imagePreload={"images": [IMAGE], "pullSecrets": [{"name": "a"}, {"name": "a"}]}
    ),
    "lowest policies": policies(
        parallelism=1, jobTimeoutSeconds=1, retryLimit=0, ttlSecondsAfterFinished=1
    ),
    "highest policies": policies(
        parallelism=2**31 - 1,
        jobTimeoutSeconds=2**63 - 1,
        retryLimit=2**31 - 1,
        ttlSecondsAfterFinished=2**31 - 1,
    ),
    "every custom list": custom(
        initContainers=[{**RICH_CONTAINER, "name": "precheck"}],
        containers=[RICH_CONTAINER],
        volumes=[VOLUME, {"name": "scratch", "emptyDir": {}}, {"name": "new", "ofTomorrow": {}}],
        imagePullSecrets=[{"name": "registry.auth"}],
    ),
    "32 of everything": custom(
        initContainers=[{**CONTAINER, "name": f"init-{number}"} for number in range(32)],
        containers=[{**CONTAINER, "name": f"main-{number}"} for number in range(32)],
        volumes=[{"name": f"volume-{number}", "emptyDir": {}} for number in range(32)],
        imagePullSecrets=[{"name": f"secret-{number}"} for number in range(32)],
    ),
    "image-1 with one image": container(name="image-1"),
    "image-0 with no image": spec(
        imagePreload=None, custom={"containers": [{**CONTAINER, "name": "image-0"}]}
    ),
    "a container called image-00": container(name="image-00"),
}

# What is wrong -> the spec, and the field that the refusal has to name.
BAD: dict[str, tuple[Json, str]] = {
    "unknown mode": (spec(mode="Continuous"), "spec.mode"),
    "no targets": (spec(targets=None), "spec.targets"),
    "empty targets": (targets(), "spec.targets"),
    "33 targets": (targets(*[BY_NAME] * 33), "spec.targets"),
    "neither nodes nor selector": (targets(BY_NAME, {}), "spec.targets[1]"),
    "both nodes and selector": (targets({**BY_NAME, **BY_LABEL}), "spec.targets[0]"),
    "nodes without names": (targets({"nodes": {}}), "spec.targets[0].nodes.names"),
    "empty names": (targets({"nodes": {"names": []}}), "spec.targets[0].nodes.names"),
    "1001 names": (targets({"nodes": {"names": names(1001)}}), "spec.targets[0].nodes.names"),
    "1001 names in all": (targets({"nodes": {"names": names(1000)}}, BY_NAME), "spec.targets"),
    "empty node name": (targets({"nodes": {"names": [""]}}), "spec.targets[0].nodes.names[0]"),
    "space in a node name": (
        targets({"nodes": {"names": ["a", "b c"]}}),
        "spec.targets[0].nodes.names[1]",
    ),
    "a name that is a number": (
        targets({"nodes": {"names": [1]}}),
        "spec.targets[0].nodes.names[0]",
    ),
    "empty selector": (selecting(), "spec.targets[0].nodeSelector"),
    "selector with empty parts": (
        selecting(matchLabels={}, matchExpressions=[]),
        "spec.targets[0].nodeSelector",
    ),
    "label value with a space": (
        selecting(matchLabels={"pool": "a b"}),
        "spec.targets[0].nodeSelector.matchLabels.pool",
    ),
    "unknown operator": (
        requiring(operator="Gt", values=["1"]),
        "spec.targets[0].nodeSelector.matchExpressions[0].operator",
    ),
    "In without values": (
        requiring(operator="In"),
        "spec.targets[0].nodeSelector.matchExpressions[0].values",
    ),
    "NotIn with no values": (
        requiring(operator="NotIn", values=[]),
        "spec.targets[0].nodeSelector.matchExpressions[0].values",
    ),
    "Exists with values": (
        requiring(operator="Exists", values=["a"]),
        "spec.targets[0].nodeSelector.matchExpressions[0].values",
    ),
    "nothing to run": (spec(imagePreload=None), "spec"),
    "empty images": (images(), "spec"),
    "init containers only": (
        spec(imagePreload=None, custom={"initContainers": [CONTAINER]}),
        "spec",
    ),
    "33 images": (
        images(*[{**IMAGE, "image": f"image:{number}"} for number in range(33)]),
        "spec.imagePreload.images",
    ),
    "an image twice": (
        images(IMAGE, {**IMAGE, "image": "other"}, IMAGE),
        "spec.imagePreload.images",
    ),
    "no image": (images({"command": ["true"]}), "spec.imagePreload.images[0].image"),
    "empty image": (image(image=""), "spec.imagePreload.images[0].image"),
    "image of spaces": (image(image=" "), "spec.imagePreload.images[0].image"),
    "image that begins with a space": (image(image=" a"), "spec.imagePreload.images[0].image"),
    "no command": (images({"image": "a"}), "spec.imagePreload.images[0].command"),
    "empty command": (image(command=[]), "spec.imagePreload.images[0].command"),
    "65 command elements": (image(command=["x"] * 65), "spec.imagePreload.images[0].command"),
    "65 arguments": (image(args=["x"] * 65), "spec.imagePreload.images[0].args"),
    "unknown pull policy": (
        image(imagePullPolicy="Sometimes"),
        "spec.imagePreload.images[0].imagePullPolicy",
    ),
    "empty pull secret": (
        spec(imagePreload={"images": [IMAGE], "pullSecrets": [{"name": ""}]}),
        "spec.imagePreload.pullSecrets[0].name",
    ),
    "33 pull secrets": (
        spec(imagePreload={"images": [IMAGE], "pullSecrets": [{"name": "a"}] * 33}),
        "spec.imagePreload.pullSecrets",
    ),
    "parallelism 0": (policies(parallelism=0), "spec.policies.parallelism"),
    "parallelism as text": (policies(parallelism="8"), "spec.policies.parallelism"),
    "timeout 0": (policies(jobTimeoutSeconds=0), "spec.policies.jobTimeoutSeconds"),
    "retry limit -1": (policies(retryLimit=-1), "spec.policies.retryLimit"),
    "TTL 0": (policies(ttlSecondsAfterFinished=0), "spec.policies.ttlSecondsAfterFinished"),
    "unnamed container": (containers({"image": "a"}), "spec.custom.containers[0].name"),
    "container name that is no label": (container(name="A_b"), "spec.custom.containers[0].name"),
    "container name of 64 letters": (container(name="a" * 64), "spec.custom.containers[0].name"),
    "container without image": (containers({"name": "a"}), "spec.custom.containers[0].image"),
    "container with empty image": (container(image=""), "spec.custom.containers[0].image"),
    "container with unknown pull policy": (
        container(imagePullPolicy="Sometimes"),
        "spec.custom.containers[0].imagePullPolicy",
    ),
    "container kept up": (
        container(restartPolicy="Always"),
        "spec.custom.containers[0].restartPolicy",
    ),
    "init container kept up": (
        custom(initContainers=[{**CONTAINER, "restartPolicy": "Never"}]),
        "spec.custom.initContainers[0].restartPolicy",
    ),
    "a container name twice": (containers(CONTAINER, CONTAINER), "spec.custom.containers"),
    "an init container name twice": (
        custom(initContainers=[CONTAINER, CONTAINER]),
        "spec.custom.initContainers",
    ),
    "an init container called like a container": (
        custom(initContainers=[CONTAINER], containers=[CONTAINER]),
        "spec.custom.initContainers",
    ),
    "a container called like the image's": (container(name="image-0"), "spec.custom.containers"),
    "an init container called like the image's": (
        custom(initContainers=[{**CONTAINER, "name": "image-0"}]),
        "spec.custom.initContainers",
    ),
    "33 containers": (
        containers(*[{**CONTAINER, "name": f"c-{number}"} for number in range(33)]),
        "spec.custom.containers",
    ),
    "unnamed volume": (volumes({"emptyDir": {}, "hostPath": {}}), "spec.custom.volumes[0].name"),
    "volume without a source": (volumes({"name": "a"}), "spec.custom.volumes[0]"),
    "volume with two sources": (volumes({**VOLUME, "emptyDir": {}}), "spec.custom.volumes[0]"),
    "a volume name twice": (volumes(VOLUME, VOLUME), "spec.custom.volumes"),
    "volume name that is no label": (
        volumes({**VOLUME, "name": "a.b"}),
        "spec.custom.volumes[0].name",
    ),
    "unnamed custom secret": (
        custom(imagePullSecrets=[{}]),
        "spec.custom.imagePullSecrets[0].name",
    ),
    "custom secret that is no subdomain": (
        custom(imagePullSecrets=[{"name": "Registry/auth"}]),
        "spec.custom.imagePullSecrets[0].name",
    ),
}

# Of these no version of the kind was ever accepted: not a rule speaks, but the type.
WRONG_TYPES = {"a name that is a number", "parallelism as text"}

# What is changed -> the spec before and after. Each is a change, however small.
CHANGES: dict[str, tuple[Json, Json]] = {
    "one more node": (spec(), targets({"nodes": {"names": ["node-a", "node-b"]}})),
    "a policy added": (spec(), policies(parallelism=2)),
    "a policy changed": (policies(parallelism=1), policies(parallelism=2)),
    "a policy removed": (policies(parallelism=1), spec()),
    "a mode written out": (spec(), spec(mode="Once")),
    "a quantity in other words": (
        container(resources={"limits": {"memory": "1Gi"}}),
        container(resources={"limits": {"memory": "1073741824"}}),
    ),
    "one field instead of another": (container(env=[]), container(args=[])),
    "a deep field instead of another": (
        container(env=[{"name": "A", "value": "b"}]),
        container(env=[{"name": "A", "valueFrom": {}}]),
    ),
    "one volume source instead of another": (
        volumes({"name": "a", "emptyDir": {}}),
        volumes({"name": "a", "configMap": {}}),
    ),
    "a value of a field of tomorrow": (
        container(ofTomorrow={"a": 1}),
        container(ofTomorrow={"a": 2}),
    ),
    "containers in another order": (
        containers(CONTAINER, {**CONTAINER, "name": "b"}),
        containers({**CONTAINER, "name": "b"}, CONTAINER),
    ),
}
