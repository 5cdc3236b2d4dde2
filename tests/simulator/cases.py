"""Requests whose answers a simulated and a real API server must agree on, written by hand.

Jobs here are managed by nobody and Pods are bound to no node, so that no controller interferes.
"""

from collections.abc import Iterator
from typing import Any

from adapters.ports import JSON_PATCH, MERGE_PATCH, Request
from adapters.simulator.resources import EVENT, JOB, LEASE, NAMESPACE, NODE, POD, WARMUP, path_of
from tests.simulator.comparing import Known

Body = dict[str, Any]

NAMESPACES, NODES = path_of(NAMESPACE), path_of(NODE)
IMAGE = {"image": "busybox:1", "command": ["true"]}


def job(name: str, **spec: Any) -> Body:
    """A Job that no controller touches."""
    containers = [{"name": "image-0", "image": "busybox:1", "command": ["true"]}]
    template = {"spec": {"restartPolicy": "Never", "containers": containers}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "labels": {"job": name}},
        "spec": {"managedBy": "example.com/nobody", "template": template, **spec},
    }


def warmup(name: str, **spec: Any) -> Body:
    """A ModelWarmup of one image on a node that does not exist."""
    return {
        "apiVersion": "model.aibrix.ai/v1alpha1",
        "kind": "ModelWarmup",
        "metadata": {"name": name},
        "spec": {
            "targets": [{"nodes": {"names": ["nowhere"]}}],
            "imagePreload": {"images": [IMAGE]},
            **spec,
        },
    }


def pod(name: str, namespace: str) -> Body:
    """A Pod that is bound to a node that does not exist.

    Each namespace has its own: Pods of a node that was missed for 40 s are cleared away.
    """
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"pod": name}},
        "spec": {
            "restartPolicy": "Never",
            "nodeName": f"not-in-{namespace}",
            "automountServiceAccountToken": False,
            "containers": [{"name": "c", "image": "busybox:1"}],
        },
    }


def lease(holder: str, **metadata: Any) -> Body:
    """A Lease."""
    return {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "metadata": {"name": "l", **metadata},
        "spec": {"holderIdentity": holder, "leaseDurationSeconds": 15},
    }


def post(path: str, body: Any, **query: str) -> Request:
    """POST."""
    return Request("POST", path, tuple(query.items()), body)


def get(path: str, **query: str) -> Request:
    """GET."""
    return Request("GET", path, tuple(query.items()))


def delete(path: str, **options: Any) -> Request:
    """DELETE."""
    return Request("DELETE", path, body=options)


def merge(path: str, body: Any) -> Request:
    """Merge patch."""
    return Request("PATCH", path, body=body, content_type=MERGE_PATCH)


def patch(path: str, *operations: Any) -> Request:
    """JSON patch."""
    return Request("PATCH", path, body=list(operations), content_type=JSON_PATCH)


def operation(op: str, path: str, **more: Any) -> Body:
    """One operation of a JSON patch."""
    return {"op": op, "path": path, **more}


def guarded(path: str, *operations: Body) -> Request:
    """A JSON patch that tests uid and version first, as the controller sends it."""
    object_path = path.removesuffix("/status")
    tests = [
        operation("test", f"/metadata/{field}", value=Known(object_path, field))
        for field in ("uid", "resourceVersion")
    ]
    return patch(path, *tests, *operations)


