"""The kinds of warmlog: what an object of each may hold, and how it is judged."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.schemas_cache_spec import CACHE_SPEC
from adapters.kubernetes.schemas_cluster import CLUSTER_SPEC
from adapters.kubernetes.schemas_pods import Schema
from adapters.kubernetes.schemas_replica_spec import REPLICA_SPEC
from adapters.kubernetes.schemas_warmup_spec import WARMUP_SPEC
from adapters.manifests.advising import advice, advice_on_annotations
from adapters.manifests.advising_caches import (
    advice_on_cache,
    advice_on_cache_annotations,
    advice_on_cluster,
    advice_on_cluster_metadata,
)
from adapters.manifests.advising_replicas import (
    advice_on_gang_names,
    advice_on_replica,
    advice_on_replica_metadata,
)
from adapters.manifests.findings import Told
from adapters.manifests.schema_judging import schema_faults
from machines import labels
from machines.caches.cluster_specs import EXISTING
from machines.caches.specs import parse_cache
from machines.faults import Fault
from machines.replicas.specs import parse_replica
from machines.specs import parse

_WARMUP_WORK = ("imagePreload", "custom")
_METADATA = (
    "annotations", "creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp",
    "finalizers", "generateName", "generation", "labels", "managedFields", "name", "namespace",
    "ownerReferences", "resourceVersion", "selfLink", "uid",
)  # fmt: skip


class JudgedSpec(NamedTuple):
    """What is wrong with a spec, and what had better be otherwise in one that can work."""

    faults: tuple[Fault, ...]
    warnings: tuple[Told, ...] = ()


def _nothing(_: Any) -> Iterator[Told]:
    return iter(())


class JudgedKind(NamedTuple):
    """A kind, and what can be said of its objects."""

    name: str
    group: str
    version: str
    fields: Schema  # of the whole object
    judge_spec: Callable[[Any], JudgedSpec]
    advise_on_metadata: Callable[[Any], Iterator[Told]]
    looks_so: Callable[[dict[str, Any]], bool]  # by its spec alone
    alone: bool  # no other project has a kind of this name
    immutable: bool = False  # its spec is
    advise_on_whole: Callable[[Any], Iterator[Told]] = _nothing  # on name and spec together

    @property
    def api_version(self) -> str:
        """The apiVersion of its objects."""
        return f"{self.group}/{self.version}"


def _fields(spec: Schema) -> Schema:
    """Give the schema of an object; what stands in metadata and status is for other checks."""
    metadata: Schema = {"properties": {name: {} for name in _METADATA}}
    head: Schema = {"apiVersion": {}, "kind": {}, "metadata": metadata}
    return {"properties": {**head, "spec": spec, "status": {}}}


def _judged_warmup(raw: Any) -> JudgedSpec:
    parsed = parse(raw)
    return JudgedSpec(parsed.faults, tuple(advice(parsed.spec)) if parsed.spec else ())


def _judged_cache(raw: Any) -> JudgedSpec:
    parsed = parse_cache(raw)
    return JudgedSpec(parsed.faults, () if parsed.faults else tuple(advice_on_cache(raw)))


def _judged_replica(raw: Any) -> JudgedSpec:
    parsed = parse_replica(raw)
    return JudgedSpec(parsed.faults, tuple(advice_on_replica(parsed.spec)) if parsed.spec else ())


def _judged_cluster(raw: Any) -> JudgedSpec:
    """Judge by the schema: the controller itself reads as much of this as it can."""
    faults = list(schema_faults(raw, CLUSTER_SPEC, "spec"))
    cluster = raw.get("cluster") if isinstance(raw, dict) else None
    if isinstance(cluster, dict) and cluster.get("source") == EXISTING:
        field = "spec.cluster.existing"
        if cluster.get("existing") is None:
            words = f"must be given, with the secretRef of a kubeconfig: source is {EXISTING}"
            faults.append(Fault(field, words))
    return JudgedSpec(tuple(faults), () if faults else tuple(advice_on_cluster(raw)))


WARMUP = JudgedKind(
    "ModelWarmup", labels.GROUP, labels.VERSION, _fields(WARMUP_SPEC), _judged_warmup,
    advice_on_annotations,
    lambda spec: "targets" in spec and not spec.keys().isdisjoint(_WARMUP_WORK),
    alone=True, immutable=True,
)  # fmt: skip
CACHE = JudgedKind(
    "ModelCache", labels.CACHE_GROUP, labels.VERSION, _fields(CACHE_SPEC), _judged_cache,
    advice_on_cache_annotations, lambda spec: "huggingFace" in spec, alone=False,
)  # fmt: skip
REPLICA = JudgedKind(
    "ModelReplica", labels.CACHE_GROUP, labels.VERSION, _fields(REPLICA_SPEC), _judged_replica,
    advice_on_replica_metadata, lambda spec: {"clusterName", "engines"} <= spec.keys(), alone=False,
    advise_on_whole=advice_on_gang_names,
)  # fmt: skip
CLUSTER = JudgedKind(
    "InferenceCluster", labels.CACHE_GROUP, labels.VERSION, _fields(CLUSTER_SPEC), _judged_cluster,
    advice_on_cluster_metadata,
    lambda spec: isinstance(spec.get("cluster"), dict) and "source" in spec["cluster"],
    alone=False,
)  # fmt: skip
JUDGED = (WARMUP, CACHE, REPLICA, CLUSTER)
