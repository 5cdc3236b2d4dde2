"""Requests about ModelReplicas that two API servers must answer alike.

What the rules in CEL on engines and members refuse is not among them: the simulator lets it in.
"""

from collections.abc import Iterator
from typing import Any

from adapters.ports import Request
from adapters.simulator.resources import REPLICA, path_of
from tests.simulator.cases import Body, delete, get, guarded, merge, operation, patch, post
from tests.simulator.cases_applying import apply

HELD = "warmlog.dev/replica-workloads"


def member(**fields: Any) -> Body:
    """The one member of an engine."""
    return {
        "role": "Standalone",
        "nodePoolName": "h100",
        "deviceRequests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}],
        "template": {"spec": {"containers": [{"name": "engine", "image": "vllm/vllm-openai:v1"}]}},
        **fields,
    }


def replica(name: str, **spec: Any) -> Body:
    """A ModelReplica of one engine; more of its spec by keyword."""
    return {
        "apiVersion": REPLICA.api_version,
        "kind": REPLICA.kind,
        "metadata": {"name": name},
        "spec": {
            "clusterName": "here",
            "modelCacheRef": {"name": "model"},
            "engines": [{"name": "main", "members": [member()]}],
            **spec,
        },
    }


def replicas(namespace: str) -> Iterator[Request]:
    """Defaults, what is required, what never changes, the status, and finalizers."""
    path = path_of(REPLICA, namespace)
    a = f"{path}/a"
    yield post(path, replica("a"))
    yield post(path, replica("a"))
    yield post(path, replica("b", modelCacheRef=None, frob=1))
    yield from (post(path, replica("bad", **spec)) for spec in _bad_specs())
    yield from (merge(a, {"spec": change}) for change in _changes())
    yield merge(a, {"metadata": {"labels": {"x": "y"}, "annotations": {"note": "1"}}})
    waiting = {
        "type": "ModelAccepted",
        "status": "False",
        "reason": "WaitingForCache",
        "message": "waiting for claim c to bind",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status = {"observedGeneration": 1, "conditions": [waiting], "frob": 1}
    yield guarded(f"{a}/status", operation("add", "/status", value=status))
    yield patch(f"{a}/status", operation("replace", "/status/conditions/0/status", value="No"))
    yield merge(a, {"metadata": {"finalizers": [HELD]}})
    yield delete(a, propagationPolicy="Background")
    yield merge(a, {"metadata": {"finalizers": [HELD, "example.com/more"]}})
    gone = operation("remove", "/metadata/finalizers/0")
    yield guarded(a, operation("test", "/metadata/finalizers/0", value=HELD), gone)
    yield get(a)
    yield from _applied(path)


def _bad_specs() -> Iterator[Body]:
    yield {"clusterName": ""}
    yield {"clusterName": None}
    yield {"engines": []}
    yield {"engines": None}
    yield {"engines": [{"name": "main", "members": [member()], "copies": 0}]}
    yield {"engines": [{"name": "main", "members": [member()], "copies": "1"}]}
    yield {"engines": [{"name": "Bad_Name", "members": [member()]}]}
    yield {"engines": [{"members": [member()]}]}
    yield {"modelCacheRef": {"name": ""}}
    yield {"serving": {"mode": "Sideways"}}


def _changes() -> Iterator[Body]:
    yield {"clusterName": "there"}
    yield {"modelCacheRef": {"name": "other"}}
    yield {"modelCacheRef": None}
    yield {"engines": [{"name": "main", "members": [member(nodePoolName="l40s")], "copies": 2}]}
    two = [{"name": name, "members": [member()]} for name in ("main", "second")]
    yield {"engines": two}
    yield {"engines": []}
    yield {"frob": 1}


def _applied(path: str) -> Iterator[Request]:
    """What `kubectl apply --server-side` does."""
    here = f"{path}/c"
    yield apply(here, replica("c"), "kubectl")
    yield apply(here, replica("c"), "kubectl")
    yield apply(here, replica("c", modelCacheRef={"name": "other"}), "kubectl", force=False)
    less = replica("c")
    del less["spec"]["modelCacheRef"]
    yield apply(here, less, "kubectl")
    second = [{"name": "second", "members": [member()]}]
    yield apply(here, replica("c", engines=second), "kubectl")
    yield apply(here, replica("c", clusterName="there"), "kubectl")
    yield delete(here)
