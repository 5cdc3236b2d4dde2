"""Long logs: what a busy controller writes in a year, played by the pure core in minutes.

ModelWarmups come one after the other on racks of nodes, and beside them ModelCaches and
ModelReplicas that use them; now and then a node is cordoned, an image cannot be pulled. All that is
decided is decided by this code, so that the log verifies. What has ended is deleted after a while:
a log grows, and what there is does not.
"""

from collections.abc import Iterator

from adapters.code_digests import code_digest, code_version
from engine.canonical_json import dumps
from engine.events import Draft, Event, Subject
from engine.instants import SECOND
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel
from machines.intents import CreateJob, StampTtl
from machines.levels import JobLevel, Level, PodLevel
from machines.observations import Answered, ClaimUsersRead, Deleted, Done, StatusStored
from machines.replicas.levels import WorkloadLevel
from machines.states import Known
from tests.caches.builders import HOME, ONE
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, selecting
from tests.machines.builders import spec_of as warmup_spec
from tests.replicas.builders import ReplicaScene
from tests.replicas.builders import spec_of as replica_spec

RACKS, NODES = 20, 10  # and nodes in each
TEAMS = 20  # namespaces of caches and replicas
KEPT = 40  # objects of a sort that are there at a time
FAILS_EVERY, CACHE_EVERY, REPLICA_EVERY = 25, 2, 5  # warmups
ROWS_A_MINUTE = 60


def team(number: int) -> str:
    """Give the namespace of the cache, and the replica, of this number."""
    return f"team-{number // CACHE_EVERY % TEAMS}"


class Warming(Scene):
    """ModelWarmups that warm racks of nodes, in the log of another scene."""

    def __init__(self, other: ReplicaScene) -> None:
        """Go on where the other scene is, with a cluster of its own."""
        self.state, self.rows = other.state, other.rows
        self.clock, self.cursor, self.version, self.uids = other.clock, other.cursor, 100, {}
        self.namespace()
        for name in (f"n{rack}-{node}" for rack in range(RACKS) for node in range(NODES)):
            self.node(name, marks={"rack": name.split("-")[0]})
        self.sync()

    def warm(self, number: int) -> None:
        """A ModelWarmup warms a rack, and its Jobs go by their TTL."""
        rack = f"n{number % RACKS}"
        fails = number % FAILS_EVERY == 0
        name = f"w{number}"
        self.warmup(warmup_spec(selecting(rack=rack), parallelism=NODES), name=name)
        for seq in [*self.state.open]:
            self._run(name, seq, fails=fails and seq == max(self.state.open))
        for seq, one in [*self.state.open.items()]:  # the last look at the nodes
            if not isinstance(one.intent, CreateJob | StampTtl):
                self.tell(self.listed("Node"), Answered(seq, Done()))
        warmup = self.state.warmups[f"{name}-uid"]
        self.tell(StatusStored(CLUSTER, warmup.subject, warmup.position))
        for seq, one in [*self.state.open.items()]:
            assert isinstance(one.intent, StampTtl)
            self._expire(one.intent, seq)
        cordoned = number // RACKS % 2 == 0
        self.node(f"{rack}-0", marks={"rack": rack}, cordoned=cordoned)

    def _run(self, name: str, seq: int, *, fails: bool) -> None:
        intent = self.state.open[seq].intent
        assert isinstance(intent, CreateJob)
        node = intent.node_name
        uid = f"job-{seq}"
        job = Subject("Job", NAMESPACE, intent.job_name, uid)
        level = JobLevel(f"{name}-uid", f"{name}-uid", intent.node_uid, node, intent.revision)
        self.see(job, level)
        self.tell(Answered(seq, Done(uid)))
        pod = Subject("Pod", NAMESPACE, f"{intent.job_name}-abcde", f"{uid}-pod")
        for phase in ("Pending", "Running", "Failed" if fails else "Succeeded"):
            self.see(pod, PodLevel(f"{name}-uid", uid, node if phase != "Pending" else "", phase))
            if fails and phase == "Pending":
                words = "Back-off pulling image registry.example/models/qwen:v1"
                waits = PodLevel(f"{name}-uid", uid, node, phase, "ImagePullBackOff", words)
                self.see(pod, waits)
        reason = "BackoffLimitExceeded" if fails else ""
        outcome = "Failed" if fails else "Complete"
        self.see(job, level._replace(outcome=outcome, reason=reason))

    def _expire(self, intent: StampTtl, seq: int) -> None:
        known = self.state.clusters[CLUSTER].objects["Job"][intent.job_uid]
        assert isinstance(known.level, JobLevel)
        self.see(known.subject, known.level._replace(ttl_seconds=intent.ttl_seconds))
        self.tell(Answered(seq, Done(intent.job_uid)))
        pod = Subject("Pod", NAMESPACE, f"{intent.job_name}-abcde", f"{intent.job_uid}-pod")
        for subject in (pod, known.subject):
            self.tell(Deleted(CLUSTER, subject, str(self.next())))


