"""The simulated API server: requests in, answers and watches out, over the real URL paths.

It offers the port of the real adapter. `send` never suspends, and what it hands out is shared with
the storage: bodies that are sent in or come back must not be changed afterwards.
"""

from collections.abc import AsyncIterator, Callable
from typing import Any

from adapters.ports import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    METADATA_LIST,
    ApiUnanswered,
    Request,
    Response,
)
from adapters.simulator import answers
from adapters.simulator.answers import Refusal
from adapters.simulator.applying import Application, checked_body
from adapters.simulator.decoding import Undecodable
from adapters.simulator.deleting import DeleteOptions
from adapters.simulator.faults import Death, Fault, Faults, Loss, SenderDied, Slowness, Stay
from adapters.simulator.halting import Halt
from adapters.simulator.listing import Collections, metadata_only
from adapters.simulator.patching import PatchFailed, PatchMalformed, json_patched, merge_patched
from adapters.simulator.registry import Changing, Registry, Writing
from adapters.simulator.resources import POD, Place
from adapters.simulator.scales import scale_of, scaled
from adapters.simulator.storage import Change, Manifest, Storage, Tidings
from adapters.simulator.watching import WatchCursor

_TIMED_OUT = "no answer in time"
_CLIENT = "warmlog"  # the user agent of the real client, and so its name as a writer


# Told of each request as the server begins with it, without an answer, and when it has one.
Onlooker = Callable[[Request, Response | None], None]


