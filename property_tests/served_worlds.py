"""Served worlds: simulated clusters in which a witness checks each write for ModelReplicas, too."""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from adapters.kubernetes.fields import mapping
from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELREPLICA, MODELWARMUP
from adapters.ports import APPLY_PATCH, MERGE_PATCH, Request, Response
from adapters.simulator.resources import (
    CLAIM_TEMPLATE,
    DEPLOYMENT,
    LEADER_WORKER_SET,
    REPLICA,
    SERVICE,
    Place,
    path_of,
    place_of,
)
from adapters.simulator.storage import Change, Manifest
from engine.canonical_json import dumps, loads
from machines import intents, labels
from machines.caches.child_names import claim_name
from machines.domain import WARMLOG
from machines.intents import Intent, intent_from_json
from property_tests.staged_worlds import Rows, StagedWorld, WitnessedServer, hold_no_secret
from property_tests.watched_worlds import hold_no_future

WORKLOAD_KINDS = (DEPLOYMENT.kind, LEADER_WORKER_SET.kind)
SERVING = (*WORKLOAD_KINDS, SERVICE.kind, CLAIM_TEMPLATE.kind)
NAMESPACE = "default"
_RESOURCES = {one.kind: one for one in (DEPLOYMENT, LEADER_WORKER_SET, SERVICE, CLAIM_TEMPLATE)}


@dataclass
class Ledger:
    """What people did to ModelReplicas, and what was seen of them, over all lives and logs."""

    refs: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by replica's uid
    held: set[str] = field(default_factory=set)  # uids of those that bore our finalizer
    names: dict[str, str] = field(default_factory=dict)
    ready: set[str] = field(default_factory=set)  # names of caches that were Ready anywhere
    hands: set[str] = field(default_factory=set)  # uids of objects that somebody edited
    generations: dict[str, int] = field(default_factory=dict)
    rollouts: dict[str, int] = field(default_factory=lambda: defaultdict(int))  # by workload's uid


class ServingServer(WitnessedServer):
    """An API server as the controller sees it, which knows what is written for replicas."""

    def __init__(self, world: "ServedWorld", cluster: str, rows: Rows) -> None:
        """Pass all requests on to the server of `world`, which the log knows as `cluster`."""
        super().__init__(world, cluster, rows)
        self._served = world

    async def send(self, request: Request, *, timeout_seconds: float) -> Response:
        """Answer one request, and look at what came of it."""
        place = place_of(request.path)
        if place is None or request.method == "GET" or place.resource.kind not in SERVING:
            return await super().send(request, timeout_seconds=timeout_seconds)
        where = place.resource.kind, place.namespace, place.name
        before = self._served.find(*where)
        response = await super().send(request, timeout_seconds=timeout_seconds)
        after = self._served.find(*where)
        if request.content_type == APPLY_PATCH and response.ok and after is not None:
            self._served.check_applied(request.body, before, after)
        return response

    def _check(self, request: Request) -> None:
        place = place_of(request.path)
        assert place is not None, request
        if place.resource.kind not in {*SERVING, REPLICA.kind}:
            super()._check(request)
            return
        hold_no_secret(dumps(request.body))
        if place.subresource == "status":
            hold_no_future(request, len(self._rows()))
            return
        found = [one for one in self._decided() if _serves(request, place, one)]
        assert found, request
        before = self._served.find(place.resource.kind, place.namespace, place.name)
        if place.resource.kind in SERVING and before is not None:
            owners = {intents.owner_uid(one) for one in found}
            self._served.check_own(before, owners)

    def _decided(self) -> list[Intent]:
        rows = self._rows()
        return [_intent(row.type, row.data) for row in rows if WARMLOG.is_decision(row.type)]


@lru_cache(maxsize=4096)
def _intent(kind: str, data: str) -> Intent:
    return intent_from_json(kind, loads(data))


def _serves(request: Request, place: Place, intent: Intent) -> bool:
    if not isinstance(intent, intents.ObjectIntent) or intent.kind != place.resource.kind:
        return False
    if (intent.namespace, intent.name) != (place.namespace, place.name):
        return False
    match request.method, intent:
        case "DELETE", intents.Delete():
            assert request.body["propagationPolicy"] == "Background"
            return bool(intent.uid == request.body["preconditions"]["uid"])
        case "PATCH", intents.Apply() if request.content_type == APPLY_PATCH:
            notes = request.body["metadata"]["annotations"]
            return bool(notes[labels.APPLIED] == intent.digest)
        case "PATCH", intents.Apply() | intents.Change():
            return bool(intent.uid == request.body[0]["value"])
    return False


