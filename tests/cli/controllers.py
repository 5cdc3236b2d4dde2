"""The pages of a running controller behind a real socket, for commands that take its address."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapters.http.guarding import Guard
from adapters.http.pages import pages_over
from adapters.http.serving import serving
from tests.http.test_guarding import Judge
from tests.http.test_serving import HOST, OK, Told

EXPOSED = "10.0.0.5"  # what a controller may listen on beside loopback


class Place:
    """Where a log is served."""

    def __init__(self) -> None:
        """Begin without a port."""
        self.port = 0

    @property
    def address(self) -> str:
        """The address as a person gives it."""
        return f"http://{HOST}:{self.port}"


@contextmanager
def served_log(log: Path, *, listens_on: str = HOST, port: int = 0) -> Iterator[Place]:
    """Serve a log's pages while the context lasts; with `listens_on` elsewhere, who may see them.

    There the token `good` is let in.
    """
    place, started, stopping = Place(), threading.Event(), threading.Event()

    async def serve() -> None:
        pages = pages_over(str(log), Guard(listens_on, Judge()))
        async with serving(Told(OK), HOST, port, pages) as used:
            place.port = used
            started.set()
            await asyncio.to_thread(stopping.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait()
    try:
        yield place
    finally:
        stopping.set()
        thread.join()
