"""Probing: what an API server says to a create that it is asked not to carry out.

A dry run passes authorisation, admission and validation as the real create does, and stores
nothing. It is made as whoever asks, not as the controller.
"""

from collections.abc import AsyncIterator
from enum import StrEnum
from typing import Any, NamedTuple

from adapters.kubernetes.answers import FORBIDDEN, not_done, status_words
from adapters.kubernetes.fields import mapping, text
from adapters.kubernetes.kinds import JOB, MODEL_WARMUP, POD, Kind
from adapters.ports import Api, ApiUnanswered, Request, Response
from machines.folding_intents import is_permanent
from machines.observations import Refused
from machines.steadying import cut, scrub

DRY_RUN = ("dryRun", "All")
_READS = frozenset({"GET"})
# How the server says that whoever asks has not the right; what it says of the object is else.
_NO_RIGHT = "cannot create resource"


class Verdict(StrEnum):
    """What a dry run showed."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    UNKNOWN = "unknown"


class Probe(NamedTuple):
    """One dry run and the server's answer."""

    kind: str
    verdict: Verdict
    code: int = 0
    reason: str = ""
    words: str = ""  # the server's own; of an unknown verdict, why
    permanent: bool = False  # the controller would not try again


class NotHarmless(Exception):
    """A request that would change something; a fault of ours."""


class HarmlessApi:
    """An API server that is read and asked for dry runs, and for nothing else."""

    def __init__(self, api: Api) -> None:
        """Let only what changes nothing through to `api`."""
        self._api = api

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Send one request. Raises NotHarmless before anything is sent, and ApiUnanswered."""
        dry = request.method == "POST" and DRY_RUN in request.query
        if request.method not in _READS and not dry:
            msg = f"{request.method} {request.path} is no read and no dry run"
            raise NotHarmless(msg)
        return await self._api.send(request, timeout_seconds=timeout_seconds)

    def watch(self, request: Request, *, idle_seconds: float) -> AsyncIterator[dict[str, Any]]:
        """Give a watch's events."""
        return self._api.watch(request, idle_seconds=idle_seconds)

    async def close(self) -> None:
        """Let go of connections."""
        await self._api.close()


async def probe_warmup(api: Api, body: dict[str, Any], *, timeout_seconds: float) -> Probe:
    """Ask what is said to a ModelWarmup, unknown fields included, as `kubectl apply` asks."""
    strict = ("fieldValidation", "Strict")
    return (await _ask(api, MODEL_WARMUP, body, timeout_seconds, strict))[0]


async def probe_job(
    api: Api, body: dict[str, Any], *, timeout_seconds: float
) -> tuple[Probe, Probe]:
    """Ask what is said to a Job, sent as the controller sends it, and to the Pod that it makes.

    The Pod is that of the Job as the server would store it, or as it was sent when it is refused.
    """
    asked, answered = await _ask(api, JOB, body, timeout_seconds)
    stored = mapping(answered) if asked.verdict is Verdict.ALLOWED else body
    pod = _pod_of(body, mapping(mapping(stored.get("spec")).get("template")))
    return asked, (await _ask(api, POD, pod, timeout_seconds))[0]


def _pod_of(job: dict[str, Any], template: dict[str, Any]) -> dict[str, Any]:
    metadata = mapping(template.get("metadata"))
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            **{key: metadata[key] for key in ("labels", "annotations") if metadata.get(key)},
            "generateName": f"{job['metadata']['name']}-",
            "namespace": job["metadata"]["namespace"],
        },
        "spec": template.get("spec"),
    }


async def _ask(
    api: Api, kind: Kind, body: dict[str, Any], seconds: float, *query: tuple[str, str]
) -> tuple[Probe, Any]:
    path = kind.path(body["metadata"]["namespace"])
    request = Request("POST", path, (DRY_RUN, *query), body)
    try:
        response = await api.send(request, timeout_seconds=seconds)
    except ApiUnanswered as error:
        return Probe(kind.name, Verdict.UNKNOWN, words=str(error)), None
    return _judged(kind, response), response.body


def _judged(kind: Kind, response: Response) -> Probe:
    if response.ok:
        return Probe(kind.name, Verdict.ALLOWED, response.code)
    answer, words = not_done(response), _own_words(response)
    if response.code == FORBIDDEN and _NO_RIGHT in words:
        words = f"the right to create {kind.resource} is missing: {words}"
        return Probe(kind.name, Verdict.UNKNOWN, response.code, "Forbidden", words)
    if not isinstance(answer, Refused):
        return Probe(kind.name, Verdict.UNKNOWN, response.code, words=words)
    return Probe(
        kind.name, Verdict.REFUSED, answer.code, answer.reason, words, is_permanent(answer)
    )


def _own_words(response: Response) -> str:
    """Give the server's words with all their figures: they are read once, and not compared."""
    words = text(mapping(response.body).get("message"))
    return cut(scrub(words)) or status_words(response)
