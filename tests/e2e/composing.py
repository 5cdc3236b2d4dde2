"""What a replica is composed of on a real API server, applied as its controller does."""

import asyncio
import copy
from typing import Any, NamedTuple

from adapters.kubernetes.acting import look_up, perform
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.kinds import KIND_BY_NAME, get_request
from adapters.ports import APPLY_PATCH, MERGE_PATCH, Request, Response
from machines.intents import Apply, Effect, ObjectIntent
from machines.observations import Answer, Done, Refused, Seen
from machines.replicas.levels import PartLevel, WorkloadLevel
from tests.e2e.controlplane.watching import Json

NAMESPACE = "mp-composing"
PROVIDER = "crossplane-kubernetes-provider"  # the manager of what Modelplane composed
SECONDS = 30
SERVING = {"modelplane.ai/serving": "r"}
OWNER = {
    "warmlog.dev/replica-namespace": "ml-team",
    "warmlog.dev/replica-name": "r",
    "warmlog.dev/replica-uid": "replica-uid",
}
_CONFLICT = 409
_DEVICES = [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com", "count": 1}}]


def pod_template(name: str, *, mount: bool = True) -> Json:
    """The template of an engine's Pods, as Modelplane composes it."""
    mounts = [{"name": "dshm", "mountPath": "/dev/shm"}]  # noqa: S108 -- in the engine's Pod
    volumes: list[Json] = [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
    container: Json = {
        "name": "engine",
        "image": "engine:v1",
        "args": [],
        "ports": [{"containerPort": 8000}],
        "readinessProbe": {
            "httpGet": {"path": "/health", "port": 8000},
            "initialDelaySeconds": 30,
            "periodSeconds": 10,
            "timeoutSeconds": 5,
        },
        "volumeMounts": mounts,
    }
    if mount:
        mounts.append({"name": "model-cache", "mountPath": "/mnt/models"})
        volumes.append({"name": "model-cache", "persistentVolumeClaim": {"claimName": "claim"}})
        container["env"] = [{"name": "HF_HUB_CACHE", "value": "/mnt/models"}]
    return {
        "metadata": {"labels": {**SERVING, "modelplane.ai/workload": name}},
        "spec": {
            "containers": [container],
            "nodeSelector": {"modelplane.ai/pool": "of-no-node"},
            "volumes": volumes,
        },
    }


def deployment(name: str, *, mount: bool = True, replicas: int | None = 1) -> Json:
    """The Deployment of an engine, without anything of ours."""
    selector = {"matchLabels": {"modelplane.ai/workload": name}}
    spec: Json = {"selector": selector, "template": pod_template(name, mount=mount)}
    if replicas is not None:
        spec["replicas"] = replicas
    return _object("apps/v1", "Deployment", name, spec)


def gang(name: str, *, mount: bool = True) -> Json:
    """The LeaderWorkerSet of an engine, without anything of ours."""
    template = pod_template(name, mount=mount)
    templates = {"size": 2, "leaderTemplate": template, "workerTemplate": template}
    spec = {"replicas": 1, "leaderWorkerTemplate": templates}
    return _object("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", name, spec)


def service(name: str) -> Json:
    """The Service of a replica, without anything of ours."""
    spec = {"selector": SERVING, "ports": [{"name": "http", "port": 80, "targetPort": 8000}]}
    return _object("v1", "Service", name, spec)


def claim_template(name: str) -> Json:
    """The ResourceClaimTemplate of an engine, without anything of ours."""
    spec = {"spec": {"devices": {"requests": copy.deepcopy(_DEVICES)}}}
    return _object("resource.k8s.io/v1", "ResourceClaimTemplate", name, spec)


def ours(body: Json, digest: str = "d1", copies: int = 0, **owner: str) -> Json:
    """The same as we apply it; `owner` are parts of the owner that are not the usual ones."""
    notes = {**OWNER, "warmlog.dev/applied": digest}
    notes |= {f"warmlog.dev/replica-{part}": value for part, value in owner.items()}
    if copies:
        notes["warmlog.dev/copies"] = str(copies)
    metadata = {**body["metadata"], "annotations": notes, "labels": dict(SERVING)}
    return {**body, "metadata": metadata}


class Workplace(NamedTuple):
    """The API server of a workload cluster."""

    api: HttpApi

    async def act(self, intent: ObjectIntent, body: Any = None) -> tuple[Answer, list[Any]]:
        """Carry out, again when a controller wrote meanwhile; give answer and what was seen."""
        effect = Effect(1, "ic/west", intent, body)
        performed = await perform(effect, self.api, timeout_seconds=SECONDS)
        while isinstance(performed.answer, Refused) and performed.answer.reason == "Conflict":
            performed = await perform(effect, self.api, timeout_seconds=SECONDS)
        return performed.answer, list(performed.observations)

    async def apply(self, body: Json, uid: str = "", owner_uid: str = "replica-uid") -> Answer:
        """Apply, and look up that it landed."""
        intent = applying(body, uid, owner_uid)
        answer, _ = await self.act(intent, body)
        if isinstance(answer, Done):
            effect = Effect(1, "ic/west", intent, body)
            looked = await look_up(effect, self.api, timeout_seconds=SECONDS)
            assert looked.answer == Done(answer.uid, found=True)
        return answer

    async def applied(self, body: Json, uid: str = "") -> tuple[str, Any]:
        """Apply with success; give uid and level."""
        answer, observations = await self.act(applying(body, uid), body)
        assert isinstance(answer, Done), answer
        (seen,) = observations
        assert isinstance(seen, Seen)
        assert isinstance(seen.level, WorkloadLevel | PartLevel)
        return answer.uid, seen.level

    async def compose(self, body: Json, *, applied: bool) -> str:
        """Do what Modelplane's provider did, by a create or an apply; give the uid."""
        kind, name = KIND_BY_NAME[body["kind"]], body["metadata"]["name"]
        manager = ("fieldManager", PROVIDER)
        if not applied:
            path = kind.path(NAMESPACE)
            return await self._uid(Request("POST", path, (manager,), body=body))
        path, query = kind.path(NAMESPACE, name), (manager, ("force", "true"))
        return await self._uid(Request("PATCH", path, query, body, APPLY_PATCH))

    async def get(self, kind: str, name: str) -> Json:
        """Read an object."""
        response = await self.send(get_request(KIND_BY_NAME[kind], NAMESPACE, name))
        assert response.ok, response
        found: Json = response.body
        return found

    async def merge(self, kind: str, name: str, patch: Json, manager: str, sub: str = "") -> None:
        """Change an object as somebody else."""
        path = KIND_BY_NAME[kind].path(NAMESPACE, name) + sub
        query = (("fieldManager", manager),)
        response = Response(_CONFLICT, None)
        while response.code == _CONFLICT:  # its controller writes, too
            response = await self.send(Request("PATCH", path, query, patch, MERGE_PATCH))
        assert response.ok, response

    async def scale(self, kind: str, name: str, replicas: int) -> None:
        """Scale as an autoscaler does."""
        patch = {"spec": {"replicas": replicas}}
        await self.merge(kind, name, patch, "kube-controller-manager", "/scale")

    async def hashes(self, name: str) -> set[str]:
        """The Pod templates that a Deployment has had, once its controller knows the last one."""
        for _ in range(SECONDS * 10):
            found = await self.get("Deployment", name)
            observed = found.get("status", {}).get("observedGeneration")
            if observed == found["metadata"]["generation"]:
                break
            await asyncio.sleep(0.1)
        path = f"/apis/apps/v1/namespaces/{NAMESPACE}/replicasets"
        query = (("labelSelector", f"modelplane.ai/workload={name}"),)
        sets = (await self.send(Request("GET", path, query))).body["items"]
        return {one["metadata"]["labels"]["pod-template-hash"] for one in sets}

    async def send(self, request: Request) -> Response:
        """Do what somebody else would do."""
        return await self.api.send(request, timeout_seconds=SECONDS)

    async def _uid(self, request: Request) -> str:
        response = await self.send(request)
        assert response.ok, response
        uid: str = response.body["metadata"]["uid"]
        return uid


def applying(body: Json, uid: str = "", owner_uid: str = "replica-uid") -> Apply:
    """What is decided for a body."""
    metadata = body["metadata"]
    digest = metadata["annotations"]["warmlog.dev/applied"]
    return Apply(owner_uid, body["kind"], metadata["namespace"], metadata["name"], uid, digest)


def _object(api_version: str, kind: str, name: str, spec: Json) -> Json:
    metadata = {"name": name, "namespace": NAMESPACE}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, "spec": spec}
