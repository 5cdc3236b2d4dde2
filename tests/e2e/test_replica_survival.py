"""A running replica goes on with an unchanged Pod template, whatever befalls what it needed once.

A Deployment and a LeaderWorkerSet beside each other, on a real second cluster.
"""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from adapters.kubernetes.field_ownership import FIELD_MANAGER
from adapters.ports import APPLY_PATCH
from machines import labels
from machines.replicas.names import workload_name
from tests.e2e.caches import Site, Team, staged
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, follow, request, wait_until
from tests.e2e.replicas import BOTH, COLLECTIONS, Fleet, Workload, condition, is_told
from tests.repository import ROOT

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(300),
    pytest.mark.usefixtures("with_gangs", "second_with_gangs"),
]

A = "qwen"
OUTAGE_SECONDS = 60
OLDER = "0" * 64  # digest of what an older version applied


@pytest_asyncio.fixture
async def before(fleet: Fleet, team: Team) -> AsyncIterator[dict[str, Workload]]:
    """Both workloads as they are once they serve with their cache."""
    await staged(team, A, team.second)
    yield await fleet.serve_both(team.second, A)


async def assert_goes_on(
    fleet: Fleet, staging: ControllerProcess, before: dict[str, Workload]
) -> None:
    """Nothing is left to be done, both serve, and their workloads and Pods are the same."""
    await fleet.until_both_told("ModelReady", "True/Serving")
    await fleet.until_both_told("Ready", "True/Available")
    await staging.wait_until_quiet()
    assert await fleet.both(fleet.team.second) == before
    await fleet.assert_replays_agree(staging.log)


async def test_what_befalls_its_cache(
    fleet: Fleet, team: Team, staging: ControllerProcess, before: dict[str, Workload]
) -> None:
    """Its cluster leaves the selector, its claim is Lost, its cache is Failed, its cache is
    deleted: one after the other, and each is told.
    """
    site, claim = team.second, team.claim(A)
    await team.select(A, team.home)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "does not stage")
    await assert_goes_on(fleet, staging, before)
    await team.select(A, site)
    await team.until_entry(A, site, "Ready")
    await site.storage.lose_volume(claim)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", claim, "ClaimLost")
    await assert_goes_on(fleet, staging, before)
    await site.storage.lose(claim)
    await site.storage.bind_when_asked(claim)
    await site.allow_attempts(team.job(A), 1)
    await site.end(A, stages.FAILED, "no space left")
    await team.until_entry(A, site, "Failed", "no space left")
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "no space left")
    assert await fleet.both(site) == before
    await team.delete(A)
    # The Pods that mount the claim are read a little later.
    await fleet.until_both_told(
        "ModelAccepted", "True/Accepted", "is being deleted", "Pod one-main"
    )
    await assert_goes_on(fleet, staging, before)


async def test_a_restart_with_an_empty_log(
    fleet: Fleet, team: Team, staging: ControllerProcess, before: dict[str, Workload]
) -> None:
    """What was kept is read off the workloads, although the cache offers nothing now."""
    await team.select(A, team.home)
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "does not stage")
    await staging.wait_until_quiet()
    told = await fleet.read("one")
    begin_log_anew(staging)
    await fleet.until("one", lambda now: now["warmlog"]["log"] != told["status"]["warmlog"]["log"])
    await assert_goes_on(fleet, staging, before)
    now = (await fleet.read("one"))["status"]
    assert (now["composed"], now["mount"]) == (True, team.mount(A))
    await fleet.until_both_told("ModelAccepted", "True/Accepted", "does not stage")


def begin_log_anew(staging: ControllerProcess) -> None:
    """Restart a controller with an empty log."""
    assert staging.stop() == 0
    for file in Path(staging.log).parent.glob(f"{Path(staging.log).name}*"):
        file.unlink()
    staging.start()


async def test_what_an_older_version_left(
    fleet: Fleet, team: Team, staging: ControllerProcess, before: dict[str, Workload]
) -> None:
    """What an older one applied, without our label and with more fields owned, is applied anew."""
    site = team.second
    await staging.wait_until_quiet()
    assert staging.stop() == 0
    digests = {}
    for name, kind in BOTH.items():
        where = f"{site.path(COLLECTIONS[kind])}/{workload_name(name, 'main')}"
        there = await request(site.session, "GET", where)
        digests[name] = there["metadata"]["annotations"][labels.APPLIED]
        query = f"?fieldManager={FIELD_MANAGER}&force=true"
        older = as_applied_before(there)
        left = await request(site.session, "PATCH", where + query, older, APPLY_PATCH)
        assert labels.SERVING not in left["metadata"].get("labels", {})
    assert await fleet.both(site) == before
    staging.start()
    for name, kind in BOTH.items():
        await until_applied(site, kind, workload_name(name, "main"), digests[name])
    await assert_goes_on(fleet, staging, before)


