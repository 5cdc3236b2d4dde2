"""Watched worlds: a simulated cluster in which a witness checks every write as it happens."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from adapters.kubernetes.schemas import MODELWARMUP
from adapters.ports import MERGE_PATCH, Request, Response
from adapters.simulator.api_server import ApiServer
from adapters.simulator.resources import JOB, NAMESPACE, NODE, POD, WARMUP, path_of
from adapters.simulator.storage import DELETED, Change, Manifest
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import loads
from machines import labels
from machines.domain import WARMLOG
from machines.intents import CreateJob, DeleteJob, Intent, RestoreJob, StampTtl, intent_from_json
from machines.job_bodies import body_digest
from machines.selecting import refusal

NAMESPACE_NAME = "default"
POOL = "p"


class WitnessedApi:
    """The API server as the controller sees it: what it sends must be in the log already."""

    def __init__(self, api: ApiServer, log: MemoryLog) -> None:
        """Pass all requests on to `api`."""
        self._api = api
        self._log = log
        self._read_rows = 0
        self._intents: list[Intent] = []
        self.faults = api.faults

    @property
    def cluster(self) -> str:
        """The name of the cluster."""
        return self._api.cluster

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer one request."""
        if request.method != "GET":
            assert self._is_intended(request), f"not intended: {request}"
        return await self._api.send(request, timeout_seconds=timeout_seconds)

    def open_watch(self, request: Request) -> WatchCursor:
        """Open a watch."""
        return self._api.open_watch(request)

    def _is_intended(self, request: Request) -> bool:
        if request.path.endswith("/status"):
            hold_no_future(request, len(self._log.rows))
            return "/modelwarmups/" in request.path
        intents = self._so_far()
        match request.method:
            case "POST":
                made = (request.body["metadata"]["name"], body_digest(request.body))
                creates = (one for one in intents if isinstance(one, CreateJob))
                return any((one.job_name, one.digest) == made for one in creates)
            case "DELETE":
                uid = request.body["preconditions"]["uid"]
                assert request.body["propagationPolicy"] == "Background"
                return any(isinstance(one, DeleteJob) and one.job_uid == uid for one in intents)
            case _:
                uid, patches = request.body[0]["value"], (StampTtl, RestoreJob)
                return any(isinstance(one, patches) and one.job_uid == uid for one in intents)

    def _so_far(self) -> Iterable[Intent]:
        rows, self._read_rows = self._log.rows[self._read_rows :], len(self._log.rows)
        for row in rows:
            if WARMLOG.is_decision(row.type):
                self._intents.append(intent_from_json(row.type, loads(row.data)))
        return self._intents


