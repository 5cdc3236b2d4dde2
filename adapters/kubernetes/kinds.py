"""The kinds that warmlog reads: where each is served, and how it is listed and watched."""

from typing import NamedTuple
from urllib.parse import quote

from adapters.ports import Request
from machines import labels

PAGE_ROWS = 500


class Kind(NamedTuple):
    """A kind of Kubernetes object, and which of its objects are ours to read."""

    name: str
    group_version: str  # as in apiVersion: "v1", "batch/v1"
    plural: str
    namespaced: bool
    label_selector: str = ""
    within: str = ""  # the one namespace of which objects are read; all of them when empty

    @property
    def base(self) -> str:
        """The path under which the group and version are served."""
        return f"/{'apis' if '/' in self.group_version else 'api'}/{self.group_version}"

    @property
    def resource(self) -> str:
        """The name that RBAC and `kubectl` know: `jobs.batch`, `nodes`."""
        group, slash, _ = self.group_version.partition("/")
        return f"{self.plural}.{group}" if slash else self.plural

    def path(self, namespace: str = "", name: str = "") -> str:
        """Give the path of one object, of a namespace's objects, or of all objects."""
        parts = [self.base]
        if self.namespaced and namespace:
            parts += ["namespaces", quote(namespace, safe="")]
        parts.append(self.plural)
        if name:
            parts.append(quote(name, safe=""))
        return "/".join(parts)


NAMESPACE = Kind("Namespace", "v1", "namespaces", namespaced=False)
NODE = Kind("Node", "v1", "nodes", namespaced=False)
# Existence of the label, not a value: one watch serves every warmup.
JOB = Kind("Job", "batch/v1", "jobs", namespaced=True, label_selector=labels.WARMUP_UID)
POD = Kind("Pod", "v1", "pods", namespaced=True, label_selector=labels.WARMUP_UID)
MODEL_WARMUP = Kind(
    "ModelWarmup", f"{labels.GROUP}/{labels.VERSION}", "modelwarmups", namespaced=True
)

DEFINITION = Kind(
    "CustomResourceDefinition", "apiextensions.k8s.io/v1", "customresourcedefinitions",
    namespaced=False,
)  # fmt: skip

WATCHED: tuple[Kind, ...] = (NAMESPACE, NODE, JOB, POD, MODEL_WARMUP)
KIND_BY_NAME = {kind.name: kind for kind in (*WATCHED, DEFINITION)}


def list_request(kind: Kind, *, rows: int = PAGE_ROWS, continued: str = "") -> Request:
    """Ask for one page of all objects, the newest state the server has.

    No resourceVersion is sent: the answer must not come from an old cache.
    """
    query = [("limit", str(rows))]
    if kind.label_selector:
        query.append(("labelSelector", kind.label_selector))
    if continued:
        query.append(("continue", continued))
    return Request("GET", kind.path(kind.within), tuple(query))


def watch_request(kind: Kind, version: str, *, seconds: int) -> Request:
    """Ask for every change after `version`; the server ends the watch after `seconds`."""
    query = [
        ("watch", "true"),
        ("allowWatchBookmarks", "true"),
        ("resourceVersion", version),
        ("timeoutSeconds", str(seconds)),
    ]
    if kind.label_selector:
        query.append(("labelSelector", kind.label_selector))
    return Request("GET", kind.path(kind.within), tuple(query))


def get_request(kind: Kind, namespace: str, name: str) -> Request:
    """Ask for one object as it is now."""
    return Request("GET", kind.path(namespace, name))
