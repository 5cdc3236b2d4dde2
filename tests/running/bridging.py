"""A simulated API server behind a real socket, for controllers that run as processes."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import yaml
from aiohttp import web

from adapters.ports import ApiUnanswered, Request
from adapters.simulator.worlds import World
from engine.canonical_json import dumps, loads
from tests.kubernetes.serving import hosting

Asked = Callable[[Request], None]


@asynccontextmanager
async def bridged(world: World, asked: Asked = lambda _: None) -> AsyncIterator[str]:
    """Serve `world`; give the URL. `asked` is told of each request before it is answered.

    A watch is accepted and says nothing until the context ends.
    """
    over = asyncio.Event()

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        text = await request.text()
        query = tuple(request.query.items())
        body = loads(text) if text else None
        asking = Request(request.method, request.path, query, body, request.content_type)
        asked(asking)
        if request.query.get("watch"):
            stream = web.StreamResponse()
            await stream.prepare(request)
            await over.wait()
            return stream
        try:
            response = world.api.handle(asking)
        except ApiUnanswered:
            return web.Response(status=503)
        told = dumps(response.body)
        return web.Response(status=response.code, text=told, content_type="application/json")

    async with hosting(answer) as url:
        try:
            yield url
        finally:
            over.set()


def kubeconfig(folder: Path, url: str) -> Path:
    """Write a kubeconfig for the server at `url`."""
    path = folder / "kubeconfig"
    path.write_text(
        yaml.safe_dump(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "here",
                "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
                "clusters": [{"name": "c", "cluster": {"server": url}}],
                "users": [{"name": "u", "user": {"token": "t"}}],
            }
        )
    )
    return path
