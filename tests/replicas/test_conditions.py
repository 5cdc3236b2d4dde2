"""Conditions of a ModelReplica: which reason comes first, in which words, and since when."""

import pytest

from engine.instants import SECOND, rfc3339
from machines.caches.levels import Owner
from machines.caches.statuses import cache_status
from machines.observations import EventsRead, Refused, Unread
from machines.replicas.conditions import condition_rows
from tests.caches.builders import BEGINNING, CLAIM, HOME, JOB, ONE, WORKLOAD
from tests.replicas.builders import (
    DEPLOYMENT,
    GANG,
    SERVICE,
    TEMPLATE,
    ReplicaScene,
    engine,
    spec_of,
)
from tests.replicas.serving import ServingScene

ACCEPTED, READY = "ModelAccepted", "Ready"
NAME = DEPLOYMENT.split()[1]
THING = f"Deployment {WORKLOAD}/{NAME}"


def serving(cache: str = "qwen") -> ReplicaScene:
    """A replica that serves, with its cache."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica(spec=spec_of(cache=cache))
    scene.stage()
    scene.serve()
    return scene


def reasons(scene: ReplicaScene) -> dict[str, str]:
    """Status and reason of each condition, by its type."""
    rows = scene.status()["conditions"]
    return {row["type"]: f"{row['status']}/{row['reason']}" for row in rows}


def test_the_message_of_a_new_replica_is_its_entry_s() -> None:
    """Word for word, and it changes with it: while the claim waits, and while it is filled."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.carry_out()
    said = []
    for phase in ("Pending", "Bound"):
        scene.claim(phase)
        scene.carry_out()
        [entry] = [row["message"] for row in published(scene)]
        assert scene.condition(ACCEPTED) == ("False", "WaitingForCache", entry)
        assert scene.condition("ModelReady") == ("False", "WaitingForModel", entry)
        assert scene.condition(READY) == ("False", "Waiting", entry)
        said.append(entry)
    assert said == [
        f"waiting for claim {WORKLOAD}/{CLAIM} to bind",
        f"downloading Qwen/Qwen3-8B at its default branch into claim {WORKLOAD}/{CLAIM}",
    ]


def published(scene: ReplicaScene) -> list[dict[str, str]]:
    """The entries of the cache as its status has them."""
    entries: list[dict[str, str]] = cache_status(scene.state, scene.mc)["clusters"]
    return entries


def test_a_cache_that_does_not_exist_is_named() -> None:
    """A wrong name is told from a slow download [C11]"""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache="qwem"))
    words = "ModelCache qwem not found in namespace ml-team"
    assert scene.condition(ACCEPTED) == ("False", "WaitingForCache", words)


def test_a_failed_cache_is_told_with_its_job() -> None:
    """A replica does not wait for ever without a word: the Job, and what it said [C9]"""
    scene = ReplicaScene()
    scene.cache()
    scene.replica()
    scene.carry_out()
    scene.claim("Bound")
    scene.carry_out()
    scene.job("Failed", reason="BackoffLimitExceeded", message="Job has failed", failed_attempts=4)
    status, reason, words = scene.condition(ACCEPTED)
    assert (status, reason) == ("False", "WaitingForCache")
    assert words.startswith(f"Job {WORKLOAD}/{JOB} failed after 4 attempts: BackoffLimitExceeded")


def test_what_runs_says_what_it_keeps_and_why() -> None:
    """A cache that offers nothing leaves it accepted and serving, with words beside [C17]"""
    scene = serving()
    scene.claim("Lost", volume="pv-1")
    assert reasons(scene) == {
        "Supported": "True/Supported",
        ACCEPTED: "True/Accepted",
        "ModelReady": "True/Serving",
        READY: "True/Available",
    }
    lost = f"claim {WORKLOAD}/{CLAIM} has lost its volume pv-1"
    assert scene.condition(ACCEPTED)[2] == f"keeps the mount of claim {CLAIM}: {lost}"


