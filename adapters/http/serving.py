"""Health over HTTP: `/healthz` says that the process works, `/readyz` that it can do its job.

Both answer 200 or 503 with plain text. `?verbose` lists every check and the figures by which a
script can tell that nothing is under way. `/metrics` is for Prometheus. What
shows the log's data is guarded (`pages`).
"""

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from aiohttp import web

from adapters.http.metrics import Metric, exposition
from adapters.http.pages import Pages, add_pages
from engine.errors import WarmlogError


class Mark(StrEnum):
    """How a check came out; a warning is told, and does not make anything unready."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Check(NamedTuple):
    """One thing that was looked at; the words say what is wrong and what to do."""

    name: str
    mark: Mark
    words: str = ""

    def __str__(self) -> str:
        """Give a line of the verbose answer."""
        return f"[{self.mark.value}] {self.name}{f': {self.words}' if self.words else ''}"


class Health(Protocol):
    """What the server asks, at each request."""

    def live(self) -> list[Check]:
        """Give what makes the process work at all."""
        ...

    def ready(self) -> list[Check]:
        """Give what it needs to do its job."""
        ...

    def figures(self) -> Mapping[str, int]:
        """Give what is under way: name to count."""
        ...

    def metrics(self) -> Sequence[Metric]:
        """Give what a monitoring system may draw, or be alarmed by."""
        ...


class ListenRefused(WarmlogError):
    """The address to listen on cannot be had."""


def application(health: Health, pages: Pages | None = None) -> web.Application:
    """Give the web application; without `pages` it tells of its health alone."""
    app = web.Application()
    app.router.add_get("/healthz", _handler(health.live, health.figures))
    app.router.add_get("/readyz", _handler(health.ready, health.figures))
    app.router.add_get("/metrics", _metrics_handler(health))
    if pages is not None:
        add_pages(app, pages)
    return app


@asynccontextmanager
async def serving(health: Health, host: str, port: int, pages: Pages | None = None) -> Any:
    """Serve while the context lasts; gives the port in use. Raises ListenRefused."""
    runner = web.AppRunner(application(health, pages), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        try:
            await site.start()
        except (OSError, ValueError) as error:  # ValueError: a name that no host can have
            place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
            msg = f"cannot listen on {place} ({_why(error)}); choose another --listen"
            raise ListenRefused(msg) from error
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()


def _why(error: OSError | ValueError) -> str:
    """Give the system's own words; asyncio wraps them in others that repeat the address."""
    if not isinstance(error, OSError):
        return "that is no host's name"
    if isinstance(error, socket.gaierror) or error.errno is None:
        return error.strerror or str(error)
    return os.strerror(error.errno)


def _handler(checks: Callable[[], list[Check]], figures: Callable[[], Mapping[str, int]]) -> Any:
    async def handle(request: web.Request) -> web.Response:
        found = checks()
        failed = any(check.mark is Mark.FAIL for check in found)
        told = found if "verbose" in request.query else [c for c in found if c.mark is not Mark.OK]
        lines = [str(check) for check in told]
        if "verbose" in request.query:
            lines += [f"{name}: {count}" for name, count in figures().items()]
        if not failed:
            lines.append("ok")
        return web.Response(text="\n".join(lines) + "\n", status=503 if failed else 200)

    return handle


def _metrics_handler(health: Health) -> Any:
    async def handle(request: web.Request) -> web.Response:
        body, content_type = exposition(health.metrics(), request.headers.get("Accept", ""))
        return web.Response(body=body, headers={"Content-Type": content_type})

    return handle
