"""What the API server adds to an object when it is created."""

from adapters.simulator.defaulting_pods import defaulted_pod_spec
from adapters.simulator.defaulting_storage import defaulted_storage, redefaulted_storage
from adapters.simulator.defaulting_workloads import defaulted_workload, redefaulted_workload
from adapters.simulator.resources import EVENT, JOB, NAMESPACE, NODE, POD, Resource
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
_NODE_STATUS_DEFAULTS: Manifest = {
    "daemonEndpoints": {"kubeletEndpoint": {"Port": 0}},
    "nodeInfo": dict.fromkeys(
        (
            "architecture",
            "bootID",
            "containerRuntimeVersion",
            "kernelVersion",
            "kubeProxyVersion",
            "kubeletVersion",
            "machineID",
            "operatingSystem",
            "osImage",
            "systemUUID",
        ),
        "",
    ),
}
_EVENT_DEFAULTS: Manifest = {
    "source": {},
    "firstTimestamp": None,
    "lastTimestamp": None,
    "eventTime": None,
    "reportingComponent": "",
    "reportingInstance": "",
}


def defaulted(resource: Resource, wanted: Manifest) -> Manifest:
    """Give `wanted` with what the server adds; its metadata has name, uid and time already."""
    match resource:
        case _ if resource is JOB:
            return _job(wanted)
        case _ if resource is POD:
            return _pod(wanted)
        case _ if resource is NODE:
            return _node(wanted)
        case _ if resource is NAMESPACE:
            return _namespace(wanted)
        case _ if resource is EVENT:
            return {**_EVENT_DEFAULTS, **wanted}
        case _ if resource.custom:
            return {name: part for name, part in wanted.items() if name != "status"}
        case _:
            return defaulted_workload(resource, defaulted_storage(resource, wanted))


def redefaulted(resource: Resource, wanted: Manifest) -> Manifest:
    """Give a changed object with the defaults that each decoding applies anew."""
    if resource is NAMESPACE:
        return _named_namespace(wanted)
    if resource is NODE and wanted.get("spec") is None:
        return {**wanted, "spec": {}}
    if resource is not JOB:
        return redefaulted_workload(resource, redefaulted_storage(resource, wanted))
    spec = _job_spec(wanted.get("spec") or {})
    metadata = wanted.get("metadata") or {}
    if not metadata.get("labels"):
        metadata = {**metadata, "labels": spec["template"]["metadata"].get("labels") or {}}
    return {**wanted, "metadata": metadata, "spec": spec}


def _job(wanted: Manifest) -> Manifest:
    metadata, spec = wanted["metadata"], _job_spec(wanted.get("spec") or {})
    uid, name = metadata["uid"], metadata["name"]
    template = spec["template"]
    labels = {
        **(template["metadata"].get("labels") or {}),
        JOB_UID_LABEL: uid,
        JOB_NAME_LABEL: name,
        _OLD_JOB_UID_LABEL: uid,
        _OLD_JOB_NAME_LABEL: name,
    }
    spec["selector"] = {"matchLabels": {JOB_UID_LABEL: uid}}
    spec["template"] = {**template, "metadata": {**template["metadata"], "labels": labels}}
    given = metadata.get("labels")
    metadata = {**metadata, "labels": given or labels, "generation": 1}
    return {**wanted, "metadata": metadata, "spec": spec, "status": {}}


def _job_spec(given: Manifest) -> Manifest:
    """Give a new dict: the spec with its defaults."""
    policy, template = given.get("podFailurePolicy"), given.get("template") or {}
    spec = {
        "parallelism": 1,
        "backoffLimit": 6,
        "completionMode": "NonIndexed",
        "suspend": False,
        "podReplacementPolicy": "Failed" if policy else "TerminatingOrFailed",
        "manualSelector": False,
        **given,
    }
    if given.get("parallelism") is None and given.get("completions") is None:
        spec["completions"] = 1
    if policy:
        spec["podFailurePolicy"] = _failure_policy(policy)
    spec["template"] = {
        **template,
        "metadata": template.get("metadata") or {},
        "spec": defaulted_pod_spec(template.get("spec") or {}),
    }
    return spec


def _failure_policy(policy: Manifest) -> Manifest:
    rules = [
        {
            **rule,
            "onPodConditions": [
                {"status": "True", **pattern} for pattern in rule["onPodConditions"]
            ],
        }
        if rule.get("onPodConditions")
        else rule
        for rule in policy.get("rules") or ()
    ]
    return {**policy, "rules": rules}


def _pod(wanted: Manifest) -> Manifest:
    spec = defaulted_pod_spec(wanted.get("spec") or {})
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
    status = {**_NODE_STATUS_DEFAULTS, **(wanted.get("status") or {})}
    return {**wanted, "spec": {**spec, "taints": taints}, "status": status}


def _namespace(wanted: Manifest) -> Manifest:
    return {
        **_named_namespace(wanted),
        "spec": {"finalizers": ["kubernetes"]},
        "status": {"phase": "Active"},
    }


def _named_namespace(wanted: Manifest) -> Manifest:
    """A namespace carries its name as a label, whatever is done to its labels."""
    metadata = wanted["metadata"]
    labels = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {**wanted, "metadata": {**metadata, "labels": labels}}
