"""A proxy before a server, which can take a commit's answer away from the client."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class LosingProxy:
    """Passes everything on, until it is armed: then it drops the answer to the next COMMIT."""

    def __init__(self, host: str, port: int) -> None:
        self._host = host
        self._port = port
        self.armed = False

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one connection."""
        upstream_reader, upstream_writer = await asyncio.open_connection(self._host, self._port)
        lost = asyncio.Event()
        try:
            await asyncio.wait(
                [
                    asyncio.create_task(self._carry(reader, upstream_writer, lost)),
                    asyncio.create_task(self._answer(upstream_reader, writer, lost)),
                ],
                return_when=asyncio.FIRST_COMPLETED,
            )
        finally:
            for each in (writer, upstream_writer):
                each.close()

    async def _carry(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            if self.armed and b"COMMIT;" in data:
                self.armed = False
                lost.set()
            writer.write(data)
            await writer.drain()

    async def _answer(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lost: asyncio.Event
    ) -> None:
        while data := await reader.read(65536):
            if lost.is_set():
                return
            writer.write(data)
            await writer.drain()


@asynccontextmanager
async def losing_proxy(host: str, port: int) -> AsyncIterator[tuple[LosingProxy, int]]:
    """Run a proxy before a server; give it and its port."""
    proxy = LosingProxy(host, port)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        yield proxy, server.sockets[0].getsockname()[1]
