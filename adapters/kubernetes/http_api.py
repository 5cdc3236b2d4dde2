"""An API server over HTTP: raw JSON in and out, and no answer taken for one that is none."""

import asyncio
import socket
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from typing import Any
from urllib.parse import quote, urlencode

import aiohttp

from adapters.connections import BROKEN, words_of
from adapters.kubernetes.configuring import Access, AccessUnusable
from adapters.kubernetes.parsing import parse
from adapters.ports import ApiUnanswered, Request, Response
from engine.canonical_json import dumps
from machines import labels
from machines.steadying import cut, steady

# Specs that stand in the log as they are keep the text of their numbers.
_EXACT = (f"/apis/{labels.GROUP}/", f"/apis/{labels.CACHE_GROUP}/")
_OK, _UNAUTHORIZED, _SERVER_ERRORS = 200, 401, 500
_CLIENT_ERRORS = 400
# A line of a watch is one object; etcd holds at most 1.5 MiB, so a longer one is no object.
_LONGEST_LINE = 64 * 1024 * 1024
_READ_BUFFER = 2 * 1024 * 1024
_RENEWAL_SECONDS = 5.0  # credentials that do not help are not loaded again for each request
_WATCH_OPENS_SECONDS = 30.0
# A dead peer is noticed after about a minute, also while nothing is sent.
_KEEPALIVE = (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))


