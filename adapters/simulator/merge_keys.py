"""How each kind's fields are merged by server-side apply: by which keys lists, and what only whole.

Where nothing is said, a map is merged member by member and a list is taken whole.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    LEADER_WORKER_SET,
    REPLICA,
    SERVICE,
    Resource,
)


class Shape(NamedTuple):
    """How the value of a field is merged."""

    members: Mapping[str, "Shape"] = {}  # of a map, or of each map in a list; others have PLAIN
    keys: tuple[str, ...] = ()  # by these the items of a list are told apart
    texts: bool = False  # a list whose items are told apart by themselves
    whole: bool = False  # never merged, whatever it is
    items_whole: bool = False  # the items of the list are not merged

    def of_member(self, name: str) -> "Shape":
        """Give the shape of a member."""
        return self.members.get(name, PLAIN)

    @property
    def of_item(self) -> "Shape":
        """Give the shape of an item of the list."""
        return WHOLE if self.items_whole else Shape(self.members)


def _of(**members: Shape) -> Shape:
    return Shape(members)


def _by(*keys: str, **members: Shape) -> Shape:
    return Shape(members, keys)


# What stands for a key that an item leaves out.
KEY_DEFAULTS: Mapping[str, Any] = {"protocol": "TCP", "name": "", "mountPath": ""}

PLAIN, WHOLE, TEXTS = Shape(), Shape(whole=True), Shape(texts=True)
_CONDITIONS = _of(conditions=_by("type"))
_METADATA = _of(finalizers=TEXTS, ownerReferences=Shape(keys=("uid",), items_whole=True))
_VALUE_FROM = _of(fieldRef=WHOLE, secretKeyRef=WHOLE, configMapKeyRef=WHOLE, resourceFieldRef=WHOLE)
_CONTAINERS = _by(
    "name",
    env=_by("name", valueFrom=_VALUE_FROM),
    ports=_by("containerPort", "protocol"),
    volumeMounts=_by("mountPath"),
    volumeDevices=_by("devicePath"),
    resources=_of(claims=_by("name")),
)
_NODE_AFFINITY = _of(requiredDuringSchedulingIgnoredDuringExecution=WHOLE)
_POD_SPEC = _of(
    containers=_CONTAINERS,
    initContainers=_CONTAINERS,
    volumes=_by("name"),
    imagePullSecrets=Shape(keys=("name",), items_whole=True),
    resourceClaims=_by("name"),
    nodeSelector=WHOLE,
    affinity=_of(nodeAffinity=_NODE_AFFINITY),
    hostAliases=_by("ip"),
    schedulingGates=_by("name"),
    topologySpreadConstraints=_by("topologyKey", "whenUnsatisfiable", labelSelector=WHOLE),
)
_TEMPLATE = _of(metadata=_METADATA, spec=_POD_SPEC)
_GANG = _of(leaderTemplate=_TEMPLATE, workerTemplate=_TEMPLATE)

_SHAPES: Mapping[str, Shape] = {
    DEPLOYMENT.kind: _of(
        metadata=_METADATA, spec=_of(selector=WHOLE, template=_TEMPLATE), status=_CONDITIONS
    ),
    SERVICE.kind: _of(
        metadata=_METADATA,
        spec=_of(ports=_by("port", "protocol"), selector=WHOLE),
        status=_CONDITIONS,
    ),
    CLAIM_TEMPLATE.kind: _of(metadata=_METADATA),
    REPLICA.kind: _of(metadata=_METADATA, spec=_of(engines=_by("name")), status=_CONDITIONS),
    LEADER_WORKER_SET.kind: _of(metadata=_METADATA, spec=_of(leaderWorkerTemplate=_GANG)),
}
_ANY = _of(metadata=_METADATA, status=_CONDITIONS)

# A decoder gives an object these parts before anybody has put anything into them.
_EMPTY: Mapping[str, dict[str, Any]] = {
    DEPLOYMENT.kind: {
        "spec": {"strategy": {}, "template": {"metadata": {}, "spec": {"containers": []}}},
        "status": {},
    },
    SERVICE.kind: {"spec": {}, "status": {"loadBalancer": {}}},
    CLAIM_TEMPLATE.kind: {"spec": {"metadata": {}, "spec": {"devices": {}}}},
}


def shape_of(resource: Resource) -> Shape:
    """Say how the objects of a kind are merged."""
    return _SHAPES.get(resource.kind, _ANY)


def empty_of(resource: Resource) -> dict[str, Any]:
    """Give an object of a kind before anybody has written into it."""
    return {"metadata": {}, **_EMPTY.get(resource.kind, {})}
