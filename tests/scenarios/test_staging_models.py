"""ModelCaches on simulated clusters, with the whole controller."""

from tests.running.clusters import CACHE, entries, home_world, phases, serve
from tests.running.living import check, living
from tests.running.virtual import in_world


def test_a_model_is_staged_at_home() -> None:
    """A cache goes to Ready on the cluster that warmlog runs in, and its mount is published."""
    world = home_world("n1")
    serve(world, "home")
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phases(world) == {"home": "Ready"}, seconds=120)
            assert entries(world)["home"]["mount"]["volumes"]
            await life.until(lambda: not life.unsent and not life.state.open)
            assert world.listed("Job") == []
            await check(life)

    in_world(world, story)
