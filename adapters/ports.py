"""The port between warmlog and an API server: one request, one answer, and watches.

The real client and the simulated API server both offer it, so that listing, watching,
normalising and acting are the same code over both.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple, Protocol

JSON_PATCH = "application/json-patch+json"
MERGE_PATCH = "application/merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"  # server-side apply; JSON is YAML, too
JSON = "application/json"
# A list of which nothing leaves the server but metadata: of Secrets, no value.
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"


class Request(NamedTuple):
    """One request: `path` begins with a slash, `query` is in the order in which it is sent."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: Any = None  # JSON value
    content_type: str = JSON
    accept: str = JSON


class Response(NamedTuple):
    """What the server said: the HTTP code and the JSON body (an object, or a Status)."""

    code: int
    body: Any

    @property
    def ok(self) -> bool:
        """Say whether the request was carried out."""
        return 200 <= self.code < 300  # noqa: PLR2004 -- HTTP's own classes


class ApiUnanswered(Exception):
    """No answer that can be trusted: refused, cut, timed out. The words say which."""


class Api(Protocol):
    """An API server."""

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        ...

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request. Raises ApiUnanswered when no whole answer came in time."""
        ...

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Give a watch's events ({"type": …, "object": …}) until the server closes it.

        Raises ApiUnanswered when the connection breaks, or stays silent for `idle_seconds`.
        A refusal of the request itself comes as one event {"type": "ERROR", "object": Status}.
        """
        ...

    async def close(self) -> None:
        """Let go of connections. May be called twice."""
        ...


Connect = Callable[[str, str], Awaitable[Api]]
"""Gives the API server that a kubeconfig's text names, under a name in the log.

Raises WarmlogError, in words without a secret, for a kubeconfig that cannot be used.
"""
