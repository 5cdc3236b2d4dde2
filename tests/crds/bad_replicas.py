"""Specs of a ModelReplica that nobody may accept, and which field is named.

The controller and `warmlog validate` name the very field. So does the server, except where the
table says otherwise: of what stands in a member, its rules can name only the members.
"""

from typing import NamedTuple

from tests.crds.caches import NOWHERE
from tests.crds.manifests import Json
from tests.crds.replicas import (
    CONTAINER,
    DEVICES,
    container,
    engine,
    gang,
    labelled,
    member,
    numbered,
    of,
    parted,
    replica,
    requesting,
    running,
)


class BadReplica(NamedTuple):
    """A spec that has to be refused."""

    spec: Json
    field: str  # as the controller names it
    served: str = ""  # as the server names it, if it names another place, or NOWHERE

    @property
    def place(self) -> str:
        """What the server names."""
        return self.served or self.field


_ENGINE = "spec.engines[0]"
_MEMBERS = f"{_ENGINE}.members"
_MEMBER = f"{_MEMBERS}[0]"
_REQUEST = f"{_MEMBER}.deviceRequests[0]"
_CONTAINERS = f"{_MEMBER}.template.spec.containers"
_CONTAINER = f"{_CONTAINERS}[0]"
_METADATA = f"{_MEMBER}.template.metadata"

_SPECS: dict[str, BadReplica] = {
    "no cluster": BadReplica(replica(clusterName=None), "spec.clusterName"),
    "an empty cluster": BadReplica(replica(clusterName=""), "spec.clusterName"),
    "a cluster that is a number": BadReplica(replica(clusterName=7), "spec.clusterName"),
    "an unnamed cache": BadReplica(replica(modelCacheRef={}), "spec.modelCacheRef.name"),
    "a cache with an empty name": BadReplica(
        replica(modelCacheRef={"name": ""}), "spec.modelCacheRef.name"
    ),
    "a cache that is text": BadReplica(replica(modelCacheRef="qwen"), "spec.modelCacheRef"),
    "an unknown mode": BadReplica(replica(serving={"mode": "Split"}), "spec.serving.mode"),
    "no engines": BadReplica(replica(engines=None), "spec.engines"),
    "an empty list of engines": BadReplica(replica(engines=[]), "spec.engines"),
    "9 engines": BadReplica(replica(*(engine() | each for each in numbered(9))), "spec.engines"),
    "two engines of one name": BadReplica(replica(engine(), engine()), "spec.engines[1]"),
    "apart, but one engine": BadReplica(parted(engines=[engine(phase="Prefill")]), "spec.engines"),
    "apart, but three engines": BadReplica(
        parted(engines=[*parted()["engines"], engine(phase="Decode")]), "spec.engines"
    ),
    "apart, but both decode": BadReplica(
        parted(engines=[engine(name=name, phase="Decode") for name in "ab"]), "spec.engines"
    ),
    "apart, but no phases": BadReplica(
        parted(engines=[engine(name="a"), engine(name="b")]), "spec.engines"
    ),
    "a phase although unified": BadReplica(
        replica(engine(phase="Prefill")), f"{_ENGINE}.phase", "spec.engines"
    ),
    "phases although unified": BadReplica(
        parted(serving={"mode": "Unified"}), f"{_ENGINE}.phase", "spec.engines"
    ),
    "phases although nothing is said": BadReplica(
        parted(serving={}), f"{_ENGINE}.phase", "spec.engines"
    ),
}

_ENGINES: dict[str, BadReplica] = {
    "an unnamed engine": BadReplica(replica(engine(name=None)), f"{_ENGINE}.name"),
    "an engine with an empty name": BadReplica(replica(engine(name="")), f"{_ENGINE}.name"),
    "too long a name of an engine": BadReplica(replica(engine(name="n" * 64)), f"{_ENGINE}.name"),
    "no copies": BadReplica(replica(engine(copies=0)), f"{_ENGINE}.copies"),
    "65 copies": BadReplica(replica(engine(copies=65)), f"{_ENGINE}.copies"),
    "copies as text": BadReplica(replica(engine(copies="2")), f"{_ENGINE}.copies"),
    "an unknown phase": BadReplica(replica(engine(phase="Draft")), f"{_ENGINE}.phase"),
    "no members": BadReplica(replica(engine(members=None)), _MEMBERS),
    "an empty list of members": BadReplica(replica(engine(members=[])), _MEMBERS),
    "three members": BadReplica(
        replica(engine(member(role="Leader"), *[member(role="Worker")] * 2)), _MEMBERS
    ),
    "two that are alone": BadReplica(replica(engine(member(), member())), _MEMBERS),
    "a leader alone": BadReplica(replica(engine(member(role="Leader"))), _MEMBERS),
    "a worker alone": BadReplica(
        replica(engine(member(role="Worker", worker={"nodes": 1}))), _MEMBERS
    ),
    "two leaders": BadReplica(replica(engine(*[member(role="Leader")] * 2)), _MEMBERS),
    "two workers": BadReplica(replica(engine(*[member(role="Worker")] * 2)), _MEMBERS),
    "a leader and one that is alone": BadReplica(
        replica(engine(member(role="Leader"), member())), _MEMBERS
    ),
    "no device anywhere": BadReplica(of(deviceRequests=None), _MEMBERS),
    "no device in a gang": BadReplica(
        replica(gang({"deviceRequests": None}, {"deviceRequests": None})), _MEMBERS
    ),
    "a wrong member of the second engine": BadReplica(
        replica(engine(), engine(member(role="Leader"), name="other")), "spec.engines[1].members"
    ),
}

