"""The same requests to a simulated and to a real API server, and their answers compared.

What must differ (uids, versions, times, tokens) is made equal; where the real server writes words
of its own machinery, the fields and reasons it names are compared instead.
"""

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import aclosing, suppress
from typing import Any, NamedTuple, Self

from adapters.kubernetes.http_api import HttpApi
from adapters.ports import Api, Request, Response
from adapters.simulator.resources import BY_KIND
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World

SECONDS = 20.0
GOODBYE_SECONDS = 0.25  # TLS connections that were closed are not gone at once
_QUIET_SECONDS = 0.5

Event = dict[str, Any]

_UID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_SUFFIX = re.compile(r"-[bcdfghjklmnpqrstvwxz2456789]{5}$")
_VERSIONS = re.compile(r"(precondition \(|record \(|current: )\d+")
_NOT_OURS = ("managedFields", "selfLink")
_TTL_NOTE = "node.alpha.kubernetes.io/ttl"  # of a controller that the simulator has not
_CONTROLLERS = "node.kubernetes.io/"
_WORDLESS = frozenset((400, 415, 422))  # compared by reason and fields


class Known(NamedTuple):
    """A value that differs between the servers: a field of the metadata of the object at a path."""

    path: str
    field: str


class Pair:
    """A simulated and a real API server that are asked the same."""

    def __init__(self, world: World, real: HttpApi, *, owners: bool = False) -> None:
        """Ask `world` and `real`; with `owners`, who owns which field must be the same, too."""
        self.world = world
        self.real = real
        self._owners = owners

    async def ask(self, request: Request) -> tuple[Response, Response]:
        """Send one request to both; both answers must mean the same."""
        simulated, real, found = await self.compare(request)
        assert not found, f"{request.method} {request.path} {request.body}\n{found}"
        return simulated, real

    async def compare(self, request: Request) -> tuple[Response, Response, str]:
        """Send one request to both; give both answers, and in what they differ."""
        simulated = await _sent(self.world.api, request)
        real = await _sent(self.real, request)
        listed = list(differences(shown(simulated), shown(real)))
        if self._owners:
            listed += differences(owners_shown(simulated), owners_shown(real), "managedFields")
        return simulated, real, "\n".join(listed)

    async def ask_all(self, requests: Iterable[Request]) -> None:
        """Send all of them, one after the other."""
        for request in requests:
            await self.ask(request)


class Told:
    """What one watch was told on both servers, so far."""

    def __init__(self, cursor: WatchCursor) -> None:
        """Nothing yet."""
        self.real: list[Event] = []
        self._cursor = cursor
        self._simulated: list[Event] = []

    @property
    def simulated(self) -> list[Event]:
        """The events of the simulated server."""
        self._simulated += self._cursor.take()
        return self._simulated


class Watches:
    """Watches of the same things on both servers; a context manager that ends them."""

    def __init__(self, pair: Pair) -> None:
        """Open none yet."""
        self._pair = pair
        self._told: list[Told] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(self, *error: object) -> None:
        """End the watches of the real server."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def open(self, path: str, **query: str) -> Told:
        """Watch from the version of a list made now."""
        requests = []
        for listed in await self._pair.ask(Request("GET", path)):
            since = {"resourceVersion": listed.body["metadata"]["resourceVersion"]}
            asked = {"watch": "true", **since, **query}
            requests.append(Request("GET", path, tuple(asked.items())))
        told = Told(self._pair.world.api.open_watch(requests[0]))
        self._told.append(told)
        self._tasks.append(asyncio.create_task(self._follow(requests[1], told.real)))
        return told

    async def _follow(self, request: Request, found: list[Event]) -> None:
        watching = self._pair.real.watch(request, idle_seconds=120)
        async with aclosing(watching) as events:
            async for event in events:
                found += [event]  # as it comes: the task is ended from outside

    def _caught_up(self) -> bool:
        return all(len(told.real) >= len(told.simulated) for told in self._told)

    async def rest(self) -> list[Told]:
        """Give what was told, once the real server told as much, and then nothing for a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(SECONDS):
                while not self._caught_up():  # noqa: ASYNC110 -- another process is watched
                    await asyncio.sleep(0.05)
        await asyncio.sleep(_QUIET_SECONDS)
        return self._told


