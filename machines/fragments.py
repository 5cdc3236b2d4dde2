"""Fragments of a Pod that a spec may hold (core/v1 Container and Volume): their fields; a table.

Only what every supported version of Kubernetes has is here. A field that is not listed belongs to
a newer one, is nobody's business here, and goes into the Pod as it stands.
"""

TEXT, FLAG, OBJECT, TEXTS, OBJECTS = "a string", "true or false", "an object", "texts", "objects"

# Fields about which nothing but the type is asked. Of another type the Job could not be read.
CONTAINER_FIELDS = {
    "args": TEXTS,
    "command": TEXTS,
    "env": OBJECTS,
    "envFrom": OBJECTS,
    "lifecycle": OBJECT,
    "livenessProbe": OBJECT,
    "ports": OBJECTS,
    "readinessProbe": OBJECT,
    "resizePolicy": OBJECTS,
    "resources": OBJECT,
    "restartPolicyRules": OBJECTS,
    "securityContext": OBJECT,
    "startupProbe": OBJECT,
    "stdin": FLAG,
    "stdinOnce": FLAG,
    "terminationMessagePath": TEXT,
    "terminationMessagePolicy": TEXT,
    "tty": FLAG,
    "volumeDevices": OBJECTS,
    "volumeMounts": OBJECTS,
    "workingDir": TEXT,
}

# An init container runs to its end before the next one: nothing may watch or stop it.
NOT_IN_INIT_CONTAINERS = ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe")

# How a container takes a volume in -> the field that says where; each place is used once.
MOUNT_PLACES = {"volumeMounts": "mountPath", "volumeDevices": "devicePath"}

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