class ApiServer:
    """One simulated API server; see the module."""

    def __init__(self, cluster: str, storage: Storage, registry: Registry) -> None:
        """Serve what `registry` guards, under the name `cluster`."""
        self.faults = Faults()
        self._cluster = cluster
        self._storage = storage
        self._registry = registry
        self.onlookers: list[Onlooker] = []
        self._collections = Collections(storage, self.faults, registry.served)
        self._cursors: list[WatchCursor] = []

    @property
    def tidings(self) -> Tidings:
        """What counts all that may be news to who watches."""
        return self._storage.tidings

    @property
    def cluster(self) -> str:
        """The name under which this cluster stands in the log."""
        return self._cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer one request, at once unless a fault lets it take time or halts its sender.

        Raises what `handle` raises, and ApiUnanswered for what takes longer than `timeout_seconds`.
        """
        fault = self._befalling(request)
        if isinstance(fault, Slowness):
            return self._slowly(request, fault, timeout_seconds)
        if fault is Stay.THERE:
            await Halt()
        response = self._befallen(request, fault)
        if fault is Stay.BACK:
            await Halt()
        return response

    def handle(self, request: Request) -> Response:
        """Answer one request, which takes no time here.

        Raises ApiUnanswered when a fault swallows request or reply, SenderDied when it ends whoever
        sent it.
        """
        return self._befallen(request, self._befalling(request))

    def _befalling(self, request: Request) -> Fault | None:
        if self.faults.unreachable:
            raise ApiUnanswered(self.faults.unreachable)
        return self.faults.befalling(request)

    def _befallen(self, request: Request, fault: Fault | None) -> Response:
        if isinstance(fault, Response):
            return fault
        if fault is Death.UNSENT:
            raise SenderDied(f"before {request.method} {request.path} was sent")
        if fault is Loss.REQUEST:
            raise ApiUnanswered("connection refused")
        response = self.answer(request)
        if fault is Death.UNHEARD:
            raise SenderDied(f"before {request.method} {request.path} was answered")
        if fault is Loss.REPLY:
            raise ApiUnanswered("connection reset by peer")
        return response

    def _slowly(self, request: Request, slow: Slowness, timeout_seconds: float) -> Response:
        """Answer after a while, if that is soon enough."""
        there, back = slow
        self.faults.wait(min(there, timeout_seconds))
        if there >= timeout_seconds:
            raise ApiUnanswered(_TIMED_OUT)
        response = self.answer(request)
        self.faults.wait(min(back, timeout_seconds - there))
        if there + back >= timeout_seconds:
            raise ApiUnanswered(_TIMED_OUT)
        return response

    def answer(self, request: Request) -> Response:
        """Answer one request, whatever faults stand ready."""
        for look in self.onlookers:
            look(request, None)
        try:
            response = self._dispatch(request, self._registry.served.place(request.path))
        except Refusal as refusal:
            response = refusal.response
        for look in self.onlookers:
            look(request, response)
        return response

    def open_watch(self, request: Request) -> WatchCursor:
        """Open a watch; a refusal comes as its first event. Raises ApiUnanswered."""
        if self.faults.unreachable:
            raise ApiUnanswered(self.faults.unreachable)
        self._cursors = [cursor for cursor in self._cursors if not cursor.finished]
        cursor = self._collections.opened(request)
        self._cursors.append(cursor)
        return cursor

    async def watch(
        self, request: Request, *, idle_seconds: float
    ) -> AsyncIterator[dict[str, Any]]:
        """Give a watch's events until it ends. Silence is never too long: no real time passes."""
        del idle_seconds
        cursor = self.open_watch(request)
        while not cursor.ended:
            events = cursor.take()
            for event in events:
                yield event
            if not events and not cursor.ended:
                await cursor.wait()

    async def close(self) -> None:
        """End all watches."""
        for cursor in self._cursors:
            cursor.close()

    def cut_watches(self, words: str = "connection reset by peer") -> None:
        """Break every open watch."""
        for cursor in self._cursors:
            cursor.cut(words)

    @property
    def cursors(self) -> tuple[WatchCursor, ...]:
        """The watches opened so far that have not ended, oldest first."""
        return tuple(cursor for cursor in self._cursors if not cursor.finished)

    def stir(self, kind: str, change: Change) -> None:
        """Wake the watches of a kind: something was written."""
        del change
        for cursor in self._cursors:
            if cursor.kind == kind:
                cursor.stir()

    def _dispatch(self, request: Request, place: Place) -> Response:
        _check_subresource(place)
        match request.method, bool(place.name), place.subresource:
            case "GET", False, "":
                listed = self._collections.listed(place, dict(request.query))
                return metadata_only(listed) if request.accept == METADATA_LIST else listed
            case "GET", True, "" | "status":
                return Response(200, self._registry.get(place))
            case "GET", True, "scale":
                return Response(200, scale_of(place.resource, self._registry.get(place)))
            case "POST", False, "":
                return self._create(request, place)
            case "POST", True, "eviction" if place.resource is POD:
                return self._evict(place)
            case "PUT", True, "" | "status" | "scale":
                return self._replace(request, place)
            case "PATCH", True, "" | "status" | "scale":
                return self._patch(request, place)
            case "DELETE", True, "":
                return self._delete(request, place)
            case _:
                raise answers.method_not_allowed()

    def _create(self, request: Request, place: Place) -> Response:
        if place.resource.namespaced and not place.namespace:
            raise answers.method_not_allowed()
        body = request.body
        given = (body.get("metadata") or {}).get("namespace") if isinstance(body, dict) else None
        if given and given != place.namespace:
            raise answers.bad_request(
                "the namespace of the provided object does not match the namespace sent on the "
                "request"
            )
        made = self._registry.create(place.resource, place.namespace, body, _writing(request))
        return Response(201, made)

    def _replace(self, request: Request, place: Place) -> Response:
        if place.resource.put_creates and not self._registry.holds(place):
            return self._create(request, place)
        return self._changed(request, place, lambda _: request.body)

    def _patch(self, request: Request, place: Place) -> Response:
        match request.content_type:
            case t if t == JSON_PATCH:
                change = _json_patch(request.body)
            case t if t == MERGE_PATCH:
                change = _merge_patch(request.body)
            case t if t == APPLY_PATCH and place.subresource != "scale":
                return self._apply(request, place)
            case _:
                raise answers.unsupported_media_type("unsupported patch format")
        try:
            return self._changed(request, place, change)
        except Undecodable as refusal:
            raise answers.bad_patch(str(refusal)) from None

    def _changed(self, request: Request, place: Place, change: Changing) -> Response:
        if place.subresource == "scale":
            whole = _scaling(place, change)
            changed = self._registry.update(place, whole, _writing(request))
            return Response(200, scale_of(place.resource, changed))
        return Response(200, self._registry.update(place, change, _writing(request)))

    def _apply(self, request: Request, place: Place) -> Response:
        query = dict(request.query)
        manager, force = query.get("fieldManager", ""), query.get("force") == "true"
        if not manager:
            words = "Required value: is required for apply patch"
            raise answers.bad_patch_options("fieldManager", words)
        body = checked_body(place, request.body)
        application = Application(body, manager, force)
        item, made = self._registry.apply(place, application, _writing(request))
        return Response(201 if made else 200, item)

    def _delete(self, request: Request, place: Place) -> Response:
        body = request.body if isinstance(request.body, dict) else {}
        query = dict(request.query)
        preconditions = body.get("preconditions") or {}
        grace = body.get("gracePeriodSeconds", query.get("gracePeriodSeconds"))
        options = DeleteOptions(
            uid=preconditions.get("uid"),
            version=preconditions.get("resourceVersion"),
            propagation=body.get("propagationPolicy", query.get("propagationPolicy")),
            grace_seconds=None if grace is None else int(grace),
            dry_run="All" in (body.get("dryRun") or ()) or query.get("dryRun") == "All",
        )
        item, gone = self._registry.delete(place, options)
        if gone and not place.resource.deleted_shown:
            return answers.deleted(place.resource, place.name, item["metadata"]["uid"])
        return Response(200, item)

    def _evict(self, place: Place) -> Response:
        """Delete a Pod by the eviction API: it says on the Pod that it was a disruption."""
        condition = {
            "type": "DisruptionTarget",
            "status": "True",
            "reason": "EvictionByEvictionAPI",
            "message": "Eviction API: evicting",
            "lastProbeTime": None,
        }
        self._registry.set_condition(place, condition)
        self._registry.delete(place, DeleteOptions())
        body = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success"}
        return Response(201, {**body, "code": 201})


