"""What fails, is refused or is deleted on real clusters: told, tried again, and cleaned up."""

import asyncio
import json
import re
from collections.abc import Sequence
from datetime import datetime

import pytest

from machines import labels
from tests.e2e.caches import Site, Team, condition, entry, staged
from tests.e2e.conditions import rows
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, Objects, request, wait_until
from tests.e2e.joining import RETRY_SECONDS

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "qwen"
FULL = "OSError: [Errno 28] No space left on device"
ROLE = "warmlog-workloads"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


async def failed_at(team: Team, site: Site, words: str = FULL) -> Json:
    """Let the one attempt of a hydration fail with these last words; give the entry."""
    await site.allow_attempts(team.job(NAME), 1)
    await site.end(NAME, stages.FAILED, words)
    return await team.until_entry(NAME, site, "Failed", words)


async def test_a_failure_is_told_with_its_attempts_and_tried_again_when_it_says(
    team: Team, staging: ControllerProcess
) -> None:
    """Job, attempts and last words stay in the message once the Job is gone, also during the next
    try, which begins at the time that the message names. [C29] [C30] [S52]
    """
    site = team.second
    await site.add_nodes("hanging-gpu")
    await team.stage(NAME, sites=[site])
    await site.storage.bind_when_asked(team.claim(NAME))
    await site.allow_attempts(team.job(NAME), 2)
    first = await site.end(NAME, stages.FAILED, "a first error")
    await site.end(NAME, stages.FAILED, FULL)
    failed = await team.until_entry(NAME, site, "Failed", team.job(NAME), "2 attempts", FULL)
    await wait_until(site.session, site.path("jobs"), lambda found: not found)
    assert entry((await team.read(NAME))["status"], site) == failed
    [due] = TIME.findall(failed["message"])
    job_uid = first["metadata"]["ownerReferences"][0]["uid"]

    def is_new(jobs: Objects) -> bool:
        return any(job["metadata"]["uid"] != job_uid for job in jobs.values())

    jobs = await wait_until(site.session, site.path("jobs"), is_new)
    [job] = jobs.values()
    begun = datetime.fromisoformat(job["metadata"]["creationTimestamp"])
    late = (begun - datetime.fromisoformat(due)).total_seconds()
    assert 0 <= late <= 3
    await team.until_entry(NAME, site, "Hydrating", FULL)
    await site.end(NAME, stages.COMPLETED)
    ready = await team.until_entry(NAME, site, "Ready")
    assert "message" not in ready
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))


async def test_an_annotation_asks_for_a_try_at_once(team: Team) -> None:
    """`warmlog.dev/retry` begins the next try long before it is due."""
    site = team.home
    await site.add_nodes("hanging-gpu")
    await team.stage(NAME, sites=[site])
    await site.storage.bind_when_asked(team.claim(NAME))
    await failed_at(team, site)
    async with asyncio.timeout(RETRY_SECONDS / 2):
        await team.change(NAME, annotations={labels.RETRY: "now"})
        await team.until_entry(NAME, site, "Hydrating", FULL)


async def test_a_cache_in_use_stays_and_says_who_uses_it(
    team: Team, staging: ControllerProcess
) -> None:
    """Deleted while a Pod of somebody else mounts its claim, it keeps phase, mount and claim, and
    names the Pod; it goes once the Pod is gone. [C18]
    """
    site = team.second
    await staged(team, NAME, site)
    claimed = {"persistentVolumeClaim": {"claimName": team.claim(NAME)}}
    spec: Json = {
        "containers": [{"name": "engine", "image": "engine:v1"}],
        "volumes": [{"name": "model", **claimed}],
    }
    await request(
        site.session, "POST", site.path("pods"), {"metadata": {"name": "engine"}, "spec": spec}
    )
    await team.delete(NAME)
    kept = await team.until(
        NAME, lambda cache: "engine" in entry(cache["status"], site).get("message", "")
    )
    said = entry(kept["status"], site)
    assert (said["phase"], said["mount"]) == ("Ready", team.mount(NAME))
    assert condition(kept["status"], "Terminating") == ("True", "InUse")
    claim = await site.storage.read(team.claim(NAME))
    assert "deletionTimestamp" not in claim["metadata"]
    await request(site.session, "DELETE", f"{site.path('pods')}/engine")
    await team.until_gone(NAME, seconds=90)
    await site.storage.until_gone(team.claim(NAME))
    await staging.wait_until_quiet()


# Every right to write that staging a gated model needs, in the order in which it is missed.
MISSED = (
    ("namespaces", "create"),
    ("persistentvolumeclaims", "create"),
    ("secrets", "create"),
    ("jobs", "create"),
)
MISSED_LATER = (("persistentvolumeclaims", "patch"), ("jobs", "delete"), ("secrets", "delete"))


