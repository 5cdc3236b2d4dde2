"""From raw objects to levels: pure functions, one per kind.

Those of caches are in `normalising_caches`, those of replicas in `normalising_replicas`.

An object that lacks what names it (uid, name) or what orders it (resourceVersion) is no object
that a fact could be about: ObjectMalformed. Everything else that is missing or of a wrong type is
read as absent, so that one bad object never stops the others.
"""

import re
from collections.abc import Callable
from typing import Any

from adapters.kubernetes.fields import integer, mapping, mappings, text, texts
from adapters.kubernetes.kinds import Kind
from adapters.kubernetes.normalising_caches import CACHING_LEVEL_OF
from adapters.kubernetes.normalising_replicas import SERVING_LEVEL_OF, is_foreign
from adapters.kubernetes.object_parts import (
    POD_PHASES,
    condition_of,
    controller_uid,
    is_deep,
    is_deleting,
    job_outcome,
    job_uid_of,
    our_annotations,
    spec_text,
)
from adapters.kubernetes.pod_causes import pod_cause
from engine.errors import WarmlogError
from engine.events import Subject
from machines import labels
from machines.kinds import PUBLISHED
from machines.levels import JobLevel, Level, NamespaceLevel, NodeLevel, PodLevel, WarmupLevel
from machines.observations import Seen
from machines.steadying import cut, steady

_MANAGER = 128  # characters of a field manager; the API's own bound
_IMPOSSIBLE = re.compile("[/\0\ud800-\udfff]")  # what no part of a subject may hold
_READINESS = frozenset({"True", "False", "Unknown"})


class ObjectMalformed(WarmlogError):
    """An object without uid, name or resourceVersion; the words say which one it is."""


class ObjectForeign(ObjectMalformed):
    """An object that is no business of ours; it is dropped without a word."""


def normalise(cluster: str, kind: Kind, raw: Any) -> Seen:
    """Give what the log keeps of `raw`, an object as the API server sent it.

    Raises ObjectMalformed, and nothing else, whatever `raw` is; ObjectForeign of a kind that is
    watched whole for what is somebody else's.
    """
    subject, version = identify(kind, raw)
    if is_foreign(kind.name, raw):
        msg = f"{kind.name} {subject.namespace}/{subject.name} is of no ModelReplica"
        raise ObjectForeign(msg)
    ours = kind.name in PUBLISHED
    recovered = raw.get("status") if ours else None
    if is_deep(recovered):
        recovered = None
    try:
        level = _LEVEL_OF[kind.name](raw)
    except (RecursionError, TypeError, ValueError) as error:
        msg = f"{kind.name} {subject.namespace}/{subject.name} cannot be kept: {error}"
        raise ObjectMalformed(msg) from error
    editor = _status_editor(mapping(raw.get("metadata"))) if ours else ""
    return Seen(cluster, subject, version, level, recovered, editor)


def identify(kind: Kind, raw: Any) -> tuple[Subject, str]:
    """Give who an object is and at which resourceVersion. Raises ObjectMalformed."""
    metadata = mapping(mapping(raw).get("metadata"))
    namespace = text(metadata.get("namespace"))
    name = text(metadata.get("name"))
    subject = Subject(kind.name, namespace, name, text(metadata.get("uid")))
    version = text(metadata.get("resourceVersion"))
    missing = [
        field
        for field, value in (("name", name), ("uid", subject.uid), ("resourceVersion", version))
        if not value
    ]
    if missing:
        msg = f"{kind.name} {namespace}/{name or '(unnamed)'} has no {' and no '.join(missing)}"
        raise ObjectMalformed(msg)
    if any(_IMPOSSIBLE.search(part) for part in subject):
        words = "has a slash, a NUL or half a character in its name, namespace or uid"
        msg = f"{kind.name} {namespace}/{name} {words}"
        raise ObjectMalformed(msg)
    return subject, version


def _status_editor(metadata: dict[str, Any]) -> str:
    """Give the field manager that wrote `.status` last."""
    written = [
        (text(entry.get("time")), text(entry.get("manager")))
        for entry in mappings(metadata.get("managedFields"))
        if entry.get("subresource") == "status"
    ]
    return cut(max(written, default=("", ""))[1], _MANAGER)


def namespace_level(raw: dict[str, Any]) -> NamespaceLevel:
    """Reduce a Namespace to its pool and whether it is going away."""
    metadata = mapping(raw.get("metadata"))
    terminating = mapping(raw.get("status")).get("phase") == "Terminating"
    return NamespaceLevel(
        pool=text(mapping(metadata.get("labels")).get(labels.POOL)),
        terminating=terminating or is_deleting(metadata),
    )