class HttpApi:
    """The port `adapters.ports.Api` over a real API server."""

    def __init__(self, cluster: str, access: Access) -> None:
        """Talk to the server of `access`, known in the log as `cluster`."""
        self._cluster = cluster
        self._access = access
        self._session: aiohttp.ClientSession | None = None
        self._earlier_sessions: list[aiohttp.ClientSession] = []
        self._tls_digest = ""
        self._renewing = asyncio.Lock()
        self._renewed_at = float("-inf")

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        return self._cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request and read its whole answer. Raises ApiUnanswered.

        An answer that is no JSON object counts only when it refuses (4xx): proxies, not API
        servers, speak otherwise, and what they did with the request nobody knows.
        """
        try:
            async with asyncio.timeout(timeout_seconds):
                response = await self._open(request)
                try:
                    return self._whole(request, response.status, await response.read())
                finally:
                    response.release()
        except TimeoutError as error:
            raise self._unanswered(f"no answer within {timeout_seconds:g} s") from error
        except BROKEN as error:
            raise await self._broken(error) from error

    async def watch(
        self, request: Request, *, idle_seconds: float
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Give a watch's events until the server ends it. Raises ApiUnanswered.

        The iterator holds a connection: close it (`contextlib.aclosing`) when leaving early.
        """
        exact = request.path.startswith(_EXACT)
        try:
            response = await self._open_watch(request, idle_seconds)
            try:
                if response.status != _OK:
                    async with asyncio.timeout(idle_seconds):
                        refused = self._whole(request, response.status, await response.read())
                    yield {"type": "ERROR", "object": {**refused.body, "code": refused.code}}
                    return
                async for line in _lines(response, idle_seconds):
                    yield self._object(line, exact=exact)
            finally:
                response.close()
        except TimeoutError as error:
            raise self._unanswered(f"the watch was silent for {idle_seconds:g} s") from error
        except BROKEN as error:
            raise await self._broken(error) from error

    async def close(self) -> None:
        """Close all connections. May be called twice; a later request opens new ones."""
        sessions = [*self._earlier_sessions, *filter(None, [self._session])]
        self._earlier_sessions, self._session = [], None
        for session in sessions:
            await session.close()

    async def _open_watch(self, request: Request, idle_seconds: float) -> aiohttp.ClientResponse:
        async with asyncio.timeout(min(idle_seconds, _WATCH_OPENS_SECONDS)):
            return await self._open(request)

    async def _open(self, request: Request) -> aiohttp.ClientResponse:
        """Send, once more with renewed credentials when the first ones are not accepted."""
        authorization = await self._authorization()
        response = await self._sent(request, authorization)
        if response.status == _UNAUTHORIZED and await self._renew(authorization):
            response.release()
            response = await self._sent(request, await self._authorization())
        return response

    async def _sent(self, request: Request, authorization: str) -> aiohttp.ClientResponse:
        url = self._access.host + quote(request.path, safe="/%:@")
        if request.query:
            url += "?" + urlencode(request.query, quote_via=quote)
        headers = {"Accept": request.accept, "User-Agent": "warmlog"}
        if authorization:
            headers["Authorization"] = authorization
        data = None
        if request.body is not None:
            headers["Content-Type"] = request.content_type
            data = dumps(request.body).encode()
        return await self._opened_session().request(
            request.method,
            url,
            data=data,
            headers=headers,
            allow_redirects=False,  # credentials are meant for this server alone
            proxy=self._access.proxy,
            server_hostname=self._access.server_hostname,
        )

    def _opened_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            try:
                self._tls_digest = self._access.tls_digest()
                context = self._access.ssl_context()
            except OSError as error:
                raise self._unanswered(f"its certificates cannot be read: {error}") from error
            self._session = aiohttp.ClientSession(
                # How many requests are under way is the caller's business.
                connector=aiohttp.TCPConnector(limit=0, ssl=context, socket_factory=_lively_socket),
                cookie_jar=aiohttp.DummyCookieJar(),
                read_bufsize=_READ_BUFFER,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                # Else a .netrc would replace the credentials and an environment's proxy be used
                # for hosts that it excepts by range.
                trust_env=False,
            )
        return self._session

    async def _authorization(self) -> str:
        try:
            return await self._access.authorization()
        except AccessUnusable as error:
            raise ApiUnanswered(str(error)) from error

    async def _renew(self, refused: str) -> bool:
        """Load credentials again; say whether there may be other ones than `refused` now."""
        async with self._renewing:
            now = asyncio.get_running_loop().time()
            if now - self._renewed_at >= _RENEWAL_SECONDS:
                self._renewed_at = now
                try:
                    await self._access.renew()
                    changed = self._access.tls_digest() != self._tls_digest
                except (AccessUnusable, OSError):
                    return False  # the server's refusal says enough
                if changed and self._session is not None:
                    # Watches go on over the old connections until they end.
                    self._earlier_sessions.append(self._session)
                    self._session = None
                return changed or await self._authorization() != refused
            return await self._authorization() != refused

    def _whole(self, request: Request, code: int, data: bytes) -> Response:
        """Make the port's response of a whole answer; see `send` for what counts as one."""
        try:
            return Response(code, self._object(data, exact=request.path.startswith(_EXACT)))
        except ApiUnanswered as error:
            if code == _OK:
                raise
            if not _CLIENT_ERRORS <= code < _SERVER_ERRORS:
                words = f"it answered HTTP {code}, and not as an API server does"
                raise self._unanswered(words) from error
        message = cut(data.decode("utf-8", "replace").strip())
        return Response(code, {"kind": "Status", "status": "Failure", "message": message})

    def _object(self, data: bytes, *, exact: bool) -> dict[str, Any]:
        try:
            value = parse(data, exact=exact)
        except ValueError as error:
            raise self._unanswered("what it answered is not JSON") from error
        if not isinstance(value, dict):
            raise self._unanswered("what it answered is no JSON object")
        return value

    def _unanswered(self, words: str) -> ApiUnanswered:
        return ApiUnanswered(steady(f"{self._access.host}: {words}"))

    async def _broken(self, error: BaseException) -> ApiUnanswered:
        if isinstance(error, ssl.SSLError | aiohttp.ClientSSLError):
            # The cluster's authority may have been replaced; the next request will tell.
            with suppress(ApiUnanswered, TimeoutError):
                async with asyncio.timeout(_RENEWAL_SECONDS):
                    await self._renew("")
        return self._unanswered(words_of(error))


def _lively_socket(address: aiohttp.AddrInfoType) -> socket.socket:
    """Open a socket that notices when its peer has vanished without a word."""
    family, kind, protocol, *_ = address
    opened = socket.socket(family, kind, protocol)
    opened.settimeout(0)  # as an event loop wants it
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in _KEEPALIVE:
        if hasattr(socket, name):
            opened.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    return opened


async def _lines(response: aiohttp.ClientResponse, idle_seconds: float) -> AsyncIterator[bytes]:
    """Give whole lines; TimeoutError after `idle_seconds` without a byte.

    Raises aiohttp.ClientPayloadError when the connection ends within a line.
    """
    rest = b""
    while True:
        async with asyncio.timeout(idle_seconds):
            chunk = await response.content.readany()
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            if line.strip():
                yield line
        if len(rest) > _LONGEST_LINE:
            raise aiohttp.ClientPayloadError("a line without an end")
    if rest.strip():
        raise aiohttp.ClientPayloadError("cut within a line")
