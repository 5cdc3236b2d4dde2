"""Asynchronous HTTP sessions with the API server, and waiting for objects by watching them."""

import asyncio
import json
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

Json = dict[str, Any]
Objects = Mapping[str, Json]

# How long a test waits for what has to come, where no bound is its subject: a scheduler whose claim
# lost a race looks at the Pod again only after a minute, and machines are busy.
PATIENCE_SECONDS = 150


class RequestError(Exception):
    """The API server refused a request; the text holds the status, path and message."""


def open_session(server: str, ca_file: Path, token: str) -> aiohttp.ClientSession:
    """A session for paths of the API server; close it, or use it as a context manager.

    It trusts `ca_file` only and ignores proxies and certificates named by the environment.
    """
    return aiohttp.ClientSession(
        base_url=server,
        headers={"Authorization": f"Bearer {token}"},
        connector=aiohttp.TCPConnector(ssl=ssl.create_default_context(cafile=ca_file), limit=0),
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=10),
        trust_env=False,
    )


async def request(
    session: aiohttp.ClientSession,
    method: str,
    path: str,
    body: Json | list[Json] | None = None,
    content_type: str = "application/json",
) -> Json:
    """Send one request and return the JSON answer; RequestError unless it succeeds."""
    data = None if body is None else json.dumps(body)
    headers = {"Content-Type": content_type}
    async with session.request(method, path, data=data, headers=headers) as response:
        await _refuse_errors(response)
        answer: Json = await response.json()
        return answer


async def wait_until(
    session: aiohttp.ClientSession,
    path: str,
    condition: Callable[[Objects], bool],
    *,
    timeout_seconds: float = PATIENCE_SECONDS,
    label_selector: str = "",
) -> dict[str, Json]:
    """List a collection, then watch it until `condition` holds for the objects by name.

    `path` is one collection, such as ``/apis/batch/v1/namespaces/default/jobs``. Returns the
    objects as they were when the condition first held. Raises TimeoutError with their last state.
    """
    objects: dict[str, Json] = {}
    try:
        async with asyncio.timeout(timeout_seconds):
            async with aclosing(follow(session, path, objects, label_selector)) as changes:
                async for _ in changes:
                    if condition(objects):
                        break
    except TimeoutError:
        statuses = {name: thing.get("status") for name, thing in objects.items()}
        shown = json.dumps(statuses)[:2000]
        raise TimeoutError(f"not as wanted after {timeout_seconds} s: {path}: {shown}") from None
    return objects


async def follow(
    session: aiohttp.ClientSession,
    path: str,
    objects: dict[str, Json],
    label_selector: str = "",
) -> AsyncGenerator[set[str], None]:
    """Keep `objects` (by name) as they are on the server, without end.

    Yields the names that may have changed: all of them after a list, one after each event. Close
    it with ``contextlib.aclosing``. Raises RequestError and aiohttp.ClientError.
    """
    selected = {"labelSelector": label_selector} if label_selector else {}
    while True:  # a watch that ends, or is too old, starts again from a new list
        async with session.get(path, params=selected) as response:
            await _refuse_errors(response)
            listed = await response.json()
        gone = set(objects)
        objects.clear()
        objects.update((item["metadata"]["name"], item) for item in listed["items"])
        yield gone | set(objects)
        since = listed["metadata"]["resourceVersion"]
        watched = {**selected, "watch": "true", "resourceVersion": since}
        async with session.get(path, params=watched) as response, _cut(response):
            await _refuse_errors(response)
            async for line in _lines(response):
                event = json.loads(line)
                if event["type"] == "ERROR":
                    break
                name = event["object"]["metadata"]["name"]
                if event["type"] == "DELETED":
                    objects.pop(name, None)
                else:
                    objects[name] = event["object"]
                yield {name}


@asynccontextmanager
async def _cut(response: aiohttp.ClientResponse) -> AsyncIterator[None]:
    """Drop the connection at the end: a farewell over TLS may outlive the test's event loop."""
    connection = response.connection
    try:
        yield
    finally:
        if connection is not None and connection.transport is not None:
            connection.transport.abort()


async def _lines(response: aiohttp.ClientResponse) -> AsyncIterator[bytes]:
    """Whole lines of any length; aiohttp's own iteration refuses those above 128 KiB."""
    pending = b""
    async for chunk in response.content.iter_any():
        *lines, pending = (pending + chunk).split(b"\n")
        for line in lines:
            yield line


async def _refuse_errors(response: aiohttp.ClientResponse) -> None:
    if response.status >= 400:
        text = await response.text()
        raise RequestError(f"{response.status} {response.method} {response.url.path}: {text}")