async def _sent(api: Api, request: Request) -> Response:
    query = tuple([(name, str(await _known(api, value))) for name, value in request.query])
    body = await _known(api, request.body)
    return await api.send(request._replace(query=query, body=body), timeout_seconds=SECONDS)


async def _known(api: Api, value: Any) -> Any:
    """Put this server's values in the place of `Known` ones."""
    match value:
        case Known(path, field):
            found = await api.send(Request("GET", path), timeout_seconds=SECONDS)
            nothing = "1" if field == "resourceVersion" else "nothing-there"
            return (found.body.get("metadata") or {}).get(field, nothing)
        case dict():
            return {name: await _known(api, part) for name, part in value.items()}
        case list():
            return [await _known(api, part) for part in value]
        case _:
            return value


def shown(response: Response) -> dict[str, Any]:
    """Give what of an answer must be the same on both servers."""
    body = levelled(response.body)
    if body.get("status") != "Failure":
        return {"code": response.code, "body": body}
    details = body.get("details") or {}
    causes = details.pop("causes", [])
    named = sorted({(cause.get("reason", ""), cause.get("field", "")) for cause in causes})
    failure = {"reason": body.get("reason"), "details": details, "causes": named}
    if response.code not in _WORDLESS:
        failure["message"] = _VERSIONS.sub(r"\1", body.get("message", ""))
    return {"code": response.code, **failure}


def owners_shown(response: Response) -> dict[str, Any]:
    """Give who owns which fields of the object that was answered, by manager and operation."""
    resource = BY_KIND.get(response.body.get("kind", ""))
    if resource is None or not resource.owners_kept:
        return {}
    return {
        f"{entry['manager']} {entry['operation']} {entry.get('subresource', '')}": {
            part: value for part, value in entry.items() if part != "time"
        }
        for entry in response.body["metadata"].get("managedFields") or ()
    }


def levelled(value: Any, name: str = "") -> Any:
    """Give a body without what no two servers have in common.

    A generated name is made equal wherever it stands alone, as in the labels that repeat it.
    """
    if isinstance(value, Mapping):
        kept = {part: levelled(each, part) for part, each in value.items() if part not in _NOT_OURS}
        if name == "metadata":
            _level_metadata(kept)
        return {part: each for part, each in kept.items() if each is not None}
    if isinstance(value, list):
        return _levelled_list(value, name)
    return _levelled_text(value, name) if isinstance(value, str) else value


def _levelled_list(value: list[Any], name: str) -> Any:
    if name == "clusterIPs":
        return ["ADDRESS" for _ in value]
    items = [levelled(each, name) for each in value]
    if name == "taints":  # a controller of the real server is quick to change its own
        items = [taint for taint in items if not taint["key"].startswith(_CONTROLLERS)]
        return items or None
    if items and isinstance(items[0], dict) and "type" in items[0] and "status" in items[0]:
        items.sort(key=lambda item: str(item["type"]))
    return items


def _levelled_text(value: str, name: str) -> str:
    if name == "resourceVersion":
        return "VERSION"
    if name == "clusterIP":
        return "ADDRESS"
    if name == "continue":
        return "TOKEN" if value else ""
    if name.endswith(("Timestamp", "Time", "timeAdded")):
        return "TIME"
    return _SUFFIX.sub("-SUFFIX", _UID.sub("UID", value))


def _level_metadata(kept: dict[str, Any]) -> None:
    notes = {key: note for key, note in (kept.get("annotations") or {}).items() if key != _TTL_NOTE}
    if "annotations" in kept:
        kept["annotations"] = notes or None


def differences(simulated: Any, real: Any, path: str = "") -> Iterator[str]:
    """Say where two levelled values differ."""
    if isinstance(simulated, dict) and isinstance(real, dict):
        for name in sorted(simulated.keys() | real.keys()):
            there = (simulated.get(name), real.get(name))
            yield from differences(*there, f"{path}/{name}")
    elif isinstance(simulated, list) and isinstance(real, list) and len(simulated) == len(real):
        for index, there in enumerate(zip(simulated, real, strict=True)):
            yield from differences(*there, f"{path}/{index}")
    elif simulated != real:
        yield f"{path}: simulated {simulated!r}, real {real!r}"


def events_shown(events: Iterable[Event]) -> list[tuple[str, Any]]:
    """Give what of a watch's events must be the same on both servers."""
    return [(event["type"], levelled(event["object"])) for event in events]
