"""Specs of a ModelReplica that have to be accepted, and changes of some."""

from typing import Any

from tests.crds.caches import present
from tests.crds.manifests import Json

DEVICES: Json = {"name": "gpu", "deviceClassName": "gpu.nvidia.com"}
CONTAINER: Json = {"name": "engine", "image": "vllm/vllm-openai:v0.11.0"}


def container(**fields: Any) -> Json:
    """A template whose container has these fields; None leaves one out."""
    return {"spec": {"containers": [present({**CONTAINER, **fields})]}}


def member(**fields: Any) -> Json:
    """A member with one device: alone, but for the fields given; None leaves one out."""
    whole = {"nodePoolName": "gpu", "deviceRequests": [DEVICES], "template": container()}
    return present({**whole, **fields})


def engine(*members: Json, **fields: Any) -> Json:
    """An engine of these members, or of one that is alone."""
    return present({"name": "main", "members": list(members) or [member()], **fields})


def replica(*engines: Json, **fields: Any) -> Json:
    """A whole spec: these engines, or one, on one cluster with a cache; None leaves one out."""
    whole = {"clusterName": "west", "modelCacheRef": {"name": "qwen"}}
    return present({**whole, "engines": list(engines) or [engine()], **fields})


def of(**fields: Any) -> Json:
    """A spec whose one member has these fields."""
    return replica(engine(member(**fields)))


def running(**fields: Any) -> Json:
    """A spec whose one container has these fields."""
    return of(template=container(**fields))


def requesting(*requests: Json) -> Json:
    """A spec whose one member makes these requests for devices."""
    return of(deviceRequests=list(requests))


def labelled(**metadata: Any) -> Json:
    """A spec whose Pods have these labels and annotations."""
    return of(template={"metadata": metadata, **container()})


def gang(leader: Json | None = None, worker: Json | None = None, **fields: Any) -> Json:
    """An engine of a Leader and a Worker, which differ by these fields from a usual member."""
    members = (
        member(**{"role": "Leader", **(leader or {})}),
        member(**{"role": "Worker", "worker": {"nodes": 1}, **(worker or {})}),
    )
    return engine(*members, **fields)


def parted(**fields: Any) -> Json:
    """A spec whose two engines serve apart, but for the fields given."""
    engines = (engine(name="a", phase="Prefill"), engine(name="b", phase="Decode"))
    return replica(*engines, **{"serving": {"mode": "PrefillDecode"}, **fields})


def numbered(count: int, /, **fields: Any) -> list[Json]:
    """That many objects with names of their own."""
    return [{"name": f"n{number}", **fields} for number in range(count)]


_SOURCES: list[Json] = [
    {"name": "A", "value": ""},
    {"name": "A", "value": "twice"},
    {"name": "B", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": True}}},
    {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k"}}},
    {"name": "D", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP", "apiVersion": "v1"}}},
    {"name": "E"},
]

# What is good about it -> the spec.
GOOD_REPLICAS: dict[str, Json] = {
    "one engine with a cache": replica(),
    "no cache": replica(modelCacheRef=None),
    "a mode written out": replica(serving={"mode": "Unified"}),
    "serving with nothing in it": replica(serving={}),
    "a gang": replica(gang()),
    "the worker first": replica(
        engine(member(role="Worker", worker={"nodes": 63}), member(role="Leader"))
    ),
    "a leader without devices": replica(gang({"deviceRequests": None})),
    "a worker without devices": replica(gang(worker={"deviceRequests": None})),
    "a worker without a count": replica(gang(worker={"worker": None})),
    "an engine beside a gang": replica(engine(name="small"), gang(name="large")),
    "prefill apart from decode": parted(),
    "8 engines of 64 copies": replica(*(engine(copies=64) | each for each in numbered(8))),
    "the longest name of an engine": replica(engine(name="n" * 63)),
    "16 requests": requesting(*numbered(16, deviceClassName="d" * 253, count=64)),
    "8 selectors": requesting({**DEVICES, "selectors": [{"cel": "c" * 10240}] * 8}),
    "a request with no selector": requesting({**DEVICES, "selectors": []}),
    "all that a container has": running(command=["vllm"], args=["serve"], env=_SOURCES),
    "empty lists in a container": running(command=[], args=[], env=[]),
    "secrets of a registry": of(
        template={"spec": {**container()["spec"], "imagePullSecrets": [{"name": "registry"}]}}
    ),
    "a template without a container": of(template={}),
    "32 labels and annotations": labelled(
        labels={f"example.com/l{number}": "v" * 63 for number in range(32)},
        annotations={f"example.com/a{number}": "v" * 8192 for number in range(32)},
    ),
    "odd keys that can be": labelled(
        labels={"p" * 200 + "/" + "n" * 63: "", "MODELPLANE.ai": "x"},
        annotations={"Example.COM/Note": "any\ntext", "modelplane.ai/team": "a"},
    ),
    "nothing for what may be left out": {
        **replica(engine(member() | {"role": None, "worker": None}) | {"copies": None}),
        "modelCacheRef": None,
        "serving": None,
    },
}

_MEMBERS = "spec.engines[0].members"

# What is changed -> the spec before and after, and the field that is named.
FORBIDDEN_REPLICA_CHANGES: dict[str, tuple[Json, Json, str]] = {
    "another cluster": (replica(), replica(clusterName="east"), "spec.clusterName"),
    "members that are no engine": (replica(), replica(engine(member(role="Leader"))), _MEMBERS),
    "the devices taken away": (replica(), of(deviceRequests=None), _MEMBERS),
    "a count of nodes added": (replica(), of(worker={"nodes": 2}), _MEMBERS),
    "a label that selects Pods": (
        labelled(labels={"team": "a"}),
        labelled(labels={"modelplane.ai/x": "a"}),
        _MEMBERS,
    ),
    "a phase added": (replica(), replica(engine(phase="Decode")), "spec.engines"),
    "apart without phases": (
        replica(engine(name="a"), engine(name="b")),
        replica(engine(name="a"), engine(name="b"), serving={"mode": "PrefillDecode"}),
        "spec.engines",
    ),
    "a bad engine added": (
        replica(),
        replica(engine(), engine(member(role="Worker"), name="b")),
        "spec.engines[1].members",
    ),
    "a container of another name": (
        replica(),
        running(name="x"),
        f"{_MEMBERS}[0].template.spec.containers[0].name",
    ),
}

ALLOWED_REPLICA_CHANGES: dict[str, tuple[Json, Json]] = {
    "another image": (replica(), running(image="vllm/vllm-openai:v0.12.0")),
    "more copies": (replica(), replica(engine(copies=3))),
    "another cache": (replica(), replica(modelCacheRef={"name": "llama"})),
    "a cache added": (replica(modelCacheRef=None), replica()),
    "a cache taken away": (replica(), replica(modelCacheRef=None)),
    "an engine added": (replica(), replica(engine(), gang(name="large"))),
    "an engine taken away": (replica(engine(), gang(name="large")), replica()),
    "one becomes a gang": (replica(), replica(gang())),
    "more nodes": (replica(gang()), replica(gang(worker={"worker": {"nodes": 3}}))),
    "other devices": (replica(), requesting({**DEVICES, "count": 8})),
    "another pool": (replica(), of(nodePoolName="h100")),
    "apart": (replica(), parted()),
    "no longer apart": (parted(), replica()),
}
