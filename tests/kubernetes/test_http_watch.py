"""Watching over real sockets: streams that end, break, stall, and talk nonsense."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from adapters.kubernetes.http_api import HttpApi
from adapters.ports import ApiUnanswered, Request
from tests.kubernetes.serving import plain, serving

WATCH = Request("GET", "/api/v1/nodes", (("watch", "true"),))
EVENT = {"type": "ADDED", "object": {"metadata": {"name": "n1"}}}
LINE = json.dumps(EVENT).encode() + b"\n"


async def _watch_words(api: HttpApi, seconds: float = 5) -> tuple[list[dict[str, Any]], str]:
    events: list[dict[str, Any]] = []
    try:
        async for event in api.watch(WATCH, idle_seconds=seconds):
            events += [event]
    except ApiUnanswered as error:
        return events, str(error).partition(": ")[2]
    raise AssertionError("the watch came to its end")


async def test_a_watch_gives_its_events_until_it_ends() -> None:
    """Each line is one event, however the lines are cut into packets; the end is an end."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        for part in (LINE[:9], LINE[9:] + LINE + b"\n", LINE):
            await response.write(part)
            await asyncio.sleep(0)
        return response

    async with serving(handler) as api:
        assert [event async for event in api.watch(WATCH, idle_seconds=5)] == [EVENT] * 3


async def test_a_large_object_comes_through_a_watch() -> None:
    """Lines are not bounded by the size of a read buffer."""
    event = {"type": "ADDED", "object": {"data": "x" * 3_000_000}}

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(json.dumps(event).encode() + b"\n")
        return response

    async with serving(handler) as api:
        assert [one async for one in api.watch(WATCH, idle_seconds=5)] == [event]


async def test_a_refused_watch_is_one_error_event() -> None:
    """The Status and its code come as an ERROR, as the port wants it."""

    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(text="too old", status=410)

    async with serving(handler) as api:
        (event,) = [event async for event in api.watch(WATCH, idle_seconds=5)]
    assert event["type"] == "ERROR"
    assert (event["object"]["code"], event["object"]["message"]) == (410, "too old")


async def test_a_half_open_watch_is_given_up() -> None:
    """A peer that vanished without a word is noticed by its silence."""
    done = asyncio.Event()

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(LINE)
        await done.wait()
        return response

    async with serving(handler) as api:
        events, words = await _watch_words(api, 1)
        done.set()
    assert events == [EVENT]
    assert words == "the watch was silent for 1 s"


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (b'{"type": "MODI', "the connection was cut"),
        (b"garbage\n", "what it answered is not JSON"),
        (b"7\n", "what it answered is no JSON object"),
    ],
)
async def test_a_watch_that_breaks_keeps_what_came_before(rest: bytes, words: str) -> None:
    """Whole events before the break are given; the broken one never is."""

    async def handler(request: web.BaseRequest) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        await response.write(LINE + rest)
        return response

    async with serving(handler) as api:
        assert await _watch_words(api) == ([EVENT], words)


async def test_a_watch_whose_connection_is_cut_says_so() -> None:
    """A chunked stream without its end is a cut, not an end."""

    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"%x\r\n%s\r\n" % (len(LINE), LINE))
        await writer.drain()

    async with plain(cut) as api:
        assert await _watch_words(api) == ([EVENT], "the connection was cut")


async def test_leaving_a_watch_closes_its_connection() -> None:
    """Whoever stops listening frees the server's end."""
    gone = asyncio.Event()

    async def stream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"%x\r\n%s\r\n" % (len(LINE), LINE))
        await writer.drain()
        await reader.read()
        gone.set()

    async with plain(stream) as api:
        watch = api.watch(WATCH, idle_seconds=5)
        assert await anext(watch) == EVENT
        await watch.aclose()
        async with asyncio.timeout(5):
            await gone.wait()
