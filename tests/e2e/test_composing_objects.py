"""What a replica is composed of, applied on a real API server, beside who else writes there."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from adapters.kubernetes.configuring import access_from_kubeconfig
from adapters.kubernetes.http_api import HttpApi
from adapters.kubernetes.kinds import MODEL_REPLICA
from adapters.kubernetes.reading_engine_pods import read_engine_pods
from adapters.kubernetes.statuses import Stored, store_status
from adapters.ports import Request
from engine.events import Subject
from machines.caches.changes import ChangeKind
from machines.caches.levels import Owner
from machines.intents import Change, Create, Delete
from machines.observations import Done, Refused, Seen
from machines.replicas.kinds import COMPOSED
from machines.replicas.levels import PartLevel, WorkloadLevel
from tests.e2e import composing
from tests.e2e.composing import NAMESPACE, PROVIDER, SECONDS, Workplace, applying, ours
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

BUILDERS = {
    "Deployment": composing.deployment,
    "LeaderWorkerSet": composing.gang,
    "Service": composing.service,
    "ResourceClaimTemplate": composing.claim_template,
}


@pytest_asyncio.fixture
async def workplace(with_crds: ControlPlane, with_gangs: ControlPlane) -> AsyncIterator[Workplace]:
    """The server, with the namespace that a replica's engines run in."""
    access = await access_from_kubeconfig(with_gangs.kubeconfig_text(with_gangs.admin_token))
    place = Workplace(HttpApi("ic/west", access))
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    for _ in range(2):
        made, _ = await place.act(Create("replica-uid", "Namespace", "", NAMESPACE, "d"), body)
        assert isinstance(made, Done)
    yield place
    await place.api.close()


@pytest.mark.parametrize("kind", COMPOSED)
async def test_each_kind_is_composed_once_and_deleted(workplace: Workplace, kind: str) -> None:
    """An apply that changes nothing writes nothing; another owner's object is left alone."""
    body = ours(BUILDERS[kind]("once"), copies=1)
    made = await workplace.apply(body)
    assert isinstance(made, Done)
    assert not made.found
    assert await workplace.apply(body) == Done(made.uid, found=True)
    before = await workplace.get(kind, "once")
    uid, level = await workplace.applied(body, made.uid)
    after = await workplace.get(kind, "once")
    assert after["metadata"].get("generation") == before["metadata"].get("generation")
    if kind != "Deployment":  # its controller writes meanwhile
        assert after["metadata"]["resourceVersion"] == before["metadata"]["resourceVersion"]
    assert (uid, level.applied, tuple(level.owner)) == (
        made.uid, "d1", ("ml-team", "r", "replica-uid")
    )  # fmt: skip
    assert level.fields
    taken = await workplace.apply(ours(body, "d2", name="other"), made.uid, "other-uid")
    assert isinstance(taken, Refused)
    assert taken.reason == "NameTaken"
    delete = Delete("replica-uid", kind, NAMESPACE, "once", made.uid)
    assert (await workplace.act(delete))[0] == Done(made.uid)


async def test_a_field_that_is_left_out_goes(workplace: Workplace) -> None:
    """And what somebody changed of ours is told, and put right by the next apply."""
    uid, level = await workplace.applied(ours(composing.deployment("less")))
    assert '"claimName":"claim"' in level.mount
    _, less = await workplace.applied(ours(composing.deployment("less", mount=False), "d2"), uid)
    assert (less.mount, less.applied) == ("", "d2")
    assert less.fields != level.fields
    labels = {"spec": {"template": {"metadata": {"labels": {"modelplane.ai/serving": "x"}}}}}
    await workplace.merge("Deployment", "less", labels, "kubectl-edit")
    _, mended = await workplace.applied(ours(composing.deployment("less", mount=False), "d2"), uid)
    assert (mended.serving, mended.fields) == ("r", less.fields)


