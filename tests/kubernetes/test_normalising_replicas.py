"""From raw objects to the levels of what a ModelReplica is about, and what is nobody's here."""

from typing import Any

import pytest

from adapters.kubernetes.discretion import DiscreetApi
from adapters.kubernetes.kinds import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    GANG,
    MODEL_REPLICA,
    SERVICE,
    SERVING_KINDS,
    Kind,
    list_request,
)
from adapters.kubernetes.normalising import ObjectForeign, ObjectMalformed, normalise
from adapters.kubernetes.vaults import SecretVault
from machines.caches.levels import Owner
from machines.replicas.levels import PartLevel, ReplicaLevel, ServingLevel, WorkloadLevel
from tests.kubernetes import cache_objects
from tests.kubernetes import replica_objects as objects
from tests.kubernetes.fakes import ScriptedApi, page
from tests.kubernetes.objects import Raw

OWNER = Owner("ml-team", "r", objects.REPLICA_UID)
WORKLOAD = WorkloadLevel(OWNER, "r", objects.APPLIED, replicas=2, mount=objects.MOUNT_TEXT)
PART = PartLevel(OWNER, "", objects.APPLIED)
UNAVAILABLE = {
    "type": "Available",
    "status": "False",
    "reason": "MinimumReplicasUnavailable",
    "message": "Deployment does not have minimum availability.",
}
STUCK = {
    "type": "Progressing",
    "status": "False",
    "reason": "ProgressDeadlineExceeded",
    "message": 'ReplicaSet "r-main-bb4e3-6d4cf56db6" has timed out progressing.',
}
QUOTA = {
    "type": "ReplicaFailure",
    "status": "True",
    "reason": "FailedCreate",
    "message": 'pods "r-main-bb4e3-6d4cf56db6-x7k2p" is forbidden: exceeded quota: gpus',
}


def _level(kind: Kind, raw: Raw) -> ServingLevel:
    level = normalise("prod", kind, raw).level
    assert isinstance(level, ServingLevel)
    assert type(level).from_json(level.to_json()) == level
    return level


def test_a_replica_is_its_spec_our_annotations_and_our_finalizer() -> None:
    """Its status comes beside the level, as that of everything whose status is ours."""
    notes = {"warmlog.dev/abandon": "true", "team": "x"}
    finalizers = ["warmlog.dev/replica-workloads"]
    raw = objects.replica(annotations=notes, finalizers=finalizers) | {"status": {"a": 1}}
    seen = normalise("prod", MODEL_REPLICA, raw)
    spec, pairs = '{"clusterName":"west"}', (("warmlog.dev/abandon", "true"),)
    assert seen.level == ReplicaLevel(2, spec, pairs, held=True)
    assert seen.recovered == {"a": 1}
    assert _level(MODEL_REPLICA, objects.replica(finalizers="no list")) == ReplicaLevel(2, spec)


def test_a_deployment_tells_whose_it_is_and_what_its_pods_mount() -> None:
    """By our annotations and the original's label; the user's own variables are no mount."""
    notes = {**objects.NOTES, "warmlog.dev/copies": "3"}
    assert _level(DEPLOYMENT, objects.deployment()) == WORKLOAD
    assert _level(DEPLOYMENT, objects.deployment(notes=notes)) == WORKLOAD._replace(copies=3)
    raw = objects.deployment(notes={}, replicas=None, deletionTimestamp="2026-10-21T10:11:12Z")
    foreign = WorkloadLevel(serving="r", replicas=1, mount=objects.MOUNT_TEXT, deleting=True)
    assert _level(DEPLOYMENT, raw) == foreign


@pytest.mark.parametrize(
    ("there", "updated", "rolling"),
    [(2, 2, False), (3, 1, True), (2, 0, True), (1, 1, True), (3, 2, True), (0, 0, False)],
)
def test_a_deployment_rolls_while_pods_are_of_another_template(
    *, there: int, updated: int, rolling: bool
) -> None:
    """Or as long as there are too few of its own; one without Pods only begins."""
    raw = objects.deployment()
    raw["status"] = {"replicas": there, "updatedReplicas": updated}
    assert _level(DEPLOYMENT, raw) == WORKLOAD._replace(rolling=rolling)


def test_a_gang_says_itself_that_it_rolls() -> None:
    """By its condition UpdateInProgress."""
    raw = objects.gang()
    raw["status"] = {"conditions": [{"type": "UpdateInProgress", "status": "True"}]}
    assert _level(GANG, raw) == WORKLOAD._replace(replicas=1, rolling=True)


def test_of_a_gang_the_leader_counts() -> None:
    """Where there is none, its workers lead."""
    assert _level(GANG, objects.gang()) == WORKLOAD._replace(replicas=1)
    alone = objects.gang(leader={})
    assert _level(GANG, alone) == WORKLOAD._replace(replicas=1, serving="", mount="")
    alone["spec"]["leaderWorkerTemplate"]["workerTemplate"]["spec"] = objects.pod_spec()
    assert _level(GANG, alone) == WORKLOAD._replace(replicas=1, serving="")


