"""Advising on ModelReplicas: what a server takes, and warmlog or the cluster cannot run."""

from collections.abc import Iterator
from typing import Any

from adapters.manifests.findings import Reason, Told
from adapters.manifests.image_references import is_latest
from engine.canonical_json import loads
from machines.labels import ABANDON, OURS
from machines.replicas.members import Member
from machines.replicas.mounts import CACHE_VARIABLE
from machines.replicas.names import workload_name
from machines.replicas.specs import PREFILL_DECODE, UNIFIED, ReplicaSpec, parse_replica
from machines.syntaxes import SERVICE_NAME

# Its StatefulSets bear it with the number of a gang, and their Pods that with a hash as a label.
LONGEST_GANG_NAME = 49
_KNOWN = ("true", "false")


def advice_on_replica(spec: ReplicaSpec) -> Iterator[Told]:
    """Give what can be said of a ModelReplica's spec that has no fault."""
    if spec.mode == PREFILL_DECODE:
        words = f"is not supported: warmlog runs {UNIFIED} alone, and makes nothing of this replica"
        yield "spec.serving.mode", words, Reason.UNSUPPORTED
    for index, engine in enumerate(spec.engines):
        for at, member in enumerate(engine.members):
            place = f"spec.engines[{index}].members[{at}].template"
            yield from _on_member(member, place, has_cache=bool(spec.cache_name))


def advice_on_gang_names(value: Any) -> Iterator[Told]:
    """Give the engines whose LeaderWorkerSets would have names with which no Pod can be made."""
    metadata = value.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    spec = parse_replica(value.get("spec")).spec
    if not isinstance(name, str) or spec is None:
        return
    for index, engine in enumerate(spec.engines):
        made = workload_name(name, engine.name)
        if engine.is_gang and len(made) > LONGEST_GANG_NAME:
            excess = len(made) - LONGEST_GANG_NAME
            words = (
                f"makes a LeaderWorkerSet named {made}, and past {LONGEST_GANG_NAME} characters no "
                f"Pod of it can be made: have the replica's name and this one {excess} shorter"
            )
            yield f"spec.engines[{index}].name", words, Reason.NO_SUCH_NAME


def _on_member(member: Member, place: str, *, has_cache: bool) -> Iterator[Told]:
    if not member.image:
        words = "has no container, and nothing is made of a replica with such a member"
        yield place, words, Reason.UNSUPPORTED
        return
    container = f"{place}.spec.containers[0]"
    if is_latest(member.image):
        words = "may be another image tomorrow: give it a tag of its own, or better a digest"
        yield f"{container}.image", words, Reason.MUTABLE_TAG
    names = [variable["name"] for variable in loads(member.env)]
    if has_cache and CACHE_VARIABLE in names:
        words = f"stands in for the cache's own {CACHE_VARIABLE}: the engine may not find the model"
        place = f"{container}.env[{names.index(CACHE_VARIABLE)}]"
        yield place, words, Reason.CACHE_OVERRIDDEN


def advice_on_replica_metadata(metadata: Any) -> Iterator[Told]:
    """Give which names and annotations do not do what was meant on a ModelReplica."""
    if not isinstance(metadata, dict):
        return
    name = metadata.get("name")
    refusal = SERVICE_NAME.refusal(name) if isinstance(name, str) and name else ""
    if refusal:
        words = f"{refusal}; the Service on the cluster has this name, and may be refused"
        yield "metadata.name", words, Reason.NO_SUCH_NAME
    annotations = metadata.get("annotations")
    for key, value in (annotations if isinstance(annotations, dict) else {}).items():
        if not isinstance(value, str) or not key.startswith(OURS):
            continue
        field = f"metadata.annotations.{key}"
        if key != ABANDON:
            words = f"is no annotation of warmlog on a ModelReplica, which has {ABANDON}"
            yield field, words, Reason.ANNOTATION_IGNORED
        elif value not in _KNOWN:
            words = f'{value!r} is neither "true" nor "false" and is not used'
            yield field, words, Reason.ANNOTATION_IGNORED
