"""Surveying: reading once, for a plan, what a controller would know of one ModelWarmup's cluster.

Only what the plan needs is read, so that little has to be allowed: one Namespace, the Nodes, the
ModelWarmup of that name, and of one that exists its Jobs and Pods. What may not be read is said by
name, and the rest goes on.
"""

from typing import Any, NamedTuple

from adapters.kubernetes.answers import FORBIDDEN, NOT_FOUND, names_object, status_words, uid_of
from adapters.kubernetes.kinds import JOB, MODEL_WARMUP, NAMESPACE, NODE, POD, Kind, get_request
from adapters.kubernetes.normalising import ObjectMalformed, normalise
from adapters.kubernetes.reading import read_all
from adapters.kubernetes.reflecting import ReadRefused
from adapters.ports import Api, Response
from machines import labels
from machines.observations import Listed, Seen

NO_VERSION = "0"


class Unread(NamedTuple):
    """A kind that could not be read, as objects and as RBAC name it, and why."""

    kind: str
    resource: str
    words: str

    def __str__(self) -> str:
        """Say it in one sentence."""
        return self.words


class Survey(NamedTuple):
    """What there is: a complete list of each kind that could be read."""

    lists: tuple[Listed, ...]
    unread: tuple[Unread, ...]
    existing: Any = None  # the ModelWarmup of that name as the server holds it, if there is one

    def items(self, kind: str) -> tuple[Seen, ...]:
        """Give what was read of a kind."""
        return next((each.items for each in self.lists if each.kind == kind), ())

    @property
    def unread_kinds(self) -> frozenset[str]:
        """Give the names of the kinds that could not be read."""
        return frozenset(each.kind for each in self.unread)


class Surveyor:
    """Reads one cluster; its Nodes only once, however many ModelWarmups are asked for."""

    def __init__(self, api: Api, *, timeout_seconds: float) -> None:
        """Read through `api`; `timeout_seconds` bounds each request."""
        self._api = api
        self._seconds = timeout_seconds
        self._nodes: Listed | Unread | None = None

    async def survey(self, namespace: str, name: str) -> Survey:
        """Read what concerns the ModelWarmup of this name. Raises ApiUnanswered."""
        found: list[Listed | Unread] = [await self._namespace(namespace)]
        found.append(await self.nodes())
        existing = await self.warmup(namespace, name)
        uid = "" if isinstance(existing, Unread) else uid_of(existing)
        if isinstance(existing, Unread):
            found.append(existing)
        for kind in (JOB, POD):
            if uid:
                theirs = f"{labels.WARMUP_UID}={uid}"
                found.append(
                    await self._listed(kind._replace(label_selector=theirs, within=namespace))
                )
            else:
                found.append(Listed(self._api.cluster, kind.name, NO_VERSION, ()))
        return Survey(
            tuple(each for each in found if isinstance(each, Listed)),
            tuple(each for each in found if isinstance(each, Unread)),
            existing if uid else None,
        )

    async def is_taken(self, namespace: str, name: str) -> bool:
        """Say whether a ModelWarmup of this name exists, as far as can be known."""
        return (await self._get(MODEL_WARMUP, namespace, name)).ok

    async def warmup(self, namespace: str, name: str) -> Any | Unread | None:
        """Give one ModelWarmup, None when there is none. Raises ApiUnanswered."""
        response = await self._get(MODEL_WARMUP, namespace, name)
        if response.ok:
            return response.body
        if names_object(response, MODEL_WARMUP.plural, name):
            return None
        return _unread(MODEL_WARMUP, "get", response.code, status_words(response))

    async def nodes(self) -> Listed | Unread:
        """Give all Nodes, read once. Raises ApiUnanswered."""
        if self._nodes is None:
            self._nodes = await self._listed(NODE)
        return self._nodes

    async def _namespace(self, name: str) -> Listed | Unread:
        response = await self._get(NAMESPACE, "", name)
        if names_object(response, NAMESPACE.plural, name):
            return Listed(self._api.cluster, NAMESPACE.name, NO_VERSION, ())
        if not response.ok:
            return _unread(NAMESPACE, "get", response.code, status_words(response))
        try:
            seen = normalise(self._api.cluster, NAMESPACE, response.body)
        except ObjectMalformed as error:
            return Unread(NAMESPACE.name, NAMESPACE.resource, str(error))
        return Listed(self._api.cluster, NAMESPACE.name, seen.version, (seen,))

    async def _listed(self, kind: Kind) -> Listed | Unread:
        try:
            return await read_all(self._api, kind, timeout_seconds=self._seconds)
        except ReadRefused as error:
            return _unread(kind, "list", error.code, error.words)

    async def _get(self, kind: Kind, namespace: str, name: str) -> Response:
        return await self._api.send(
            get_request(kind, namespace, name), timeout_seconds=self._seconds
        )


def _unread(kind: Kind, verb: str, code: int, words: str) -> Unread:
    if code == FORBIDDEN:
        text = f"{kind.resource} may not be read, the right to {verb} them is missing: {words}"
    elif code == NOT_FOUND:
        text = (
            f"the cluster does not serve {kind.resource}: apply the CRD with "
            "`kubectl apply -k crds/`"
        )
    else:
        text = f"{kind.resource} cannot be read ({code}): {words}"
    return Unread(kind.name, kind.resource, text)