class WatchedWorld(World):
    """A world whose Jobs are counted at every write."""

    def __init__(self, seed: int, log: MemoryLog) -> None:
        """Begin with a namespace in the pool, and the ModelWarmup kind."""
        self._inside: set[str] = set()  # uids of nodes that were within the boundary, ever
        self._pools: set[str] = set()  # that the namespace was in, ever
        self._limits: dict[str, int] = {}  # parallelism by uid of the warmup
        self.restored = False
        super().__init__(seed)
        self._witness = WitnessedApi(self.cluster.api, log)
        self.cluster.storage.subscribe(self._on_change)
        self.install(MODELWARMUP)
        self.relabel_namespace(NAMESPACE_NAME, {labels.POOL: POOL})
        self._first = self.cluster.storage.version

    @property
    def api(self) -> ApiServer:
        """The API server, with the witness before it."""
        return cast("ApiServer", self._witness)

    def unfinished(self, warmup_uid: str) -> Iterator[Manifest]:
        """Give the Jobs of one warmup that have not ended."""
        for job in self.listed(JOB.kind):
            if not has_ended(job) and owner_of(job) == warmup_uid:
                yield job

    def restore(self, back: int) -> None:
        """Restore the cluster from a backup, so many writes old.

        What ran then runs again, so Jobs may be too many until the controller has seen it.
        """
        self.restored = True
        storage = self.cluster.storage
        # What was compacted away cannot be gone back to.
        self.cluster.roll_back(max(storage.version - back, self._first, storage.compacted))
        self.cluster.storage.subscribe(self._on_change)

    def edit_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelWarmup's status by hand."""
        path = f"{path_of(WARMUP, NAMESPACE_NAME, name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def strip_job(self, name: str) -> None:
        """Take the labels off a Job by hand."""
        body = {"metadata": {"labels": {labels.WARMUP_UID: None, labels.REVISION: None}}}
        path = path_of(JOB, NAMESPACE_NAME, name)
        self._ask(Request("PATCH", path, body=body, content_type=MERGE_PATCH))

    def strip_pod(self, name: str) -> None:
        """Take our labels off a Pod by hand."""
        self.relabel(POD.kind, NAMESPACE_NAME, name, {labels.WARMUP_UID: None})

    def _on_change(self, kind: str, change: Change) -> None:
        if kind in {NODE.kind, NAMESPACE.kind}:
            self._note_boundary()
        elif kind == WARMUP.kind:
            item = change.object
            policies = item["spec"].get("policies") or {}
            self._limits[item["metadata"]["uid"]] = policies.get("parallelism", 8)
        elif kind == JOB.kind and change.type != DELETED:
            self._check_jobs(change.object)

    def _note_boundary(self) -> None:
        """Note who may be warmed; a controller may know the namespace as it was before."""
        namespace = self.find(NAMESPACE.kind, "", NAMESPACE_NAME) or {"metadata": {}}
        self._pools.add((namespace["metadata"].get("labels") or {}).get(labels.POOL, ""))
        for node in self.listed(NODE.kind):
            marks = node["metadata"].get("labels") or {}
            if not all(refusal(marks, pool) for pool in self._pools):
                self._inside.add(node["metadata"]["uid"])

    def _check_jobs(self, job: Manifest) -> None:
        warmup_uid = owner_of(job)
        nodes = [node_of(one) for one in self.unfinished(warmup_uid)]
        limit = self._limits[warmup_uid]
        assert self.restored or len(nodes) <= limit, f"{len(nodes)} Jobs at work"
        assert len(nodes) == len(set(nodes)), "two Jobs for one warmup and node"
        assert node_of(job) in self._inside, "a Job for a node that was never in the boundary"


def hold_no_future(request: Request, rows: int) -> None:
    """A status shows nothing that is not in the log, which has so many rows."""
    for operation in request.body:
        value = operation.get("value")
        if operation["path"] == "/status" and isinstance(value, dict) and "warmlog" in value:
            assert value["warmlog"]["position"] <= rows, f"{value} is ahead of the log"


def node_of(job: Manifest) -> str:
    """Give the uid of the node that a Job is for."""
    uid: str = job["metadata"]["annotations"][labels.TARGET_NODE_UID]
    return uid


def owner_of(job: Manifest) -> str:
    """Give the uid of the ModelWarmup that controls a Job."""
    (owner,) = job["metadata"]["ownerReferences"]
    uid: str = owner["uid"]
    return uid


def is_marked(job: Manifest) -> bool:
    """Say whether a Job still has the label by which it is watched."""
    return labels.WARMUP_UID in (job["metadata"].get("labels") or {})


def has_ended(job: Manifest) -> bool:
    """Say whether a Job is Complete or Failed."""
    return any(
        condition["type"] in {"Complete", "Failed"} and condition["status"] == "True"
        for condition in (job.get("status") or {}).get("conditions") or ()
    )


def warmup_manifest(name: str, targets: list[dict[str, Any]], **policies: int) -> Manifest:
    """Give a ModelWarmup as a user would write it."""
    return {
        "apiVersion": WARMUP.api_version,
        "kind": WARMUP.kind,
        "metadata": {"name": name, "namespace": NAMESPACE_NAME},
        "spec": {
            "targets": targets,
            "imagePreload": {"images": [{"image": "busybox:1.36", "command": ["true"]}]},
            "policies": policies,
        },
    }