_IN_MEMBERS: dict[str, BadReplica] = {
    "an unknown role": BadReplica(of(role="Delegated"), f"{_MEMBER}.role"),
    "no pool": BadReplica(of(nodePoolName=None), f"{_MEMBER}.nodePoolName"),
    "an empty pool": BadReplica(of(nodePoolName=""), f"{_MEMBER}.nodePoolName"),
    "no template": BadReplica(of(template=None), f"{_MEMBER}.template"),
    "a count of nodes for one that is alone": BadReplica(
        of(worker={"nodes": 1}), f"{_MEMBER}.worker", _MEMBERS
    ),
    "a count of nodes for a leader": BadReplica(
        replica(gang({"worker": {"nodes": 1}})), f"{_MEMBER}.worker", _MEMBERS
    ),
    "a worker without nodes": BadReplica(
        replica(gang(worker={"worker": {}})), f"{_MEMBERS}[1].worker.nodes"
    ),
    "a worker on no node": BadReplica(
        replica(gang(worker={"worker": {"nodes": 0}})), f"{_MEMBERS}[1].worker.nodes"
    ),
    "a worker on 64 nodes": BadReplica(
        replica(gang(worker={"worker": {"nodes": 64}})), f"{_MEMBERS}[1].worker.nodes"
    ),
    "an empty list of requests": BadReplica(requesting(), f"{_MEMBER}.deviceRequests"),
    "17 requests": BadReplica(
        requesting(*numbered(17, deviceClassName="d")), f"{_MEMBER}.deviceRequests"
    ),
    "two requests of one name": BadReplica(
        requesting(DEVICES, DEVICES),
        f"{_MEMBER}.deviceRequests[1]",
    ),
    "an unnamed request": BadReplica(requesting({"deviceClassName": "d"}), f"{_REQUEST}.name"),
    "a request with too long a name": BadReplica(
        requesting({**DEVICES, "name": "n" * 64}), f"{_REQUEST}.name"
    ),
    "a request of no class": BadReplica(requesting({"name": "gpu"}), f"{_REQUEST}.deviceClassName"),
    "a request of an empty class": BadReplica(
        requesting({**DEVICES, "deviceClassName": ""}), f"{_REQUEST}.deviceClassName"
    ),
    "a request of too long a class": BadReplica(
        requesting({**DEVICES, "deviceClassName": "d" * 254}), f"{_REQUEST}.deviceClassName"
    ),
    "a request of no device": BadReplica(requesting({**DEVICES, "count": 0}), f"{_REQUEST}.count"),
    "a request of 65 devices": BadReplica(
        requesting({**DEVICES, "count": 65}), f"{_REQUEST}.count"
    ),
    "9 selectors": BadReplica(
        requesting({**DEVICES, "selectors": [{"cel": "true"}] * 9}), f"{_REQUEST}.selectors"
    ),
    "an empty selector": BadReplica(
        requesting({**DEVICES, "selectors": [{}]}), f"{_REQUEST}.selectors[0]"
    ),
    "a selector without words": BadReplica(
        requesting({**DEVICES, "selectors": [{"cel": ""}]}), f"{_REQUEST}.selectors[0].cel"
    ),
    "too long a selector": BadReplica(
        requesting({**DEVICES, "selectors": [{"cel": "c" * 10241}]}),
        f"{_REQUEST}.selectors[0].cel",
    ),
}

_NAMES: dict[str, BadReplica] = {
    "a name of an engine with a capital": BadReplica(
        replica(engine(name="Main")), f"{_ENGINE}.name"
    ),
    "a pool that no label has": BadReplica(of(nodePoolName="a b"), f"{_MEMBER}.nodePoolName"),
    "a pool with too long a name": BadReplica(of(nodePoolName="p" * 64), f"{_MEMBER}.nodePoolName"),
    "a request with a name that cannot be": BadReplica(
        requesting({**DEVICES, "name": "GPU"}), f"{_REQUEST}.name"
    ),
    "a class that cannot be": BadReplica(
        requesting({**DEVICES, "deviceClassName": "gpu nvidia"}), f"{_REQUEST}.deviceClassName"
    ),
    "an image with a space at its end": BadReplica(running(image="a "), f"{_CONTAINER}.image"),
    "a variable with a name that cannot be": BadReplica(
        running(env=[{"name": "A=B", "value": ""}]), f"{_CONTAINER}.env[0].name"
    ),
    "a variable from nowhere": BadReplica(
        running(env=[{"name": "A", "valueFrom": {}}]), f"{_CONTAINER}.env[0].valueFrom"
    ),
    "a variable from two places": BadReplica(
        running(
            env=[
                {
                    "name": "A",
                    "valueFrom": {
                        "fieldRef": {"fieldPath": "metadata.name"},
                        "secretKeyRef": {"name": "s", "key": "k"},
                    },
                }
            ]
        ),
        f"{_CONTAINER}.env[0].valueFrom",
    ),
    "a variable with a value and a source": BadReplica(
        running(
            env=[{"name": "A", "value": "b", "valueFrom": {"fieldRef": {"fieldPath": "spec.x"}}}]
        ),
        f"{_CONTAINER}.env[0]",
        NOWHERE,
    ),
}

