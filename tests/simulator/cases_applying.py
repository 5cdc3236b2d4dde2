"""Requests that apply, and those about what is applied, which two API servers must answer alike.

No controller may be at work meanwhile: it would write into the objects, too.
"""

from collections.abc import Iterator
from typing import Any

from adapters.ports import APPLY_PATCH, MERGE_PATCH, Request
from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    LEADER_WORKER_SET,
    SERVICE,
    path_of,
)
from tests.simulator.cases import Body, delete, get, guarded, merge, operation, patch, post
from tests.simulator.comparing import Known

US, OTHERS = "warmlog", "crossplane"


def apply(path: str, body: Any, manager: str = US, *, force: bool = True, **query: str) -> Request:
    """Server-side apply."""
    asked = {"fieldManager": manager, **({"force": "true"} if force else {}), **query}
    given = tuple((name, value) for name, value in asked.items() if value)
    return Request("PATCH", path, given, body, APPLY_PATCH)


def update(path: str, body: Any, manager: str) -> Request:
    """A merge patch by another manager."""
    return Request("PATCH", path, (("fieldManager", manager),), body, MERGE_PATCH)


def variable(name: str, value: str = "1") -> Body:
    """A variable of the environment."""
    return {"name": name, "value": value}


def container(**fields: Any) -> Body:
    """The container of an engine, much as warmlog composes it."""
    get_health = {"path": "/health", "port": 8000}
    return {
        "name": "engine",
        "image": "vllm/vllm-openai:v0.11.0",
        "args": ["--model", "org/model"],
        "env": [variable("HF_HUB_CACHE", "/mnt/models"), variable("USER")],
        "ports": [{"containerPort": 8000}],
        "readinessProbe": {"httpGet": get_health, "initialDelaySeconds": 30, "timeoutSeconds": 5},
        "volumeMounts": [
            {"name": "dshm", "mountPath": "/dev/shm"},  # noqa: S108 -- a mount, no temporary file
            {"name": "model-cache", "mountPath": "/mnt/models"},
        ],
        **fields,
    }


def pod_spec(**fields: Any) -> Body:
    """The spec of an engine's Pod."""
    return {
        "containers": [container()],
        "nodeSelector": {"modelplane.ai/pool": "like-none"},
        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}],
        "volumes": [
            {"name": "dshm", "emptyDir": {"medium": "Memory"}},
            {"name": "model-cache", "persistentVolumeClaim": {"claimName": "claim"}},
        ],
        **fields,
    }


def deployment(name: str, *, replicas: int | None = 2, **fields: Any) -> Body:
    """A Deployment of engines; more fields of the Pods' spec by keyword."""
    labels = {"modelplane.ai/workload": name}
    spec: Body = {
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": pod_spec(**fields)},
    }
    return {
        "apiVersion": DEPLOYMENT.api_version,
        "kind": DEPLOYMENT.kind,
        "metadata": {"name": name, "annotations": {"note": "1"}},
        "spec": spec if replicas is None else {"replicas": replicas, **spec},
    }


def service(name: str, **spec: Any) -> Body:
    """A Service of one port."""
    given = {"selector": {"serving": name}, "ports": [{"port": 80, "targetPort": 8000}], **spec}
    metadata = {"name": name}
    return {"apiVersion": "v1", "kind": SERVICE.kind, "metadata": metadata, "spec": given}


def claim_template(name: str, *requests: Body) -> Body:
    """A ResourceClaimTemplate of these requests for devices."""
    return {
        "apiVersion": CLAIM_TEMPLATE.api_version,
        "kind": CLAIM_TEMPLATE.kind,
        "metadata": {"name": name},
        "spec": {"spec": {"devices": {"requests": list(requests)}}},
    }


def request_for(count: int | None = None, **fields: Any) -> Body:
    """A request for GPUs."""
    exactly = {"deviceClassName": "gpu.nvidia.com", **({} if count is None else {"count": count})}
    return {"name": "gpu", "exactly": exactly, **fields}


