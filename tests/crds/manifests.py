"""Specs of a ModelWarmup that a server has to accept, and changes that it has to refuse."""

from typing import Any

Json = dict[str, Any]

BY_NAME: Json = {"nodes": {"names": ["node-a"]}}
BY_LABEL: Json = {"nodeSelector": {"matchLabels": {"pool": "a"}}}
IMAGE: Json = {"image": "busybox:1.36", "command": ["true"]}
CONTAINER: Json = {"name": "download", "image": "tool:1"}
VOLUME: Json = {"name": "cache", "hostPath": {"path": "/models", "type": "DirectoryOrCreate"}}
PROBE: Json = {"exec": {"command": ["true"]}}
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
    "a name and a value as long as they can be": requiring(
        key="p" * 253 + "/" + "n" * 63, operator="In", values=["v" * 63, ""]
    ),
    "a label as long as it can be": selecting(matchLabels={"p" * 253 + "/" + "n" * 63: "v" * 63}),
    "a node name as long as it can be": targets({"nodes": {"names": ["n" * 253, "a.b-1.c"]}}),
    "white space inside an image": image(image="a b\n\u2003c"),
    "an odd but whole number": policies(parallelism=5.0),
    "probes and hooks of a container": container(
        lifecycle={"preStop": {}}, livenessProbe=PROBE, readinessProbe=PROBE, startupProbe=PROBE
    ),
    "an init container that says it all": custom(
        initContainers=[
            {
                **CONTAINER,
                "args": [],
                "env": [],
                "envFrom": [{"secretRef": {"name": "hf"}}],
                "ports": [{"containerPort": 80}],
                "resizePolicy": [],
                "restartPolicyRules": [],
                "stdin": True,
                "stdinOnce": False,
                "terminationMessagePath": "/dev/log",
                "terminationMessagePolicy": "File",
                "tty": True,
                "workingDir": "/",
            }
        ]
    ),
    "a volume mounted many times": custom(
        containers=[
            {
                **CONTAINER,
                "volumeMounts": [
                    {"name": "cache", "mountPath": f"/models/{number}", "subPath": str(number)}
                    # So many that the admission policy gives up, and lets the rest look.
                    for number in range(1000)
                ],
            }
        ],
        volumes=[VOLUME],
    ),
    "a device": custom(
        containers=[{**CONTAINER, "volumeDevices": [{"name": "d", "devicePath": "/dev/d"}]}],
        volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "d"}}],
    ),
    "secrets and tokens as volumes": volumes(
        {"name": "secret", "secret": {"secretName": "hf"}},
        {"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}]}},
    ),
    "an init container and others of other names": custom(
        initContainers=[CONTAINER], containers=[{**CONTAINER, "name": "image-5"}]
    ),
    "image-1 with one image": container(name="image-1"),
    "image-0 with no image": spec(
        imagePreload=None, custom={"containers": [{**CONTAINER, "name": "image-0"}]}
    ),
    "a container called image-00": container(name="image-00"),
}

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
