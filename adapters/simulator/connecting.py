"""Connecting to simulated clusters: a kubeconfig Secret of one world points to another world.

The text of such a kubeconfig is `sim: NAME`.
"""

from collections.abc import AsyncIterator, Mapping
from typing import Any

from adapters.ports import Connect, Request, Response
from adapters.simulator.api_server import ApiServer
from adapters.simulator.worlds import World
from engine.errors import WarmlogError

PREFIX = "sim: "


class NoSuchWorld(WarmlogError):
    """A kubeconfig that names no simulated cluster."""


class NamedApi:
    """A simulated API server under the name that it has in the log."""

    def __init__(self, server: ApiServer, cluster: str) -> None:
        """Speak to `server` as to `cluster`."""
        self.server = server
        self.cluster = cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request. Raises ApiUnanswered."""
        return await self.server.send(request, timeout_seconds=timeout_seconds)

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Watch. Raises ApiUnanswered."""
        return self.server.watch(request, idle_seconds=idle_seconds)

    async def close(self) -> None:
        """Let go of nothing: others may speak to the same server."""


def kubeconfig_of(name: str) -> str:
    """Give the text of a kubeconfig that points to the world of this name."""
    return f"{PREFIX}{name}"


def server_of(kubeconfig: str, worlds: Mapping[str, World]) -> ApiServer:
    """Give the API server to which a kubeconfig points. Raises NoSuchWorld."""
    name = kubeconfig.strip().removeprefix(PREFIX)
    if not kubeconfig.startswith(PREFIX) or name not in worlds:
        msg = "the kubeconfig names no simulated cluster: write `sim: NAME`"
        raise NoSuchWorld(msg)
    return worlds[name].api


def connector(worlds: Mapping[str, World]) -> Connect:
    """Give the connector to these worlds, which may become more."""

    async def connect(cluster: str, kubeconfig: str) -> NamedApi:
        return NamedApi(server_of(kubeconfig, worlds), cluster)

    return connect
