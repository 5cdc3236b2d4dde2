"""Scenes with a ModelReplica: it, its cache, its cluster, and what is composed of it there.

As in `tests.caches.builders`: told to the pure core, with no Kubernetes and no adapter. What is
decided stands open until it is answered; `carry_out` does all of it as a willing cluster would.
"""

from typing import Any

from engine.canonical_json import dumps
from engine.events import Subject
from machines.caches.levels import Owner
from machines.caches.mounts import mount
from machines.deciding import effect_of
from machines.intents import Apply, Change, Create, Delete, ObjectIntent
from machines.levels import NamespaceLevel
from machines.observations import Answer, Answered, Done, Seen
from machines.replicas.levels import PartLevel, ReplicaLevel, WorkloadLevel
from machines.replicas.mounts import mount_in
from machines.replicas.states import Replica
from machines.replicas.statuses import replica_status
from machines.replicas.wishes import what_of
from machines.states import REPLICA_KINDS, SERVING_KINDS, Known
from tests.caches import willing
from tests.caches.builders import CLAIM, HOME, NAMESPACE, ONE, WORKLOAD, CacheScene

REPLICA, UID = "r", "replica-uid"
DEPLOYMENT, GANG = "Deployment r-main-bb4e3", "LeaderWorkerSet r-main-bb4e3"
SERVICE = "Service r"
TEMPLATE = "ResourceClaimTemplate r-main-standalone-devices-f456f"
MOUNT = dumps(mount(CLAIM))
OURS = Owner(NAMESPACE, REPLICA, UID)
_DEVICES = [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}]


def member(role: str = "Standalone", **more: Any) -> dict[str, Any]:
    """A member that runs an engine on one GPU."""
    container = {"name": "engine", "image": "vllm/vllm-openai:v1", "args": ["--model", "x"]}
    template = {"spec": {"containers": [container]}}
    worker = {"worker": {"nodes": 1}} if role == "Worker" else {}
    one = {"role": role, "nodePoolName": "h100", "deviceRequests": _DEVICES, "template": template}
    return one | worker | more


def engine(name: str = "main", *, gang: bool = False, copies: int = 1) -> dict[str, Any]:
    """An engine on one node, or on two."""
    members = [member("Leader"), member("Worker")] if gang else [member()]
    return {"name": name, "copies": copies, "members": members}


def spec_of(
    *engines: dict[str, Any], cache: str = "qwen", cluster: str = "one", **more: Any
) -> dict[str, Any]:
    """A replica of one engine on cluster one, with a cache unless it is told to have none."""
    reference = {"modelCacheRef": {"name": cache}} if cache else {}
    return {"clusterName": cluster, "engines": list(engines or [engine()]), **reference, **more}


