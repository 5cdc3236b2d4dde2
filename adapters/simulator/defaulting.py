"""What the API server adds to an object when it is created."""

from adapters.simulator.resources import JOB, NAMESPACE, NODE, POD, Resource
from adapters.simulator.storage import Manifest

JOB_NAME_LABEL = "batch.kubernetes.io/job-name"
JOB_UID_LABEL = "batch.kubernetes.io/controller-uid"
_OLD_JOB_NAME_LABEL = "job-name"
_OLD_JOB_UID_LABEL = "controller-uid"

NOT_READY_TAINT = "node.kubernetes.io/not-ready"
UNREACHABLE_TAINT = "node.kubernetes.io/unreachable"
TOLERATED_SECONDS = 300

_DEFAULT_TOLERATIONS = [
    {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for key in (NOT_READY_TAINT, UNREACHABLE_TAINT)
]
_POD_SPEC_DEFAULTS: Manifest = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
}
_CONTAINER_DEFAULTS: Manifest = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}


def defaulted(resource: Resource, wanted: Manifest) -> Manifest:
    """Give `wanted` with what the server adds; its metadata has the name and the uid already."""
    match resource:
        case _ if resource is JOB:
            return _job(wanted)
        case _ if resource is POD:
            return _pod(wanted)
        case _ if resource is NODE:
            return _node(wanted)
        case _ if resource is NAMESPACE:
            return _namespace(wanted)
        case _ if resource.custom:
            return {name: part for name, part in wanted.items() if name != "status"}
        case _:
            return wanted


def _job(wanted: Manifest) -> Manifest:
    metadata, spec = wanted["metadata"], wanted.get("spec") or {}
    uid, name = metadata["uid"], metadata["name"]
    template = spec.get("template") or {}
    labels = {
        **((template.get("metadata") or {}).get("labels") or {}),
        JOB_UID_LABEL: uid,
        JOB_NAME_LABEL: name,
        _OLD_JOB_UID_LABEL: uid,
        _OLD_JOB_NAME_LABEL: name,
    }
    parallelism = spec.get("parallelism")
    absent = parallelism is None and spec.get("completions") is None
    replacement = "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed"
    spec = {
        "parallelism": 1 if parallelism is None else parallelism,
        **({"completions": 1} if absent else {}),
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": replacement,
        "manualSelector": False,
        **spec,
        "selector": {"matchLabels": {JOB_UID_LABEL: uid}},
        "template": {
            **template,
            "metadata": {**(template.get("metadata") or {}), "labels": labels},
            "spec": _pod_spec(template.get("spec") or {}),
        },
    }
    if not metadata.get("labels"):
        metadata = {**metadata, "labels": labels}  # a Job without labels takes its template's
    return {**wanted, "metadata": {**metadata, "generation": 1}, "spec": spec, "status": {}}


def _pod(wanted: Manifest) -> Manifest:
    spec = _pod_spec(wanted.get("spec") or {})
    has = {toleration.get("key") for toleration in spec.get("tolerations") or ()}
    added = [toleration for toleration in _DEFAULT_TOLERATIONS if toleration["key"] not in has]
    spec["tolerations"] = [*(spec.get("tolerations") or ()), *added]
    spec = {
        "serviceAccountName": "default",
        "serviceAccount": "default",
        "priority": 0,
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
        **spec,
    }
    status = {"phase": "Pending", "qosClass": "BestEffort"}
    metadata = {**wanted["metadata"], "generation": 1}
    return {**wanted, "metadata": metadata, "spec": spec, "status": status}


def _node(wanted: Manifest) -> Manifest:
    """A new Node is tainted until its kubelet has said that it is ready."""
    spec = wanted.get("spec") or {}
    taints = spec.get("taints") or []
    if not any(taint["key"] == NOT_READY_TAINT for taint in taints):
        taints = [*taints, {"key": NOT_READY_TAINT, "effect": "NoSchedule"}]
    return {**wanted, "spec": {**spec, "taints": taints}, "status": wanted.get("status") or {}}


def _namespace(wanted: Manifest) -> Manifest:
    metadata = wanted["metadata"]
    labels = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {
        **wanted,
        "metadata": {**metadata, "labels": labels},
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def _pod_spec(spec: Manifest) -> Manifest:
    spec = {**_POD_SPEC_DEFAULTS, **spec}
    for part in ("containers", "initContainers"):
        if isinstance(spec.get(part), list):
            spec[part] = [_container(container) for container in spec[part]]
    return spec


def _container(container: Manifest) -> Manifest:
    image = container.get("image") or ""
    pull = "Always" if _tag(image) == "latest" else "IfNotPresent"
    return {"imagePullPolicy": pull, **_CONTAINER_DEFAULTS, **container}


def _tag(image: str) -> str:
    """Give an image's tag; an image without tag or digest has `latest`."""
    if "@" in image:
        return ""
    return image.rpartition("/")[2].partition(":")[2] or "latest"