async def test_a_missing_right_is_named_and_waited_for(
    team: Team, second_control_plane: ControlPlane, staging: ControllerProcess
) -> None:
    """Without any right to write, each is named until it is given, one after the other; a deleted
    cache stays for as long as its claim may not be deleted, and says so. [S25]
    """
    site, granted = team.second, Rights(second_control_plane)
    deletion = ("persistentvolumeclaims", "delete")
    await site.add_nodes("hanging-gpu")
    await team.put_secret("hub", HF_TOKEN="a token of nobody")
    missing = [*MISSED, *MISSED_LATER, deletion]
    try:
        granted.without(missing)
        await team.stage(NAME, sites=[site], secret="hub")
        for resource, verb in MISSED:
            await team.until_entry(NAME, site, "Pending", resource, f"cannot {verb}")
            missing.remove((resource, verb))
            granted.without(missing)
        await site.storage.bind_when_asked(team.claim(NAME))
        await site.end(NAME, stages.COMPLETED)
        await team.until_entry(NAME, site, "Hydrating", "persistentvolumeclaims", "cannot patch")
        granted.without([*MISSED_LATER[1:], deletion])
        await team.until_entry(NAME, site, "Ready")
        granted.without([deletion])
        await wait_until(site.session, site.path("jobs"), lambda found: not found)
        await team.delete(NAME)
        await team.until(NAME, lambda cache: "cannot delete" in json.dumps(cache["status"]))
        assert "deletionTimestamp" not in (await site.storage.read(team.claim(NAME)))["metadata"]
    finally:
        granted.without([])
    await team.until_gone(NAME, seconds=90)
    await site.storage.until_gone(team.claim(NAME))
    await staging.wait_until_quiet()


class Rights:
    """What the controller may do on another cluster."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """Note the role as it is."""
        self._kubectl = control_plane.kubectl
        self._role = json.loads(self._kubectl("get", "clusterrole", ROLE, "-o", "json"))

    def without(self, missing: Sequence[tuple[str, str]]) -> None:
        """Take verbs of resources off the role, and give it all others."""
        rules = json.loads(json.dumps(self._role["rules"]))
        for rule in rules:
            for resource, verb in missing:
                if resource in rule["resources"]:
                    rule["verbs"].remove(verb)
        change = json.dumps({"rules": rules})
        self._kubectl("patch", "clusterrole", ROLE, "--type=merge", "-p", change)


async def test_what_happens_while_the_controller_is_away_counts(
    team: Team, staging: ControllerProcess
) -> None:
    """A download that ended meanwhile makes its entry Ready without a second Job; a claim that was
    deleted meanwhile is not Ready any more. [S58] [S73]
    """
    home, second = team.sites
    await team.stage(NAME)
    await staged(team, NAME, second)
    await home.add_nodes("hanging-home")
    await home.storage.bind_when_asked(team.claim(NAME))
    await team.until_entry(NAME, home, "Hydrating")
    pod = await home.until_pod(NAME, lambda pod: pod["status"].get("phase") == "Running")
    assert staging.stop() == 0
    await home.end(NAME, stages.COMPLETED)
    await request(second.session, "DELETE", f"{second.storage.claims}/{team.claim(NAME)}")
    await second.storage.until_gone(team.claim(NAME))
    staging.start()
    await team.until_entry(NAME, home, "Ready")
    lost = await team.until_entry(NAME, second, "Pending")
    assert "mount" not in lost
    await second.storage.bind_when_asked(team.claim(NAME))
    await second.end(NAME, stages.COMPLETED)
    await team.until_entry(NAME, second, "Ready")
    await staging.wait_until_quiet()
    uids = {
        row["subject"].rpartition("/")[2]
        for row in rows(staging.log)
        if row["type"] == "HydrationJobSeen"
        and row["cluster"] == "local"
        and f"/{team.job(NAME)}/" in row["subject"]
    }
    assert uids == {pod["metadata"]["ownerReferences"][0]["uid"]}
    assert_replay_agrees(staging.log, await team.read(NAME))


async def test_objects_may_go_in_any_order(team: Team, staging: ControllerProcess) -> None:
    """A claim deleted under a Ready cache withdraws the mount and is staged anew, for the new claim
    has another uid; a Job deleted while it runs comes again. [S28] [S34] [S73]
    """
    site = team.second
    await staged(team, NAME, site)
    old = await site.storage.read(team.claim(NAME))
    await request(site.session, "DELETE", f"{site.storage.claims}/{team.claim(NAME)}")
    await team.until_entry(NAME, site, "Pending", team.claim(NAME))

    def is_new(claim: Json) -> bool:
        return bool(claim["metadata"]["uid"] != old["metadata"]["uid"])

    await site.storage.until(team.claim(NAME), is_new)
    await site.storage.bind(team.claim(NAME))
    assert "mount" not in await team.until_entry(NAME, site, "Hydrating")
    running = await site.until_pod(NAME, lambda pod: pod["status"].get("phase") == "Running")
    job_uid = running["metadata"]["ownerReferences"][0]["uid"]
    background: Json = {"propagationPolicy": "Background"}
    await request(site.session, "DELETE", f"{site.path('jobs')}/{team.job(NAME)}", background)
    await site.until_pod(NAME, lambda pod: pod["metadata"]["ownerReferences"][0]["uid"] != job_uid)
    await site.end(NAME, stages.COMPLETED)
    await team.until_entry(NAME, site, "Ready")
    await staging.wait_until_quiet()
    assert_replay_agrees(staging.log, await team.read(NAME))


async def test_a_cache_goes_while_it_is_staged_with_all_that_it_had(team: Team) -> None:
    """Deleted while it hydrates here and waits for its claim there, it leaves nothing; and a whole
    namespace goes with its caches. [C34]
    """
    for site in team.sites:
        await site.add_nodes(f"hanging-{site.name}")
    await team.stage(NAME)
    await team.home.storage.bind_when_asked(team.claim(NAME))
    await team.until_entry(NAME, team.home, "Hydrating")
    await team.until_entry(NAME, team.second, "Pending", team.claim(NAME))
    await request(team.session, "DELETE", f"/api/v1/namespaces/{team.namespace}")
    await team.until_gone(NAME)
    for site in team.sites:
        await site.storage.until_gone(team.claim(NAME))
        await wait_until(site.session, site.path("jobs"), lambda found: not found)
        await wait_until(site.session, site.path("pods"), lambda found: not found)