def test_what_runs_without_a_mount_says_so() -> None:
    """A cache that was added and is not ready is told, and nothing else changes [C15]"""
    scene = serving(cache="")
    scene.cache(uid="other-uid", name="other")
    scene.replica(spec=spec_of(cache="other"))
    words = scene.condition(ACCEPTED)[2]
    assert words.startswith("runs without a mount: waiting for claim mp-ml-team-51733/modelcache-")


def test_a_cluster_that_does_not_exist() -> None:
    """A new replica waits for it, and one that runs says so and runs on [C21]"""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cluster="two"))
    words = "InferenceCluster two does not exist"
    assert scene.condition(ACCEPTED) == ("False", "WaitingForCluster", words)
    assert scene.condition("ModelReady") == ("False", "WaitingForModel", words)
    scene = serving()
    scene.gone(HOME, scene.cluster_subject("one"))
    assert scene.condition(ACCEPTED)[:2] == ("False", "WaitingForCluster")
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")
    assert scene.condition(READY)[:2] == ("False", "Waiting")


def test_a_cluster_without_a_way_in() -> None:
    """What is missing for the way to it is named."""
    scene = ReplicaScene()
    scene.cluster("two", source="GKE")
    scene.replica(spec=spec_of(cluster="two"))
    status, reason, words = scene.condition(ACCEPTED)
    assert (status, reason) == ("False", "WaitingForCluster")
    assert words.startswith("InferenceCluster two cannot be reached: ")
    assert words.endswith("cluster is not provisioned yet: its status names no kubeconfig")


def test_a_kubeconfig_that_cannot_be_read_is_only_unknown() -> None:
    """What is composed, or is to be, goes on by the way that is known; a new cluster is named."""
    scene = serving()
    before = scene.status()
    scope = ("warmlog-system", "one-kubeconfig")
    scene.tell(Unread(HOME, "Secret", "secrets are forbidden", scope=scope))
    assert scene.status() == before
    scene.cluster("two")
    scope = ("warmlog-system", "two-kubeconfig")
    scene.tell(Unread(HOME, "Secret", "secrets are forbidden", scope=scope))
    scene.replica(uid="other", name="other", spec=spec_of(cluster="two", cache=""))
    [row, *_] = [
        row for row in condition_rows(scene.state, scene.state.replicas["other"])
        if row.type == ACCEPTED
    ]  # fmt: skip
    assert row.reason == "WaitingForCluster"
    assert row.message.endswith(
        "two-kubeconfig with its kubeconfig cannot be read: secrets are forbidden"
    )


def test_a_cluster_that_does_not_answer() -> None:
    """A new replica says so with the client's words and since when; what runs stays as it is."""
    scene = serving()
    before = reasons(scene)
    scene.wait(60)
    scene.unreachable(words="connect: connection refused")
    since = rfc3339(BEGINNING + 60 * SECOND)
    words = f"InferenceCluster one does not answer since {since}: connect: connection refused"
    assert reasons(scene) == before
    assert scene.condition(READY) == ("True", "Available", words)
    scene.replica(uid="new-uid", name="new", spec=spec_of(cache=""))
    new = scene.state.replicas["new-uid"]
    accepted = condition_rows(scene.state, new)[1]
    assert accepted[1:] == ("False", "WaitingForCluster", words)


def test_a_spec_that_can_never_work_names_its_field() -> None:
    """What was stored past the rules ends in a condition with the field."""
    scene = ReplicaScene()
    scene.replica(spec={"clusterName": "one", "engines": []})
    words = "spec.engines: must have at least one engine"
    assert scene.condition(ACCEPTED) == ("False", "InvalidSpec", words)
    assert scene.condition(READY) == ("False", "Waiting", words)


def test_a_running_replica_with_a_spec_that_cannot_work_runs_on() -> None:
    """The edit is told and not followed: nothing of what runs is touched."""
    scene = serving()
    scene.replica(spec={"clusterName": "one", "engines": []}, generation=2)
    scene.carry_out()
    assert scene.condition(ACCEPTED)[:2] == ("False", "InvalidSpec")
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")
    assert scene.there(DEPLOYMENT) is not None