def jobs(namespace: str) -> Iterator[Request]:
    """Jobs: creating, patching, deleting, and what is refused."""
    path = path_of(JOB, namespace)
    a = f"{path}/a"
    rules = [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]
    yield post(path, job("a"))
    yield post(path, job("a"))
    yield post(path, job("dry"), dryRun="All")
    yield post(path, {**job("b"), "metadata": {"name": "b"}})
    yield post(path, {"metadata": job("c")["metadata"], "spec": job("c")["spec"]})
    yield post(path, job("d", podFailurePolicy={"rules": rules}, backoffLimit=0))
    yield post(path, {**job("x"), "metadata": {"generateName": "made-"}})
    yield from _bad_jobs(path)
    yield post(path_of(JOB, "nowhere"), job("a"))
    yield post(f"{path}/a", job("a"))
    yield get(a)
    yield get(f"{path}/missing")
    yield guarded(a, operation("add", "/spec/ttlSecondsAfterFinished", value=5))
    yield guarded(a, operation("add", "/spec/ttlSecondsAfterFinished", value=5))
    yield patch(a, operation("test", "/metadata/uid", value="other"))
    yield from (patch(a, each) for each in _odd_operations())
    yield Request("PATCH", a, body={"op": "add"}, content_type=JSON_PATCH)
    yield patch(a, 3)
    yield patch(f"{path}/missing", operation("add", "/spec/x", value=1))
    yield from (merge(a, each) for each in _job_changes())
    yield from (merge(f"{a}/status", each) for each in _job_statuses())
    yield Request("PUT", a, body={**job("a"), "metadata": {"name": "a", "resourceVersion": "1"}})
    yield Request("PUT", f"{path}/missing", body={**job("missing")})
    yield delete(a, preconditions={"uid": "other"}, propagationPolicy="Background")
    yield delete(a, preconditions={"resourceVersion": "1"}, propagationPolicy="Background")
    yield delete(a, propagationPolicy="Sideways")
    yield delete(f"{path}/missing", propagationPolicy="Background")
    uid = {"uid": Known(a, "uid")}
    yield delete(a, preconditions=uid, propagationPolicy="Background")
    yield get(a)
    yield get("/apis/batch/v1/jibs")
    yield get("/apis/nobody/v1/things")
    yield patch(path)


def _bad_jobs(path: str) -> Iterator[Request]:
    yield post(path, job("bad", parallelism="two"))
    yield post(path, job("bad", suspend=1))
    yield post(path, job("bad", parallelism=-1, backoffLimit=-2, activeDeadlineSeconds=-3))
    yield post(path, job("bad", template={"spec": {"restartPolicy": "Always", "containers": []}}))
    yield post(path, job("bad", template={}))
    body = job("bad")
    mount = [{"name": "v", "mountPath": "/v"}]
    body["spec"]["template"]["spec"]["containers"] = [
        {"name": "A_b"},
        {"name": "x", "image": "i:1"},
        {"name": "x", "image": "i:1", "imagePullPolicy": "Sometimes", "volumeMounts": mount},
    ]
    yield post(path, body)
    yield post(path, job("Bad_Name"))
    yield post(path, {**job("x"), "metadata": {"name": "a" * 64, "labels": {"a": "b"}}})
    yield post(path, {**job("x"), "metadata": {}})
    labels = {"a": "b c", "k": "v" * 64, "bad key": "x"}
    yield post(path, {**job("x"), "metadata": {"name": "x", "labels": labels}})
    yield post(path, {**job("x"), "metadata": {"name": "x", "labels": {"a": 1}}})
    yield post(path, {**job("x"), "metadata": {"name": "x", "namespace": "other"}})
    yield post(path, {**job("x"), "kind": "Pod"})
    yield post(path, {**job("x"), "apiVersion": "v1"})
    yield post(path, [job("x")])


def _odd_operations() -> Iterator[Body]:
    yield operation("replace", "/spec/nothing", value=5)
    yield operation("remove", "/spec/nothing")
    yield operation("add", "/nothing/x", value=1)
    yield operation("test", "/spec/nothing", value=None)
    yield operation("test", "/spec/nothing", value=1)
    yield operation("test", "/spec/parallelism", value=True)
    yield operation("test", "/spec/suspend", value=0)
    yield operation("test", "spec", value=1)
    yield operation("frobnicate", "/spec", value=1)
    yield {"op": "add", "value": 1}
    yield operation("add", "/spec/ttlSecondsAfterFinished", value="soon")
    yield operation("add", "/spec/ttlSecondsAfterFinished", value=-4)
    yield operation("replace", "/spec/template/spec/containers/0/image", value="other:1")
    yield operation("replace", "/spec/template/spec/containers/7", value={})
    yield operation("add", "/metadata/labels/x~1y", value="z")
    yield operation("add", "/metadata/annotations", value={"note": "1"})
    yield operation("remove", "/metadata/annotations/note")
    yield operation("remove", "/metadata/labels")
    yield operation("remove", "/metadata")
    yield operation("remove", "/metadata/name")
    yield operation("remove", "/kind")
    yield operation("add", "/kind", value="Pod")
    yield operation("add", "", value=3)


