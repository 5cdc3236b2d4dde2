"""What is done for a ModelReplica beside applying: holding, releasing, deleting, its namespace."""

from typing import Any

import pytest

from adapters.kubernetes.acting import look_up, perform
from adapters.ports import JSON_PATCH, Response
from machines.caches.changes import ChangeKind
from machines.intents import Change, Create, Delete, Effect, ObjectIntent
from machines.observations import Answer, Done
from machines.replicas.kinds import COMPOSED
from tests.kubernetes import replica_objects as objects
from tests.kubernetes.fakes import Answer as Scripted
from tests.kubernetes.fakes import ScriptedApi, refused

FINALIZER = {"finalizer": "warmlog.dev/replica-workloads"}
PATHS = {
    "Deployment": "/apis/apps/v1/namespaces/{}/deployments/x",
    "LeaderWorkerSet": "/apis/leaderworkerset.x-k8s.io/v1/namespaces/{}/leaderworkersets/x",
    "Service": "/api/v1/namespaces/{}/services/x",
    "ResourceClaimTemplate": "/apis/resource.k8s.io/v1/namespaces/{}/resourceclaimtemplates/x",
}
BUILT = {
    "Deployment": objects.deployment(),
    "LeaderWorkerSet": objects.gang(),
    "Service": objects.service(),
    "ResourceClaimTemplate": objects.claim_template(),
}


def _change(kind: ChangeKind) -> Change:
    uid = objects.REPLICA_UID
    return Change(uid, "ModelReplica", "ml-team", "r", uid, kind, "d")


async def _acted(
    intent: ObjectIntent, *answers: Scripted, body: Any = None
) -> tuple[Answer, ScriptedApi]:
    api = ScriptedApi(*answers)
    performed = await perform(Effect(7, "prod", intent, body), api, timeout_seconds=10)
    assert api.answers == []
    return performed.answer, api


@pytest.mark.parametrize("kind", COMPOSED)
async def test_each_kind_is_deleted_by_uid_in_the_background(kind: str) -> None:
    """A fresh read comes first; what its Pods mount is nothing to wait for."""
    intent = Delete(objects.REPLICA_UID, kind, objects.NAMESPACE, "x", objects.WORKLOAD_UID)
    there = Response(200, BUILT[kind])
    answer, api = await _acted(intent, there, Response(200, {"status": "Success"}))
    assert answer == Done(objects.WORKLOAD_UID)
    read, delete = api.requests
    assert read.path == delete.path == PATHS[kind].format(objects.NAMESPACE)
    assert delete.body["propagationPolicy"] == "Background"
    assert delete.body["preconditions"] == {
        "uid": objects.WORKLOAD_UID,
        "resourceVersion": "60",
    }
    details = {"kind": PATHS[kind].split("/")[-2], "name": "x"}
    gone = refused(404, "NotFound", "not found", details)
    assert (await _acted(intent, gone))[0] == Done(objects.WORKLOAD_UID, found=True)


async def test_what_became_somebody_elses_is_deleted_all_the_same() -> None:
    """It is that very object; nothing is told of it that is no business of ours."""
    intent = Delete(objects.REPLICA_UID, "Service", objects.NAMESPACE, "x", objects.WORKLOAD_UID)
    foreign = objects.service(notes={}, selector={}, deletionTimestamp="2026-10-21T10:11:12Z")
    api = ScriptedApi(Response(200, foreign))
    performed = await perform(Effect(7, "prod", intent), api, timeout_seconds=10)
    assert performed == ((), Done(objects.WORKLOAD_UID, found=True))


async def test_a_replica_is_held_and_released() -> None:
    """By the finalizer that the body names, beside those of others."""
    held = objects.replica(finalizers=["a/b", FINALIZER["finalizer"]])
    free = objects.replica(finalizers=["a/b"])
    hold, release = _change(ChangeKind.HOLD), _change(ChangeKind.RELEASE)
    for intent, there, then in ((hold, free, held), (release, held, free)):
        answer, api = await _acted(
            intent, Response(200, there), Response(200, then), body=FINALIZER
        )
        assert answer == Done(objects.REPLICA_UID)
        request = api.requests[-1]
        assert request.path == "/apis/modelplane.ai/v1alpha1/namespaces/ml-team/modelreplicas/r"
        assert request.content_type == JSON_PATCH
        effect = Effect(7, "prod", intent, FINALIZER)
        looked = await look_up(effect, ScriptedApi(Response(200, then)), timeout_seconds=10)
        assert looked.answer == Done(objects.REPLICA_UID, found=True)
    assert [one["op"] for one in api.requests[-1].body] == ["test", "test", "test", "remove"]


async def test_a_namespace_serves_every_replica() -> None:
    """Whoever made it, it is there."""
    intent = Create(objects.REPLICA_UID, "Namespace", "", objects.NAMESPACE, "d")
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": objects.NAMESPACE}}
    there = Response(200, {"metadata": {"name": objects.NAMESPACE, "uid": "u"}})
    answer, _ = await _acted(intent, refused(409, "AlreadyExists"), there, body=body)
    assert answer == Done("u", found=True)
