"""Random requests about many kinds at once, by seed: much of it wrong, stale, or about nothing."""

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import (
    CACHE,
    CLAIM,
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    INFERENCE_CLUSTER,
    JOB,
    LEASE,
    NODE,
    POD,
    REPLICA,
    SECRET,
    SERVICE,
    WARMUP,
    Resource,
    path_of,
)
from tests.simulator import cases, cases_applying, cases_caches, cases_replicas, cases_storage
from tests.simulator.cases import Body, delete, get, merge, operation, patch, post
from tests.simulator.comparing import Known
from tests.simulator.drawing import FIELDS, SELECTORS

KINDS = (WARMUP, CACHE, REPLICA, INFERENCE_CLUSTER, JOB, POD, NODE, SECRET, CLAIM, DEPLOYMENT,
         SERVICE, CLAIM_TEMPLATE, LEASE)  # fmt: skip
APPLIED = frozenset((DEPLOYMENT, SERVICE, CLAIM_TEMPLATE))
NAMES = ("a", "b")
MANAGERS = ("warmlog", "crossplane")
_OF_ALL_KINDS = 11  # ways to spoil a body; built-in kinds are validated deeper than here
MARKS = ("1", "2", "b c", "", None)
NOTES = ("1", "2", None)
HELD: tuple[list[str] | None, ...] = (
    ["example.com/held"],
    ["example.com/held", "example.com/more"],
    [],
    None,
)

# What a merge patch changes besides metadata, by kind.
CHANGES: dict[str, tuple[Body, ...]] = {
    WARMUP.kind: (
        {"spec": {"parallelism": 3}},
        {"spec": {"unheard": 1}},
        {"spec": None},
    ),
    CACHE.kind: (
        {"spec": {"huggingFace": {"sizeGiB": 11}}},
        {"spec": {"huggingFace": {"sizeGiB": 9}}},
        {"spec": {"huggingFace": {"sizeGiB": "12"}}},
        {"spec": {"huggingFace": {"authSecret": {"name": "hub"}}}},
        {"spec": {"huggingFace": {"repo": "org/other"}}},
        {"spec": {"clusterSelector": {"matchLabels": {"x": "1"}}}},
    ),
    REPLICA.kind: (
        {"spec": {"modelCacheRef": {"name": "other"}}},
        {"spec": {"modelCacheRef": None}},
        {"spec": {"clusterName": "there"}},
        {"spec": {"engines": []}},
    ),
    INFERENCE_CLUSTER.kind: (
        {"spec": {"stack": "Dynamo"}},
        {"spec": {"stack": "Other"}},
        {"spec": {"cluster": {"source": "GKE"}}},
    ),
    JOB.kind: (
        {"spec": {"ttlSecondsAfterFinished": 5}},
        {"spec": {"backoffLimit": 3}},
        {"spec": {"suspend": True}},
        {"spec": {"suspend": False}},
        {"spec": {"parallelism": 2}},
    ),
    POD.kind: ({"spec": {"nodeName": "other"}},),
    NODE.kind: (
        {"spec": {"unschedulable": True}},
        {"spec": {"unschedulable": None}},
        {"spec": {"taints": [{"key": "k", "value": "v", "effect": "NoSchedule"}]}},
        {"spec": {"taints": None}},
    ),
    SECRET.kind: (
        {"data": {"HF_TOKEN": cases_storage.OTHER}},
        {"data": {"HF_TOKEN": None}},
        {"data": {"HF_TOKEN": "not base64"}},
        {"stringData": {"more": "text"}},
        {"immutable": True},
        {"type": "example.com/kind"},
    ),
    CLAIM.kind: (
        {"spec": {"resources": {"requests": {"storage": "20Gi"}}}},
        {"spec": {"volumeName": "v"}},
        {"spec": {"storageClassName": "other"}},
    ),
    DEPLOYMENT.kind: (
        {"spec": {"replicas": 3}},
        {"spec": {"replicas": -1}},
        {"spec": {"paused": True}},
        {"spec": {"selector": {"matchLabels": {"other": "1"}}}},
    ),
    SERVICE.kind: (
        {"spec": {"selector": {"serving": "other"}}},
        {"spec": {"ports": [{"port": 81, "targetPort": 8000}]}},
        {"spec": {"ports": []}},
    ),
    CLAIM_TEMPLATE.kind: ({"spec": {"metadata": {"labels": {"x": "1"}}}},),
    LEASE.kind: ({"spec": {"holderIdentity": "you"}},),
}
# The statuses that warmlog writes; those of other kinds are controllers' own.
STATUSES: dict[str, tuple[Body, ...]] = {
    WARMUP.kind: ({"phase": "Running"}, {"phase": "Nearly"}, {"unheard": 1}, {"phase": 2}),
    CACHE.kind: ({"summary": {"ready": "0/1"}}, {"clusters": [{"name": "x"}]}, {"a": 1}),
    REPLICA.kind: ({"observedGeneration": 1}, {"anything": [1]}, {"conditions": [{}]}),
    INFERENCE_CLUSTER.kind: ({"cache": {"storageClassName": "c"}}, {"gateway": 1}),
}