def gang(name: str, *, replicas: int | None = 1, **fields: Any) -> Body:
    """A LeaderWorkerSet."""
    template = {"spec": pod_spec(**fields)}
    spec: Body = {
        "leaderWorkerTemplate": {
            "size": 3,
            "leaderTemplate": {"metadata": {"labels": {"role": "leader"}}, **template},
            "workerTemplate": template,
        },
    }
    return {
        "apiVersion": LEADER_WORKER_SET.api_version,
        "kind": LEADER_WORKER_SET.kind,
        "metadata": {"name": name},
        "spec": spec if replicas is None else {"replicas": replicas, **spec},
    }


def applied(namespace: str) -> Iterator[Request]:
    """What we apply: made, the same again, more, less, in another order, and taken back."""
    path = f"{path_of(DEPLOYMENT, namespace)}/a"
    yield apply(path, deployment("a"))
    yield apply(path, deployment("a"))
    yield apply(path, deployment("a"), force=False)
    yield apply(path, deployment("a", containers=[container(env=[variable("USER", "2")])]))
    more = [variable("Z"), variable("HF_HUB_CACHE", "/mnt/models"), variable("USER")]
    yield apply(path, deployment("a", containers=[container(env=more)]))
    yield apply(path, deployment("a", replicas=None, tolerations=[]))
    yield apply(path, deployment("a", nodeSelector={"other": "pool"}))
    bare: Body = {"containers": [{"name": "engine", "image": "i:1"}], "volumes": []}
    yield apply(path, deployment("a", **bare))
    yield apply(path, deployment("a", imagePullSecrets=[{"name": "s"}], hostNetwork=False))
    two = [container(), {"name": "beside", "image": "i", "env": [variable("A")]}]
    yield apply(path, deployment("a", containers=two))
    yield apply(path, deployment("a", containers=list(reversed(two))))
    yield apply(path, deployment("a"))
    yield apply(path, {**deployment("a"), "metadata": {"name": "a"}})
    yield apply(path, {**deployment("a"), "status": {"replicas": 3}})
    yield get(path)


def shared(namespace: str) -> Iterator[Request]:
    """What others write beside us: who owns it then, what goes and stays, and conflicts."""
    path = f"{path_of(DEPLOYMENT, namespace)}/b"
    yield apply(path, deployment("b"))
    yield update(f"{path}/scale", {"spec": {"replicas": 5}}, "autoscaler")
    yield get(f"{path}/scale")
    yield update(f"{path}/scale", {"spec": {"replicas": 5}}, "autoscaler")
    yield apply(path, deployment("b"), force=False)
    yield apply(path, deployment("b", replicas=None))
    yield apply(path, deployment("b", replicas=5))
    yield apply(path, deployment("b", replicas=None))
    yield apply(path, deployment("b", replicas=3))
    env = {"containers": [{"name": "engine", "env": [variable("THEIRS"), variable("USER", "x")]}]}
    theirs = deployment("b", replicas=None)
    theirs["spec"] = {"template": {"spec": env}}
    yield apply(path, theirs, OTHERS, force=False)
    yield apply(path, theirs, OTHERS)
    yield apply(path, deployment("b"), force=False)
    both = [variable("USER", "x")]
    yield apply(path, deployment("b", containers=[container(env=both)]), force=False)
    yield apply(path, deployment("b", containers=[container(env=[])]))
    yield update(path, {"spec": {"template": {"metadata": {"labels": {"x": "y"}}}}}, "editor")
    yield update(path, {"metadata": {"annotations": {"note": "2", "more": "3"}}}, "editor")
    yield apply(path, deployment("b"), force=False)
    gone = [operation("remove", "/spec/template/spec/tolerations")]
    yield patch(path, *gone)
    yield apply(path, deployment("b"))
    whole = deployment("b", containers=[container(image="other:2")])
    yield Request("PUT", path, (("fieldManager", "replacer"),), whole)
    yield apply(path, deployment("b"), force=False)
    yield apply(path, deployment("b"))
    yield update(f"{path}/status", {"status": {"observedGeneration": 1}}, "controller")
    status = {"conditions": [{"type": "X", "status": "True"}]}
    yield apply(f"{path}/status", {**_named(deployment("b")), "status": status}, OTHERS)
    yield get(path)
    for count in (0, 6):  # to none and up again: then nobody owns them
        yield update(f"{path}/scale", {"spec": {"replicas": count}}, "autoscaler")
        yield get(path)
    yield apply(path, deployment("b", replicas=None), force=False)
    yield apply(path, deployment("b"), force=False)