@pytest.mark.parametrize("kind", ["Deployment", "LeaderWorkerSet"])
async def test_an_autoscaler_keeps_what_it_scaled(workplace: Workplace, kind: str) -> None:
    """It is named; we refuse to undo it, leave the field out, and set it when copies change."""
    body = BUILDERS[kind]("scaled")
    uid, level = await workplace.applied(ours(body, copies=1))
    assert (level.replicas, level.copies, level.scaled_by) == (1, 1, "")
    await workplace.scale(kind, "scaled", 5)
    refused = await workplace.apply(ours(body, "d2", copies=1), uid)
    assert isinstance(refused, Refused)
    assert refused.reason == "ScaledMeanwhile"
    without = {
        **body,
        "spec": {key: body["spec"][key] for key in body["spec"] if key != "replicas"},
    }
    _, level = await workplace.applied(ours(without, "d2", copies=1), uid)
    assert (level.replicas, level.scaled_by) == (5, "kube-controller-manager")
    body["spec"]["replicas"] = 2
    _, level = await workplace.applied(ours(body, "d3", copies=2), uid)
    assert (level.replicas, level.copies, level.scaled_by) == (2, 2, "")
    alone = await workplace.apply(ours(without, "d4", copies=2), uid)
    assert isinstance(alone, Refused)  # it would fall back to one copy
    assert (await workplace.get(kind, "scaled"))["spec"]["replicas"] == 2


@pytest.mark.parametrize("applied", [False, True])
@pytest.mark.parametrize("kind", ["Deployment", "LeaderWorkerSet", "Service"])
async def test_what_modelplane_composed_is_taken_over(
    workplace: Workplace, kind: str, *, applied: bool
) -> None:
    """Without a rollout; what is left out later goes, which it would not had it stayed theirs."""
    name = f"adopted-{applied}".lower()
    body = BUILDERS[kind](name)
    uid = await workplace.compose(body, applied=applied)
    restart = {"spec": {"template": {"metadata": {"annotations": {"restarted": "at"}}}}}
    if kind == "Deployment":
        await workplace.merge(kind, name, restart, "kubectl-rollout")
    hashes = await workplace.hashes(name) if kind == "Deployment" else None
    before = await workplace.get(kind, name)
    met, (seen,) = await workplace.act(applying(ours(body)), ours(body))
    assert isinstance(met, Refused)
    assert met.reason == "AlreadyExists"
    assert isinstance(seen, Seen)
    assert isinstance(seen.level, WorkloadLevel | PartLevel)
    assert (getattr(seen.level, "scaled_by", ""), seen.level.owner) == ("", Owner())
    _, level = await workplace.applied(ours(body, copies=1), uid)
    after = await workplace.get(kind, name)
    assert after["spec"] == before["spec"]
    if kind == "Deployment":  # each annotation of it is a generation
        assert await workplace.hashes(name) == hashes != set()
    else:
        assert after["metadata"].get("generation") == before["metadata"].get("generation")
    assert PROVIDER not in str(after["metadata"]["managedFields"])
    less = _without_something(kind, body)
    _, later = await workplace.applied(ours(less, "d2", copies=1), uid)
    assert later.fields != level.fields
    assert _something(kind, await workplace.get(kind, name)) == _something(kind, less)
    if kind == "Deployment":
        template = (await workplace.get(kind, name))["spec"]["template"]
        assert template["metadata"]["annotations"] == {"restarted": "at"}


async def test_an_object_of_nobody_we_know_is_left_alone(workplace: Workplace) -> None:
    """It serves nobody, so it is not what Modelplane composed."""
    foreign = composing.service("foreign")
    foreign["spec"]["selector"] = {"app": "shop"}
    await workplace.compose(foreign, applied=False)
    refused = await workplace.apply(ours(composing.service("foreign")))
    assert isinstance(refused, Refused)
    assert "is no ModelReplica's: its selector has no label" in refused.words
    found = await workplace.get("Service", "foreign")
    assert found["spec"]["selector"] == {"app": "shop"}


