"""Specs of a ModelReplica as users write them, field by field."""

from typing import Any

from tests.crds.manifests import Json

IMAGE = "vllm/vllm-openai:v0.11.0"
GPU_CEL = 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0'
TOKEN = {"secretKeyRef": {"name": "hub", "key": "token"}}


def present(fields: Json) -> Json:
    """Only what is not None."""
    return {name: value for name, value in fields.items() if value is not None}


def gpus(count: int = 1, **fields: Any) -> Json:
    """A request for GPUs of at least 80 GiB."""
    request = {"name": "gpu", "deviceClassName": "gpu.nvidia.com", "count": count}
    return present({**request, "selectors": [{"cel": GPU_CEL}], **fields})


def container(**fields: Any) -> Json:
    """The container of an engine."""
    return present({"name": "engine", "image": IMAGE, **fields})


def template(
    *containers: Json, metadata: Json | None = None, secrets: list[Json] | None = None
) -> Json:
    """A member's template; without containers that of an ordinary engine."""
    pod = present({"containers": list(containers) or [container()], "imagePullSecrets": secrets})
    return present({"metadata": metadata, "spec": pod})


def member(role: str | None = "Standalone", **fields: Any) -> Json:
    """A member; None leaves a field out."""
    given = {"role": role, "nodePoolName": "frontier", "deviceRequests": [gpus()]}
    return present({**given, "template": template(), **fields})


def leader(**fields: Any) -> Json:
    """The leader of a gang."""
    return member("Leader", **{"deviceRequests": [gpus(8)], **fields})


def worker(nodes: int | None = 1, **fields: Any) -> Json:
    """The workers of a gang."""
    counted = None if nodes is None else {"nodes": nodes}
    return member("Worker", **{"deviceRequests": [gpus(8)], "worker": counted, **fields})


def engine(*members: Json, name: str = "main", **fields: Any) -> Json:
    """An engine; without members a standalone one."""
    return present({"name": name, "members": list(members) or [member()], **fields})


def replica(*engines: Json, **fields: Any) -> Json:
    """A whole spec; without engines that of one standalone engine."""
    given = {"clusterName": "west", "engines": list(engines) or [engine()]}
    return present({**given, **fields})


def cached(*engines: Json) -> Json:
    """The same with a cache."""
    return replica(*engines, modelCacheRef={"name": "qwen"})


def running(**fields: Any) -> Json:
    """A spec whose one container has these fields."""
    return replica(engine(member(template=template(container(**fields)))))


def with_member(**fields: Any) -> Json:
    """A spec whose one member has these fields."""
    return replica(engine(member(**fields)))


def variables(*entries: Any) -> Json:
    """A spec whose container has these variables."""
    return running(env=list(entries))


def sourced(**source: Any) -> Json:
    """A spec whose container has a variable from somewhere."""
    return variables({"name": "A", "valueFrom": source})


def described(**metadata: Any) -> Json:
    """A spec whose Pods have labels or annotations."""
    return with_member(template=template(metadata=metadata))
