"""The same requests to a simulated and to a real API server, and their answers compared.

What must differ (uids, versions, times, tokens) is made equal; where the real server writes words
of its own machinery, the fields and reasons it names are compared instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from adapters.ports import Api, Request, Response
from adapters.simulator.worlds import World

SECONDS = 20.0

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

    def __init__(self, world: World, real: Api) -> None:
        """Ask `world` and `real`."""
        self.world = world
        self.real = real

    async def ask(self, request: Request) -> tuple[Response, Response]:
        """Send one request to both; both answers must mean the same."""
        simulated = await _sent(self.world.api, request)
        real = await _sent(self.real, request)
        found = "\n".join(differences(shown(simulated), shown(real)))
        assert not found, f"{request.method} {request.path} {request.body}\n{found}"
        return simulated, real

    async def ask_all(self, requests: Iterable[Request]) -> None:
        """Send all of them, one after the other."""
        for request in requests:
            await self.ask(request)


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


def events_shown(events: Iterable[Mapping[str, Any]]) -> list[tuple[str, Any]]:
    """Give what of a watch's events must be the same on both servers."""
    return [(event["type"], levelled(event["object"])) for event in events]