class Serving(ReplicaScene):
    """ModelCaches that are staged, and ModelReplicas that come to serve."""

    def start(self) -> None:
        """The controller starts, and says which code it is."""
        told = {"version": code_version(), "code_digest": code_digest()}
        data = dumps({**told, "caching": self.settings.to_json()})
        self.step([Draft("", str(Subject("Session", "", "", "")), "SessionStarted", 1, data)])

    def begin(self) -> None:
        """Have a node that they are staged on."""
        self.node("n1")

    def bring_cache(self, number: int) -> None:
        """A ModelCache comes, and is staged."""
        self._cache(number)
        self._bring_up()

    def bring_replica(self, number: int) -> None:
        """A ModelCache comes, and a ModelReplica that serves it."""
        self._cache(number)
        spec = replica_spec(cache=f"m{number}")
        uid, name = f"replica-{number}", f"r{number}"
        self.replica(uid=uid, name=name, namespace=team(number), spec=spec)
        self._bring_up()
        for known in self._known("Deployment"):
            if isinstance(known.level, WorkloadLevel) and known.level.available != "True":
                self._see(known, known.level._replace(available="True", reason=""))

    def retire(self, number: int) -> None:
        """A ModelReplica is deleted, if there is one, and its ModelCache."""
        replica = self.state.replicas.get(f"replica-{number}")
        if replica is not None:
            level = replica.level._replace(deleting=True)
            self.see(HOME, replica.subject, level)
            self.carry_out()
            self._gone(HOME, replica.subject)
        cache = self.state.caches[f"cache-{number}"]
        self.see(HOME, cache.subject, cache.level._replace(deleting=True))
        self.carry_out()
        for known in self._known("PersistentVolumeClaim"):
            if isinstance(known.level, ClaimLevel) and known.level.owner.uid == cache.subject.uid:
                self.tell(ClaimUsersRead(ONE, known.subject, ()))
        self.carry_out()
        if cache.subject.uid in self.state.caches:
            self._gone(HOME, cache.subject)

    def _cache(self, number: int) -> None:
        self.cache(namespace=team(number), name=f"m{number}", uid=f"cache-{number}")

    def _bring_up(self) -> None:
        self.carry_out()
        for known in self._unfinished():
            for phase in ("Pending", "Running", "Succeeded"):
                pod = self._pod_of(known)
                self.see(ONE, pod, HydrationPodLevel(known.subject.uid, "n1", phase))
        for known in self._known("PersistentVolumeClaim"):
            if isinstance(known.level, ClaimLevel) and known.level.phase != "Bound":
                self._see(known, known.level._replace(phase="Bound"))
        self.carry_out()
        for known in self._unfinished():
            assert isinstance(known.level, HydrationJobLevel)
            self._see(known, known.level._replace(outcome="Complete"))
            self.carry_out()
            self._gone(ONE, self._pod_of(known))
            self._gone(ONE, known.subject)

    def _unfinished(self) -> list[Known]:
        jobs = self._known("HydrationJob")
        return [one for one in jobs if not getattr(one.level, "outcome", "")]

    def _known(self, kind: str) -> list[Known]:
        return list(self.state.clusters[ONE].objects[kind].values())

    def _pod_of(self, job: Known) -> Subject:
        _, namespace, name, uid = job.subject
        return Subject("HydrationPod", namespace, f"{name}-abcde", f"{uid}-pod")

    def _see(self, known: Known, level: Level) -> None:
        self.see(ONE, known.subject, level)

    def _gone(self, cluster: str, subject: Subject) -> None:
        self.tell(Deleted(cluster, subject, str(self.next())))


def long_log(rows: int) -> Iterator[list[Event]]:
    """Give a log of so many rows, in pieces; nothing of it is held meanwhile."""
    serving = Serving(log_id="long")
    serving.begin()
    warming = Warming(serving)
    number = count = 0
    while count < rows:
        number += 1
        warming.warm(number)
        if number > KEPT:
            warming.warmup_gone(f"w{number - KEPT}")
        serving.clock, serving.cursor = warming.clock, warming.cursor
        if number % CACHE_EVERY == 0:
            with_replica = number % REPLICA_EVERY == 0
            (serving.bring_replica if with_replica else serving.bring_cache)(number)
            if number - KEPT > 0:
                serving.retire(number - KEPT)
        serving.clock += len(serving.rows) * 60 // ROWS_A_MINUTE * SECOND
        warming.clock, warming.cursor = serving.clock, serving.cursor
        piece = serving.rows[: rows - count]
        serving.rows.clear()
        count += len(piece)
        yield piece