def _check_subresource(place: Place) -> None:
    """Refuse with 404 what the kind has not; a custom kind says that its object is not there."""
    if _is_there(place):
        return
    if place.resource.custom:
        raise answers.not_found(place.resource, place.name)
    raise answers.no_such_path()


def _is_there(place: Place) -> bool:
    """Say whether the kind has the subresource."""
    match place.subresource:
        case "status":
            return place.resource.status_subresource
        case "scale":
            return place.resource.scalable
        case other:
            return other in {"", "eviction"}


def _writing(request: Request) -> Writing:
    query = dict(request.query)
    manager = query.get("fieldManager") or _CLIENT
    dry_run = query.get("dryRun") == "All"
    return Writing(manager, dry_run=dry_run, posted=request.method == "POST")


def _scaling(place: Place, change: Changing) -> Changing:
    """Make of a change of a Scale one of the object itself."""

    def changed(current: Manifest) -> Manifest:
        return scaled(current, change(scale_of(place.resource, current)))

    return changed


def _json_patch(patch: Any) -> Changing:
    def change(current: Manifest) -> Manifest:
        try:
            patched = json_patched(current, patch)
        except PatchMalformed as error:
            raise answers.bad_request(str(error)) from None
        except PatchFailed:
            raise answers.patch_failed() from None
        if not isinstance(patched, dict):
            raise answers.patch_failed()
        return patched

    return change


def _merge_patch(patch: Any) -> Changing:
    def change(current: Manifest) -> Manifest:
        if not isinstance(patch, dict):
            raise answers.bad_request("a merge patch is an object")
        patched: Manifest = merge_patched(current, patch)
        return patched

    return change