def node_level(raw: dict[str, Any]) -> NodeLevel:
    """Reduce a Node to labels, taints, readiness, cordon and age; no heartbeat changes any."""
    spec = mapping(raw.get("spec"))
    ready = text(condition_of(raw, "Ready").get("status"))
    return NodeLevel(
        labels=texts(mapping(raw.get("metadata")).get("labels")),
        taints=tuple(
            sorted(
                (text(taint.get("key")), text(taint.get("value")), text(taint.get("effect")))
                for taint in mappings(spec.get("taints"))
            )
        ),
        ready=ready if ready in _READINESS else "Unknown",
        unschedulable=spec.get("unschedulable") is True,
        created=text(mapping(raw.get("metadata")).get("creationTimestamp")),
    )


def job_level(raw: dict[str, Any]) -> JobLevel:
    """Reduce a Job to whose it is, for which machine, and how it ended.

    Only a condition with status True is an outcome. Complete carries no reason: nothing is to be
    explained.
    """
    metadata = mapping(raw.get("metadata"))
    marks = mapping(metadata.get("labels"))
    notes = mapping(metadata.get("annotations"))
    node_uid = text(notes.get(labels.TARGET_NODE_UID))
    outcome, condition = job_outcome(raw)
    return JobLevel(
        warmup_uid=text(marks.get(labels.WARMUP_UID)),
        controller_uid=controller_uid(metadata),
        node_uid=node_uid,
        node_name=text(notes.get(labels.TARGET_NODE)),
        revision=text(marks.get(labels.REVISION)),
        outcome=outcome,
        reason=text(condition.get("reason")),
        message=steady(text(condition.get("message")), text(metadata.get("name"))),
        failed_attempts=integer(mapping(raw.get("status")).get("failed")) or 0,
        ttl_seconds=integer(mapping(raw.get("spec")).get("ttlSecondsAfterFinished")),
        deleting=is_deleting(metadata),
        created="" if node_uid else text(metadata.get("creationTimestamp")),
        misnamed=_is_misnamed(metadata),
        unlabelled_pods=_has_unlabelled_pods(raw),
    )


def pod_level(raw: dict[str, Any]) -> PodLevel:
    """Reduce a Pod to where it is, whether it has ended, and why it does not run."""
    metadata = mapping(raw.get("metadata"))
    marks = mapping(metadata.get("labels"))
    phase = text(mapping(raw.get("status")).get("phase"))
    cause = pod_cause(raw)
    return PodLevel(
        warmup_uid=text(marks.get(labels.WARMUP_UID)),
        job_uid=job_uid_of(metadata),
        node_name=text(mapping(raw.get("spec")).get("nodeName")),
        phase=phase if phase in POD_PHASES else "Pending",
        reason=cause.reason,
        message=cause.message,
        exit_code=cause.exit_code,
        deleting=is_deleting(metadata),
    )


def warmup_level(raw: dict[str, Any]) -> WarmupLevel:
    """Reduce a ModelWarmup to its spec as it stands and our annotations."""
    metadata = mapping(raw.get("metadata"))
    return WarmupLevel(
        generation=integer(metadata.get("generation")) or 1,
        spec=spec_text(raw),
        annotations=our_annotations(metadata),
        deleting=is_deleting(metadata),
    )


_LEVEL_OF: dict[str, Callable[[dict[str, Any]], Level]] = {
    "Namespace": namespace_level,
    "Node": node_level,
    "Job": job_level,
    "Pod": pod_level,
    "ModelWarmup": warmup_level,
    **CACHING_LEVEL_OF,
    **SERVING_LEVEL_OF,
}


def _is_misnamed(job: dict[str, Any]) -> bool:
    """Say whether a Job's annotation names another object than the one that controls it."""
    given = text(mapping(job.get("annotations")).get(labels.WARMUP_NAME))
    names = (
        text(owner.get("name"))
        for owner in mappings(job.get("ownerReferences"))
        if owner.get("controller") is True
    )
    return any(name != given for name in names)


def _has_unlabelled_pods(job: dict[str, Any]) -> bool:
    """Say whether a Job gives its Pods labels, as every API server makes it do, but none of ours.

    AIBrix's own controller labels its Jobs only.
    """
    template = mapping(mapping(job.get("spec")).get("template"))
    marks = mapping(mapping(template.get("metadata")).get("labels"))
    return bool(marks) and labels.WARMUP_UID not in marks
