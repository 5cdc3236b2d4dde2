"""What the API server adds to Deployments, ReplicaSets, Services and ResourceClaimTemplates."""

from adapters.simulator.defaulting_pods import defaulted_pod_spec
from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    REPLICA_SET,
    SERVICE,
    Resource,
)
from adapters.simulator.storage import Manifest

_QUARTER = "25%"
_ROLLING: Manifest = {"maxUnavailable": _QUARTER, "maxSurge": _QUARTER}
_SERVICE_DEFAULTS: Manifest = {
    "type": "ClusterIP",
    "sessionAffinity": "None",
    "internalTrafficPolicy": "Cluster",
}
_REQUEST_DEFAULTS: Manifest = {"allocationMode": "ExactCount"}
_ONE: Manifest = {"count": 1}


def defaulted_workload(resource: Resource, wanted: Manifest) -> Manifest:
    """Give a new object with its defaults; one of another kind comes back as it is."""
    wanted = redefaulted_workload(resource, wanted)
    if resource in {DEPLOYMENT, REPLICA_SET}:
        metadata = {**wanted["metadata"], "generation": 1}
        status = {} if resource is DEPLOYMENT else {"replicas": 0}
        return {**wanted, "metadata": metadata, "status": status}
    if resource is SERVICE:
        return {**wanted, "status": {"loadBalancer": {}}}
    return wanted


def redefaulted_workload(resource: Resource, wanted: Manifest) -> Manifest:
    """Give a changed object with the defaults that each decoding applies anew."""
    spec = wanted.get("spec") or {}
    match resource:
        case _ if resource is DEPLOYMENT:
            return {**wanted, "spec": _deployment_spec(spec)}
        case _ if resource is REPLICA_SET:
            return {**wanted, "spec": _with_template({"replicas": 1, **spec})}
        case _ if resource is SERVICE:
            return {**wanted, "spec": _service_spec(spec)}
        case _ if resource is CLAIM_TEMPLATE:
            return {**wanted, "spec": _claim_spec(spec)}
        case _:
            return wanted


def _deployment_spec(given: Manifest) -> Manifest:
    strategy = {"type": "RollingUpdate", **(given.get("strategy") or {})}
    if strategy["type"] == "RollingUpdate":
        strategy["rollingUpdate"] = {**_ROLLING, **(strategy.get("rollingUpdate") or {})}
    spec = {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        **{field: value for field, value in given.items() if value is not None},
        "strategy": strategy,
    }
    return _with_template(spec)


def _with_template(spec: Manifest) -> Manifest:
    template = spec.get("template") or {}
    template = {
        **template,
        "metadata": template.get("metadata") or {},
        "spec": defaulted_pod_spec(template.get("spec") or {}),
    }
    return {**spec, "template": template}


def _service_spec(given: Manifest) -> Manifest:
    spec = {**_SERVICE_DEFAULTS, **given}
    spec["ports"] = [
        {"protocol": "TCP", "targetPort": port.get("port"), **port}
        for port in spec.get("ports") or ()
    ]
    return spec


def _claim_spec(given: Manifest) -> Manifest:
    claim = given.get("spec") or {}
    devices = claim.get("devices") or {}
    given = {"metadata": {}, **given}
    if not devices.get("requests"):
        return given
    requests = [
        {**request, "exactly": _request(request["exactly"])} if request.get("exactly") else request
        for request in devices["requests"]
    ]
    return {**given, "spec": {**claim, "devices": {**devices, "requests": requests}}}


def _request(exactly: Manifest) -> Manifest:
    added = {**_REQUEST_DEFAULTS, **exactly}
    return {**_ONE, **added} if added["allocationMode"] == "ExactCount" else added
