"""Witnessing: worlds in which all that is sent and all that changes is noted as it happens."""

from typing import Any, Protocol, cast

from adapters.kubernetes.answers import NOT_FOUND
from adapters.ports import Request, Response
from adapters.simulator.api_server import ApiServer
from adapters.simulator.resources import place_of
from adapters.simulator.storage import Change, Manifest
from adapters.simulator.worlds import World
from engine.events import Event
from property_tests.evidence import Changed, Evidence, Restored, Sent

# What may matter to what is done to an object of a kind: these, of its namespace.
BESIDE = {
    "Job": ("Job", "Pod", "PersistentVolumeClaim"),
    "PersistentVolumeClaim": ("Pod", "Deployment", "LeaderWorkerSet"),
}


class Log(Protocol):
    """A log whose rows can be looked at."""

    rows: list[Event]


class Witness:
    """Notes what happens in worlds that one controller works in."""

    def __init__(self, log: Log, log_id: str) -> None:
        """Begin with the first log."""
        self.evidence = Evidence()
        self.begin_log(log, log_id)

    def begin_log(self, log: Log, log_id: str) -> None:
        """Note that the controller has another log from now on."""
        self._log = log
        self.evidence.logs.append(log.rows)
        self.evidence.log_ids.append(log_id)

    def cut_log(self) -> None:
        """Note that rows are about to be taken off the end of the log."""
        self.evidence.logs[-1] = list(self._log.rows)
        self.begin_log(self._log, self.evidence.log_ids[-1])

    @property
    def log(self) -> int:
        """Which of the logs it is now."""
        return len(self.evidence.logs) - 1

    @property
    def position(self) -> int:
        """How many rows it has."""
        return len(self._log.rows)


class WitnessedApi:
    """An API server as the controller sees it; what is to write something is noted."""

    def __init__(self, world: World, api: ApiServer, witness: Witness) -> None:
        """Pass all requests on to `api`."""
        self._api = api
        self._world = world
        self._witness = witness
        self._under_way: dict[int, Sent] = {}  # by identity of the request
        self._missed: set[str] = set()  # paths at which a read found nothing, until a write
        api.onlookers.append(self._look)

    def __getattr__(self, name: str) -> Any:
        """Give everything else that the API server has."""
        return getattr(self._api, name)

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer one request."""
        if request.method == "GET":
            if self._api.faults.list_version is not None or self._api.faults.list_versions:
                self._witness.evidence.misled.add(self._api.cluster)
            return self._read(
                request, await self._api.send(request, timeout_seconds=timeout_seconds)
            )
        self._note(request)
        try:
            return await self._api.send(request, timeout_seconds=timeout_seconds)
        finally:
            del self._under_way[id(request)]

    def _read(self, request: Request, response: Response) -> Response:
        if response.code == NOT_FOUND:
            self._missed.add(request.path)
        else:
            self._missed.discard(request.path)
        return response

    def _note(self, request: Request) -> None:
        place = place_of(request.path)
        if place is None:
            msg = f"no server has anything at {request.path}"
            raise AssertionError(msg)
        witness, at = self._witness, self._world.cluster.now
        missed = request.path in self._missed
        self._missed.discard(request.path)
        sent = Sent(
            self._api.cluster, request, place, witness.log, witness.position, at, missed=missed
        )
        self._under_way[id(request)] = sent
        witness.evidence.happened.append(sent)

    def _look(self, request: Request, response: Response | None) -> None:
        """Note how it is when a request arrives, and what came of it."""
        sent = self._under_way.get(id(request))
        if sent is None:  # somebody else's
            return
        if response is not None:
            sent.answer, sent.after = response, self._there(sent)
            return
        kind = sent.kind
        # A server that answers with the past hides who mounts a claim.
        hidden = kind == "PersistentVolumeClaim" and self.faults.version_listed("Pod") is not None
        if kind in BESIDE and request.method in {"POST", "DELETE"} and not hidden:
            sent.beside = tuple(
                item
                for one in BESIDE[kind]
                for item in self._world.listed(one, sent.place.namespace)
            )
        sent.before, sent.at = self._there(sent), self._world.cluster.now
        sent.arrived = self._witness.log, self._witness.position

    def _there(self, sent: Sent) -> Manifest | None:
        place = sent.place
        name = place.name or sent.request.body["metadata"]["name"]
        return self._world.find(place.resource.kind, place.namespace, name)


class WitnessedWorld(World):
    """A world with a witness in front of its API server and beside its storage."""

    def __init__(self, seed: int, name: str, witness: Witness) -> None:
        """Begin as any world does."""
        super().__init__(seed, name=name)
        self.witness = witness
        self._api = WitnessedApi(self, self.cluster.api, witness)
        for kind, change in self.cluster.storage.each():
            self._on_change(kind, change)
        self.cluster.storage.subscribe(self._on_change)

    @property
    def api(self) -> ApiServer:
        """The API server, with the witness before it."""
        return cast("ApiServer", self._api)

    def roll_back(self, version: int) -> None:
        """Restore the cluster from a backup."""
        self.cluster.roll_back(version)
        self.witness.evidence.happened.append(Restored(self.cluster.api.cluster))
        for kind, change in self.cluster.storage.each():
            self._on_change(kind, change)
        self.cluster.storage.subscribe(self._on_change)

    def _on_change(self, kind: str, change: Change) -> None:
        changed = Changed(self.cluster.api.cluster, kind, change)
        self.witness.evidence.happened.append(changed)
