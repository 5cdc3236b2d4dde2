"""The log of a running controller, read over HTTP in pieces (`pieces`)."""

import asyncio
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import NamedTuple, NoReturn

import aiohttp

from adapters.connections import BROKEN, words_of
from adapters.proxying import proxy_for
from adapters.store.closing import Closing
from adapters.store.credentials import ANONYMOUS, HOW_TO_BE_LET_IN, Credentials
from adapters.store.pieces import KIND, PATH, Piece, read_piece
from adapters.texts import one_line
from engine.errors import LogForbidden, LogUnavailable, LogUnreachable, LogUnreadable
from engine.events import Event
from engine.logs import LogIdentity

ANSWER_SECONDS = 40.0  # the controller itself says after 30 that it has no answer
MOST_BYTES = 64 << 20  # of an answer: a piece of one row, as large as rows can be
_BEYOND = 10**18 - 1  # a position that no log ends behind
_MOST_SAID = 500  # characters of what a server says in its own words
_OK, _UNAUTHENTICATED, _FORBIDDEN, _SERVER_ERRORS = 200, 401, 403, 500
_REDIRECTS = range(300, 400)
_NOT_THERE = (404, 405)


class _Answer(NamedTuple):
    """What a server answered; `said` is what it says in words, if it does."""

    code: int
    body: bytes
    said: str
    leads_to: str


class ControllerReader(Closing):
    """Reads the log of the controller at an address (engine.logs.EventReader).

    Who identifies it and then reads on from the row that was read last, asks it once.
    """

    def __init__(
        self,
        address: str,
        credentials: Credentials = ANONYMOUS,
        *,
        environment: Mapping[str, str] = os.environ,
        answer_seconds: float = ANSWER_SECONDS,
    ) -> None:
        """Ask the controller at `address`, such as `http://localhost:8080`; nothing is sent yet."""
        self._address = address
        self._credentials = credentials
        self._proxy = proxy_for(address, environment)
        self._answer_seconds = answer_seconds
        self._session: aiohttp.ClientSession | None = None
        self._position = _BEYOND  # of the row that was read last
        self._ahead: Piece | None = None  # what follows it

    async def identify(self) -> LogIdentity:
        """Say which log it writes, and where that ends.

        Raises LogForbidden, LogUnreadable, LogUnavailable.
        """
        self._ahead = await self._piece(self._position)
        return self._ahead.end

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until, in order, in batches of at most `batch_rows`.

        Without `until` it ends where the log ends when the last piece is read. Raises LogForbidden,
        LogUnreadable, LogUnavailable; a reading may be taken up again after the last seq.
        """
        log_id = ""
        while until is None or after < until:
            piece = self._taken(after) or await self._piece(after)
            if log_id not in {"", piece.end.log_id}:
                msg = f"{self._address} has another log since it is read: read it again."
                raise LogUnavailable(msg)
            log_id = piece.end.log_id
            wanted = [each for each in piece.events if until is None or each.seq <= until]
            for begin in range(0, len(wanted), batch_rows):
                batch = wanted[begin : begin + batch_rows]
                self._position = batch[-1].seq
                yield batch
            if not piece.events or piece.header.position >= piece.end.position:
                return
            after = piece.header.position

    async def close(self) -> None:
        """Close the connections. May be called twice; a later request opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _taken(self, after: int) -> Piece | None:
        """Give what was asked for ahead, once, if it is what follows that position."""
        piece, self._ahead = self._ahead, None
        return piece if piece is not None and piece.header.after == after else None

    async def _piece(self, after: int) -> Piece:
        token = self._credentials.token()
        answer = await self._asked(f"{self._address}{PATH}?after={after}", token)
        if answer.code != _OK:
            self._refuse(answer, has_token=bool(token))
        piece = read_piece(answer.body, self._address)
        if piece.header.after not in {after, piece.end.position}:
            msg = f"{self._address} answers with rows that were not asked for: check the address."
            raise LogUnreadable(msg)
        return piece

    async def _asked(self, url: str, token: str) -> _Answer:
        headers = {"Accept": f"{KIND}, text/plain", "User-Agent": "warmlog"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        try:
            async with (
                asyncio.timeout(self._answer_seconds),
                # A token is meant for this server alone: nothing that leads elsewhere is followed.
                self._opened().get(
                    url, headers=headers, proxy=self._proxy, allow_redirects=False
                ) as response,
            ):
                return await _whole(response)
        except TimeoutError as error:
            msg = f"{self._address} gives no answer within {self._answer_seconds:g} s."
            raise LogUnreachable(msg) from error
        except BROKEN as error:
            msg = f"{self._address} does not answer: {words_of(error)}."
            raise LogUnreachable(msg) from error

    def _opened(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(ssl=self._credentials.ssl_context()),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
                trust_env=False,  # else a .netrc would replace the token
            )
        return self._session

    def _refuse(self, answer: _Answer, *, has_token: bool) -> NoReturn:
        """Raise what an answer that is no piece means."""
        place, code, file = self._address, answer.code, self._credentials.token_file
        said = answer.said or f"HTTP {code}"
        if code == _UNAUTHENTICATED and not has_token:
            words = (
                f"shows its log to nobody unknown: give --token-file FILE with {HOW_TO_BE_LET_IN}."
            )
            raise LogForbidden(f"{place} {words}")
        if code == _UNAUTHENTICATED:
            words = f"`kubectl create token NAME > {file}` makes another one."
            raise LogForbidden(f"{place} does not take the token in {file}: {said} {words}")
        if code == _FORBIDDEN:
            words = f"Who has warmlog-viewer of an older warmlog lacks {PATH}: apply"
            raise LogForbidden(f"{place} refuses: {said} {words} deploy/user-roles.yaml anew.")
        if code in _REDIRECTS:
            where = f"leads to {answer.leads_to or 'another address'}, and is not followed there"
            raise LogUnreadable(f"{place} {where}: give the controller's own address.")
        if code in _NOT_THERE:
            words = f"has no {PATH}: no controller of warmlog is there, or an older one."
            raise LogUnreadable(f"{place} {words} Check the address.")
        if code >= _SERVER_ERRORS:
            raise LogUnavailable(f"{place} has no answer now: {said}")
        raise LogUnreadable(f"{place} refuses: {said}")


async def _whole(response: aiohttp.ClientResponse) -> _Answer:
    body = bytearray()
    async for part in response.content.iter_any():
        body += part
        if len(body) > MOST_BYTES:
            words = "gives an answer without an end: check the address."
            raise LogUnreadable(f"{response.url.origin()} {words}")
    is_said = response.status != _OK and response.content_type == "text/plain"
    said = one_line(body.decode("utf-8", "replace").strip())[:_MOST_SAID] if is_said else ""
    leads_to = one_line(response.headers.get("Location", ""))[:_MOST_SAID]
    return _Answer(response.status, bytes(body), said, leads_to)
