"""How many copies there are, and workloads that Modelplane composed: nothing is taken from anybody.

For a Deployment and a LeaderWorkerSet beside each other.
"""

import pytest

from machines import labels
from machines.replicas import bodies
from machines.replicas.mounts import Mount, read_mount
from machines.replicas.names import ReplicaNames, workload_name
from machines.replicas.specs import parse_replica
from tests.e2e.caches import MERGE_PATCH, Site, Team, staged
from tests.e2e.composing import PROVIDER
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.e2e.replicas import (
    BOTH,
    COLLECTIONS,
    Fleet,
    engine,
    make_available,
    settled,
)

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("with_gangs", "second_with_gangs"),
]

A = "qwen"
AUTOSCALER = "kube-controller-manager"
PARTS = {"Service": "services", "ResourceClaimTemplate": "resourceclaimtemplates"}


async def scale(site: Site, replica: str, copies: int) -> None:
    """Scale a replica's workload as an autoscaler does."""
    where = f"{site.path(COLLECTIONS[BOTH[replica]])}/{workload_name(replica, 'main')}/scale"
    query = f"?fieldManager={AUTOSCALER}"
    await request(site.session, "PATCH", where + query, {"spec": {"replicas": copies}}, MERGE_PATCH)


async def until_copies(site: Site, replica: str, copies: int) -> None:
    """Wait until a replica's workload is to have so many copies."""
    name = workload_name(replica, "main")

    def holds(found: Objects) -> bool:
        return bool(found[name]["spec"]["replicas"] == copies)

    where = site.path(COLLECTIONS[BOTH[replica]])
    await wait_until(site.session, where, holds)


async def test_an_autoscaler_is_left_alone_until_copies_are_edited(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """What it scaled to stays when another image is applied; edited copies are followed; a restart
    changes nothing.
    """
    site = team.second
    before = await fleet.serve_both(site)
    for name in BOTH:
        await scale(site, name, 3)
    for name, kind in BOTH.items():
        await settled(site, kind, name)
        await fleet.change(name, engines=[engine(kind, image="engine:v2")])
        now = await settled(site, kind, name, rollouts=before[name].rollouts + 1, image="engine:v2")
        assert (now.uid, now.replicas) == (before[name].uid, 3)
        await fleet.change(name, engines=[engine(kind, image="engine:v2", copies=2)])
        await until_copies(site, name, 2)
        await scale(site, name, 4)
    await staging.wait_until_quiet()
    scaled = await fleet.both(site)
    assert {each.replicas for each in scaled.values()} == {4}
    versions = [await spec_versions(site, name) for name in BOTH]
    assert staging.stop() == 0
    staging.start()
    await staging.wait_until_quiet()
    assert await fleet.both(site) == scaled
    assert [await spec_versions(site, name) for name in BOTH] == versions
    await fleet.assert_replays_agree(staging.log)


async def spec_versions(site: Site, replica: str) -> tuple[int, object]:
    """What changes of a workload whenever its spec or what is ours on it does."""
    where = f"{site.path(COLLECTIONS[BOTH[replica]])}/{workload_name(replica, 'main')}"
    metadata = (await request(site.session, "GET", where))["metadata"]
    ours = [each for each in metadata["managedFields"] if each["manager"] == "warmlog"]
    return metadata["generation"], ours


@pytest.mark.parametrize("copies", [1, 3])
async def test_what_modelplane_composed_is_taken_over_without_a_rollout(
    fleet: Fleet, team: Team, staging: ControllerProcess, copies: int
) -> None:
    """Also what an autoscaler has scaled, and although the cache offers nothing here: the workloads
    bear our annotations then, and have the Pods, the mount and the number that they had.
    """
    site = team.second
    await staged(team, A, site)
    await team.select(A, team.home)
    mount = read_mount(team.mount(A))
    for name, kind in BOTH.items():
        await compose(site, team, name, kind, mount)
        if copies > 1:
            await scale(site, name, copies)
    await make_available(site, workload_name("many", "main"))
    before = await fleet.both(site)
    assert {each.replicas for each in before.values()} == {copies}
    for name, kind in BOTH.items():
        await fleet.create(name, site, engine(kind), cache=A)
    await fleet.until_both_told("ModelReady", "True/Serving")
    await fleet.until_both_told("Ready", "True/Available")
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "does not stage")
    await staging.wait_until_quiet()
    assert await fleet.both(site) == before
    for name in BOTH:
        status = (await fleet.read(name))["status"]
        assert (status["composed"], status["mount"]) == (True, team.mount(A))
        await assert_ours(site, name, (await fleet.read(name))["metadata"]["uid"])
    await fleet.assert_replays_agree(staging.log)


async def assert_ours(site: Site, replica: str, uid: str) -> None:
    """A workload bears whose it is, and Modelplane's provider owns nothing of it any more."""
    where = f"{site.path(COLLECTIONS[BOTH[replica]])}/{workload_name(replica, 'main')}"
    metadata = (await request(site.session, "GET", where))["metadata"]
    assert metadata["annotations"][labels.REPLICA_UID] == uid
    assert PROVIDER not in str(metadata["managedFields"])


async def compose(site: Site, team: Team, name: str, kind: str, mount: Mount) -> None:
    """Compose a replica as Modelplane's provider did, which put nothing of its own on objects."""
    names = ReplicaNames(team.namespace, name, "", site.namespace)
    parsed = parse_replica({"clusterName": site.name, "engines": [engine(kind)]})
    assert parsed.spec is not None, parsed.faults
    [only] = parsed.spec.engines
    made = [
        bodies.service(names),
        *bodies.claim_templates(names, only),
        bodies.workload(names, only, mount, dynamo=False, replicas=True),
    ]
    for body in made:
        plain: Json = {key: body["metadata"][key] for key in ("name", "namespace")}
        path = site.path({**PARTS, **COLLECTIONS}[body["kind"]])
        where = f"{path}?fieldManager={PROVIDER}&fieldValidation=Strict"
        await request(site.session, "POST", where, {**body, "metadata": plain})