def _job_changes() -> Iterator[Any]:
    yield {"metadata": {"labels": {"job": None, "m": "1"}}}
    yield {"metadata": {"labels": {"m": "b c"}}}
    yield {"metadata": {"labels": {"m": 1}}}
    yield {"metadata": {"name": "other"}}
    yield {"metadata": {"resourceVersion": "1", "labels": {"q": "r"}}}
    yield {"status": {"active": 3}}
    yield {"spec": {"whatever": 1}}
    yield {"spec": {"backoffLimit": 6}}
    yield {"spec": {"backoffLimit": 7}}
    yield [3]


def _job_statuses() -> Iterator[Body]:
    began, ended = "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"
    met = {"type": "SuccessCriteriaMet", "status": "True"}
    complete = {"type": "Complete", "status": "True"}
    yield {"spec": {"parallelism": 3}, "status": {"active": 3}}
    yield {"metadata": {"labels": {"through": "status"}}}
    yield {"status": {"conditions": [complete]}}
    yield {"status": {"active": None, "startTime": began, "completionTime": ended}}
    yield {"status": {"active": None, "startTime": began, "conditions": [met]}}
    yield {"status": {"completionTime": ended, "conditions": [met, complete]}}
    yield {"status": {"completionTime": None, "conditions": []}}


def warmups(namespace: str) -> Iterator[Request]:
    """ModelWarmups: the schema, the immutable spec, the status apart, finalizers."""
    path = path_of(WARMUP, namespace)
    a = f"{path}/a"
    yield post(path, warmup("a"))
    yield post(path, warmup("a"))
    yield post(path, {**warmup("b"), "status": {"phase": "Running"}})
    yield post(path, warmup("c", frob=1))
    yield from (post(path, warmup("bad", **spec)) for spec in _bad_warmup_specs())
    for left_out in ("spec", "kind", "apiVersion"):
        yield post(path, {part: each for part, each in warmup("bad").items() if part != left_out})
    yield post(path, {**warmup("bad"), "kind": "Modelwarmup"})
    yield post(path, {**warmup("bad"), "apiVersion": "model.aibrix.ai/v1"})
    yield post(path, warmup("Bad_Name"))
    yield post(path_of(WARMUP, "nowhere"), warmup("a"))
    yield merge(a, {"spec": {"policies": {"parallelism": 3}}})
    yield merge(a, {"spec": {"frob": 3}})
    yield merge(a, {"spec": None})
    yield merge(a, {"metadata": {"labels": {"x": "y"}, "annotations": {"note": "1"}}})
    yield merge(a, {"metadata": {"uid": "other"}})
    yield merge(a, {"metadata": {"labels": {"x": 1}}})
    mark = {"uid": "u", "log": "l", "position": 3}
    status = {"phase": "Running", "observedGeneration": 1, "frob": 1, "warmlog": mark}
    yield guarded(f"{a}/status", operation("add", "/status", value=status))
    yield patch(f"{a}/status", operation("add", "/status", value={**status, "frob": 2}))
    yield patch(f"{a}/status", operation("test", "/metadata/uid", value="other"))
    yield patch(f"{a}/status", operation("add", "/status", value={"phase": "Nearly"}))
    yield patch(f"{a}/status", operation("add", "/status", value={"phase": 1}))
    yield patch(f"{path}/b/status", operation("remove", "/status"))
    yield merge(f"{a}/status", {"metadata": {"labels": {"q": "r"}}, "status": {"phase": "Failed"}})
    yield merge(a, {"status": {"phase": "Succeeded"}})
    yield get(f"{a}/status")
    yield Request("PUT", a, body=warmup("a"))
    yield patch(a, operation("remove", "/metadata/resourceVersion"))
    yield patch(a, operation("remove", "/kind"))
    yield from _warmup_ends(path)


def _warmup_ends(path: str) -> Iterator[Request]:
    a = f"{path}/a"
    yield merge(a, {"metadata": {"finalizers": ["example.com/held"]}})
    yield delete(a)
    yield delete(a)
    yield merge(a, {"metadata": {"labels": {"z": "y"}, "deletionTimestamp": None}})
    yield merge(a, {"metadata": {"finalizers": None}})
    yield get(a)
    yield delete(f"{path}/b", propagationPolicy="Background")


