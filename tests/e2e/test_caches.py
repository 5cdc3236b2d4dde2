"""A model is staged on two real clusters: what the status says at each step, and what is left."""

import re
import time

import pytest

from machines import labels
from tests.e2e.caches import REPO, Site, Team, condition, entry, path
from tests.e2e.conditions import rows
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, run_warmlog
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.e2e.joining import HEAL_SECONDS
from tests.e2e.storage import selected_node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "qwen"


def columns(control_plane: ControlPlane, team: Team) -> list[str]:
    """What `kubectl get` shows of the team's one ModelCache, its age left out."""
    header, row = control_plane.kubectl("get", "mc", "-n", team.namespace).splitlines()
    assert header.split() == ["NAME", "SOURCE", "READY", "AGE"]
    return re.split(r"\s{2,}", row)[:-1]


async def until_placed(team: Team, site: Site) -> Json:
    """Wait until the scheduler has chosen a node for the claim and the status says which."""
    name = team.claim(NAME)
    claim = await site.storage.until(name, lambda claim: bool(selected_node(claim)))
    return await team.until_entry(NAME, site, "Pending", name, str(selected_node(claim)))


async def stage_at(team: Team, site: Site) -> Json:
    """Let the claim bind and the download end well; give the entry, which is Ready then."""
    await site.storage.bind(team.claim(NAME))
    hydrating = await team.until_entry(NAME, site, "Hydrating", REPO, "v1.5", team.claim(NAME))
    assert "mount" not in hydrating
    await site.end(NAME, stages.COMPLETED)
    return await team.until_entry(NAME, site, "Ready")


async def test_a_cache_is_staged_on_both_clusters_and_published_where_it_is_ready(
    team: Team, control_plane: ControlPlane, staging: ControllerProcess
) -> None:
    """Pending, Hydrating and Ready are told with their claim, node, repository and revision; the
    mount is there once the entry is Ready, and every transient object is gone.
    """
    for site in team.sites:
        await site.add_nodes(f"hanging-{site.name}")
    await team.stage(NAME, revision="v1.5")
    for site in team.sites:
        assert "mount" not in await until_placed(team, site)
    assert columns(control_plane, team) == [NAME, REPO, "0/2"]
    assert await stage_at(team, team.home) == {
        "name": team.home.name, "phase": "Ready", "mount": team.mount(NAME),
    }  # fmt: skip
    partly = await team.until(NAME, lambda cache: cache["status"]["summary"]["ready"] == "1/2")
    assert entry(partly["status"], team.second)["phase"] == "Pending"
    assert condition(partly["status"], "ArtifactReady") == ("False", "Partial")
    await stage_at(team, team.second)
    waiting = ("wait", f"mc/{NAME}", "-n", team.namespace, "--for=condition=Ready")
    assert "condition met" in control_plane.kubectl(*waiting, "--timeout=30s")
    assert columns(control_plane, team) == [NAME, REPO, "2/2"]
    for site in team.sites:
        await assert_only_claim_is_left(team, site)
    await staging.wait_until_quiet()
    cache = await request(team.session, "GET", f"{team.caches}/{NAME}")
    assert condition(cache["status"], "ArtifactReady") == ("True", "Staged")
    assert_replay_agrees(staging.log, cache)
    assert_told_in_order(staging.log, team)


async def assert_only_claim_is_left(team: Team, site: Site) -> None:
    """The Job and its Pod are gone, and the claim says that it was hydrated."""
    await wait_until(site.session, site.path("jobs"), lambda found: not found)
    await wait_until(site.session, site.path("pods"), lambda found: not found)
    claim = await site.storage.read(team.claim(NAME))
    latch = claim["metadata"]["annotations"][labels.HYDRATED]
    assert latch.startswith(claim["metadata"]["uid"] + "/")


def assert_told_in_order(log: str, team: Team) -> None:
    """The log has the story of each cluster, and each of their objects in order of versions."""
    name = team.claim(NAME)
    versions: dict[str, list[int]] = {}
    for row in rows(log):
        if row["type"] == "PersistentVolumeClaimSeen" and f"/{name}/" in row["subject"]:
            versions.setdefault(row["cluster"], []).append(int(row["data"]["version"]))
    assert len(versions) == 2
    assert all(told == sorted(set(told)) for told in versions.values())


async def test_a_claim_whose_chosen_node_is_gone_finds_another(
    team: Team, staging: ControllerProcess
) -> None:
    """The message names claim and node, says within 5 s that the node is gone, and the claim is
    freed `healSeconds` later; a volume then makes the entry Ready. [C2] [C3]
    """
    site, claim = team.second, team.claim(NAME)
    await site.add_nodes("hanging-first")
    await team.stage(NAME, sites=[site], revision="v1.5")
    placed = await until_placed(team, site)
    assert "hanging-first" in placed["message"]
    await delete_nodes(site.session, ["hanging-first"])
    gone = time.monotonic()
    await team.until_entry(NAME, site, "Pending", claim, "hanging-first", "gone", seconds=5)
    assert time.monotonic() - gone < 5
    explained = run_warmlog("explain", f"modelcache/{team.namespace}/{NAME}", "--log", staging.log)
    assert claim in explained
    assert "hanging-first" in explained
    await site.add_nodes("hanging-second")
    found = await site.storage.until(
        claim, lambda found: selected_node(found) == "hanging-second", seconds=HEAL_SECONDS + 15
    )
    assert time.monotonic() - gone > HEAL_SECONDS
    await team.until_entry(NAME, site, "Pending", claim, "hanging-second")
    assert (await stage_at(team, site))["mount"] == team.mount(NAME)
    assert (await site.storage.read(claim))["metadata"]["uid"] == found["metadata"]["uid"]
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))
    told = await told_events(team)
    assert len(told) == len(set(told))
    assert {"Staging", "SelectedNodeGone", "ClaimHealed", "Staged"} <= {
        reason for reason, _ in told
    }


async def told_events(team: Team) -> list[tuple[str, str]]:
    """The reason and note of each Event about the ModelCache, in order."""
    events = (await request(team.session, "GET", path(team.namespace, "events")))["items"]
    about = [each for each in events if each["involvedObject"]["name"] == NAME]
    about.sort(key=lambda each: each["eventTime"] or "")
    return [(each["reason"], each["message"]) for each in about]
