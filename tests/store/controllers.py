"""A controller's log over a real socket: one that grows, goes away, comes back, and refuses."""

import ssl
from typing import NamedTuple, Self

from aiohttp import web

from adapters.store.memory_logs import MemoryLog
from adapters.store.pieces import KIND, piece_after
from tests.store.rows import rows

HOST = "127.0.0.1"


class Refusal(NamedTuple):
    """An answer that is no piece."""

    code: int
    text: str = ""
    kind: str = "text/plain"
    leads_to: str = ""

    def response(self) -> web.Response:
        """Give it, to be sent once."""
        headers = {"Location": self.leads_to} if self.leads_to else {}
        return web.Response(
            status=self.code, text=self.text, content_type=self.kind, headers=headers
        )


class Controller:
    """Hands out a log as a running controller does, in small pieces."""

    def __init__(self, count: int = 0, *, most_bytes: int = 1 << 20) -> None:
        """Have a log of so many rows."""
        self.log = MemoryLog("log-1")
        self.log.rows = rows(0, count)
        self.most_bytes = most_bytes
        self.refusal: Refusal | None = None  # what is answered instead
        self.tls: ssl.SSLContext | None = None
        self.asked: list[int] = []  # the positions
        self.came: list[str] = []  # the Authorization of each request
        self.port = 0
        self._runner: web.ServerRunner | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @property
    def address(self) -> str:
        """Where it is reached."""
        return f"{'https' if self.tls else 'http'}://{HOST}:{self.port}"

    async def start(self) -> None:
        """Listen, at the address of before if there was one."""
        self._runner = web.ServerRunner(web.Server(self._answer))
        await self._runner.setup()
        site = web.TCPSite(self._runner, HOST, self.port, ssl_context=self.tls)
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def stop(self) -> None:
        """Listen no longer, and cut all connections."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.came.append(request.headers.get("Authorization", ""))
        if self.refusal is not None:
            return self.refusal.response()
        if request.path != "/log":
            return web.Response(status=404, text="404: Not Found")
        after = int(request.query["after"])
        self.asked.append(after)
        body = await piece_after(self.log, after, most_bytes=self.most_bytes)
        return web.Response(body=body, content_type=KIND)