_IN_TEMPLATES: dict[str, BadReplica] = {
    "a Pod without containers": BadReplica(of(template={"spec": {}}), _CONTAINERS),
    "an empty list of containers": BadReplica(
        of(template={"spec": {"containers": []}}), _CONTAINERS
    ),
    "two containers": BadReplica(
        of(template={"spec": {"containers": [CONTAINER, CONTAINER]}}), _CONTAINERS
    ),
    "a container of another name": BadReplica(running(name="vllm"), f"{_CONTAINER}.name"),
    "an unnamed container": BadReplica(running(name=None), f"{_CONTAINER}.name"),
    "no image": BadReplica(running(image=None), f"{_CONTAINER}.image"),
    "an empty image": BadReplica(running(image=""), f"{_CONTAINER}.image"),
    "arguments that are text": BadReplica(running(args="serve"), f"{_CONTAINER}.args"),
    "an unnamed variable": BadReplica(running(env=[{"value": "a"}]), f"{_CONTAINER}.env[0].name"),
    "a variable that is a number": BadReplica(
        running(env=[{"name": "A", "value": 1}]), f"{_CONTAINER}.env[0].value"
    ),
    "a key of no Secret": BadReplica(
        running(env=[{"name": "A", "valueFrom": {"secretKeyRef": {"key": "k"}}}]),
        f"{_CONTAINER}.env[0].valueFrom.secretKeyRef.name",
    ),
    "no key of a ConfigMap": BadReplica(
        running(env=[{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "c"}}}]),
        f"{_CONTAINER}.env[0].valueFrom.configMapKeyRef.key",
    ),
    "no field of the Pod": BadReplica(
        running(env=[{"name": "A", "valueFrom": {"fieldRef": {}}}]),
        f"{_CONTAINER}.env[0].valueFrom.fieldRef.fieldPath",
    ),
    "an unnamed Secret of a registry": BadReplica(
        of(template={"spec": {**container()["spec"], "imagePullSecrets": [{}]}}),
        f"{_MEMBER}.template.spec.imagePullSecrets[0].name",
    ),
    "33 labels": BadReplica(
        labelled(labels={f"l{number}": "" for number in range(33)}), f"{_METADATA}.labels"
    ),
    "33 annotations": BadReplica(
        labelled(annotations={f"a{number}": "" for number in range(33)}),
        f"{_METADATA}.annotations",
    ),
    "a label value with a space": BadReplica(
        labelled(labels={"team": "a b"}), f"{_METADATA}.labels.team"
    ),
    "too long a label value": BadReplica(
        labelled(labels={"team": "v" * 64}), f"{_METADATA}.labels.team"
    ),
    "too long an annotation": BadReplica(
        labelled(annotations={"note": "v" * 8193}), f"{_METADATA}.annotations.note"
    ),
    "a label that selects Pods": BadReplica(
        labelled(labels={"modelplane.ai/serving": "other"}),
        f"{_METADATA}.labels.modelplane.ai/serving",
        _MEMBERS,
    ),
    "such a label on a worker": BadReplica(
        replica(gang(worker={"template": {"metadata": {"labels": {"modelplane.ai/x": "y"}}}})),
        f"{_MEMBERS}[1].template.metadata.labels.modelplane.ai/x",
        _MEMBERS,
    ),
    "a key that no label has": BadReplica(
        labelled(labels={"a b": "c"}), f"{_METADATA}.labels.a b", _MEMBERS
    ),
    "a key that no annotation has": BadReplica(
        labelled(annotations={"a/b/c": "d"}), f"{_METADATA}.annotations.a/b/c", _MEMBERS
    ),
}

# What is wrong -> the spec, and the field that is named.
BAD_REPLICAS = {**_SPECS, **_ENGINES, **_IN_MEMBERS, **_NAMES, **_IN_TEMPLATES}

# Of these no version of the kind was ever accepted: not a rule speaks, but the type, or a list in
# which each name stands once.
WRONG_REPLICA_TYPES = frozenset(
    {
        "a cluster that is a number",
        "a cache that is text",
        "two engines of one name",
        "an unnamed engine",
        "copies as text",
        "two requests of one name",
        "an unnamed request",
        "arguments that are text",
        "a variable that is a number",
    }
)