@pytest.mark.parametrize("what", [DEPLOYMENT, GANG])
def test_an_engine_that_is_gone_or_down_serves_nothing_whatever_the_spec(what: str) -> None:
    """A spec that can never work does not make Serving stand while the workload is not there."""
    scene = ServingScene(what).serving()
    scene.replica(spec={"clusterName": "one", "engines": []}, generation=2)
    scene.edit(what, available="False")
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")
    scene.available(what)
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")
    scene.removed(what)
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")


def test_a_replica_that_starts_does_not_serve_because_its_spec_cannot_work() -> None:
    """An edit past the rules ends no start-up."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out()
    scene.replica(spec={"clusterName": "one", "engines": []}, generation=2)
    scene.edit(reason="StillStarting")
    assert scene.condition("ModelReady")[:2] == ("False", "WaitingForModel")


def test_what_is_not_supported_is_named() -> None:
    """A mode that is not run is told in Supported, and nothing is composed."""
    scene = ReplicaScene()
    phased = [engine(phase.lower()) | {"phase": phase} for phase in ("Prefill", "Decode")]
    scene.replica(spec=spec_of(*phased, cache="", serving={"mode": "PrefillDecode"}))
    scene.carry_out()
    words = "spec.serving.mode PrefillDecode is not supported: warmlog runs Unified alone"
    assert scene.condition("Supported") == ("False", "Unsupported", words)
    assert scene.condition(ACCEPTED) == ("False", "Unsupported", words)
    assert scene.there(SERVICE) is None


def test_a_refusal_names_the_object_and_the_words() -> None:
    """The server's words stand there, and when it is tried again; nothing else waits for it."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out(f"apply {SERVICE}")
    scene.refuse(f"apply {SERVICE}", Refused(422, "Invalid", "metadata.name: bad"))
    again = rfc3339(scene.mr.refusals[f"apply {SERVICE}"].retry_at)
    words = f"the API server refused to apply Service {WORKLOAD}/r: Invalid: metadata.name: bad"
    assert scene.condition(READY) == ("False", "Refused", f"{words}; tried again at {again}")
    assert scene.there(DEPLOYMENT) is not None


def test_a_refused_template_is_why_nothing_is_composed() -> None:
    """ModelAccepted says in the server's words why the engine is not there."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out(f"apply {TEMPLATE}")
    scene.refuse(f"apply {TEMPLATE}", Refused(403, "Forbidden", "exceeded quota"))
    status, reason, words = scene.condition(ACCEPTED)
    assert (status, reason) == ("False", "Deploying")
    assert words.startswith("the API server refused to apply ResourceClaimTemplate")
    assert "Forbidden: exceeded quota; tried again at 2026-01-01T" in words


def test_a_name_that_is_taken_names_the_owner() -> None:
    """Another's object is left alone, and whose it is stands there."""
    scene = serving()
    scene.edit(SERVICE, owner=Owner("team-b", "r", "b-uid"))
    words = (
        f"Service {WORKLOAD}/r belongs to ModelReplica team-b/r (uid b-uid): rename one of the two"
    )
    assert scene.condition(READY) == ("False", "Refused", words)
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")


def test_what_is_still_to_do_is_named() -> None:
    """While it is composed, what is asked for and not seen yet stands there."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out(f"apply {TEMPLATE}")
    status, reason, words = scene.condition(ACCEPTED)
    assert (status, reason) == ("False", "Deploying")
    unseen = f"engine main: {THING} is not there yet"
    still = f"still to apply ResourceClaimTemplate {WORKLOAD}/{TEMPLATE.split()[1]}"
    assert words == f"{unseen}; {still}"


def test_a_starting_engine_is_named_with_why_its_pods_do_not_run() -> None:
    """ModelStarting has the words of the workload's Pods, and before those its own."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(cache=""))
    scene.carry_out()
    assert scene.condition(ACCEPTED) == ("True", "Accepted", "")
    own = f"engine main: {THING} is not available: MinimumReplicasUnavailable"
    assert scene.condition("ModelReady") == ("False", "ModelStarting", own)
    known = scene.there(DEPLOYMENT)
    assert known is not None
    scene.tell(EventsRead(ONE, known.subject, "", "Unschedulable", "0/3 nodes are available"))
    words = f"engine main: {THING} is not available: Unschedulable: 0/3 nodes are available"
    assert scene.condition("ModelReady") == ("False", "ModelStarting", words)
    assert scene.condition(READY) == ("False", "Progressing", words)
    [workload] = scene.status()["workloads"]
    assert workload["message"] == "Unschedulable: 0/3 nodes are available"