def _bad_warmup_specs() -> Iterator[Body]:
    yield {"policies": {"parallelism": "two"}}
    yield {"policies": {"parallelism": 0}}
    yield {"targets": []}
    yield {"targets": [{"nodes": {"names": ["n1"]}}] * 33}
    yield {"mode": "Continuous"}
    yield {"imagePreload": {"images": [{"command": ["true"]}]}}


def pods(namespace: str) -> Iterator[Request]:
    """Pods: grace that shortens, finalizers, evictions, Pods that have ended."""
    path = path_of(POD, namespace)
    yield post(path, pod("p1", namespace))
    yield merge(f"{path}/p1/status", {"status": {"phase": "Running"}})
    yield delete(f"{path}/p1")
    yield delete(f"{path}/p1")
    yield delete(f"{path}/p1", gracePeriodSeconds=60)
    yield delete(f"{path}/p1", gracePeriodSeconds=5)
    yield delete(f"{path}/p1", gracePeriodSeconds=0)
    yield post(path, pod("p2", namespace))
    yield merge(f"{path}/p2/status", {"status": {"phase": "Succeeded"}})
    yield delete(f"{path}/p2")
    yield get(f"{path}/p2")
    yield post(path, pod("p3", namespace))
    yield merge(f"{path}/p3", {"metadata": {"finalizers": ["example.com/held"]}})
    yield delete(f"{path}/p3", gracePeriodSeconds=0)
    yield merge(f"{path}/p3", {"metadata": {"finalizers": None}})
    yield get(f"{path}/p3")
    yield post(path, pod("p4", namespace))
    evicted = {"metadata": {"name": "p4", "namespace": namespace}}
    kind = {"apiVersion": "policy/v1", "kind": "Eviction"}
    yield post(f"{path}/p4/eviction", {**kind, **evicted})
    yield get(f"{path}/p4")
    yield delete(f"{path}/p4", gracePeriodSeconds=0)


def others(namespace: str) -> Iterator[Request]:
    """Leases, Events and Namespaces."""
    path = f"{path_of(LEASE, namespace)}/l"
    yield post(path_of(LEASE, namespace), lease("me"))
    current = {"resourceVersion": Known(path, "resourceVersion")}
    yield Request("PUT", path, body=lease("you", **current))
    yield Request("PUT", path, body=lease("me", resourceVersion="1"))
    yield Request("PUT", path, body=lease("me"))
    yield Request("PUT", path, body=lease("me", **{**current, "name": "other"}))
    yield delete(path)
    yield Request("PUT", path, body=lease("me"))
    yield get(f"{path}/status")
    events = path_of(EVENT, namespace)
    about = {"kind": "Job", "namespace": namespace, "name": "a"}
    event = {"involvedObject": about, "reason": "R", "message": "m", "type": "Normal"}
    yield post(events, {"metadata": {"name": "e.1"}, **event})
    yield post(events, {"metadata": {"generateName": "e-"}, **event})
    about = {**about, "namespace": "other"}
    yield post(events, {"metadata": {"name": "e.2"}, **event, "involvedObject": about})
    here = f"{NAMESPACES}/{namespace}"
    yield post(NAMESPACES, {"metadata": {"name": namespace}})
    yield merge(here, {"metadata": {"labels": {"pool": "p"}}})
    yield merge(here, {"metadata": {"labels": None}})
    yield merge(here, {"metadata": {"uid": "other"}})
    yield delete(here, preconditions={"uid": "other"})


def node(name: str) -> Iterator[Request]:
    """One Node, without a kubelet: cordon, labels, taints, end."""
    labels = {"a": "b", "warmlog.test/kubelet": "off"}
    ready = {
        "type": "Ready",
        "status": "True",
        "lastHeartbeatTime": "2026-01-01T00:00:00Z",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"allocatable": {"cpu": "4", "pods": "10"}, "conditions": [ready]}
    yield post(NODES, {"metadata": {"name": name, "labels": labels}, "status": status})
    path = f"{NODES}/{name}"
    yield merge(path, {"metadata": {"labels": {"a": None, "c": "d"}}})
    yield merge(path, {"spec": {"unschedulable": "yes"}})
    yield merge(path, {"status": {"allocatable": {"pods": "11"}}})
    yield delete(path, preconditions={"uid": "other"})
    yield delete(path, preconditions={"uid": Known(path, "uid")})
    yield get(path)
