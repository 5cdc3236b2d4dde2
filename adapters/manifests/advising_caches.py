"""Advising on ModelCaches and InferenceClusters: what works, and may not do what was meant."""

from collections.abc import Iterator
from typing import Any

from adapters.manifests.documents import child
from adapters.manifests.findings import Reason, Told
from machines.caches.cluster_specs import BLOCK_BY_SOURCE, parse_cluster
from machines.caches.specs import SECRET_KEY
from machines.labels import ABANDON, OURS, RETRY
from machines.syntaxes import DNS_SUBDOMAIN

_CLUSTER = "spec.cluster"
_SELECTOR = "spec.clusterSelector"


def advice_on_cache(raw: dict[str, Any]) -> Iterator[Told]:
    """Give what can be said of a ModelCache's spec that can work."""
    selector = raw.get("clusterSelector")
    if isinstance(selector, dict) and not any(selector.values()):
        words = "names no label, so that every InferenceCluster is selected"
        yield _SELECTOR, words, Reason.NO_EFFECT


def advice_on_cluster(raw: dict[str, Any]) -> Iterator[Told]:
    """Give what can be said of an InferenceCluster's spec that has no fault."""
    spec, cluster = parse_cluster(raw), raw["cluster"]
    used = BLOCK_BY_SOURCE[spec.source]
    for block in BLOCK_BY_SOURCE.values():
        if block != used and cluster.get(block) is not None:
            words = f"has no effect: source is {spec.source}, so {used} counts"
            yield child(_CLUSTER, block), words, Reason.NO_EFFECT
    place = child(_CLUSTER, used)
    named = (
        (f"{place}.secretRef.name", spec.secret_name, DNS_SUBDOMAIN.refusal),
        (f"{place}.secretRef.key", spec.secret_key, SECRET_KEY.refusal),
        (f"{place}.cache.storageClassName", spec.storage_class, DNS_SUBDOMAIN.refusal),
    )
    for field, name, refusal in named:
        words = refusal(name) if name else ""
        if words:
            yield field, f"{words}, or there can be none of this name", Reason.NO_SUCH_NAME


def advice_on_cache_annotations(metadata: Any) -> Iterator[Told]:
    """Give which annotations of ours have no effect on a ModelCache."""
    for name, value in _ours(metadata):
        words = ""
        if name == ABANDON and value not in ("true", "false"):
            words = f'{value!r} is neither "true" nor "false" and is not used'
        elif name not in (ABANDON, RETRY):
            words = f"is no annotation of warmlog on a ModelCache, which has {ABANDON} and {RETRY}"
        if words:
            yield f"metadata.annotations.{name}", words, Reason.ANNOTATION_IGNORED


def advice_on_cluster_metadata(metadata: Any) -> Iterator[Told]:
    """Give what has no effect on an InferenceCluster."""
    if isinstance(metadata, dict) and isinstance(metadata.get("namespace"), str):
        words = "has no effect: an InferenceCluster stands in no namespace"
        yield "metadata.namespace", words, Reason.NO_EFFECT
    for name, _ in _ours(metadata):
        words = "is no annotation of warmlog on an InferenceCluster, which has none"
        yield f"metadata.annotations.{name}", words, Reason.ANNOTATION_IGNORED


def _ours(metadata: Any) -> Iterator[tuple[str, str]]:
    annotations = metadata.get("annotations") if isinstance(metadata, dict) else None
    for name, value in (annotations if isinstance(annotations, dict) else {}).items():
        if isinstance(value, str) and name.startswith(OURS):
            yield name, value