class MixtureDrawer:
    """Draws requests about the objects of one namespace, and about those in none named after it."""

    def __init__(self, seed: int, namespace: str) -> None:
        """Draw by `seed`: another namespace changes nothing but names."""
        self._random = random.Random(seed)
        self._namespace = namespace
        self.kinds = tuple(self._random.sample(KINDS, 4))

    def draw(self, count: int) -> Iterator[Request]:
        """Give so many requests about a few of the kinds."""
        deeds: tuple[tuple[Callable[[Resource, str], Request], int], ...] = (
            (self._create, 8),
            (self._read, 2),
            (self._list, 3),
            (self._merge, 5),
            (self._patch, 5),
            (self._status, 4),
            (self._replace, 3),
            (self._apply, 4),
            (self._delete, 4),
        )
        weights = [weight for _, weight in deeds]
        for _ in range(count):
            ((deed, _),) = self._random.choices(deeds, weights)
            resource = self._one(*self.kinds)
            yield deed(resource, self._name(resource))

    def _one(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _often(self, share: float) -> bool:
        return self._random.random() < share

    def _name(self, resource: Resource) -> str:
        name = self._one(*NAMES)
        return name if resource.namespaced else f"{self._namespace}-{name}"

    def _path(self, resource: Resource, name: str = "") -> str:
        return path_of(resource, self._namespace if resource.namespaced else "", name)

    def _body(self, resource: Resource, name: str) -> Body:
        bodies: dict[str, Callable[[], Body]] = {
            WARMUP.kind: lambda: cases.warmup(name),
            CACHE.kind: lambda: cases_caches.cache(name),
            REPLICA.kind: lambda: cases_replicas.replica(name),
            INFERENCE_CLUSTER.kind: lambda: cases_caches.inference_cluster(name),
            JOB.kind: lambda: cases.job(name),
            POD.kind: lambda: cases.pod(name, self._namespace),
            NODE.kind: lambda: node(name),
            SECRET.kind: lambda: cases_storage.secret(name),
            CLAIM.kind: lambda: cases_storage.claim(name),
            DEPLOYMENT.kind: lambda: cases_applying.deployment(name),
            SERVICE.kind: lambda: cases_applying.service(name),
            CLAIM_TEMPLATE.kind: lambda: cases_applying.claim_template(
                name, cases_applying.request_for()
            ),
            LEASE.kind: lambda: cases.lease(self._one(*NAMES), name=name),
        }
        return copy.deepcopy(bodies[resource.kind]())

    def _create(self, resource: Resource, name: str) -> Request:
        body = self._body(resource, name)
        metadata = body["metadata"]
        marks = {key: self._one("1", "2") for key in ("x", "y") if self._often(0.5)}
        metadata["labels"] = {**metadata.get("labels", {}), "kept": "", **marks}
        if self._often(0.15):
            metadata["finalizers"] = ["example.com/held"]
        query = {"dryRun": "All"} if self._often(0.05) else {}
        path = self._path(resource)
        if self._often(0.25):
            self._spoil(resource, body)
            # Of a dry create a real server answers with whatever version was sent.
            query = {} if "resourceVersion" in metadata else query
        elif self._often(0.03) and resource.namespaced:
            path = path_of(resource, f"{self._namespace}-nowhere")
        return post(path, body, **query)

    def _spoil(self, resource: Resource, body: Body) -> None:
        """Make something of a body wrong, or at least unusual."""
        metadata = body["metadata"]
        other = self._one(*(kind for kind in KINDS if kind is not resource))
        spoils: tuple[Callable[[], Any], ...] = (
            lambda: metadata.update(name=self._one("", "Bad_Name", "a.b-c", "x" * 254, 3)),
            lambda: metadata.update(labels=self._one({"x": "b c"}, {"/x": "1"}, {"x": 1}, [])),
            lambda: metadata.update(annotations=self._one({"bad key": "1"}, {"note": 1})),
            lambda: metadata.update(finalizers=self._one(["unqualified"], ["a/b/c"], "held")),
            lambda: metadata.update(namespace="elsewhere" if resource.namespaced else ""),
            lambda: metadata.update(resourceVersion="1"),
            lambda: metadata.update(uid="made-up"),
            lambda: metadata.update(ownerReferences=[self._owner()]),
            lambda: body.update(kind=other.kind),
            lambda: body.update(apiVersion=other.api_version),
            lambda: body.pop("kind", None),
            lambda: body.update(unheard={"of": 1}),
            lambda: body.update(spec=self._one(None, [], "text", {})),
            lambda: body.pop("spec", None),
            lambda: body.update(status={"phase": "Running"}),
        )
        self._one(*(spoils if resource.custom else spoils[:_OF_ALL_KINDS]))()

    def _owner(self) -> Body:
        owner = {"apiVersion": "v1", "kind": "Secret", "name": "o", "uid": "made-up"}
        if self._often(0.5):
            owner.pop(self._one(*owner))
        return {**owner, **self._one({}, {"controller": True}, {"blockOwnerDeletion": True})}

    def _read(self, resource: Resource, name: str) -> Request:
        tail = self._one("", "", "/status", "/nothing")
        return get(f"{self._path(resource, name)}{tail}")

    def _list(self, resource: Resource, name: str) -> Request:
        # What is in no namespace may be anybody's.
        query = {} if resource.namespaced else {"fieldSelector": f"metadata.name={name}"}
        if self._often(0.6):
            query["labelSelector"] = self._one(*SELECTORS)
        if self._often(0.3) and resource.namespaced:
            query["fieldSelector"] = self._one(*FIELDS)
        if self._often(0.4):
            query["limit"] = self._one("1", "2", "10")
        if self._often(0.1) and "limit" not in query:
            query["resourceVersion"] = self._one("0", "999999999", "x")
        return get(self._path(resource), **query)

    def _metadata(self, path: str) -> Body:
        found: Body = self._one(
            {"labels": {key: self._one(*MARKS) for key in ("x", "y") if self._often(0.7)}},
            {"annotations": {"note": self._one(*NOTES)}},
            {"finalizers": self._one(*HELD)},
            {"resourceVersion": self._one("1", Known(path, "resourceVersion"))},
            {"uid": Known(path, "uid")},
            {"name": "other"},
            {"ownerReferences": [self._owner()]},
            {"generation": 9, "creationTimestamp": None},
        )
        return found

    def _merge(self, resource: Resource, name: str) -> Request:
        path = self._path(resource, name)
        changes = CHANGES[resource.kind]
        if self._often(0.5):
            return merge(path, {"metadata": self._metadata(path)})
        body = copy.deepcopy(self._one(*changes))
        if self._often(0.3):
            body["metadata"] = self._metadata(path)
        return merge(path, body)

    def _tests(self, path: str) -> list[Body]:
        """Operations that test first what the controller tests; some of them fail."""
        known = [
            operation("test", f"/metadata/{field}", value=Known(path, field))
            for field in ("uid", "resourceVersion")
        ]
        wrong = [
            operation("test", "/metadata/uid", value="other"),
            operation("test", "/metadata/resourceVersion", value="1"),
            operation("test", "/metadata/labels/x", value="1"),
            operation("test", "/metadata/nothing/there", value=None),
        ]
        found: list[Body] = self._one(known, known, known[:1], [self._one(*wrong)], [])
        return found

    def _patch(self, resource: Resource, name: str) -> Request:
        path = self._path(resource, name)
        deeds = (
            operation("add", "/metadata/annotations", value={"note": self._one("1", "2")}),
            operation("add", "/metadata/labels/x", value=self._one("1", "2", 3)),
            operation("remove", "/metadata/labels/x"),
            operation("replace", "/metadata/labels/x", value="3"),
            operation("replace", "/metadata/labels/kept", value="no"),
            operation("add", "/metadata/finalizers/-", value="example.com/more"),
            operation("add", "/metadata/finalizers", value=["example.com/held"]),
            operation("remove", "/metadata/finalizers/0"),
            operation("move", "/metadata/labels/z", **{"from": "/metadata/labels/x"}),
            operation("replace", "/metadata/name", value="other"),
            operation("sideways", "/metadata/labels/x", value="1"),
        )
        return patch(path, *self._tests(path), *(self._one(*deeds) for _ in range(self._one(1, 2))))

    def _status(self, resource: Resource, name: str) -> Request:
        if resource.kind not in STATUSES:
            return self._patch(resource, name)
        object_path = self._path(resource, name)
        path = f"{object_path}/status"
        value = copy.deepcopy(self._one(*STATUSES[resource.kind]))
        if self._often(0.4):
            body = {"status": value}
            if self._often(0.3):
                body["metadata"] = self._metadata(object_path)
            return merge(path, body)
        return patch(path, *self._tests(object_path), operation("add", "/status", value=value))

    def _replace(self, resource: Resource, name: str) -> Request:
        if resource is JOB:  # a template of a Job says by itself of which Job it is
            return self._merge(resource, name)
        path = self._path(resource, name)
        body = self._body(resource, name)
        version = self._one("1", "", Known(path, "resourceVersion"))
        body["metadata"] |= {"resourceVersion": version} if version else {}
        return Request("PUT", path, body=body)

    def _apply(self, resource: Resource, name: str) -> Request:
        if resource not in APPLIED:
            return self._merge(resource, name)
        path = self._path(resource, name)
        body = self._body(resource, name)
        if self._often(0.4):
            body["metadata"]["labels"] = {"x": self._one("1", "2")}
        if self._often(0.3):
            change = copy.deepcopy(self._one(*CHANGES[resource.kind]))
            body["spec"] = {**(body["spec"]), **change["spec"]}
        if self._often(0.3):
            version = self._one("1", Known(path, "resourceVersion"))
            body["metadata"]["resourceVersion"] = version
        if self._often(0.1):
            body["metadata"]["uid"] = self._one("other", Known(path, "uid"))
        return cases_applying.apply(path, body, self._one(*MANAGERS), force=self._often(0.7))

    def _delete(self, resource: Resource, name: str) -> Request:
        path = self._path(resource, name)
        options: Body = {"propagationPolicy": self._one("Background", "Background", "Sideways")}
        if self._often(0.5):
            options["preconditions"] = self._one(
                {"uid": "other"},
                {"uid": Known(path, "uid")},
                {"resourceVersion": "1"},
                {"resourceVersion": Known(path, "resourceVersion")},
                {"uid": Known(path, "uid"), "resourceVersion": "1"},
            )
        if resource is POD and self._often(0.6):
            options["gracePeriodSeconds"] = self._one(0, 10, -1)
        if self._often(0.05):
            options["dryRun"] = ["All"]
        return delete(path, **options)


def node(name: str) -> Body:
    """A Node without a kubelet."""
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": {"warmlog.test/kubelet": "off"}},
    }