async def test_what_cannot_be_changed_or_made_is_refused_in_the_servers_words(
    workplace: Workplace,
) -> None:
    """A template of claims is immutable, names have rules, and a namespace has to be there."""
    template = composing.claim_template("fixed")
    uid, _ = await workplace.applied(ours(template))
    template["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"] = 2
    refused = await workplace.apply(ours(template, "d2"), uid)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.reason) == (422, "Invalid")
    assert "immutable" in refused.words
    refused = await workplace.apply(ours(composing.service("not.legal")))
    assert isinstance(refused, Refused)
    assert (refused.code, refused.field) == (422, True)
    nowhere = ours(composing.service("lost"))
    nowhere["metadata"]["namespace"] = "mp-not-there"
    refused = await workplace.apply(nowhere)
    assert isinstance(refused, Refused)
    assert (refused.code, refused.terminating) == (404, True)


async def test_why_an_engine_does_not_run_is_read_from_its_pods(workplace: Workplace) -> None:
    """The scheduler's own words, steadied."""
    uid, _ = await workplace.applied(ours(composing.deployment("stuck")))
    subject = Subject("Deployment", NAMESPACE, "stuck", uid)
    reason = message = ""
    while reason != "Unschedulable":
        await asyncio.sleep(0.1)
        read = await read_engine_pods(workplace.api, subject, timeout_seconds=SECONDS)
        assert read is not None
        reason, message = read.reason, read.message
    assert message.startswith("no node")
    gone = Delete("replica-uid", "Deployment", NAMESPACE, "stuck", uid)
    assert (await workplace.act(gone))[0] == Done(uid)


async def test_a_replica_is_held_told_and_released(workplace: Workplace) -> None:
    """Our finalizer beside another one, and the status whole."""
    template = {"spec": {"containers": [{"name": "engine", "image": "engine:v1"}]}}
    request = {"name": "gpu", "deviceClassName": "gpu.example.com"}
    member = {"nodePoolName": "gpu", "template": template, "deviceRequests": [request]}
    raw: Json = {
        "apiVersion": "modelplane.ai/v1alpha1",
        "kind": "ModelReplica",
        "metadata": {"name": "held", "finalizers": ["example.com/other"]},
        "spec": {"clusterName": "west", "engines": [{"name": "main", "members": [member]}]},
    }
    path = MODEL_REPLICA.path("default")
    response = await workplace.send(Request("POST", path, body=raw))
    assert response.ok, response
    uid = response.body["metadata"]["uid"]
    place, ours_too = (uid, "ModelReplica", "default", "held", uid), "warmlog.dev/replica-workloads"
    for change, held in ((ChangeKind.HOLD, True), (ChangeKind.RELEASE, False)):
        for found in (False, True):
            answer, (seen,) = await workplace.act(
                Change(*place, change, "d"), {"finalizer": ours_too}
            )
            assert answer == Done(uid, found=found)
            assert isinstance(seen, Seen)
            assert seen.level.held is held  # type: ignore[union-attr]
    status = {"composed": True, "warmlog": {"uid": uid, "log": "l", "position": 1}}
    subject = Subject("ModelReplica", "default", "held", uid)
    stored = await store_status(workplace.api, subject, status, None, timeout_seconds=SECONDS)
    assert isinstance(stored, Stored)
    other = {"finalizer": "example.com/other"}
    answer, _ = await workplace.act(Change(*place, ChangeKind.RELEASE, "d"), other)
    assert answer == Done(uid)
    await workplace.send(Request("DELETE", f"{path}/held"))


def _without_something(kind: str, body: Json) -> Json:
    name = body["metadata"]["name"]
    if kind == "Service":
        ports = [{"port": 80, "targetPort": 8000}]
        return {**body, "spec": {**body["spec"], "ports": ports}}
    return BUILDERS[kind](name, mount=False)  # type: ignore[call-arg]


def _something(kind: str, found: Json) -> object:
    if kind == "Service":
        return [port.get("name") for port in found["spec"]["ports"]]
    spec = found["spec"]
    templates = [
        spec.get("template"),
        *(mapping for mapping in spec.get("leaderWorkerTemplate", {}).values()),
    ]
    return [
        (template["spec"]["volumes"], template["spec"]["containers"][0].get("env"))
        for template in templates
        if isinstance(template, dict)
    ]
