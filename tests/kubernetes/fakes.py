"""Fakes of the ports: an API server that answers what it was told to, and time that obeys."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

from adapters.ports import Request, Response

Answer = Response | Exception
Script = list[dict[str, Any] | Exception]


class ScriptedApi:
    """Answers requests and watches in the order given, and keeps what it was asked."""

    def __init__(self, *answers: Answer, watches: list[Script] | None = None) -> None:
        """Give `answers` to requests, and `watches` (events; an exception breaks one) to watches.

        When they are used up, a request fails the test and a watch never says anything.
        """
        self.requests: list[Request] = []
        self.timeouts: list[float] = []
        self._more = asyncio.Condition()
        self.answers = list(answers)
        self.watches = list(watches or [])

    @property
    def cluster(self) -> str:
        """The name of this cluster."""
        return "prod"

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Give the next answer."""
        await self._note(request, timeout_seconds)
        assert self.answers, f"an unexpected request: {request}"
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def watch(
        self, request: Request, *, idle_seconds: float
    ) -> AsyncIterator[dict[str, Any]]:
        """Give the next watch."""
        await self._note(request, idle_seconds)
        if not self.watches:
            await asyncio.Event().wait()
        for event in self.watches.pop(0):
            if isinstance(event, Exception):
                raise event
            yield event

    async def close(self) -> None:
        """Close nothing."""

    async def asked(self, requests: int) -> None:
        """Wait until so many requests and watches were asked for."""
        async with self._more:
            await self._more.wait_for(lambda: len(self.requests) >= requests)

    async def _note(self, request: Request, seconds: float) -> None:
        self.requests.append(request)
        self.timeouts.append(seconds)
        async with self._more:
            self._more.notify_all()


class AnsweringApi(ScriptedApi):
    """Answers each request by asking a function; watches are scripted."""

    def __init__(
        self, answer: Callable[[Request], Answer], watches: list[Script] | None = None
    ) -> None:
        """Answer with what `answer` gives."""
        super().__init__(watches=watches)
        self._answer = answer

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Give the function's answer."""
        self.answers.append(self._answer(request))
        return await super().send(request, timeout_seconds=timeout_seconds)


class ManualTimer:
    """Time that passes only when somebody sleeps; `slept` keeps how long."""

    def __init__(self, *, ends_after: int | None = None) -> None:
        """Begin at zero. After `ends_after` sleeps a further one never ends."""
        self.now = 0.0
        self.slept: list[float] = []
        self._ends_after = ends_after
        self.ended = asyncio.Event()

    def monotonic(self) -> float:
        """Give the seconds slept so far."""
        return self.now

    async def sleep(self, seconds: float) -> None:
        """Let time pass at once."""
        if self._ends_after is not None and len(self.slept) >= self._ends_after:
            self.ended.set()
            await asyncio.Event().wait()
        self.slept.append(seconds)
        self.now += seconds
        await asyncio.sleep(0)


def refused(
    code: int, reason: str = "", message: str = "", details: dict[str, Any] | None = None
) -> Response:
    """Give a Status that says no."""
    body: dict[str, Any] = {"kind": "Status", "status": "Failure", "code": code}
    if reason:
        body["reason"] = reason
    if message:
        body["message"] = message
    if details is not None:
        body["details"] = details
    return Response(code, body)


def page(*items: dict[str, Any], version: str = "100", continued: str = "") -> Response:
    """Give one page of a list."""
    metadata = {"resourceVersion": version}
    if continued:
        metadata["continue"] = continued
    return Response(200, {"metadata": metadata, "items": list(items)})