async def test_an_upgrade_of_the_controller(
    fleet: Fleet, team: Team, staging: ControllerProcess, tmp_path: Path
) -> None:
    """What another code composed, which marks objects otherwise, is marked anew, with the same log
    and the same Pods.
    """
    site = team.second
    assert staging.stop() == 0
    staging.start(older_code(tmp_path))
    try:
        before = await fleet.serve_both(site)
        await staging.wait_until_quiet()
        assert await marked(site) == [False, False]
        assert staging.stop() == 0
        staging.start()
        for kind in BOTH.values():
            where = site.path(COLLECTIONS[kind])
            await wait_until(site.session, where, lambda found: all(map(is_marked, found.values())))
        await fleet.until_both_told("Ready", "True/Available")
        await staging.wait_until_quiet()
        assert await fleet.both(site) == before
    finally:
        begin_log_anew(staging)  # what other code decided is not decided again by this one


def older_code(folder: Path) -> Path:
    """A copy of the code that puts no label onto what it composes; give where it is."""
    for name in ("engine", "machines", "adapters", "migrations"):
        shutil.copytree(ROOT / name, folder / name)
    file = folder / "machines" / "replicas" / "bodies.py"
    code = file.read_text()
    marking = 'metadata["labels"] = {labels.SERVING: names.name}'
    assert code.count(marking) == 1
    file.write_text(code.replace(marking, "pass"))
    return folder


async def marked(site: Site) -> list[bool]:
    """Whether each workload bears our label."""
    found = [
        each
        for kind in BOTH.values()
        for each in (await request(site.session, "GET", site.path(COLLECTIONS[kind])))["items"]
    ]
    return [is_marked(each) for each in found]


def is_marked(body: Json) -> bool:
    """Say whether an object bears our label."""
    return labels.SERVING in body["metadata"].get("labels", {})


def as_applied_before(there: Json) -> Json:
    """What an older version applied: every field that there is of a spec, and no label of ours."""
    metadata = there["metadata"]
    notes = {
        name: value
        for name, value in metadata["annotations"].items()
        if name.startswith("warmlog.dev/")
    }
    kept = {name: metadata[name] for name in ("name", "namespace")}
    marks = {"annotations": {**notes, labels.APPLIED: OLDER}}
    return {**{key: there[key] for key in ("apiVersion", "kind", "spec")}, "metadata": kept | marks}


async def until_applied(site: Site, kind: str, name: str, digest: str) -> None:
    """Wait until a workload bears our label, and this digest of what was applied last."""

    def holds(found: Objects) -> bool:
        notes = found[name]["metadata"]["annotations"]
        return is_marked(found[name]) and notes.get(labels.APPLIED) == digest

    where = site.path(COLLECTIONS[kind])
    await wait_until(site.session, where, holds)


async def test_an_api_server_that_is_down_for_a_minute(
    fleet: Fleet,
    team: Team,
    staging: ControllerProcess,
    second_control_plane: ControlPlane,
    before: dict[str, Workload],
) -> None:
    """The cluster that does not answer is told, all else of the status stays, and replicas are
    composed elsewhere; once it answers, nothing has changed.
    """
    began = time.monotonic()
    second_control_plane.stop_api_server()
    try:
        await fleet.until_both_told("Ready", "True/Available", "does not answer")
        await fleet.serve("near", team.home)
        await assert_serving(fleet, began + OUTAGE_SECONDS)
    finally:
        second_control_plane.start_api_server()
        second_control_plane.restart_clients()
    for name in BOTH:
        await fleet.until(name, lambda status: not condition(status, "Ready")["message"])
    await assert_goes_on(fleet, staging, before)


async def assert_serving(fleet: Fleet, until: float) -> None:
    """Until then, on the monotonic clock, nothing else is ever told of both replicas."""
    replicas: dict[str, Json] = {}
    async with aclosing(follow(fleet.team.session, fleet.replicas, replicas)) as changes:
        try:
            async with asyncio.timeout(until - time.monotonic()):
                async for _ in changes:
                    for name in BOTH:
                        status = replicas[name]["status"]
                        assert is_told(condition(status, "ModelAccepted"), "True/Accepted")
                        assert is_told(condition(status, "ModelReady"), "True/Serving")
        except TimeoutError:
            return
