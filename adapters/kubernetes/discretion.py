"""Discretion: an API server seen past the vault, so that no secret comes any further than here.

Whatever is read through a `DiscreetApi` may be made a level, an answer, an Event or a status:
Secrets come without their values, and no words that somebody else wrote hold one. `spec` and
identity are never touched: they stand in the log as they are.
"""

import re
from collections.abc import AsyncGenerator
from typing import Any, NamedTuple
from urllib.parse import unquote

from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.vaults import SecretVault
from adapters.ports import Api, ApiUnanswered, Request, Response

_SECRETS = re.compile(r"/api/v1/(?:namespaces/([^/]+)/)?secrets(?:/[^/]+)?/?")
_BY_NAME = "metadata.name="


class _Asked(NamedTuple):
    """Whether Secrets are what was asked for, and which one when it is one by its name."""

    secrets: bool
    namespace: str = ""
    named: str = ""


class DiscreetApi:
    """The port `adapters.ports.Api` over another one, with a vault between the two."""

    def __init__(self, api: Api, vault: SecretVault) -> None:
        """Talk through `api`; what is secret of what it says stays in `vault`."""
        self._api = api
        self._vault = vault

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request. Raises ApiUnanswered, in words that hold no secret either."""
        try:
            response = await self._api.send(request, timeout_seconds=timeout_seconds)
        except ApiUnanswered as error:
            raise self._discreet(error) from None
        asked = _asked(request)
        if asked.secrets and response.ok:
            return Response(response.code, self._secrets(asked, response.body))
        return Response(response.code, self._told(response.body))

    async def watch(
        self, request: Request, *, idle_seconds: float
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Give a watch's events. Raises ApiUnanswered, in words that hold no secret either."""
        asked = _asked(request)
        stream = self._api.watch(request, idle_seconds=idle_seconds)
        try:
            async for event in stream:
                yield self._event(asked, event)
        except ApiUnanswered as error:
            raise self._discreet(error) from None
        finally:
            if isinstance(stream, AsyncGenerator):
                await stream.aclose()

    async def close(self) -> None:
        """Let go of connections. May be called twice."""
        await self._api.close()

    def _discreet(self, error: ApiUnanswered) -> ApiUnanswered:
        return ApiUnanswered(self._vault.scrub(str(error)))

    def _secrets(self, asked: _Asked, body: Any) -> Any:
        """Keep the values of a Secret, or of each in a list; what is not there is forgotten."""
        if not isinstance(mapping(body).get("items"), list):
            return self._vault.keep(self.cluster, body)
        items = mappings(body["items"])
        names = {text(mapping(one.get("metadata")).get("name")) for one in items}
        if asked.named and asked.named not in names:
            self._vault.forget(self.cluster, asked.namespace, asked.named)
        return {**body, "items": [self._vault.keep(self.cluster, one) for one in items]}

    def _event(self, asked: _Asked, event: dict[str, Any]) -> dict[str, Any]:
        body = event.get("object")
        if not asked.secrets or event.get("type") == "ERROR":
            return {**event, "object": self._told(body)}
        kept = self._vault.keep(self.cluster, body)
        if event.get("type") == "DELETED":
            metadata = mapping(mapping(body).get("metadata"))
            names = (text(metadata.get("namespace")), text(metadata.get("name")))
            self._vault.forget(self.cluster, *names)
        return {**event, "object": kept}

    def _told(self, body: Any) -> Any:
        """Give what was said without secrets: words of refusals, of statuses and of Events."""
        if not isinstance(body, dict) or self._vault.is_empty:
            return body
        told = {name: self._said(name, value) for name, value in body.items()}
        items = body.get("items")
        if isinstance(items, list):
            told["items"] = [self._told(one) for one in items]
        return told

    def _said(self, name: str, value: Any) -> Any:
        if name in {"message", "note"} and isinstance(value, str):
            return self._vault.scrub(value)
        return self._vault.strike(value) if name in {"status", "details"} else value


def _asked(request: Request) -> _Asked:
    found = _SECRETS.fullmatch(request.path)
    if found is None:
        return _Asked(secrets=False)
    selector = dict(request.query).get("fieldSelector", "")
    named = selector.removeprefix(_BY_NAME) if selector.startswith(_BY_NAME) else ""
    return _Asked(secrets=True, namespace=unquote(found[1] or ""), named=named)
