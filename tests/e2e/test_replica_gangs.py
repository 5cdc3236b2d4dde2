"""Engines of several nodes, and the devices that engines claim, on real clusters."""

import time

import pytest

from machines.replicas.names import claim_template_name, workload_name
from tests.e2e import lws
from tests.e2e.caches import Site, Team, staged
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.e2e.replicas import (
    DEPLOYMENT,
    GANG,
    Fleet,
    engine,
    find,
    make_available,
    seen,
    settled,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("with_gangs", "second_with_gangs"),
]

A = "qwen"
NAME = "many"
WORKLOAD = workload_name(NAME, "main")
NOTICED_SECONDS = 30
COMPOSED = ("services", "resourceclaimtemplates", "leaderworkersets")


async def composed(site: Site, *kinds: str) -> list[str]:
    """The names of what is in the site's namespace of these kinds."""
    found = [
        each["metadata"]["name"]
        for kind in kinds
        for each in (await request(site.session, "GET", site.path(kind)))["items"]
    ]
    return sorted(found)


async def test_a_gang_is_composed_and_serves_once_it_is_available(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Leader and workers have the published mount and devices of their own; whether it serves is
    what the LeaderWorkerSet's status says.
    """
    site = team.second
    await staged(team, A, site)
    await fleet.create(NAME, site, engine(GANG, copies=2), cache=A)
    await fleet.until_told(NAME, "ModelReady", "False/ModelStarting", "main")
    await fleet.until_told(NAME, "ModelAccepted", "True/Accepted")
    body = await find(site, "leaderworkersets", WORKLOAD)
    assert body is not None
    assert body["spec"]["leaderWorkerTemplate"]["size"] == 2
    assert seen(body).replicas == 2
    assert seen(body).mounts == [team.mount(A)] * 2
    devices = [claim_template_name(NAME, "main", role) for role in ("leader", "worker")]
    assert await composed(site, "resourceclaimtemplates") == sorted(devices)
    assert {
        pod["spec"]["resourceClaims"][0]["resourceClaimTemplateName"]
        for pod in seen(body).templates.values()
    } == set(devices)
    await make_available(site, WORKLOAD)
    await fleet.until_told(NAME, "ModelReady", "True/Serving")
    await fleet.until_told(NAME, "Ready", "True/Available")
    await make_available(site, WORKLOAD, available=False)
    await fleet.until_told(NAME, "ModelReady", "False/ModelStarting", "main")
    await staging.wait_until_quiet()
    await fleet.assert_replays_agree(staging.log)


async def test_a_cluster_without_leaderworkersets_is_told_and_noticed_when_it_has_them(
    fleet: Fleet, team: Team, second_control_plane: ControlPlane
) -> None:
    """What is missing is named and nothing is composed by halves, other replicas are there as ever;
    installed later, it is noticed within 30 s.
    """
    site = team.second
    lws.uninstall(second_control_plane)
    try:
        # Its watch tells of it a little later: whoever comes in between may meet it halfway.
        await fleet.create("early", site, engine(GANG))
        await fleet.until_told("early", "Supported", "False/Unsupported")
        await fleet.delete("early")
        await fleet.until_gone("early")
        await fleet.create(NAME, site, engine(GANG), engine(name="small"))
        for kind in ("Supported", "ModelAccepted"):
            await fleet.until_told(NAME, kind, "False/Unsupported", "LeaderWorkerSet", site.name)
        await fleet.serve("one", site)
        assert await composed(site, "services", "deployments") == sorted(
            ["one", workload_name("one", "main")]
        )
        [told] = await fleet.until_events(NAME, 1)
        assert told.reason == "Unsupported"
    finally:
        installed = time.monotonic()
        lws.install(second_control_plane)
    await make_available(site, WORKLOAD)
    assert time.monotonic() - installed < NOTICED_SECONDS
    await fleet.until_told(NAME, "ModelReady", "True/Serving")
    await fleet.until_told(NAME, "Supported", "True/Supported")


@pytest.mark.parametrize("kind", [DEPLOYMENT, GANG])
async def test_devices_that_are_asked_for_otherwise_are_claimed_anew(
    fleet: Fleet, team: Team, staging: ControllerProcess, kind: str
) -> None:
    """A template of claims cannot be changed: it is made anew, and engines are not restarted."""
    site = team.second
    before = await fleet.serve(NAME, site, engine(kind))
    old = await requests(site)
    assert {count for _, count in old.values()} == {1}
    await fleet.change(NAME, engines=[engine(kind, gpus=2)])

    def holds(found: Objects) -> bool:
        now = counted(found)
        return now.keys() == old.keys() and all(count == 2 for _, count in now.values())

    where = site.path("resourceclaimtemplates")
    now = counted(await wait_until(site.session, where, holds))
    assert all(now[name][0] != old[name][0] for name in old)
    await fleet.until_told(NAME, "Ready", "True/Available")
    await staging.wait_until_quiet()
    assert await settled(site, kind, NAME) == before


async def requests(site: Site) -> dict[str, tuple[str, int]]:
    """Uid and count of each template of claims in the site's namespace."""
    path = site.path("resourceclaimtemplates")
    items = (await request(site.session, "GET", path))["items"]
    return counted({each["metadata"]["name"]: each for each in items})


def counted(found: Objects) -> dict[str, tuple[str, int]]:
    """Uid and count of each template of claims."""
    return {
        name: (body["metadata"]["uid"], _count(body["spec"]["spec"]))
        for name, body in found.items()
    }


def _count(spec: Json) -> int:
    [only] = spec["devices"]["requests"]
    return int(only["exactly"]["count"])
