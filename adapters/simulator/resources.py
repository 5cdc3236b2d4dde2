"""The kinds that the simulated API server has, and the paths under which it has them."""

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote


class Resource(NamedTuple):
    """A kind and what the API server needs to know of it."""

    kind: str
    plural: str
    api_version: str
    namespaced: bool = True
    status_subresource: bool = True
    custom: bool = False  # declared by a CustomResourceDefinition
    deleted_shown: bool = False  # a delete answers with the object, not with a Status
    more_fields: tuple[str, ...] = ()  # what fields can select, besides name and namespace
    blind_put: bool = True  # a PUT needs no resourceVersion
    put_creates: bool = False  # a PUT of what is not there creates it
    owners_kept: bool = False  # who owns which field is written down from the beginning
    scalable: bool = False  # has the subresource `scale`

    @property
    def group(self) -> str:
        """The API group; empty for the core kinds."""
        return self.api_version.rpartition("/")[0]

    @property
    def fields(self) -> frozenset[str]:
        """The fields by which a list can select."""
        common = ("metadata.name", "metadata.namespace") if self.namespaced else ("metadata.name",)
        return frozenset((*common, *self.more_fields))

    @property
    def full_name(self) -> str:
        """The plural as the server writes it in its messages: `jobs.batch`, `nodes`."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def root(self) -> str:
        """The path under which the kind lies."""
        return f"/apis/{self.api_version}" if self.group else f"/api/{self.api_version}"


NAMESPACE = Resource(
    "Namespace",
    "namespaces",
    "v1",
    namespaced=False,
    deleted_shown=True,
    more_fields=("status.phase",),
)
NODE = Resource("Node", "nodes", "v1", namespaced=False, more_fields=("spec.unschedulable",))
POD = Resource(
    "Pod",
    "pods",
    "v1",
    deleted_shown=True,
    more_fields=("spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "status.phase"),
)
EVENT = Resource(
    "Event",
    "events",
    "v1",
    status_subresource=False,
    more_fields=(
        "involvedObject.kind",
        "involvedObject.name",
        "involvedObject.namespace",
        "involvedObject.uid",
        "reason",
        "type",
    ),
)
JOB = Resource("Job", "jobs", "batch/v1", more_fields=("status.successful",))
SECRET = Resource("Secret", "secrets", "v1", status_subresource=False, more_fields=("type",))
CLAIM = Resource("PersistentVolumeClaim", "persistentvolumeclaims", "v1", deleted_shown=True)
VOLUME = Resource(
    "PersistentVolume", "persistentvolumes", "v1", namespaced=False, deleted_shown=True
)
CLASS = Resource(
    "StorageClass",
    "storageclasses",
    "storage.k8s.io/v1",
    namespaced=False,
    status_subresource=False,
    deleted_shown=True,
)
LEASE = Resource(
    "Lease",
    "leases",
    "coordination.k8s.io/v1",
    status_subresource=False,
    blind_put=False,
    put_creates=True,
)
WARMUP = Resource(
    "ModelWarmup", "modelwarmups", "model.aibrix.ai/v1alpha1", custom=True, blind_put=False
)
CACHE = Resource(
    "ModelCache", "modelcaches", "modelplane.ai/v1alpha1", custom=True, blind_put=False
)
INFERENCE_CLUSTER = Resource(
    "InferenceCluster",
    "inferenceclusters",
    "modelplane.ai/v1alpha1",
    namespaced=False,
    custom=True,
    blind_put=False,
)
SERVICE = Resource(
    "Service", "services", "v1", deleted_shown=True, owners_kept=True, put_creates=True
)
DEPLOYMENT = Resource("Deployment", "deployments", "apps/v1", owners_kept=True, scalable=True)
REPLICA_SET = Resource("ReplicaSet", "replicasets", "apps/v1")
LEADER_WORKER_SET = Resource(
    "LeaderWorkerSet",
    "leaderworkersets",
    "leaderworkerset.x-k8s.io/v1",
    custom=True,
    blind_put=False,
    owners_kept=True,
    scalable=True,
)
CLAIM_TEMPLATE = Resource(
    "ResourceClaimTemplate",
    "resourceclaimtemplates",
    "resource.k8s.io/v1",
    status_subresource=False,
    deleted_shown=True,
    owners_kept=True,
)
REPLICA = Resource(
    "ModelReplica", "modelreplicas", "modelplane.ai/v1alpha1", custom=True, blind_put=False
)
DEFINITION = Resource(
    "CustomResourceDefinition",
    "customresourcedefinitions",
    "apiextensions.k8s.io/v1",
    namespaced=False,
    deleted_shown=True,
)

RESOURCES = (
    NAMESPACE,
    NODE,
    POD,
    EVENT,
    SECRET,
    CLAIM,
    VOLUME,
    CLASS,
    JOB,
    LEASE,
    WARMUP,
    CACHE,
    INFERENCE_CLUSTER,
    SERVICE,
    DEPLOYMENT,
    REPLICA_SET,
    LEADER_WORKER_SET,
    CLAIM_TEMPLATE,
    REPLICA,
    DEFINITION,
)
BY_KIND = {resource.kind: resource for resource in RESOURCES}
_BY_PATH = {(resource.root, resource.plural): resource for resource in RESOURCES}

_CORE_ROOT_PARTS, _GROUP_ROOT_PARTS = 2, 3
_PATH_PARTS = 3  # PLURAL[/NAME[/SUBRESOURCE]]


class Place(NamedTuple):
    """What a path points at: a collection when `name` is empty, an object otherwise."""

    resource: Resource
    namespace: str = ""
    name: str = ""
    subresource: str = ""


@lru_cache(maxsize=4096)
def place_of(path: str) -> Place | None:
    """Read a request's path; None when the server has nothing there."""
    parts = [unquote(part) for part in path.strip("/").split("/")]
    cut = _CORE_ROOT_PARTS if parts[0] == "api" else _GROUP_ROOT_PARTS
    root, rest = "/" + "/".join(parts[:cut]), parts[cut:]
    namespace = ""
    if rest[:1] == ["namespaces"] and (root, *rest[2:3]) in _BY_PATH:
        namespace, rest = rest[1], rest[2:]
    if not 1 <= len(rest) <= _PATH_PARTS:
        return None
    resource = _BY_PATH.get((root, rest[0]))
    if resource is None or (namespace and not resource.namespaced):
        return None
    name, subresource = (*rest[1:], "", "")[:2]
    if name and resource.namespaced and not namespace:
        return None
    return Place(resource, namespace, name, subresource)


def path_of(resource: Resource, namespace: str = "", name: str = "", subresource: str = "") -> str:
    """Write the path of a collection or an object."""
    within = f"/namespaces/{namespace}" if namespace else ""
    tail = "".join(f"/{part}" for part in (name, subresource) if part)
    return f"{resource.root}{within}/{resource.plural}{tail}"
