"""Bodies of what is composed of a ModelReplica: workloads, Service, ResourceClaimTemplates.

Functions of logged facts alone, as `caches/hydration_bodies.py` has it: rebuilt when they are
needed, never logged. What is on an object itself is ours: whose it is, and what was applied last.
Nothing of that is in a Pod template; those are in `pod_bodies`.
"""

from typing import Any

from machines import labels
from machines.job_bodies import body_digest
from machines.replicas.kinds import CLAIM_TEMPLATE, DEPLOYMENT, GANG, SERVICE
from machines.replicas.members import LEADER, WORKER, DeviceRequest, Member
from machines.replicas.mounts import Mount
from machines.replicas.names import ReplicaNames, claim_template_name, workload_name
from machines.replicas.pod_bodies import PORT, gang_template, standalone_template
from machines.replicas.specs import EngineSpec
from machines.syntaxes import LABEL_VALUE

SERVICE_PORT = 80

Body = dict[str, Any]


def workload(
    names: ReplicaNames, engine: EngineSpec, mount: Mount, *, dynamo: bool, replicas: bool
) -> Body:
    """Give the Deployment of an engine, or the LeaderWorkerSet of one that is a gang.

    Without `replicas` it says nothing of how many there are: somebody else scales them.
    """
    name = workload_name(names.name, engine.name)
    if engine.is_gang:
        api_version, kind, spec = "leaderworkerset.x-k8s.io/v1", GANG, _gang(names, engine, mount)
    else:
        api_version, kind = "apps/v1", DEPLOYMENT
        spec = _deployment(names, engine, mount, dynamo=dynamo)
    metadata = _metadata(names, name)
    metadata["annotations"][labels.COPIES] = str(engine.copies)
    counted = {"replicas": engine.copies} if replicas else {}
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": metadata,
        "spec": {**counted, **spec},
    }


def service(names: ReplicaNames) -> Body:
    """Give the Service of a replica: what serves of all its engines, and no worker."""
    return {
        "apiVersion": "v1",
        "kind": SERVICE,
        "metadata": _metadata(names, names.name),
        "spec": {
            "selector": {labels.SERVING: names.name},
            "ports": [{"port": SERVICE_PORT, "targetPort": PORT}],
        },
    }


def claim_templates(names: ReplicaNames, engine: EngineSpec) -> list[Body]:
    """Give the template of each member that claims devices, from which every Pod has its own."""
    return [
        {
            "apiVersion": "resource.k8s.io/v1",
            "kind": CLAIM_TEMPLATE,
            "metadata": _metadata(names, _claim_template(names, engine, member)),
            "spec": {"spec": {"devices": {"requests": [_request(each) for each in devices]}}},
        }
        for member in engine.members
        if (devices := member.devices)
    ]


def stamped(body: Body) -> Body:
    """Give a body with the annotation that says what it was when it was applied."""
    metadata = body["metadata"]
    annotations = {**metadata["annotations"], labels.APPLIED: applied_digest(body)}
    return {**body, "metadata": {**metadata, "annotations": annotations}}


def applied_digest(body: Body) -> str:
    """Give the digest by which two bodies ask for the same.

    Neither the digest itself counts nor how many there are, which is left out while somebody else
    scales them.
    """
    metadata = body["metadata"]
    annotations = _without(metadata["annotations"], labels.APPLIED)
    spec = _without(body["spec"], "replicas")
    return body_digest({**body, "metadata": {**metadata, "annotations": annotations}, "spec": spec})


def _without(whole: Body, key: str) -> Body:
    return {name: value for name, value in whole.items() if name != key}


def _metadata(names: ReplicaNames, name: str) -> Body:
    """Give an object's own metadata; a name too long for a label is told by annotations alone."""
    metadata: Body = {"name": name, "namespace": names.workload_namespace}
    if not LABEL_VALUE.refusal(names.name):
        metadata["labels"] = {labels.SERVING: names.name}
    metadata["annotations"] = {
        labels.REPLICA_NAMESPACE: names.namespace,
        labels.REPLICA_NAME: names.name,
        labels.REPLICA_UID: names.uid,
    }
    return metadata


def _deployment(names: ReplicaNames, engine: EngineSpec, mount: Mount, *, dynamo: bool) -> Body:
    # Each engine selects its own Pods: with one selector their ReplicaSets would fight over them.
    own = {labels.WORKLOAD: workload_name(names.name, engine.name)}
    [member] = engine.members
    template = standalone_template(
        member,
        mount,
        {labels.SERVING: names.name, **own},
        _claim_template(names, engine, member),
        dynamo=dynamo,
    )
    return {"selector": {"matchLabels": own}, "template": template}


def _gang(names: ReplicaNames, engine: EngineSpec, mount: Mount) -> Body:
    serving = {labels.SERVING: names.name, labels.LWS_ROLE: "leader"}
    members = {member.role: member for member in engine.members}
    # No worker is reachable by the Service: none of them serves.
    leader, worker = (
        gang_template(members[role], mount, managed, _claim_template(names, engine, members[role]))
        for role, managed in ((LEADER, serving), (WORKER, {}))
    )
    size = 1 + members[WORKER].worker_nodes
    templates = {"size": size, "leaderTemplate": leader, "workerTemplate": worker}
    return {"leaderWorkerTemplate": templates}


def _claim_template(names: ReplicaNames, engine: EngineSpec, member: Member) -> str:
    return claim_template_name(names.name, engine.name, member.role)


def _request(request: DeviceRequest) -> Body:
    exactly: Body = {"deviceClassName": request.device_class, "count": request.amount}
    if request.selectors:
        exactly["selectors"] = [{"cel": {"expression": each}} for each in request.selectors]
    return {"name": request.name, "exactly": exactly}
