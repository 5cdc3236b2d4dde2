"""Staged worlds: simulated clusters in which a witness checks each write for ModelCaches."""

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELWARMUP
from adapters.ports import MERGE_PATCH, Request, Response
from adapters.simulator.api_server import ApiServer
from adapters.simulator.protecting import claims_of
from adapters.simulator.resources import BY_KIND, CACHE, CLAIM, JOB, POD, SECRET, path_of, place_of
from adapters.simulator.storage import DELETED, Change, Manifest
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World
from engine.canonical_json import dumps, loads
from engine.events import Event
from machines import intents, labels
from machines.domain import WARMLOG
from machines.intents import CacheIntent, Intent, intent_from_json
from machines.job_bodies import body_digest
from property_tests.watched_worlds import has_ended, hold_no_future

HOME = "sim"
PLANTED = ("swordfish-one", "swordfish-two", "swordfish-three")  # values of tokens
CACHE_PATHS = ("/modelcaches/", "/inferenceclusters/", "/modelwarmups/")

Rows = Callable[[], list[Event]]


class WitnessedServer:
    """An API server as the controller sees it: what it sends must be in the log already."""

    def __init__(self, world: "StagedWorld", cluster: str, rows: Rows) -> None:
        """Pass all requests on to the server of `world`, which the log knows as `cluster`."""
        self.faults = world.cluster.api.faults
        self.writes: list[Request] = []
        self._world = world
        self._cluster = cluster
        self._rows = rows

    @property
    def cluster(self) -> str:
        """The name of the cluster."""
        return self._world.cluster.api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer one request, once it is known to be intended."""
        if request.method != "GET":
            self.writes.append(request)
            self._check(request)
        return await self._world.cluster.api.send(request, timeout_seconds=timeout_seconds)

    def open_watch(self, request: Request) -> WatchCursor:
        """Open a watch."""
        return self._world.cluster.api.open_watch(request)

    def cut_watches(self, words: str = "connection reset by peer") -> None:
        """Break every open watch."""
        self._world.cluster.api.cut_watches(words)

    @property
    def cursors(self) -> tuple[WatchCursor, ...]:
        """The open watches."""
        return self._world.cluster.api.cursors

    def _check(self, request: Request) -> None:
        place = place_of(request.path)
        assert place is not None, request
        if place.subresource == "status":
            assert place.resource.kind in {"ModelCache", "InferenceCluster"}, request
            hold_no_secret(dumps(request.body))
            hold_no_future(request, len(self._rows()))
            self._world.check_status(request)
            return
        if place.resource.kind != "Secret":
            hold_no_secret(dumps(request.body))
        assert any(self._fits(request, place, one) for one in self._intents()), request
        if request.method == "POST" and place.resource.kind != "Namespace":
            self._world.check_held(request.body)
        if request.method == "DELETE" and place.resource.kind == CLAIM.kind:
            self._world.check_unused(place.namespace, place.name)

    def _fits(self, request: Request, place: Any, intent: Intent) -> bool:
        kind = {"Job": "HydrationJob", "Pod": "HydrationPod"}.get(
            place.resource.kind, place.resource.kind
        )
        if not isinstance(intent, CacheIntent) or intent.kind != kind:
            return False
        if intent.namespace != place.namespace:
            return False
        match request.method, intent:
            case "POST", intents.Create():
                same: bool = intent.name == request.body["metadata"]["name"]
                secret = place.resource.kind == "Secret"  # its value is filled in when it is sent
                return same and (secret or body_digest(request.body) == intent.digest)
            case "DELETE", intents.Delete():
                assert request.body["propagationPolicy"] == "Background"
                return bool(intent.uid == request.body["preconditions"]["uid"])
            case "PATCH", intents.Change():
                return bool(intent.uid == request.body[0]["value"])
        return False

    def _intents(self) -> Iterable[Intent]:
        for row in self._rows():
            if WARMLOG.is_decision(row.type):
                yield intent_from_json(row.type, loads(row.data))


class StagedWorld(World):
    """A cluster that models may be staged to, whose claims and Jobs are watched at every write."""

    def __init__(self, seed: int, name: str, rows: Rows) -> None:
        """Begin with the witness in front of the API server."""
        self.ever_held: set[str] = set()  # uids of ModelCaches that bore the finalizer
        self.home: StagedWorld = self
        super().__init__(seed, name=name)
        self._witness = WitnessedServer(self, name, rows)
        self.cluster.storage.subscribe(self._on_change)

    @property
    def api(self) -> ApiServer:
        """The API server, with the witness before it."""
        return cast("ApiServer", self._witness)

    @property
    def writes(self) -> list[Request]:
        """What was asked to be written."""
        return self._witness.writes

    def install_all(self) -> None:
        """Install the definitions of all kinds."""
        for definition in (MODELWARMUP, MODELCACHE, INFERENCECLUSTER):
            self.install(definition)

    def check_status(self, request: Request) -> None:
        """A mount stands exactly where the phase is Ready, and no secret anywhere."""
        for operation in request.body:
            value = operation.get("value")
            if operation["path"] == "/status" and isinstance(value, dict):
                for entry in value.get("clusters", ()):
                    assert ("mount" in entry) == (entry["phase"] == "Ready"), entry

    def check_held(self, body: Manifest) -> None:
        """Whose it is bore the finalizer before anything was made for it."""
        notes = body["metadata"].get("annotations") or {}
        assert notes[labels.CACHE_UID] in self.home.ever_held, "made before it was held"

    def check_unused(self, namespace: str, name: str) -> None:
        """Nobody mounts a claim that is deleted, as far as the server shows Pods as they are.

        A server that answers with the past hides who mounts it; then Kubernetes alone keeps it,
        by its finalizer, until its users are gone.
        """
        if self.cluster.api.faults.version_listed(POD.kind) is not None:
            return
        users = [pod["metadata"]["name"] for pod in self.mounting(namespace, name)]
        assert not users, f"{name} is deleted while {users} mount it"

    def mounting(self, namespace: str, claim: str) -> Iterator[Manifest]:
        """Give the Pods that mount a claim and have not ended."""
        for pod in self.listed(POD.kind, namespace):
            phase = (pod.get("status") or {}).get("phase")
            if claim in claims_of(pod) and phase not in {"Succeeded", "Failed"}:
                yield pod

    def held_tokens(self) -> list[str]:
        """Give the planted values that Secrets in the namespaces of caches hold."""
        held = {
            base64.b64decode(value).decode()
            for secret in self.listed(SECRET.kind)
            if secret["metadata"]["namespace"].startswith("mp-")
            for value in secret["data"].values()
        }
        return sorted(held & set(PLANTED))

    def edit_cache_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelCache's status by hand."""
        path = f"{path_of(CACHE, 'default', name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def strip_finalizers(self, name: str) -> None:
        """Take all finalizers off a ModelCache by hand."""
        self._patch(CACHE, "default", name, {"metadata": {"finalizers": None}})

    def delete_any(self, thing: Manifest) -> None:
        """Delete an object by hand."""
        metadata = thing["metadata"]
        self._delete(BY_KIND[thing["kind"]], metadata["namespace"], metadata["name"])

    def strip(self, thing: Manifest, label: str) -> None:
        """Take a label off an object by hand."""
        metadata = thing["metadata"]
        self.relabel(thing["kind"], metadata["namespace"], metadata["name"], {label: None})

    def note_on(self, thing: Manifest, notes: Manifest) -> None:
        """Write an annotation by hand."""
        metadata = thing["metadata"]
        self.annotate(thing["kind"], metadata["namespace"], metadata["name"], notes)

    def _on_change(self, kind: str, change: Change) -> None:
        item = change.object
        if kind == CACHE.kind and labels.CACHE_IN_USE in (item["metadata"].get("finalizers") or ()):
            self.ever_held.add(item["metadata"]["uid"])
        if kind == JOB.kind and change.type != DELETED and change.previous is None:
            self._check_jobs(item)

    def _check_jobs(self, job: Manifest) -> None:
        """One Job at work on a claim, and no Pod of another."""
        namespace, name = job["metadata"]["namespace"], job["metadata"]["name"]
        claims = claims_of(job["spec"]["template"])
        for other in self.listed(JOB.kind, namespace):
            same = set(claims) & set(claims_of(other["spec"]["template"]))
            assert other["metadata"]["name"] == name or not same or has_ended(other)
        for claim in claims:
            for pod in self.mounting(namespace, claim):
                owners = pod["metadata"].get("ownerReferences") or ()
                ours = any(one["kind"] == "Job" for one in owners)
                marked = labels.CACHE in (pod["metadata"].get("labels") or {})
                assert not (ours and marked), f"{pod['metadata']['name']} still writes"


def hold_no_secret(text: str) -> None:
    """No planted value stands in a text."""
    for value in PLANTED:
        assert value not in text, f"{value} in {text}"
