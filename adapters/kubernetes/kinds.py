"""The kinds that warmlog reads: where each is served, and how it is listed and watched."""

from typing import NamedTuple
from urllib.parse import quote

from adapters.ports import Request
from machines import labels
from machines.ingesting import synced_key

PAGE_ROWS = 500


class Kind(NamedTuple):
    """A kind of Kubernetes object, and which of its objects are ours to read."""

    name: str
    group_version: str  # as in apiVersion: "v1", "batch/v1"
    plural: str
    namespaced: bool
    label_selector: str = ""
    within: str = ""  # the one namespace of which objects are read; all of them when empty
    named: str = ""  # the one name that is read (within its namespace); every name when empty

    @property
    def served_as(self) -> str:
        """The name that Kubernetes has for the kind: a HydrationJob is a Job like any other."""
        return _SERVED_AS.get(self.name, self.name)

    @property
    def scope(self) -> tuple[str, str]:
        """Namespace and name of the one object that is read; both empty when it is not one."""
        return (self.within, self.named) if self.named else ("", "")

    @property
    def key(self) -> str:
        """What tells this watch from every other one of its cluster: `Secret/NAMESPACE/NAME`."""
        return synced_key(self.name, self.scope)

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


# Two labels are two watches, and so two kinds: what a list of one label does not hold is not gone
# from the other.
_SERVED_AS = {"HydrationJob": "Job", "HydrationPod": "Pod"}

NAMESPACE = Kind("Namespace", "v1", "namespaces", namespaced=False)
NODE = Kind("Node", "v1", "nodes", namespaced=False)
# Existence of the label, not a value: one watch serves every warmup.
JOB = Kind("Job", "batch/v1", "jobs", namespaced=True, label_selector=labels.WARMUP_UID)
POD = Kind("Pod", "v1", "pods", namespaced=True, label_selector=labels.WARMUP_UID)
MODEL_WARMUP = Kind(
    "ModelWarmup", f"{labels.GROUP}/{labels.VERSION}", "modelwarmups", namespaced=True
)

_CACHES = f"{labels.CACHE_GROUP}/{labels.VERSION}"
MODEL_CACHE = Kind("ModelCache", _CACHES, "modelcaches", namespaced=True)
INFERENCE_CLUSTER = Kind("InferenceCluster", _CACHES, "inferenceclusters", namespaced=False)
CLAIM = Kind(
    "PersistentVolumeClaim", "v1", "persistentvolumeclaims", namespaced=True,
    label_selector=labels.CACHE,
)  # fmt: skip
STORAGE_CLASS = Kind("StorageClass", "storage.k8s.io/v1", "storageclasses", namespaced=False)
HYDRATION_JOB = Kind(
    "HydrationJob", "batch/v1", "jobs", namespaced=True, label_selector=labels.CACHE
)
HYDRATION_POD = Kind("HydrationPod", "v1", "pods", namespaced=True, label_selector=labels.CACHE)
SECRET = Kind("Secret", "v1", "secrets", namespaced=True)

MODEL_REPLICA = Kind("ModelReplica", _CACHES, "modelreplicas", namespaced=True)
# What replicas are composed of is read without a label: Modelplane put none onto these objects.
DEPLOYMENT = Kind("Deployment", "apps/v1", "deployments", namespaced=True)
GANG = Kind("LeaderWorkerSet", "leaderworkerset.x-k8s.io/v1", "leaderworkersets", namespaced=True)
SERVICE = Kind("Service", "v1", "services", namespaced=True)
CLAIM_TEMPLATE = Kind(
    "ResourceClaimTemplate", "resource.k8s.io/v1", "resourceclaimtemplates", namespaced=True
)

DEFINITION = Kind(
    "CustomResourceDefinition", "apiextensions.k8s.io/v1", "customresourcedefinitions",
    namespaced=False,
)  # fmt: skip

WATCHED: tuple[Kind, ...] = (NAMESPACE, NODE, JOB, POD, MODEL_WARMUP)
# What ModelCaches need beside those: of the cluster that they are objects of, and of the clusters
# that they are staged to. Secrets come one by one (`named`) and are never listed whole.
HOME_KINDS: tuple[Kind, ...] = (MODEL_CACHE, INFERENCE_CLUSTER)
WORKLOAD_KINDS: tuple[Kind, ...] = (
    NAMESPACE, NODE, STORAGE_CLASS, CLAIM, HYDRATION_JOB, HYDRATION_POD,
)  # fmt: skip
# What ModelReplicas are composed of, on their clusters.
SERVING_KINDS: tuple[Kind, ...] = (DEPLOYMENT, GANG, SERVICE, CLAIM_TEMPLATE)

KIND_BY_NAME = {
    kind.name: kind
    for kind in (
        *WATCHED, *HOME_KINDS, *WORKLOAD_KINDS, MODEL_REPLICA, *SERVING_KINDS, SECRET, DEFINITION
    )
}  # fmt: skip


def named(kind: Kind, namespace: str, name: str) -> Kind:
    """Give `kind` cut down to the one object of this name."""
    return kind._replace(within=namespace, named=name, label_selector="")


def list_request(kind: Kind, *, rows: int = PAGE_ROWS, continued: str = "") -> Request:
    """Ask for one page of all objects, the newest state the server has.

    No resourceVersion is sent: the answer must not come from an old cache.
    """
    query = [("limit", str(rows)), *_selectors(kind)]
    if continued:
        query.append(("continue", continued))
    return Request("GET", kind.path(kind.within), tuple(query))


def watch_request(kind: Kind, version: str, *, seconds: int) -> Request:
    """Ask for every change after `version`; the server ends the watch after `seconds`."""
    query = (
        ("watch", "true"),
        ("allowWatchBookmarks", "true"),
        ("resourceVersion", version),
        ("timeoutSeconds", str(seconds)),
        *_selectors(kind),
    )
    return Request("GET", kind.path(kind.within), query)


def get_request(kind: Kind, namespace: str, name: str) -> Request:
    """Ask for one object as it is now."""
    return Request("GET", kind.path(namespace, name))


def _selectors(kind: Kind) -> list[tuple[str, str]]:
    selectors = []
    if kind.label_selector:
        selectors.append(("labelSelector", kind.label_selector))
    if kind.named:
        selectors.append(("fieldSelector", f"metadata.name={kind.named}"))
    return selectors
