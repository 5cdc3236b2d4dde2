"""Recovering caches: what is published outlives the log that published it."""

import asyncio

from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from adapters.store.memory_logs import MemoryLog
from tests.running.clusters import CACHE, entries, phases, settled, three_worlds
from tests.running.fakes import StubbornLog
from tests.running.living import check, living
from tests.running.virtual import in_world

BOTH = {"east": "Ready", "west": "Ready"}
LIST = "modelplane.ai/v1alpha1/inferenceclusters"


def test_a_new_log_withdraws_no_mount() -> None:
    """Mounts stay while a new log has not listed the clusters yet, and while none answers."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            await settled(life)
        published = {name: entry["mount"] for name, entry in entries(home).items()}
        for world in others.values():
            world.lose_api("no route to host")
        home.api.faults.add(every("GET", LIST), failure(503, "Busy", "too busy", {}), times=3)
        async with living(home, StubbornLog(MemoryLog("new")), others=others) as life:
            for _ in range(600):
                await asyncio.sleep(0.1)
                mounts = {name: entry.get("mount") for name, entry in entries(home).items()}
                assert mounts == published
            assert all("no route" in entry["message"] for entry in entries(home).values())
            await check(life)

    in_world(home, story, [*others.values()])


def test_an_older_log_withdraws_no_mount() -> None:
    """A restored log that ended before the model was staged keeps what was published since."""
    home, others = three_worlds()
    home.make_cache("default", CACHE)

    async def story() -> None:
        async with living(home, others=others) as life:
            await life.until(lambda: set(phases(home).values()) == {"Hydrating"}, seconds=120)
            older = list(life.log.rows)
            await life.until(lambda: phases(home) == BOTH, seconds=120)
            await settled(life)
        log = MemoryLog("log")
        log.rows = older
        for world in others.values():
            world.lose_api("no route to host")
        async with living(home, StubbornLog(log), others=others) as life:
            for _ in range(300):
                await asyncio.sleep(0.1)
                assert phases(home) == BOTH
            for world in others.values():
                world.regain_api()
            await life.until(lambda: all("message" not in one for one in entries(home).values()))
            assert phases(home) == BOTH
            await settled(life)

    in_world(home, story, [*others.values()])
