"""Local servers over real sockets, and the API that talks to them."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web
from kubernetes_asyncio.client import Configuration

from adapters.kubernetes.configuring import Access
from adapters.kubernetes.http_api import HttpApi

Handler = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]
Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def hosting(handler: Handler) -> AsyncIterator[str]:
    """Run an HTTP server that answers with `handler`; give its URL."""
    runner = web.ServerRunner(web.Server(handler))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def talking(talk: Talk, context: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Run a server that reads a request's head and then does what it likes; give its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            await talk(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def calling(access: Access) -> AsyncIterator[HttpApi]:
    """An API that is closed at the end."""
    api = HttpApi("prod", access)
    try:
        yield api
    finally:
        await api.close()


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[HttpApi]:
    """An API whose server answers with `handler`."""
    async with hosting(handler) as host, calling(Access(Configuration(host=host))) as api:
        yield api


@asynccontextmanager
async def plain(talk: Talk) -> AsyncIterator[HttpApi]:
    """An API whose server does what it likes."""
    async with talking(talk) as port:
        host = f"http://127.0.0.1:{port}"
        async with calling(Access(Configuration(host=host))) as api:
            yield api


def json_response(value: Any, status: int = 200) -> web.Response:
    """An answer of JSON."""
    return web.Response(text=json.dumps(value), status=status, content_type="application/json")