def _named(body: Body) -> Body:
    return {part: body[part] for part in ("apiVersion", "kind", "metadata")}


def adopted(namespace: str) -> Iterator[Request]:
    """What others made and we take over: their entries become ours, and then fields can go."""
    path = path_of(DEPLOYMENT, namespace)
    yield post(path, deployment("c"), fieldManager="kubectl-create")
    yield apply(f"{path}/c", deployment("c", containers=[container(env=[])]))
    yield apply(f"{path}/c", deployment("c", replicas=None))
    yield post(path, deployment("d"), fieldManager=OTHERS)
    entry = "/metadata/managedFields/0"
    yield guarded(
        f"{path}/d",
        operation("replace", f"{entry}/manager", value=US),
        operation("replace", f"{entry}/operation", value="Apply"),
    )
    less = deployment("d", replicas=None, containers=[container(env=[variable("USER")])])
    yield apply(f"{path}/d", less)
    yield apply(f"{path}/e", deployment("e"), OTHERS)
    yield apply(f"{path}/e", deployment("e", replicas=4), force=False)
    yield guarded(f"{path}/e", operation("replace", f"{entry}/manager", value=US))
    yield apply(f"{path}/e", deployment("e", containers=[container(env=[])]))
    yield patch(f"{path}/e", operation("replace", "/metadata/managedFields", value=[{}]))
    yield apply(f"{path}/e", deployment("e", tolerations=[]))
    yield patch(f"{path}/e", operation("remove", "/metadata/managedFields"))
    yield patch(f"{path}/e", operation("replace", f"{entry}/operation", value="Nothing"))


def refused(namespace: str) -> Iterator[Request]:
    """What is not applied: old versions, other uids, duplicates, and what makes no sense."""
    path = path_of(DEPLOYMENT, namespace)
    here = f"{path}/f"
    yield apply(
        f"{path}/none", _with(deployment("none"), uid="4a7b7f7e-0000-4000-8000-000000000000")
    )
    yield apply(here, deployment("f"))
    yield apply(here, _with(deployment("f"), resourceVersion="1"))
    version = Known(here, "resourceVersion")
    yield apply(here, _with(deployment("f", replicas=7), resourceVersion=version))
    yield apply(here, _with(deployment("f", replicas=7), resourceVersion=version))
    uid = Known(here, "uid")
    yield apply(here, _with(deployment("f", replicas=8), uid=uid))
    other = "4a7b7f7e-0000-4000-8000-000000000000"
    yield apply(here, _with(deployment("f", replicas=9), uid=other))
    twice = [variable("A"), variable("A", "2")]
    yield apply(here, deployment("f", containers=[container(env=twice)]))
    yield apply(here, deployment("f", containers=[container(), container()]))
    yield apply(here, deployment("f", containers=[{"image": "i"}]))
    yield apply(here, deployment("f"), "")
    yield apply(here, {**deployment("f"), "apiVersion": "apps/v2"})
    yield apply(here, _with(deployment("f"), managedFields=[]))
    yield apply(here, deployment("f", volumes=[]))
    yield apply(f"{path}/g", deployment("f"))
    yield apply(f"{path}/dry", deployment("dry"), dryRun="All")
    yield apply(here, deployment("f", replicas=1), dryRun="All")
    yield apply(f"{path}/none/status", _named(deployment("none")))
    changed = deployment("f")
    changed["spec"]["selector"] = {"matchLabels": {"modelplane.ai/workload": "other"}}
    yield apply(here, changed)
    yield merge(here, {"spec": {"replicas": -1}})
    yield update(f"{here}/scale", {"spec": {"replicas": -1}}, "autoscaler")
    yield update(f"{path}/none/scale", {"spec": {"replicas": 1}}, "autoscaler")
    yield apply(f"{path_of(DEPLOYMENT, 'nowhere')}/a", deployment("a"))
    yield delete(here)
    yield get(here)