def test_parts_tell_whose_they_are() -> None:
    """A Service whom it serves, too."""
    assert _level(SERVICE, objects.service()) == PART._replace(serving="r")
    assert _level(CLAIM_TEMPLATE, objects.claim_template()) == PART


@pytest.mark.parametrize(
    ("conditions", "reason", "message"),
    [
        ([UNAVAILABLE], "MinimumReplicasUnavailable", UNAVAILABLE["message"]),
        ([UNAVAILABLE, STUCK], "ProgressDeadlineExceeded", STUCK["message"]),
        (
            [UNAVAILABLE, STUCK, QUOTA],
            "FailedCreate",
            'pods "r-main-bb4e3-6d4cf56db6-…" is forbidden: exceeded quota: gpus',
        ),
    ],
)
def test_what_tells_most_says_why_it_is_not_available(
    conditions: list[Raw], reason: str, message: str
) -> None:
    """In steadied words, without the names of Pods."""
    level = _level(DEPLOYMENT, objects.deployment(conditions=conditions))
    expected = WORKLOAD._replace(available="False", reason=reason, message=message)
    assert level == expected


@pytest.mark.parametrize("status", ["True", "Unknown", "Perhaps", 3])
def test_what_is_available_needs_no_reason(status: Any) -> None:
    """And what is no status of a condition is none."""
    fine = {**UNAVAILABLE, "status": status}
    level = _level(DEPLOYMENT, objects.deployment(conditions=[fine]))
    assert isinstance(level, WorkloadLevel)
    assert level.available == (status if status in {"True", "Unknown"} else "")
    assert bool(level.message) is (status == "Unknown")


@pytest.mark.parametrize(
    ("kind", "raw", "known"),
    [
        (DEPLOYMENT, objects.deployment(notes={}), True),
        (DEPLOYMENT, objects.deployment(marks={}), True),
        (DEPLOYMENT, objects.deployment(notes={}, marks={}), False),
        (GANG, objects.gang(notes={}), True),
        (GANG, objects.gang(leader={}), True),
        (GANG, objects.gang(notes={"warmlog.dev/applied": "x"}, leader={}), False),
        (SERVICE, objects.service(notes={}), True),
        (SERVICE, objects.service(selector={}), True),
        (SERVICE, objects.service(notes={}, selector={"app": "r"}), False),
        (CLAIM_TEMPLATE, objects.claim_template(notes={}), True),
        (CLAIM_TEMPLATE, objects.claim_template(name="x"), True),
        (CLAIM_TEMPLATE, objects.claim_template(notes={}, name="r-devices-f456g"), False),
    ],
)
def test_what_is_of_no_replica_is_not_known(kind: Kind, raw: Raw, *, known: bool) -> None:
    """Our annotations, or what the original composed it with, tell what may be of one."""
    if known:
        assert _level(kind, raw)
    else:
        with pytest.raises(ObjectForeign, match="is of no ModelReplica"):
            normalise("prod", kind, raw)


@pytest.mark.parametrize("kind", SERVING_KINDS)
@pytest.mark.parametrize("raw", [None, 3, [], {}, {"spec": 3}, {"metadata": {"annotations": []}}])
def test_what_is_no_object_is_malformed(kind: Kind, raw: Any) -> None:
    """Nothing else is raised for it."""
    with pytest.raises(ObjectMalformed):
        normalise("prod", kind, raw)


@pytest.mark.parametrize("spec", [None, 3, {"template": []}, {"leaderWorkerTemplate": "x"}])
def test_a_strange_spec_has_no_mount(spec: Any) -> None:
    """An object that is ours by its annotations is known, whatever its spec is."""
    raw = objects.deployment() | {"spec": spec, "status": []}
    expected = WorkloadLevel(OWNER, applied=objects.APPLIED, replicas=1)
    assert _level(DEPLOYMENT, raw) == expected
    assert _level(GANG, raw) == expected


async def test_words_about_engines_hold_no_secret() -> None:
    """A token that a condition quotes is struck out before it is read."""
    token = "t0ken-marker"
    said = {**UNAVAILABLE, "message": f"it cannot start with {token}"}
    raw = objects.deployment(conditions=[said])
    vault = SecretVault(b"k" * 32)
    vault.keep("prod", cache_objects.secret({"HF_TOKEN": token}))
    api = DiscreetApi(ScriptedApi(page(raw)), vault)
    response = await api.send(list_request(DEPLOYMENT), timeout_seconds=1)
    level = _level(DEPLOYMENT, response.body["items"][0])
    assert isinstance(level, WorkloadLevel)
    assert level.message == "it cannot start with …"
