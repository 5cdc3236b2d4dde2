"""Virtual time for asyncio: a loop whose clock is a simulated cluster's, and never a wall's.

Whenever every task waits, time goes on to whatever is due next, in the loop or in the cluster. So
a test that sleeps a minute takes no time, and what happens in it is the same at each run.
"""

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, TypeVar

from adapters.simulator.clock import SECOND
from adapters.simulator.worlds import World

Result = TypeVar("Result")


class _Selector(selectors.SelectSelector):
    """Passes time on instead of waiting."""

    def __init__(self, worlds: Sequence[World]) -> None:
        super().__init__()
        self._worlds = worlds

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Give what is ready; if nothing is, it is later now."""
        ready = super().select(0)
        if ready or (timeout is not None and timeout <= 0):
            return ready
        now = self._worlds[0].cluster.now
        times = [world.cluster.next_at() for world in self._worlds]
        if timeout is not None:
            times.append(now + max(int(timeout * SECOND), 1))
        due = min((time for time in times if time is not None), default=None)
        if due is None:
            raise RuntimeError("every task waits, and nothing will ever happen")
        for world in self._worlds:
            world.cluster.advance(max(due, now))
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on the clock of `world`, which the others share."""

    def __init__(self, world: World, others: Sequence[World] = ()) -> None:
        """Begin when it is in the world."""
        super().__init__(_Selector((world, *others)))
        self._world = world
        self._begun = world.cluster.now

    def time(self) -> float:
        """Give virtual seconds since the loop was made."""
        return (self._world.cluster.now - self._begun) / SECOND


class LoopTimer:
    """The port to time, on the running loop."""

    def monotonic(self) -> float:
        """Give the loop's seconds."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait that long."""
        await asyncio.sleep(seconds)


def in_world(
    world: World, work: Callable[[], Coroutine[Any, Any, Result]], others: Sequence[World] = ()
) -> Result:
    """Run `work` to its end on the clock of the worlds; a task that is left over is a failure."""
    for other in others:
        other.cluster.advance(world.cluster.now)

    async def watched() -> Result:
        result = await work()
        await asyncio.sleep(0)
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, f"left running: {left}"
        return result

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(world, others)) as runner:
        return runner.run(watched())