def _with(body: Body, **metadata: Any) -> Body:
    return {**body, "metadata": {**body["metadata"], **metadata}}


def services(namespace: str) -> Iterator[Request]:
    """Services: defaults, ports, selectors that are taken whole, and names that are refused."""
    path = path_of(SERVICE, namespace)
    here = f"{path}/a"
    yield apply(here, service("a"))
    yield apply(here, service("a"))
    yield apply(here, service("a", selector={"serving": "b"}))
    yield apply(here, service("a", ports=[{"port": 80, "targetPort": 9000}]))
    yield apply(here, service("a", ports=[{"port": 81}]))
    yield update(here, {"metadata": {"labels": {"x": "y"}}}, "editor")
    yield apply(here, service("a", ports=[]))
    yield apply(here, service("a", ports=[{"port": 0}]))
    yield apply(f"{path}/a.b", service("a.b"))
    yield apply(f"{path}/{'a' * 64}", service("a" * 64))
    yield apply(f"{path}/1a", service("1a"))
    yield post(path, service("b"))
    yield get(here)
    yield delete(here)
    yield delete(f"{path}/1a")


def claim_templates(namespace: str) -> Iterator[Request]:
    """ResourceClaimTemplates: defaults, and a spec that never changes."""
    path = path_of(CLAIM_TEMPLATE, namespace)
    here = f"{path}/a-devices-12345"
    yield apply(here, claim_template("a-devices-12345", request_for()))
    yield apply(here, claim_template("a-devices-12345", request_for()))
    yield apply(here, claim_template("a-devices-12345", request_for(2)))
    yield apply(here, claim_template("a-devices-12345", {"name": "gpu"}))
    selector = {"cel": {"expression": 'device.driver == "gpu.nvidia.com"'}}
    full = {"deviceClassName": "gpu.nvidia.com", "count": 8, "selectors": [selector]}
    yield apply(f"{path}/b", claim_template("b", {"name": "gpu", "exactly": full}))
    yield update(here, {"metadata": {"labels": {"x": "y"}}}, "editor")
    yield post(path, claim_template("c", request_for(1)))
    yield get(here)
    yield delete(here)


def gangs(namespace: str) -> Iterator[Request]:
    """LeaderWorkerSets: defaults of the definition, merged like Deployments, and their status."""
    path = path_of(LEADER_WORKER_SET, namespace)
    here = f"{path}/a"
    yield apply(here, gang("a"))
    yield apply(here, gang("a"))
    yield apply(here, gang("a", replicas=None))
    yield apply(here, gang("a", containers=[container(env=[variable("USER")])]))
    yield update(f"{here}/scale", {"spec": {"replicas": 4}}, "autoscaler")
    yield apply(here, gang("a"), force=False)
    yield apply(here, gang("a"))
    twice = gang("a")
    led = pod_spec(containers=[container(env=[variable("A"), variable("A")])])
    twice["spec"]["leaderWorkerTemplate"]["leaderTemplate"]["spec"] = led
    yield apply(here, twice)
    yield post(path, gang("b"), fieldManager=OTHERS)
    entry = "/metadata/managedFields/0"
    yield guarded(
        f"{path}/b",
        operation("replace", f"{entry}/manager", value=US),
        operation("replace", f"{entry}/operation", value="Apply"),
    )
    yield apply(f"{path}/b", gang("b", containers=[container(env=[])]))
    available = {
        "type": "Available",
        "status": "True",
        "reason": "AllGroupsReady",
        "message": "All replicas are ready",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    yield update(f"{here}/status", {"status": {"conditions": [available]}}, "lws")
    yield update(f"{here}/status", {"status": {"replicas": 1, "readyReplicas": 1}}, "lws")
    yield apply(here, gang("a"))
    yield get(here)
    yield delete(here)
