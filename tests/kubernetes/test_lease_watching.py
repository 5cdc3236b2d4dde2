"""Whether somebody else's Lease is still renewed, found out without touching it."""

from collections.abc import Callable

import pytest

from adapters.kubernetes.lease_watching import is_renewed, see_lease
from adapters.simulator.answers import failure
from adapters.simulator.faults import every
from adapters.simulator.resources import LEASE
from adapters.simulator.worlds import World
from tests.kubernetes.fakes import ManualTimer

PLACE = ("warmlog-system", "warmlog")


class Renewing(ManualTimer):
    """Time in which something happens at each sleep."""

    def __init__(self, happen: Callable[[int], object]) -> None:
        """Tell `happen` how many sleeps there have been."""
        super().__init__()
        self._happen = happen

    async def sleep(self, seconds: float) -> None:
        """Let time pass, and the thing happen."""
        await super().sleep(seconds)
        self._happen(len(self.slept))


def held(world: World, holder: str = "other", *, renewed: int = 0) -> None:
    """Have somebody hold the Lease, or renew it."""
    if world.find("Namespace", "", PLACE[0]) is None:
        world.add_namespace(PLACE[0])
    spec = {
        "holderIdentity": holder,
        "leaseDurationSeconds": 7,
        "renewTime": f"2026-01-31T12:00:0{renewed}.000000Z",
    }
    metadata = {"namespace": PLACE[0], "name": PLACE[1]}
    named = {"apiVersion": LEASE.api_version, "kind": LEASE.kind}
    world.apply({**named, "metadata": metadata, "spec": spec})


async def renewed(world: World, timer: ManualTimer) -> bool:
    """Whether it turns out to be renewed."""
    first = await see_lease(world.api, *PLACE, timeout_seconds=1)
    return await is_renewed(world.api, first, timer, timeout_seconds=1)


async def test_a_lease_is_seen_as_it_is() -> None:
    """Holder, duration and time of renewal are what the Lease says; where there is none, nobody."""
    world = World(1)
    absent = await see_lease(world.api, *PLACE, timeout_seconds=1)
    assert (absent.holder, absent.trouble, absent.place) == ("", "", "warmlog-system/warmlog")
    held(world)
    seen = await see_lease(world.api, *PLACE, timeout_seconds=1)
    assert (seen.holder, seen.duration) == ("other", 7)
    assert seen.renewed == "2026-01-31T12:00:00.000000Z"


async def test_one_that_never_moves_is_nobodys() -> None:
    """A holder that ended without a word is known for it after the Lease's own duration."""
    world, timer = World(1), ManualTimer()
    held(world)
    assert not await renewed(world, timer)
    assert timer.now == 7


@pytest.mark.parametrize(("holder", "expected"), [("other", True), ("", False), ("third", True)])
async def test_one_that_moves_has_whom_it_names(holder: str, *, expected: bool) -> None:
    """A renewal means that somebody runs; a Lease that is given back, that nobody does."""
    world = World(1)
    held(world)
    timer = Renewing(lambda sleeps: held(world, holder, renewed=1) if sleeps == 3 else None)
    assert await renewed(world, timer) is expected
    assert timer.now == 3


async def test_a_look_that_fails_tells_nothing() -> None:
    """A refusal in between is neither a renewal nor an end: it is looked again."""
    world, timer = World(1), ManualTimer()
    held(world)
    fault = failure(500, "InternalError", "etcdserver: request timed out")
    world.api.faults.add(every("GET", "/leases/"), fault, skipped=1, times=3)
    assert not await renewed(world, timer)
    assert timer.now == 7
