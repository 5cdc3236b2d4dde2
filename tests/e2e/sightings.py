"""Sightings: the instants at which a test sees what happens to objects, by watches of its own."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

from tests.e2e.caches import PATIENCE_SECONDS, Site
from tests.e2e.controlplane.watching import Json, follow


class Sightings:
    """When something first held of each object of a collection, as a watch of it shows it."""

    def __init__(self, holds: Callable[[Json], bool]) -> None:
        """See what `holds` says of an object."""
        self.times: dict[str, float] = {}  # by name; on the monotonic clock, in seconds
        self._holds = holds
        self._news = asyncio.Condition()

    @asynccontextmanager
    async def of(self, site: Site, path: str) -> AsyncIterator[None]:
        """Watch a collection while the context lasts; what was there before counts as well."""
        watching = asyncio.create_task(self._watch(site, path))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    async def first(self, name: str) -> None:
        """Wait until it held of this object."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._news:
            await self._news.wait_for(lambda: name in self.times)

    async def _watch(self, site: Site, path: str) -> None:
        objects: dict[str, Json] = {}
        async with aclosing(follow(site.session, path, objects)) as changes:
            async for names in changes:
                now = time.monotonic()
                for name in names & objects.keys():
                    if self._holds(objects[name]):
                        self.times.setdefault(name, now)
                async with self._news:
                    self._news.notify_all()