def test_only_the_engine_that_starts_is_named() -> None:
    """Of several engines the one that is not available is told."""
    scene = ReplicaScene()
    scene.replica(spec=spec_of(engine(), engine("second", gang=True), cache=""))
    scene.carry_out()
    scene.available()
    words = scene.condition("ModelReady")[2]
    assert words.startswith(f"engine second: LeaderWorkerSet {WORKLOAD}/r-second-")
    assert "engine main" not in words


def test_a_workload_that_is_being_deleted_is_told() -> None:
    """What somebody deletes, and a finalizer holds, is no available replica any more."""
    scene = serving()
    scene.edit(deleting=True)
    words = f"{THING} is being deleted, and is composed anew once it is gone"
    assert scene.condition(READY) == ("False", "Progressing", words)


def test_another_cluster_is_not_followed() -> None:
    """A clusterName that was edited past the rule is told, and the replica stays."""
    scene = serving()
    scene.replica(spec=spec_of(cluster="two"), generation=2)
    status, reason, words = scene.condition("SpecChanged")
    assert (status, reason) == ("True", "EditIgnored")
    assert words.startswith("spec.clusterName was changed, and is not followed: the replica stays")
    assert scene.condition("ModelReady")[:2] == ("True", "Serving")


def test_a_leaving_replica_names_what_is_still_there() -> None:
    """Terminating lists the objects on the cluster until they are gone."""
    scene = serving()
    scene.replica(spec=spec_of(), deleting=True)
    status, reason, words = scene.condition("Terminating")
    assert (status, reason) == ("True", "CleaningUp")
    assert f"still there: Service {WORKLOAD}/r, " in words
    assert THING in words
    assert scene.condition(READY) == ("False", "Progressing", words)


def test_a_leaving_replica_says_that_its_cluster_is_silent() -> None:
    """Since when it does not answer, and what is still to be deleted there."""
    scene = serving()
    scene.unreachable(words="i/o timeout")
    scene.replica(spec=spec_of(), deleting=True)
    status, reason, words = scene.condition("Terminating")
    assert (status, reason) == ("True", "WaitingForCluster")
    assert words.startswith("InferenceCluster one does not answer since 2026-01-01T")
    assert f": i/o timeout; still to be deleted there: Service {WORKLOAD}/r, " in words


def test_an_abandoned_replica_says_what_stays() -> None:
    """What its cluster keeps is named, whether it is being deleted or not."""
    scene = serving()
    scene.replica(spec=spec_of(), notes={"warmlog.dev/abandon": "true"})
    words = 'annotation warmlog.dev/abandon is "true": nothing is composed, changed or deleted'
    assert scene.condition(ACCEPTED)[2].startswith(words)
    assert scene.condition(READY)[1] == "Waiting"
    scene.replica(spec=spec_of(), notes={"warmlog.dev/abandon": "true"}, deleting=True)
    status, reason, said = scene.condition("Terminating")
    assert (status, reason) == ("True", "Abandoned")
    assert f"left on cluster one, if still there: Service {WORKLOAD}/r, {THING}" in said


@pytest.mark.parametrize("what", [DEPLOYMENT, GANG])
def test_a_condition_keeps_its_time_while_only_words_change(what: str) -> None:
    """The time is that of the last change of status, as Kubernetes has it."""
    scene = ReplicaScene()
    scene.cache()
    scene.replica(spec=spec_of(engine(gang=what == GANG)))
    scene.carry_out()
    first = times(scene)
    scene.wait(30)
    scene.claim("Bound")
    assert times(scene) == first
    scene.wait(30)
    scene.stage()
    scene.serve(what)
    assert {rfc3339(BEGINNING + 60 * SECOND)} == {
        at for kind, at in times(scene).items() if kind != "Supported"
    }


def times(scene: ReplicaScene) -> dict[str, str]:
    """When each condition came to its status."""
    return {row["type"]: row["lastTransitionTime"] for row in scene.status()["conditions"]}
