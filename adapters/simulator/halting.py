"""Standing still: a request that is under way until whoever drives its sender goes on.

Nothing in the simulator waits for an event loop. A coroutine that meets a `Halt` gives it to
whoever runs it step by step, who may do other things first: let another controller live, for one.
"""

from collections.abc import Generator


class Halt:
    """Awaited, it gives the turn to whoever drives, once."""

    def __await__(self) -> Generator["Halt", None, None]:
        """Stand still."""
        yield self


class HaltingTimer:
    """The timer of whoever waits for something that time alone does not bring."""

    def monotonic(self) -> float:
        """No time passes."""
        return 0.0

    async def sleep(self, seconds: float) -> None:
        """Stand still, however long."""
        del seconds
        await Halt()
