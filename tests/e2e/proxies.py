"""A proxy before the API server that lets a test stop a request, an answer or a watch event.

Nothing is patched: the controller under test only has another address in its kubeconfig.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

import aiohttp
from aiohttp import web

from tests.e2e.controlplane.running import ControlPlane

_DROPPED = {"transfer-encoding", "content-length", "connection", "content-encoding", "host"}


class Passing(NamedTuple):
    """What is passing by: a request, an answer ("200") or a line of a watch."""

    moment: str  # "request", "answer" or "line"
    method: str
    path: str
    body: bytes


# Awaited before anything is passed on; raise `Cut` to break the connection instead.
Hook = Callable[[Passing], Awaitable[None]]


class Cut(Exception):
    """Break the connection now."""


async def let_pass(passing: Passing) -> None:
    """Hold nothing up."""
    del passing


class Proxy:
    """One proxy; `hook` may be replaced at any time."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """Pass everything on to this control plane, with the caller's own token."""
        self.hook: Hook = let_pass
        self.address = ""
        self._control_plane = control_plane

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["Proxy"]:
        """Serve while the context lasts."""
        app = web.Application(client_max_size=1 << 24)
        app.router.add_route("*", "/{path:.*}", self._handle)
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True)
        await runner.setup()
        # The admin's session knows the server's CA; each request carries its sender's token.
        async with self._control_plane.open_session() as self._session:
            site = web.TCPSite(runner, "127.0.0.1", 0)
            await site.start()
            host, port = runner.addresses[0][:2]
            self.address = f"http://{host}:{port}"
            try:
                yield self
            finally:
                await runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        path = request.path_qs
        headers = {k: v for k, v in request.headers.items() if k.lower() not in _DROPPED}
        headers["Accept-Encoding"] = "identity"
        try:
            await self.hook(Passing("request", request.method, path, body))
            async with self._session.request(
                request.method, path, data=body, headers=headers
            ) as answer:
                return await self._answer(request, answer)
        except (Cut, aiohttp.ClientError):
            if request.transport is not None:
                request.transport.abort()
            raise

    async def _answer(
        self, request: web.Request, answer: aiohttp.ClientResponse
    ) -> web.StreamResponse:
        kept = {k: v for k, v in answer.headers.items() if k.lower() not in _DROPPED}
        passed = web.StreamResponse(status=answer.status, headers=kept)
        method, path = request.method, request.path_qs
        if "watch=" not in path:
            body = await answer.read()
            await self.hook(Passing("answer", method, path, body))
            return web.Response(status=answer.status, headers=kept, body=body)
        await passed.prepare(request)
        pending = b""
        async for chunk in answer.content.iter_any():
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                await self.hook(Passing("line", method, path, line))
                await passed.write(line + b"\n")
        return passed


async def forever(passing: Passing) -> None:
    """Hold everything up until the connection ends."""
    del passing
    await asyncio.Event().wait()
