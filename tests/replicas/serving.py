"""Scenes with a replica that runs, and with caches to switch between, of either kind."""

from typing import Any

import pytest

from engine.canonical_json import dumps, loads
from engine.events import Event
from machines.caches.child_names import claim_name
from machines.caches.levels import ClaimLevel, HydrationJobLevel
from machines.caches.mounts import mount
from machines.caches.statuses import cache_status
from machines.deciding import effect_of
from machines.observations import Unread
from machines.replicas.levels import WorkloadLevel
from machines.replicas.names import workload_name
from machines.states import Known
from tests.caches.builders import HOME, NAMESPACE, ONE
from tests.replicas.builders import DEPLOYMENT, GANG, REPLICA, ReplicaScene, engine, spec_of

KINDS = pytest.mark.parametrize("what", [DEPLOYMENT, GANG])
SECOND = f"Deployment {workload_name(REPLICA, 'second')}"
OTHER, OTHER_UID = "other", "other-uid"
OTHER_CLAIM = claim_name(NAMESPACE, OTHER)
OTHER_MOUNT = dumps(mount(OTHER_CLAIM))


class ServingScene(ReplicaScene):
    """A replica, of one kind of workload unless it is told to have other engines."""

    def __init__(self, what: str = DEPLOYMENT, *clusters: str, log_id: str = "log") -> None:
        """Begin with a cluster that has all that engines need, and nothing else."""
        self.what = what
        self.before = 0
        super().__init__(*clusters, log_id=log_id, replicas=True)

    def spec(self, **more: Any) -> dict[str, Any]:
        """The spec of a replica with an engine of this kind of workload."""
        return spec_of(engine(gang=self.what == GANG, copies=more.pop("copies", 1)), **more)

    def serving(self, **more: Any) -> "ServingScene":
        """Have the replica run, with the cache that its spec names, if it names one."""
        spec = self.spec(**more)
        if "modelCacheRef" in spec:
            self.cache()
        self.replica(spec=spec)
        self.staged()
        self.available(self.what)
        assert self.condition("Ready") == ("True", "Available", "")
        self.before = self.times(self.what)
        return self

    def other_cache(self) -> None:
        """Another ModelCache is there, and nothing of it yet."""
        self.cache(name=OTHER, uid=OTHER_UID)

    def staged(self) -> None:
        """Every cache becomes Ready on every cluster, and all that is decided is done."""
        self.carry_out()
        self.all_bound()
        self.all_ended()

    def all_bound(self) -> None:
        """Every claim is bound, and what that calls for is done."""
        for cluster, known in self.all_of("PersistentVolumeClaim"):
            assert isinstance(known.level, ClaimLevel)
            self.see(cluster, known.subject, known.level._replace(phase="Bound"))
        self.carry_out()

    def all_ended(self, outcome: str = "Complete") -> None:
        """Every hydration Job ends like this, and what that calls for is done."""
        for cluster, known in self.all_of("HydrationJob"):
            assert isinstance(known.level, HydrationJobLevel)
            self.see(cluster, known.subject, known.level._replace(outcome=outcome))
        self.carry_out()

    def all_of(self, kind: str) -> list[tuple[str, Known]]:
        """Give everything of a kind, with its cluster."""
        return [
            (name, known)
            for name, cluster in self.state.clusters.items()
            for known in cluster.objects[kind].values()
        ]

    @property
    def applied(self) -> int:
        """How often the workload was applied since it was running."""
        return self.times(self.what) - self.before

    def serves_as_before(self) -> bool:
        """Say whether the replica serves, untouched."""
        self.carry_out()
        return (
            self.applied == 0
            and self.condition("ModelAccepted")[:2] == ("True", "Accepted")
            and self.condition("ModelReady") == ("True", "Serving", "")
        )

    def cache_rows(self) -> list[dict[str, Any]]:
        """What the cache publishes of its entries."""
        rows: list[dict[str, Any]] = cache_status(self.state, self.mc)["clusters"]
        return rows

    def dynamo(self) -> None:
        """The cluster has the Dynamo stack."""
        known = self.state.served["one"]
        spec = loads(known.level.spec) | {"stack": "Dynamo"}
        self.see(HOME, known.subject, known.level._replace(spec=dumps(spec)))

    def job_of_other(self, outcome: str) -> None:
        """The hydration Job of the other cache ends, and nothing is carried out yet."""
        [known] = [one for _, one in self.all_of("HydrationJob") if OTHER in one.subject.name]
        assert isinstance(known.level, HydrationJobLevel)
        self.see(ONE, known.subject, known.level._replace(outcome=outcome))

    def gone_claim(self, name: str) -> None:
        """A claim of this name is gone."""
        for cluster, known in self.all_of("PersistentVolumeClaim"):
            if known.subject.name == name:
                self.gone(cluster, known.subject)

    def second_there(self) -> Known | None:
        """What is known of the workload of the engine "second"."""
        return self.there(SECOND)

    def second(self) -> WorkloadLevel:
        """The workload of the engine "second"."""
        return self.workload(SECOND)

    def applies(self) -> list[Event]:
        """Every apply that was decided."""
        return [row for row in self.rows if row.type == "ApplyIntended"]

    def entry_message(self, name: str = "one") -> str:
        """What the cache publishes as the message of its entry on a cluster."""
        [row] = [
            one for one in cache_status(self.state, self.mc)["clusters"] if one["name"] == name
        ]
        return str(row.get("message", ""))

    def known_secret(self, name: str) -> Known:
        """Give the Secret of this name."""
        [known] = [one for _, one in self.all_of("Secret") if one.subject.name == name]
        return known

    def lists_all(self, *, without: str = "") -> None:
        """Everything is listed as it is known."""
        for cluster in (HOME, ONE):
            self.sync(cluster, without=without)

    def unread(self, kind: str, words: str, *, served: bool = True) -> None:
        """A kind of cluster one cannot be read, or is not served there."""
        self.tell(Unread(ONE, kind, words, served=served))

    def spec_text(self) -> dict[str, Any]:
        """The replica's spec as it stands."""
        found: dict[str, Any] = loads(self.mr.level.spec)
        return found

    def starts_anew(self) -> None:
        """The controller starts again with its log, and lists everything."""
        self.start()
        self.lists_all()


def open_body(scene: ReplicaScene, what: str) -> dict[str, Any]:
    """Give the body of the open apply of an object."""
    kind, name = what.split()
    for seq, one in scene.state.open.items():
        if getattr(one.intent, "kind", "") == kind and getattr(one.intent, "name", "") == name:
            return effect_of(scene.state, seq).body or {}
    msg = f"{what} is not being applied"
    raise AssertionError(msg)
