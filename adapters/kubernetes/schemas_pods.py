"""The parts of core/v1 Container and Volume that admission has to see; a pure table.

A custom container goes into the Pod untouched, so nothing here has a default and nothing unknown
is pruned: a field of a newer Kubernetes version passes as it stands. What rules look at has a
type. Every other field that Kubernetes has today is named but left without a type, for one
reason: `self == oldSelf` compares a field that no schema names only where both objects have it,
so replacing an unnamed `env` by an unnamed `args` would count as no change. A named field is
compared whole, however deep.
"""

from typing import Any

Schema = dict[str, Any]

UNTYPED: Schema = {"x-kubernetes-preserve-unknown-fields": True}

DNS_LABEL: Schema = {
    "type": "string",
    "maxLength": 63,
    "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
}

DNS_SUBDOMAIN: Schema = {
    "type": "string",
    "maxLength": 253,
    "pattern": r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
}

IMAGE: Schema = {
    "type": "string",
    # A Pod whose image is empty or begins or ends with a space is refused by Kubernetes itself.
    "pattern": r"^\S(.*\S)?$",
}

# Empty is a legal way of saying nothing.
PULL_POLICY: Schema = {"type": "string", "enum": ["", "Always", "IfNotPresent", "Never"]}

CONTAINER_FIELDS_WITHOUT_RULES = (
    "args",
    "command",
    "env",
    "envFrom",
    "lifecycle",
    "livenessProbe",
    "ports",
    "readinessProbe",
    "resizePolicy",
    "resources",
    "restartPolicyRules",
    "securityContext",
    "startupProbe",
    "stdin",
    "stdinOnce",
    "terminationMessagePath",
    "terminationMessagePolicy",
    "tty",
    "volumeDevices",
    "volumeMounts",
    "workingDir",
)

VOLUME_SOURCES = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "fc",
    "flexVolume",
    "flocker",
    "gcePersistentDisk",
    "gitRepo",
    "glusterfs",
    "hostPath",
    "image",
    "iscsi",
    "nfs",
    "persistentVolumeClaim",
    "photonPersistentDisk",
    "portworxVolume",
    "projected",
    "quobyte",
    "rbd",
    "scaleIO",
    "secret",
    "storageos",
    "vsphereVolume",
)

CONTAINER: Schema = {
    "type": "object",
    "description": "A container as in a Pod (core/v1 Container), copied there untouched.",
    "required": ["name", "image"],
    "x-kubernetes-preserve-unknown-fields": True,
    "properties": {
        "name": {
            **DNS_LABEL,
            "description": "Name of the container, unique among all of them.",
        },
        "image": {**IMAGE, "description": "Image that the container runs."},
        "imagePullPolicy": {
            **PULL_POLICY,
            "description": "When the kubelet pulls the image.",
        },
        "restartPolicy": {
            "type": "string",
            "description": "Not allowed: a warmup has to end, so its containers are never kept up.",
        },
        **{
            field: {**UNTYPED, "description": "As in core/v1 Container."}
            for field in CONTAINER_FIELDS_WITHOUT_RULES
        },
    },
    "x-kubernetes-validations": [
        {
            "rule": "!has(self.restartPolicy)",
            "message": "restartPolicy is not allowed in a container of a warmup",
            "fieldPath": ".restartPolicy",
            "reason": "FieldValueForbidden",
        },
    ],
}

VOLUME: Schema = {
    "type": "object",
    "description": "A volume as in a Pod (core/v1 Volume), copied there untouched: a name and "
    "exactly one source.",
    "required": ["name"],
    # Kubernetes has no other field beside the name than the one source.
    "minProperties": 2,
    "maxProperties": 2,
    "x-kubernetes-preserve-unknown-fields": True,
    "properties": {
        "name": {**DNS_LABEL, "description": "Name by which containers mount the volume."},
        **{
            source: {**UNTYPED, "description": "As in core/v1 Volume."} for source in VOLUME_SOURCES
        },
    },
}
