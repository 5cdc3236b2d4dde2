"""How soon engines are made once their cache is there, as the test's own watches see it."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import pytest

from machines.replicas.names import workload_name
from tests.e2e.caches import Site, Team, entry
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.watching import Json, Objects, follow, request, wait_until
from tests.e2e.replicas import Fleet, condition, is_told, seen

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

RUNS = 20
LONGEST_SECONDS = 1.0
COMPOSED = ("deployments", "services", "resourceclaimtemplates")


class Sightings:
    """When a watch first saw something of each object, on the monotonic clock."""

    def __init__(self, site: Site, kind: str, holds: Callable[[Json], bool]) -> None:
        """Look at one collection of a site's namespace."""
        self._site = site
        self._kind = kind
        self._holds = holds
        self._at: dict[str, float] = {}
        self._news = asyncio.Condition()

    async def watch(self) -> None:
        """Look until cancelled."""
        objects: dict[str, Json] = {}
        where = self._site.path(self._kind)
        async with aclosing(follow(self._site.session, where, objects)) as changes:
            async for names in changes:
                now = time.monotonic()
                for name in names:
                    if name in objects and self._holds(objects[name]):
                        self._at.setdefault(name, now)
                async with self._news:
                    self._news.notify_all()

    async def of(self, name: str) -> float:
        """Wait until it was seen of an object; give when."""
        async with asyncio.timeout(30), self._news:
            await self._news.wait_for(lambda: name in self._at)
        return self._at[name]


@asynccontextmanager
async def watching(*sightings: Sightings) -> AsyncIterator[None]:
    """Look at all of these while the context lasts."""
    tasks = [asyncio.create_task(each.watch()) for each in sightings]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def is_complete(job: Json) -> bool:
    """Say whether a Job has come to a good end."""
    return is_told(condition(job.get("status", {}), "Complete"), "True/CompletionsReached")


async def until_phase(team: Team, fleet: Fleet, staging: ControllerProcess, phase: str) -> None:
    """Wait until every entry has a phase; each replica says what its entry says, word for word,
    and nothing at all is composed.
    """
    site = team.second

    def holds(caches: Objects) -> bool:
        entries = [entry(cache.get("status", {}), site) for cache in caches.values()]
        return len(entries) == RUNS and all(each.get("phase") == phase for each in entries)

    await wait_until(team.session, team.caches, holds)
    await staging.wait_until_quiet()
    caches = (await request(team.session, "GET", team.caches))["items"]
    said = {each["metadata"]["name"]: entry(each["status"], site)["message"] for each in caches}
    for replica in (await request(team.session, "GET", fleet.replicas))["items"]:
        accepted = condition(replica["status"], "ModelAccepted")
        assert is_told(accepted, "False/WaitingForCache")
        assert accepted["message"] == said[replica["metadata"]["name"]]
        assert is_told(condition(replica["status"], "ModelReady"), "False/WaitingForModel")
    for name, message in said.items():
        assert team.claim(name) in message
    for kind in COMPOSED:
        assert (await request(site.session, "GET", site.path(kind)))["items"] == []


async def test_engines_are_made_within_a_second_of_the_end_of_the_download(
    fleet: Fleet, team: Team, staging: ControllerProcess
) -> None:
    """Replicas that are created with their caches compose nothing while claims are Pending or
    filled; each Deployment follows its Job's Complete within a second (p95 of 20), and mounts
    exactly what is published.
    """
    site = team.second
    names = [f"model-{number:02}" for number in range(RUNS)]
    for name in names:
        await fleet.create(name, site, cache=name)
        await team.stage(name, sites=[site])
    await until_phase(team, fleet, staging, "Pending")
    for name in names:
        await site.storage.bind(team.claim(name))
    await until_phase(team, fleet, staging, "Hydrating")
    jobs, made = Sightings(site, "jobs", is_complete), Sightings(site, "deployments", bool)
    lags = []
    async with watching(jobs, made):
        for name in names:
            await site.end(name, stages.COMPLETED)
            lag = await made.of(workload_name(name, "main")) - await jobs.of(team.job(name))
            assert lag > 0
            lags.append(lag)
    await staging.wait_until_quiet()
    await assert_mounted(team, site)
    print("seconds from Complete to Deployment:", *(f"{lag:.3f}" for lag in sorted(lags)))
    assert sorted(lags)[math.ceil(RUNS * 0.95) - 1] < LONGEST_SECONDS, sorted(lags)


async def assert_mounted(team: Team, site: Site) -> None:
    """Every Deployment mounts exactly what its cache's entry publishes."""
    found = (await request(site.session, "GET", site.path("deployments")))["items"]
    mounts = {each["metadata"]["name"]: seen(each).mounts for each in found}
    caches = (await request(team.session, "GET", team.caches))["items"]
    assert len(caches) == RUNS
    for cache in caches:
        published = entry(cache["status"], site)["mount"]
        assert published
        assert mounts[workload_name(cache["metadata"]["name"], "main")] == [published]
