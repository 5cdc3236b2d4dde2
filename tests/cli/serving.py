"""A simulated cluster behind a real socket, for commands that talk to a live one."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from aiohttp import web

from adapters.ports import JSON, Request
from adapters.simulator.worlds import World
from engine.canonical_json import loads
from tests.kubernetes.serving import hosting, json_response


class Served:
    """A world that is served, how to reach it, and what it was asked."""

    def __init__(self, kubeconfig: Path) -> None:
        """Nothing was asked yet."""
        self.kubeconfig = kubeconfig
        self.requests: list[Request] = []

    @property
    def writes(self) -> list[Request]:
        """What would have changed something: no read, and no dry run."""
        return [
            each
            for each in self.requests
            if each.method != "GET" and ("dryRun", "All") not in each.query
        ]


@contextmanager
def served(world: World, folder: Path, *, namespace: str = "") -> Iterator[Served]:
    """Serve a world while the context lasts; its kubeconfig lies in `folder`.

    `namespace` is that of the kubeconfig's context.
    """
    answering = Served(folder / "kubeconfig")
    started, stopping = threading.Event(), threading.Event()
    thread = threading.Thread(
        target=lambda: asyncio.run(_serve(world, answering, namespace, started, stopping))
    )
    thread.start()
    started.wait()
    try:
        yield answering
    finally:
        stopping.set()
        thread.join()


async def _serve(
    world: World,
    answering: Served,
    namespace: str,
    started: threading.Event,
    stopping: threading.Event,
) -> None:
    async def answer(request: web.BaseRequest) -> web.Response:
        sent = await request.read()
        asked = Request(
            request.method,
            request.path,
            tuple(request.query.items()),
            loads(sent.decode()) if sent else None,
            request.content_type,
            request.headers.get("Accept", JSON),
        )
        answering.requests.append(asked)
        response = world.api.handle(asked)
        return json_response(response.body, response.code)

    async with hosting(answer) as host:
        answering.kubeconfig.write_text(yaml.safe_dump(_kubeconfig(host, namespace)))
        started.set()
        await asyncio.to_thread(stopping.wait)


def _kubeconfig(host: str, namespace: str) -> dict[str, Any]:
    context = {"cluster": "c", "user": "u", **({"namespace": namespace} if namespace else {})}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "here",
        "contexts": [{"name": "here", "context": context}],
        "clusters": [{"name": "c", "cluster": {"server": host}}],
        "users": [{"name": "u", "user": {"token": "t"}}],
    }
