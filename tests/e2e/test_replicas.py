"""A ModelReplica from its creation to its end, on the cluster that warmlog runs in itself."""

import pytest

from machines import labels
from tests.e2e.caches import Site, Team, entry
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.watching import request, wait_until
from tests.e2e.replicas import Fleet, condition

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CACHE, NAME = "qwen", "chat"
COMPOSED = ("deployments", "services", "resourceclaimtemplates")


async def test_engines_wait_for_their_cache_run_with_its_mount_and_leave(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Nothing is composed while the claim is Pending or filled, and the entry's words are told;
    then there is what mounts exactly what is published, and with the replica all of it goes.
    """
    home = team.home
    await home.add_nodes("hanging-home")
    await fleet.create(NAME, home, cache=CACHE)
    await fleet.until_told(NAME, "ModelAccepted", "False/WaitingForCache", CACHE)
    await team.stage(CACHE, sites=[home])
    await team.until_entry(CACHE, home, "Pending", team.claim(CACHE))
    await assert_entry_is_quoted(team, fleet, staging)
    await home.storage.bind_when_asked(team.claim(CACHE))
    await team.until_entry(CACHE, home, "Hydrating")
    await assert_entry_is_quoted(team, fleet, staging)
    assert await composed(home) == dict.fromkeys(COMPOSED, 0)
    await home.end(CACHE, stages.COMPLETED)
    published = (await team.until_entry(CACHE, home, "Ready"))["mount"]
    workload = await fleet.served(NAME, home)
    assert workload.mounts == [published]
    await fleet.until_told(NAME, "Ready", "True/Available")
    await staging.wait_until_quiet()
    serving = await fleet.read(NAME)
    assert serving["status"]["mount"] == published
    assert labels.REPLICA_WORKLOADS in serving["metadata"]["finalizers"]
    assert_replay_agrees(staging.log, serving)
    await fleet.delete(NAME)
    await fleet.until_gone(NAME)
    for kind in COMPOSED:
        await wait_until(home.session, home.path(kind), lambda found: not found)


async def assert_entry_is_quoted(team: Team, fleet: Fleet, staging: ControllerProcess) -> None:
    """The replica waits in the very words of its cache's entry, whatever they are by now."""
    await staging.wait_until_quiet()
    message = entry((await team.read(CACHE))["status"], team.home)["message"]
    said = condition((await fleet.read(NAME))["status"], "ModelAccepted")
    assert (said["reason"], said["message"]) == ("WaitingForCache", message)


async def composed(site: Site) -> dict[str, int]:
    """How many objects of each kind there are in a team's namespace."""
    counted = {}
    for kind in COMPOSED:
        counted[kind] = len((await request(site.session, "GET", site.path(kind)))["items"])
    return counted
