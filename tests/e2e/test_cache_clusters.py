"""Many clusters: one that stops, changes, comes or goes concerns its own entries and nobody else's.

The second cluster is a real one whose API server is stopped and started again.
"""

import json
import os
import signal

import pytest

from tests.e2e.caches import CLUSTERS, MERGE_PATCH, Team, entry, staged
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, run_warmlog
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.e2e.joining import (
    SECOND,
    SECRET,
    apply,
    inference_cluster,
    kubeconfig_secret,
    remote_token,
)
from tests.e2e.storage import WAITING_CLASS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "qwen"


async def until_reachable(team: Team, status: str, *words: str, name: str = SECOND) -> Json:
    """Wait until a cluster's condition Reachable has this status and these words; give it."""

    def told(clusters: Objects) -> Json:
        conditions = clusters.get(name, {}).get("status", {}).get("conditions", ())
        return next((each for each in conditions if each["type"] == "Reachable"), {})

    def holds(clusters: Objects) -> bool:
        found = told(clusters)
        return found.get("status") == status and all(word in found["message"] for word in words)

    found = await wait_until(team.session, CLUSTERS, holds)
    return told(found)


def without_second_message(status: Json, team: Team) -> Json:
    """A status without what may change while the second cluster is silent."""
    entry(status, team.second).pop("message", None)
    return {key: value for key, value in status.items() if key != "warmlog"}


async def test_a_cluster_that_does_not_answer_keeps_what_it_had(
    team: Team, second_control_plane: ControlPlane, staging: ControllerProcess
) -> None:
    """Only `Reachable` and the message of its entries change, the other cluster goes on, and once
    it answers again all is as before, without a restart. [C80]
    """
    await staged(team, NAME, *team.sites)
    before = await team.until(NAME, lambda cache: cache["status"]["summary"]["ready"] == "2/2")
    epoch = (await staging.readiness())["epoch"]
    second_control_plane.stop_api_server()
    try:
        await until_reachable(team, "False", "refused")
        silent = await team.until(
            NAME, lambda cache: bool(entry(cache["status"], team.second).get("message"))
        )
        said = entry(silent["status"], team.second)
        assert (said["phase"], said["mount"]) == ("Ready", team.mount(NAME))
        assert "refused" in said["message"]
        assert without_second_message(silent["status"], team) == without_second_message(
            before["status"], team
        )
        await staged(team, "other", team.home)
    finally:
        second_control_plane.start_api_server()
    await until_reachable(team, "True")
    after = await team.until(
        NAME, lambda cache: not entry(cache["status"], team.second).get("message")
    )
    assert without_second_message(after["status"], team) == without_second_message(
        before["status"], team
    )
    assert (await staging.readiness())["epoch"] == epoch
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))
    shown = json.loads(
        run_warmlog("replay", staging.log, "--object", f"InferenceCluster/{SECOND}", "-o", "json")
    )
    assert shown["conditions"] == [await until_reachable(team, "True")]


async def test_a_cluster_that_hangs_delays_nobody(
    team: Team, second_control_plane: ControlPlane
) -> None:
    """While an API server takes connections and never answers, models are staged elsewhere as ever,
    and what is staged there stays. [C80]
    """
    await staged(team, NAME, team.second)
    await team.stage("other")
    process = second_control_plane.process_id("kube-apiserver")
    os.kill(process, signal.SIGSTOP)
    try:
        await staged(team, "other", team.home)
        hung = await team.read(NAME)
    finally:
        os.kill(process, signal.SIGCONT)
    said = entry(hung["status"], team.second)
    assert (said["phase"], said["mount"]) == ("Ready", team.mount(NAME))
    await staged(team, "other", team.second)


async def test_a_kubeconfig_that_changes_is_used_at_once(
    team: Team,
    control_plane: ControlPlane,
    second_control_plane: ControlPlane,
    staging: ControllerProcess,
) -> None:
    """A wrong token and a missing Secret are told with the words of the cluster and the name of the
    Secret; a good kubeconfig heals, and what is staged stays. [C20]
    """
    await staged(team, NAME, team.second)
    secret = f"/api/v1/namespaces/cluster-secrets/secrets/{SECRET}"
    good, bad = (
        kubeconfig_secret(second_control_plane.kubeconfig_text(token))
        for token in (remote_token(second_control_plane), "not-a-token")
    )
    try:
        apply(control_plane, bad)
        await until_reachable(team, "False", "Unauthorized")
        await request(team.session, "DELETE", secret)
        await until_reachable(team, "False", SECRET)
        silent = await team.until_entry(NAME, team.second, "Ready", SECRET)
        assert silent["mount"] == team.mount(NAME)
    finally:
        apply(control_plane, good)
    await until_reachable(team, "True")
    await team.until(NAME, lambda cache: not entry(cache["status"], team.second).get("message"))
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))


async def test_one_cluster_under_two_names_is_staged_once(
    team: Team, control_plane: ControlPlane, staging: ControllerProcess
) -> None:
    """The entry of the younger name is Pending and names the older; it goes with its cluster."""
    await team.stage(NAME)
    existing: Json = {"secretRef": {"name": SECRET}, "cache": {"storageClassName": WAITING_CLASS}}
    twin = inference_cluster("twin", source="Existing", existing=existing)
    try:
        apply(control_plane, twin)
        await until_reachable(team, "True", name="twin")
        told = await team.until(NAME, lambda cache: len(cache["status"]["clusters"]) == 3)
        named = {each["name"]: each for each in told["status"]["clusters"]}
        assert named["twin"]["phase"] == "Pending"
        assert SECOND in named["twin"]["message"]
    finally:
        control_plane.kubectl("delete", "inferencecluster", "twin")
    await team.until(NAME, lambda cache: len(cache["status"]["clusters"]) == 2)


async def test_a_cluster_that_forgets_its_storage_class_keeps_what_is_staged(
    team: Team, staging: ControllerProcess
) -> None:
    """The claim, the phase and the mount stay; a new cache waits and says what is missing. [C20]"""
    await staged(team, NAME, team.second)
    before = await team.second.storage.read(team.claim(NAME))
    where = f"{CLUSTERS}/{SECOND}"
    without: Json = {"spec": {"cluster": {"existing": {"cache": None}}}}
    back: Json = {"spec": {"cluster": {"existing": {"cache": {"storageClassName": WAITING_CLASS}}}}}
    await request(team.session, "PATCH", where, without, MERGE_PATCH)
    try:
        await team.stage("new", sites=[team.second])
        await team.until_entry("new", team.second, "Pending", "modelplane-rwx")
    finally:
        await request(team.session, "PATCH", where, back, MERGE_PATCH)
    await team.until_entry("new", team.second, "Pending", team.claim("new"))
    assert await team.second.storage.read(team.claim(NAME)) == before
    cache = await team.read(NAME)
    assert entry(cache["status"], team.second) == {
        "name": SECOND, "phase": "Ready", "mount": team.mount(NAME),
    }  # fmt: skip
