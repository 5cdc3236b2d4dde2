"""Reviewing: whom a bearer token is of, and whether they may see a page, as the API server says."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from adapters.http.guarding import FORBIDDEN, OK, UNANSWERED, UNAUTHENTICATED, Verdict
from adapters.kubernetes.answers import status_words
from adapters.kubernetes.fields import mapping, text
from adapters.ports import Api, ApiUnanswered, Request

HELD_SECONDS = 10.0  # that a verdict stands
MOST_HELD = 256  # verdicts
MOST_AT_ONCE = 4  # reviews that are asked for
MOST_WAITING = 32  # callers who wait for one

_TOKENS = "/apis/authentication.k8s.io/v1/tokenreviews"
_ACCESS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"


class ApiReviews:
    """Asks with TokenReview and SubjectAccessReview, and holds the verdicts for a short while.

    A token is held as its digest only, and is never in any words.
    """

    def __init__(self, api: Api, monotonic: Callable[[], float], *, timeout_seconds: float) -> None:
        """Ask `api`; `monotonic` gives seconds."""
        self._api = api
        self._monotonic = monotonic
        self._timeout_seconds = timeout_seconds
        self._held: OrderedDict[tuple[bytes, str], tuple[float, Verdict]] = OrderedDict()
        self._turns = asyncio.Semaphore(MOST_AT_ONCE)
        self._waiting = 0

    async def review(self, token: str, path: str) -> Verdict:
        """Judge the bearer of a token."""
        key = sha256(token.encode("utf-8", "surrogatepass")).digest(), path
        until, verdict = self._held.get(key, (0.0, Verdict(UNANSWERED)))
        if self._monotonic() < until:
            return verdict
        if self._waiting >= MOST_WAITING:
            return Verdict(UNANSWERED, "Too many wait to be reviewed: ask again in a moment.")
        self._waiting += 1
        try:
            async with self._turns:
                verdict = await self._ask(token, path)
        except ApiUnanswered as error:
            return Verdict(UNANSWERED, f"The API server does not say who may see this: {error}.")
        finally:
            self._waiting -= 1
        if verdict.code != UNANSWERED:
            self._held[key] = self._monotonic() + HELD_SECONDS, verdict
            self._held.move_to_end(key)
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
        return verdict

    async def _ask(self, token: str, path: str) -> Verdict:
        told = await self._review(_TOKENS, "authentication.k8s.io/v1", "TokenReview", token=token)
        if isinstance(told, Verdict):
            return told
        if told.get("authenticated") is not True:
            words = "The API server does not know this token, or it has expired: send another one."
            return Verdict(UNAUTHENTICATED, words)
        user = mapping(told.get("user"))
        asked = {
            "user": user.get("username"), "groups": user.get("groups"), "uid": user.get("uid"),
            "extra": user.get("extra"), "nonResourceAttributes": {"path": path, "verb": "get"},
        }  # fmt: skip
        given = {name: value for name, value in asked.items() if value}
        may = await self._review(_ACCESS, "authorization.k8s.io/v1", "SubjectAccessReview", **given)
        if isinstance(may, Verdict):
            return may
        if may.get("allowed") is True:
            return Verdict(OK)
        name = text(user.get("username"))
        return Verdict(FORBIDDEN, _forbidden(name, path))

    async def _review(
        self, path: str, version: str, kind: str, **spec: Any
    ) -> dict[str, Any] | Verdict:
        """Give the status of a review, or why there is none."""
        body = {"apiVersion": version, "kind": kind, "spec": spec}
        answer = await self._api.send(
            Request("POST", path, body=body), timeout_seconds=self._timeout_seconds
        )
        if answer.ok:
            return mapping(mapping(answer.body).get("status"))
        words = status_words(answer)
        return Verdict(
            UNANSWERED,
            f"warmlog may not ask the API server who may see this ({words}): let it create "
            f"{kind}s, as ClusterRole warmlog of deploy/roles.yaml does.",
        )


def _forbidden(name: str, path: str) -> str:
    how = "--user=NAME"
    if name.startswith("system:serviceaccount:"):
        how = f"--serviceaccount={name.removeprefix('system:serviceaccount:')}"
    return (
        f"{name} may not get {path}: `kubectl create clusterrolebinding warmlog-viewer-NAME "
        f"--clusterrole=warmlog-viewer {how}` lets them."
    )