class ReplicaScene(CacheScene):
    """A home, a cluster with all that engines need, a ModelCache if it is made, and a replica."""

    def sync(
        self, cluster: str, *, without: str = "", secrets: bool = True, workload: bool = False
    ) -> None:
        """Every kind is listed, those of replicas included."""
        for kind in REPLICA_KINDS if cluster == HOME else SERVING_KINDS:
            self.tell(self.listed(cluster, kind, without=without))
        super().sync(cluster, without=without, secrets=secrets, workload=workload)

    def replica(
        self, *, uid: str = UID, name: str = REPLICA, namespace: str = NAMESPACE,
        status: Any = None, generation: int = 1, held: bool | None = None,
        deleting: bool = False, notes: dict[str, str] | None = None, **spec: Any,
    ) -> None:  # fmt: skip
        """A ModelReplica is seen; its finalizer is as it was unless told otherwise."""
        known = self.state.replicas.get(uid)
        bears = bool(known and known.held) if held is None else held
        annotations = tuple(sorted((notes or {}).items()))
        body = spec or {"spec": spec_of()}
        level = ReplicaLevel(generation, dumps(body["spec"]), annotations, deleting, bears)
        self.see(HOME, Subject("ModelReplica", namespace, name, uid), level, status)

    @property
    def mr(self) -> Replica:
        """The replica."""
        return self.state.replicas[UID]

    def status(self) -> dict[str, Any]:
        """What is published of the replica."""
        return replica_status(self.state, self.mr)

    def condition(self, kind: str) -> tuple[str, str, str]:
        """Status, reason and message of a condition of the replica; empty when there is none."""
        for one in self.status()["conditions"]:
            if one["type"] == kind:
                return one["status"], one["reason"], one["message"]
        return "", "", ""

    def stage(self) -> None:
        """The cache becomes Ready on cluster one."""
        self.carry_out()
        self.claim("Bound")
        self.carry_out()
        self.job("Complete")
        self.carry_out()

    def there(self, what: str, cluster: str = ONE) -> Known | None:
        """What is known of an object of the replica's."""
        kind, name = what.split()
        return self.state.clusters[cluster].find(kind, WORKLOAD, name)

    def workload(self, what: str = DEPLOYMENT, cluster: str = ONE) -> WorkloadLevel:
        """The level of a workload that is there."""
        known = self.there(what, cluster)
        assert known is not None
        assert isinstance(known.level, WorkloadLevel)
        return known.level

    def edit(self, what: str = DEPLOYMENT, *, cluster: str = ONE, **changes: Any) -> None:
        """An object of the replica's is seen with something else in its level."""
        known = self.there(what, cluster)
        assert known is not None
        self.see(cluster, known.subject, known.level._replace(**changes))

    def available(self, what: str = DEPLOYMENT, cluster: str = ONE) -> None:
        """A workload is available."""
        self.edit(what, cluster=cluster, available="True", reason="", message="")

    def removed(self, what: str = DEPLOYMENT, cluster: str = ONE) -> None:
        """Somebody deleted an object of the replica's by hand."""
        known = self.there(what, cluster)
        assert known is not None
        self.gone(cluster, known.subject)

    def serve(self, what: str = DEPLOYMENT) -> None:
        """All that is decided is done, and the workload becomes available."""
        self.carry_out()
        self.available(what)

    def replica_doing(self) -> list[str]:
        """What is decided for replicas and not answered."""
        return [
            what_of(one.intent)
            for one in self.state.open.values()
            if one.owner.kind == "ModelReplica" and isinstance(one.intent, ObjectIntent)
        ]

    def times(self, what: str) -> int:
        """Say how often something was applied for replicas."""
        kind, name = what.split()
        wanted = f'"kind":"{kind}","name":"{name}"'
        return sum(row.type == "ApplyIntended" and wanted in row.data for row in self.rows)

    def refuse(self, what: str, answer: Answer) -> None:
        """The open intent of this name is answered."""
        [seq] = [
            seq
            for seq, one in self.state.open.items()
            if isinstance(one.intent, ObjectIntent) and what_of(one.intent) == what
        ]
        self.tell(Answered(seq, answer))

    def carry_out(self, *but: str) -> None:
        """Do all that is decided, until nothing is, but decisions of these names."""
        for _ in range(30):
            todo = [
                (seq, one)
                for seq, one in self.state.open.items()
                if isinstance(one.intent, ObjectIntent) and what_of(one.intent) not in but
            ]
            if not todo:
                return
            for seq, one in todo:
                assert isinstance(one.intent, ObjectIntent)
                if one.owner.kind == "ModelReplica":
                    uid = self._do(one.cluster, one.intent, seq)
                else:
                    assert not isinstance(one.intent, Apply)
                    uid = willing.do(self, one.cluster, one.intent, seq)
                self.tell(Answered(seq, Done(uid)))
        msg = f"there is no end to it: {self.replica_doing()}"
        raise AssertionError(msg)

    def _do(self, cluster: str, intent: ObjectIntent, seq: int) -> str:
        subject = Subject(intent.kind, intent.namespace, intent.name, f"{intent.kind}-{seq}")
        if isinstance(intent, Create):
            self.see(cluster, subject, NamespaceLevel())
            return subject.uid
        subject = subject._replace(uid=intent.uid or subject.uid)
        if isinstance(intent, Change):
            known = self.state.clusters[cluster].objects[intent.kind][intent.uid].level
            assert isinstance(known, ReplicaLevel)
            if intent.change == "Release":
                self.gone(cluster, subject)
            else:
                self.see(cluster, subject, known._replace(held=True))
        elif isinstance(intent, Delete):
            self.gone(cluster, subject)
        else:
            self._apply(cluster, subject, seq)
        return subject.uid

    def _apply(self, cluster: str, subject: Subject, seq: int) -> None:
        self.tell(Seen(cluster, subject, str(self.next()), self.level_after(seq)))

    def level_after(self, seq: int) -> WorkloadLevel | PartLevel:
        """Give the level of an object after its open apply."""
        one = self.state.open[seq]
        assert isinstance(one.intent, Apply)
        known = self.state.clusters[one.cluster].objects[one.intent.kind].get(one.intent.uid)
        old = known.level if known else None
        body = effect_of(self.state, seq).body or {}
        return applied_level(body, old if isinstance(old, WorkloadLevel) else WorkloadLevel())


def applied_level(body: dict[str, Any], old: WorkloadLevel) -> WorkloadLevel | PartLevel:
    """Give the level of an object after this body was applied to what it was."""
    notes = body["metadata"]["annotations"]
    owner = Owner(*(notes[f"warmlog.dev/replica-{part}"] for part in ("namespace", "name", "uid")))
    applied = notes["warmlog.dev/applied"]
    if body["kind"] in ("Service", "ResourceClaimTemplate"):
        serving = body["spec"].get("selector", {}).get("modelplane.ai/serving", "")
        return PartLevel(owner, serving, applied, f"fields of {applied}")
    spec = body["spec"]
    gang = spec.get("leaderWorkerTemplate")
    template = gang["leaderTemplate"] if gang else spec["template"]
    found = mount_in(template["spec"])
    return old._replace(
        owner=owner,
        serving=template["metadata"]["labels"]["modelplane.ai/serving"],
        applied=applied,
        fields=f"fields of {applied}",
        copies=int(notes["warmlog.dev/copies"]),
        replicas=spec.get("replicas", old.replicas),
        mount="" if found.is_empty else dumps(found.to_json()),
        available=old.available or "False",
        reason=old.reason or "MinimumReplicasUnavailable",
    )
