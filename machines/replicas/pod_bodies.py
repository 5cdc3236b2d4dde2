"""Pod templates of an engine's members: key for key what Modelplane composed, so nothing restarts.

Any other key, value or order of a list would roll out every engine when a version is replaced.
`tests/replicas/golden/` has each kind of template as it must stay.
"""

from typing import Any

from engine.canonical_json import loads
from machines import labels
from machines.replicas.members import LEADER, Member
from machines.replicas.mounts import ENGINE, SHARED_MEMORY, SHARED_MEMORY_PATH, Mount

PORT = 8000
LEADER_ADDRESS, RANK = "MODELPLANE_LEADER_ADDRESS", "MODELPLANE_RANK"
# Fully named, as engines run in namespaces of their teams.
MODEL_EXPRESS = "modelexpress-server.default.svc:8001"
DEVICES = "devices"  # the claim of a Pod, and the end of its template's name

_SHARED_MEMORY = {"name": SHARED_MEMORY, "mountPath": SHARED_MEMORY_PATH}
_TOLERATION = {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
_POD_FIELDS = {"POD_NAME": "name", "POD_UID": "uid", "POD_NAMESPACE": "namespace"}


def standalone_template(
    member: Member, mount: Mount, managed: dict[str, str], claim_template: str, *, dynamo: bool
) -> dict[str, Any]:
    """Give the template of Pods that are engines by themselves; `managed` are our labels."""
    shared = dynamo and bool(mount.claim_name)
    container: dict[str, Any] = {
        "name": ENGINE,
        "image": member.image,
        "args": list(member.args or ()),
        "ports": [{"containerPort": PORT}],
        "volumeMounts": _volume_mounts(mount),
        "readinessProbe": _readiness(),
    }
    if member.devices:
        container["resources"] = {"claims": [{"name": DEVICES}]}
    if member.command:
        container["command"] = list(member.command)
    env = _env(member, [*_mount_env(mount), *(_sharing_env(mount.claim_name) if shared else ())])
    if env:
        container["env"] = env
    if shared:  # memory that is read by peers has to be locked
        container["securityContext"] = {"capabilities": {"add": ["IPC_LOCK"]}}
    return {
        "metadata": _metadata(member, managed),
        "spec": _pod_spec(member, mount, container, claim_template),
    }


def gang_template(
    member: Member, mount: Mount, managed: dict[str, str], claim_template: str
) -> dict[str, Any]:
    """Give the template of a gang's leader, which alone serves, or of its workers."""
    container: dict[str, Any] = {
        "name": ENGINE,
        "image": member.image,
        "volumeMounts": _volume_mounts(mount),
    }
    if member.devices:
        container["resources"] = {"claims": [{"name": DEVICES}]}
    if member.command:
        container["command"] = list(member.command)
    if member.args:
        container["args"] = list(member.args)
    container["env"] = _env(member, [*_gang_env(), *_mount_env(mount)])
    if member.role == LEADER:
        container["ports"] = [{"containerPort": PORT}]
        container["readinessProbe"] = _readiness()
    template = {"spec": _pod_spec(member, mount, container, claim_template)}
    metadata = _metadata(member, managed)
    return {"metadata": metadata, **template} if metadata else template


def _metadata(member: Member, managed: dict[str, str]) -> dict[str, Any]:
    """Merge the user's labels and annotations under ours; empty when there are none."""
    metadata: dict[str, Any] = {}
    if merged := dict(member.labels) | managed:
        metadata["labels"] = merged
    if member.annotations:
        metadata["annotations"] = dict(member.annotations)
    return metadata


def _pod_spec(
    member: Member, mount: Mount, container: dict[str, Any], claim_template: str
) -> dict[str, Any]:
    shared_memory = {"name": SHARED_MEMORY, "emptyDir": {"medium": "Memory"}}
    spec: dict[str, Any] = {
        "containers": [container],
        "volumes": [shared_memory, *(volume.to_json() for volume in mount.volumes)],
        "nodeSelector": {labels.POOL_NAME: member.node_pool},
    }
    if member.devices:
        claim = {"name": DEVICES, "resourceClaimTemplateName": claim_template}
        spec["resourceClaims"] = [claim]
    spec["tolerations"] = [dict(_TOLERATION)]
    if member.pull_secrets:
        spec["imagePullSecrets"] = [{"name": name} for name in member.pull_secrets]
    return spec


def _volume_mounts(mount: Mount) -> list[dict[str, Any]]:
    return [dict(_SHARED_MEMORY), *(part.to_json() for part in mount.volume_mounts)]


def _readiness() -> dict[str, Any]:
    return {
        "httpGet": {"path": "/health", "port": PORT},
        "initialDelaySeconds": 30,
        "periodSeconds": 10,
        # /health of some engines takes a second, which is all that Kubernetes gives by default.
        "timeoutSeconds": 5,
    }


def _mount_env(mount: Mount) -> list[dict[str, Any]]:
    return [variable.to_json() for variable in mount.env]


def _gang_env() -> list[dict[str, Any]]:
    """Give how a member finds its leader and its place, whatever makes the gang."""
    return [
        {"name": LEADER_ADDRESS, "value": "$(LWS_LEADER_ADDRESS)"},
        {"name": RANK, "value": "$(LWS_WORKER_INDEX)"},
    ]


def _sharing_env(claim_name: str) -> list[dict[str, Any]]:
    """Give what ModelExpress needs to hand weights from engine to engine.

    Who has the same revision is taken to have the same weights. Two caches of one repository may
    hold different commits, so it is the claim of the very mount that the engine has.
    """
    plain = {
        "MX_SERVER_ADDRESS": MODEL_EXPRESS,
        "MODEL_EXPRESS_URL": MODEL_EXPRESS,  # its older name, which wins over the other
        "MX_MODEL_REVISION": claim_name,
        "MX_P2P_METADATA": "1",
    }
    env: list[dict[str, Any]] = [{"name": name, "value": plain[name]} for name in plain]
    for name, field in _POD_FIELDS.items():
        source = {"fieldRef": {"fieldPath": f"metadata.{field}"}}
        env.append({"name": name, "valueFrom": source})
    return env


def _env(member: Member, ours: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give our variables and then the user's, who can refer to them.

    Of two of one name only the last stands, which is the one that would count: server-side apply
    refuses a list that has both.
    """
    env = [*ours, *loads(member.env)]
    last = {variable["name"]: place for place, variable in enumerate(env)}
    return [variable for place, variable in enumerate(env) if last[variable["name"]] == place]
