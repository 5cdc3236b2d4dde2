"""Random requests, by seed: few names, few kinds, much that goes wrong."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import CACHE, JOB, LEASE, POD, SECRET, WARMUP, Resource, path_of
from tests.simulator.cases import (
    delete,
    get,
    guarded,
    job,
    lease,
    merge,
    operation,
    patch,
    pod,
    post,
    warmup,
)
from tests.simulator.cases_caches import cache
from tests.simulator.cases_storage import OTHER, TOKEN, secret
from tests.simulator.comparing import Known

NAMES = ("a", "b", "c")
VALUES = ("1", "2", "b c", None)
SELECTORS = (
    "x",
    "!x",
    "x=1",
    "x!=1",
    "x in (1,2)",
    "x notin (1)",
    "x,y",
    "x = 2, !y",
    "x y",
    "x in (",
    "x,,y",
)
FIELDS = ("metadata.name=a", "metadata.name!=a", "metadata.name=a,metadata.namespace=b", "a.b=c")


class Drawer:
    """Draws requests about the objects of one namespace."""

    def __init__(self, seed: int, namespace: str) -> None:
        """Draw by `seed`."""
        self._random = random.Random(seed)
        self._namespace = namespace

    def draw(self, count: int) -> Iterator[Request]:
        """Give so many requests."""
        kinds: dict[str, Callable[[Resource, str], Request]] = {
            "create": self._create,
            "read": lambda resource, name: get(self._path(resource, name)),
            "list": lambda resource, name: self._list(resource),
            "merge": self._merge,
            "patch": self._patch,
            "status": self._status,
            "delete": self._delete,
            "lease": lambda resource, name: self._lease(),
        }
        weights = (6, 1, 2, 3, 3, 3, 3, 1)
        for _ in range(count):
            (kind,) = self._random.choices(list(kinds), weights)
            resource = self._random.choice((JOB, WARMUP, POD, SECRET, CACHE))
            yield kinds[kind](resource, self._random.choice(NAMES))

    def _path(self, resource: Resource, name: str = "") -> str:
        return path_of(resource, self._namespace, name)

    def _labels(self) -> dict[str, Any]:
        marks = {key: self._random.choice(VALUES) for key in ("x", "y")}
        return {key: value for key, value in marks.items() if self._random.random() < 0.7}

    def _create(self, resource: Resource, name: str) -> Request:
        match resource.kind:
            case POD.kind:
                body = pod(name, self._namespace)
            case JOB.kind:
                body = job(name)
            case SECRET.kind:
                body = secret(name, data={"k": self._random.choice((TOKEN, OTHER, "bad data"))})
            case CACHE.kind:
                body = cache(name, repo=self._random.choice(("org/a", "org/b", "a/b/c")))
            case _:
                body = warmup(name)
        given = {key: value for key, value in self._labels().items() if value is not None}
        body["metadata"]["labels"] = {"kept": "", **given}
        if self._random.random() < 0.2:
            body["metadata"]["finalizers"] = ["example.com/held"]
        if self._random.random() < 0.1:
            body["metadata"]["name"] = self._random.choice(("", "Bad_Name", "a.b-c"))
        return post(self._path(resource), body)

    def _list(self, resource: Resource) -> Request:
        query: dict[str, str] = {}
        if self._random.random() < 0.6:
            query["labelSelector"] = self._random.choice(SELECTORS)
        if self._random.random() < 0.3:
            query["fieldSelector"] = self._random.choice(FIELDS)
        if self._random.random() < 0.5:
            query["limit"] = self._random.choice(("1", "2", "10"))
        return get(self._path(resource), **query)

    def _merge(self, resource: Resource, name: str) -> Request:
        changes = (
            {"metadata": {"labels": self._labels()}},
            {"metadata": {"annotations": {"note": self._random.choice(("1", "2", None))}}},
            {"metadata": {"finalizers": self._random.choice((None, ["example.com/held"]))}},
            {"metadata": {"resourceVersion": "1"}},
            {"spec": {"unheard": 1}},
            {"status": {"phase": "Running"}},
            {"data": {"k": self._random.choice((TOKEN, "bad data", None))}},
            {"stringData": {"j": "text"}, "immutable": self._random.choice((True, None))},
            {"spec": {"huggingFace": {"sizeGiB": self._random.choice((9, 10, 11, "12"))}}},
            {"spec": {"huggingFace": {"authSecret": {"name": self._random.choice("ab")}}}},
        )
        return merge(self._path(resource, name), self._random.choice(changes))

    def _patch(self, resource: Resource, name: str) -> Request:
        path = self._path(resource, name)
        note = operation("add", "/metadata/annotations", value={"note": self._random.choice("123")})
        if self._random.random() < 0.5:
            return guarded(path, note)
        tests = (
            operation("test", "/metadata/uid", value="other"),
            operation("test", "/metadata/uid", value=Known(path, "uid")),
            operation("test", "/metadata/labels/x", value="1"),
            operation("remove", "/metadata/labels/x"),
            operation("remove", "/metadata/finalizers/0"),
            operation("replace", "/metadata/labels/kept", value="no"),
        )
        return patch(path, self._random.choice(tests), note)

    def _status(self, resource: Resource, name: str) -> Request:
        path = f"{self._path(resource, name)}/status"
        values: dict[str, tuple[Any, ...]] = {
            JOB.kind: ({"active": 1}, {"failed": 2}, {}),
            POD.kind: ({"phase": "Running"}, {"phase": "Failed"}),
            WARMUP.kind: ({"phase": "Running"}, {"phase": "Nearly"}, {"unheard": 1}, {"phase": 2}),
            CACHE.kind: ({"summary": {"ready": "0/1"}}, {"clusters": [{"name": "x"}]}, {"a": 1}),
            SECRET.kind: ({},),
        }
        value = self._random.choice(values[resource.kind])
        if resource.custom and self._random.random() < 0.5:
            return guarded(path, operation("add", "/status", value=value))
        return merge(path, {"status": value})

    def _delete(self, resource: Resource, name: str) -> Request:
        path = self._path(resource, name)
        # Foreground and orphan are carried out by a controller, at a time of its own.
        options: dict[str, Any] = {"propagationPolicy": "Background"}
        if self._random.random() < 0.4:
            uid = self._random.choice(("other", Known(path, "uid")))
            options["preconditions"] = {"uid": uid}
        elif self._random.random() < 0.3:
            version = self._random.choice(("1", Known(path, "resourceVersion")))
            options["preconditions"] = {"resourceVersion": version}
        if resource is POD and self._random.random() < 0.7:
            options["gracePeriodSeconds"] = self._random.choice((0, 10, 60))
        return delete(path, **options)

    def _lease(self) -> Request:
        path = f"{self._path(LEASE)}/l"
        version = self._random.choice(("1", "", Known(path, "resourceVersion")))
        metadata = {"resourceVersion": version} if version else {}
        return Request("PUT", path, body=lease(self._random.choice(NAMES), **metadata))