class ServedWorld(StagedWorld):
    """A cluster that engines may run on, whose workloads are watched at every write."""

    def __init__(self, seed: int, name: str, rows: Rows, ledger: Ledger) -> None:
        """Begin with the witness in front of the API server."""
        self.ledger = ledger
        super().__init__(seed, name, rows)
        self._witness = ServingServer(self, name, rows)

    def install_all(self) -> None:
        """Install the definitions of all kinds."""
        for definition in (MODELWARMUP, MODELCACHE, INFERENCECLUSTER, MODELREPLICA):
            self.install(definition)

    def add_node(self, name: str, **more: Any) -> Manifest:
        """Have a machine join that engines may run on."""
        return super().add_node(name, marks={labels.POOL_NAME: "h100"}, **more)

    def check_own(self, before: Manifest, owners: set[str]) -> None:
        """What is written to bears the name of the replica it is written for, or nobody's."""
        notes = mapping(before["metadata"].get("annotations"))
        name = notes.get(labels.REPLICA_NAME)
        names = {self.ledger.names[uid] for uid in owners}
        told = f"{before['kind']} {before['metadata']['name']} of {name} is written for {names}"
        assert name is None or (name in names or notes.get(labels.REPLICA_UID) in owners), told

    def check_applied(self, body: Manifest, before: Manifest | None, after: Manifest) -> None:
        """Only who was held is composed for, and Pods restart for a reason alone."""
        uid = body["metadata"]["annotations"][labels.REPLICA_UID]
        assert uid in self.ledger.held, "composed before it was held"
        if body["kind"] not in WORKLOAD_KINDS:
            return
        claim, refs = claim_of(body), self.ledger.refs[uid]
        known = {claim_name(NAMESPACE, name): name for name in refs if name}
        assert claim in known or (not claim and "" in refs) or _had(before, claim), (claim, refs)
        if claim and not _had(before, claim):
            assert known[claim] in self.ledger.ready, f"{claim} was never Ready"
        if before is None or template_of(before) == template_of(after):
            return
        there = after["metadata"]["uid"]
        digests = {_applied(before), _applied(after)}
        edited = there in self.ledger.hands
        assert len(digests) > 1 or edited, "Pods restart though nothing was changed"
        self.ledger.rollouts[there] += 1
        most = 2 * self.ledger.generations[uid] + 1
        assert edited or self.ledger.rollouts[there] <= most, "Pods restart again and again"

    def check_unused(self, namespace: str, name: str) -> None:
        """No claim is deleted that a replica, which is there, has."""
        super().check_unused(namespace, name)
        for kind in WORKLOAD_KINDS:
            for one in self.listed(kind, namespace):
                replica = self.owner_of(one)
                assert claim_of(one) != name or replica is None or is_let_go(replica), (
                    f"{name} is deleted while {one['metadata']['name']} has it"
                )

    def owner_of(self, thing: Manifest) -> Manifest | None:
        """Give the ModelReplica whose an object is, if it is there."""
        notes = mapping(thing["metadata"].get("annotations"))
        found = self.home.find(REPLICA.kind, NAMESPACE, notes.get(labels.REPLICA_NAME, ""))
        same = found and found["metadata"]["uid"] == notes.get(labels.REPLICA_UID)
        return found if same else None

    def edit_replica_status(self, name: str, changes: Manifest) -> None:
        """Change a ModelReplica's status by hand."""
        path = f"{path_of(REPLICA, NAMESPACE, name)}/status"
        self._ask(Request("PATCH", path, body={"status": changes}, content_type=MERGE_PATCH))

    def delete_replica(self, name: str) -> None:
        """Ask for the deletion of a ModelReplica."""
        self._delete(REPLICA, NAMESPACE, name)

    def delete_serving(self, thing: Manifest) -> None:
        """Delete something of a replica's by hand."""
        metadata = thing["metadata"]
        self._delete(_RESOURCES[thing["kind"]], metadata["namespace"], metadata["name"])

    def patch_by_hand(self, thing: Manifest, patch: Manifest) -> None:
        """Change an object by hand, as `kubectl patch` does."""
        metadata = thing["metadata"]
        self.ledger.hands.add(metadata["uid"])
        resource = _RESOURCES[thing["kind"]]
        self._patch(resource, metadata["namespace"], metadata["name"], patch)

    def _on_change(self, kind: str, change: Change) -> None:
        super()._on_change(kind, change)
        if kind == REPLICA.kind:
            metadata, spec = change.object["metadata"], change.object["spec"]
            uid = metadata["uid"]
            self.ledger.names[uid] = metadata["name"]
            self.ledger.generations[uid] = metadata["generation"]
            self.ledger.refs[uid].add(mapping(spec.get("modelCacheRef")).get("name", ""))
            if labels.REPLICA_WORKLOADS in (metadata.get("finalizers") or ()):
                self.ledger.held.add(uid)


def is_let_go(replica: Manifest) -> bool:
    """Say whether a replica is going, or was let go of."""
    notes = mapping(replica["metadata"].get("annotations"))
    return "deletionTimestamp" in replica["metadata"] or notes.get(labels.ABANDON) == "true"


def template_of(workload: Manifest) -> Any:
    """Give the templates of a workload's Pods, or what there is instead."""
    spec = workload["spec"]
    return spec.get("template") or spec.get("leaderWorkerTemplate")


def claim_of(workload: Manifest) -> str:
    """Give the claim that a workload's Pods mount; "" when they mount none."""
    template = template_of(workload)
    template = template.get("leaderTemplate", template)
    for volume in template["spec"].get("volumes") or ():
        if volume["name"] == "model-cache":
            return str(volume["persistentVolumeClaim"]["claimName"])
    return ""


def _had(before: Manifest | None, claim: str) -> bool:
    return before is not None and claim_of(before) == claim


def _applied(workload: Manifest) -> str | None:
    notes = mapping(workload["metadata"].get("annotations"))
    return notes.get(labels.APPLIED)
