"""ModelReplicas on real clusters: engines wait for their cache, run with its mount, and leave."""

from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from machines import labels
from machines.replicas.names import workload_name
from tests.e2e.caches import Team, entry
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.e2e.engines import (
    Engines,
    add_engine_nodes,
    composed,
    condition,
    device_class,
    paths,
    remove_devices,
)
from tests.e2e.sightings import Sightings

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

CACHE, NAME = "qwen", "chat"
RUNS = 20


@pytest.fixture(scope="module")
def devices(control_plane: ControlPlane) -> Iterator[None]:
    """Devices may be claimed on the first cluster."""
    with device_class(control_plane):
        yield


@pytest_asyncio.fixture
async def engines(team: Team, devices: None) -> AsyncIterator[Engines]:
    """The ModelReplicas of one test's team; all of them are gone after it."""
    made = Engines(team)
    yield made
    await made.clear()
    await remove_devices(team.home)


async def test_engines_wait_for_their_cache_and_run_with_its_mount(
    team: Team, engines: Engines, staging: ControllerProcess
) -> None:
    """Nothing is composed while the claim is Pending or filled, and the entry's words are told;
    then there is what mounts exactly what is published, and with the replica all of it goes.
    """
    home = team.home
    await home.add_nodes("hanging-home")
    await add_engine_nodes(home, "engines")
    await engines.serve(NAME, home, CACHE)
    await engines.until_said(NAME, "ModelAccepted", "WaitingForCache", CACHE)
    await team.stage(CACHE, sites=[home])
    await team.until_entry(CACHE, home, "Pending", team.claim(CACHE))
    await assert_entry_is_quoted(team, engines, staging)
    await home.storage.bind_when_asked(team.claim(CACHE))
    await team.until_entry(CACHE, home, "Hydrating")
    await assert_entry_is_quoted(team, engines, staging)
    assert await composed(home) == {"Deployment": [], "Service": [], "ResourceClaimTemplate": []}
    await home.end(CACHE, stages.COMPLETED)
    made = await engines.until_workload(NAME, home)
    published = (await team.until_entry(CACHE, home, "Ready"))["mount"]
    assert_mounts(made, published)
    serving = await engines.until_said(NAME, "Ready", "Available")
    assert condition(serving, "ModelReady")[:2] == ("True", "Serving")
    assert serving["status"]["mount"] == published
    assert labels.REPLICA_WORKLOADS in serving["metadata"]["finalizers"]
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await read(team, engines))
    await engines.delete(NAME)
    await engines.until_gone(NAME)
    for path in paths(home).values():
        await wait_until(home.session, path, lambda found: not found)


async def test_engines_are_made_within_a_second_of_the_end_of_the_download(
    team: Team, engines: Engines
) -> None:
    """From a Job's being seen Complete to its replica's Deployment being seen, 20 times: 19 of
    them take less than a second. It wakes on the log, and waits for no timer.
    """
    home, names = team.home, [f"run-{index:02}" for index in range(RUNS)]
    await home.add_nodes("hanging-home")
    for name in names:
        await team.stage(name, sites=[home])
        await engines.serve(name, home, name)
    for name in names:
        await home.storage.bind_when_asked(team.claim(name))
        await team.until_entry(name, home, "Hydrating")
    ended, made = Sightings(_is_complete), Sightings(lambda _: True)
    async with (
        ended.of(home, home.path("jobs")),
        made.of(home, paths(home)["Deployment"]),
    ):
        for name in names:
            await home.end(name, stages.COMPLETED)
            await made.first(workload_name(name, "main"))
    seconds = sorted(
        made.times[workload_name(name, "main")] - ended.times[team.job(name)] for name in names
    )
    assert seconds[RUNS - 2] < 1, seconds


def _is_complete(job: Json) -> bool:
    conditions = job["status"].get("conditions", ())
    return any(each["type"] == "Complete" and each["status"] == "True" for each in conditions)


async def assert_entry_is_quoted(team: Team, engines: Engines, staging: ControllerProcess) -> None:
    """The replica waits in the very words of its cache's entry, whatever they are by now."""
    await staging.wait_until_quiet()
    message = entry((await team.read(CACHE))["status"], team.home)["message"]
    said = condition(await read(team, engines), "ModelAccepted")
    assert said == ("False", "WaitingForCache", message)


async def read(team: Team, engines: Engines) -> Json:
    """The replica as it is now."""
    return await request(team.session, "GET", f"{engines.path}/{NAME}")


def assert_mounts(workload: Json, mount: Json) -> None:
    """Every part of a published mount is in the Pod template, and it mounts no other claim."""
    assert workload["metadata"]["name"] == workload_name(NAME, "main")
    spec = workload["spec"]["template"]["spec"]
    [engine] = spec["containers"]
    claims = [each for each in spec["volumes"] if "persistentVolumeClaim" in each]
    assert claims == mount["volumes"]
    assert [each for each in engine["volumeMounts"] if each["name"] != "dshm"] == mount[
        "volumeMounts"
    ]
    assert all(variable in engine["env"] for variable in mount["env"])
