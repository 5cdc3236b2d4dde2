"""Whole warmups on a simulated cluster, while people, machines and networks do what they do.

The controller may crash between any two of its effects, and goes on from its log. At the end all
faults stop, the world runs to rest, and what was promised is checked.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from adapters.running.writing import Identity
from adapters.simulator.clock import MILLISECOND, SECOND
from adapters.simulator.driving import Driver, start
from adapters.simulator.faults import (
    Fault,
    Loss,
    every,
    internal_error,
    too_many_requests,
    version_conflict,
)
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.resources import JOB, NODE, POD, WARMUP
from adapters.store.memory_logs import MemoryLog
from machines import labels
from property_tests.ending import watch_rest
from property_tests.faults.troubled_worlds import TroubledWorld
from property_tests.playing.choices import apart, many, one_of, record, whole, yes_or_no
from property_tests.playing.deeds import beginning, deed
from property_tests.retelling import VERSION
from property_tests.watched_worlds import (
    NAMESPACE_NAME,
    POOL,
    WatchedWorld,
    warmup_manifest,
)
from property_tests.witnessing import Witness

IDENTITY = Identity(VERSION, "code", "settings")
TURNS = 20_000  # ten times what the busiest of these worlds needs

PLANS = {
    "succeeds": NodePlan(),
    "fails": NodePlan(ending=Ending.FAIL),
    "fails once": NodePlan(ending=Ending.FAIL, failures=1),
    "hangs": NodePlan(ending=Ending.HANG),
    "never pulls": NodePlan(pull_failures=None),
}
SELECTOR = {"nodeSelector": {"matchLabels": {labels.POOL: POOL}}}
TARGETS: dict[str, list[dict[str, Any]]] = {
    "selected": [SELECTOR],
    "named": [{"nodes": {"names": ["n0", "n1", "n9"]}}],
    "both": [{"nodes": {"names": ["n0", "n9"]}}, SELECTOR],
}
FAULTS: dict[str, Fault] = {
    "request lost": Loss.REQUEST,
    "reply lost": Loss.REPLY,
    "429": too_many_requests(),
    "500": internal_error(),
    "503": internal_error("the server is currently unable to handle the request"),
    "409": version_conflict(),
}
NODES = tuple(f"n{index}" for index in range(8))
PARTS = ("/jobs", "/modelwarmups", "/nodes", "/pods", "")

# A seed has more machines and more ModelWarmups, as its worlds are not shrunk by making them few.
names = apart(one_of(*NODES[:4]), seeded=one_of(*NODES))
indexes = apart(whole(0, 1), seeded=whole(0, 3))
plans = one_of(*sorted(PLANS))


class Wish(NamedTuple):
    """What a ModelWarmup asks for."""

    targets: str
    parallelism: int
    retry: int
    wait: str


wishes = record(
    Wish,
    targets=one_of(*sorted(TARGETS)),
    parallelism=apart(whole(1, 3), seeded=whole(1, 5)),
    retry=whole(0, 1),
    wait=one_of("", "0", "20"),
)


class WarmupWorlds(TroubledWorld):
    """A cluster, the people in it, and a controller that lives many lives."""

    def __init__(self) -> None:
        """Begin with nothing but a namespace."""
        super().__init__()
        self.log = MemoryLog("log-1")
        self.witness = Witness(self.log, "log-1")
        self.world: WatchedWorld
        self.driver: Driver

    @property
    def all_logs(self) -> Sequence[MemoryLog]:
        """The one log that there is."""
        return [self.log]

    @property
    def now(self) -> int:
        """The virtual instant, UTC nanoseconds."""
        return self.world.cluster.now

    @beginning(
        seed=whole(0, 1000),
        kinds=apart(many(plans, 1, 4), seeded=many(plans, 5, 8)),
        wish=wishes,
    )
    def begin(self, seed: int, kinds: list[str], wish: Wish) -> None:
        """A few machines are there, somebody wishes them warm, and the controller starts."""
        self.world = WatchedWorld(seed, self.witness)
        for index, kind in enumerate(kinds):
            self.world.add_node(f"n{index}", pool=POOL, plan=PLANS[kind])
        self.apply_warmup(0, wish)
        self.live()

    def every_world(self) -> list[WatchedWorld]:
        """Give the one cluster."""
        return [self.world]

    def live(self) -> None:
        """Begin a life of the controller."""
        self.driver = self.born(
            lambda log, host: start(self.world, log, IDENTITY, self.listen, host=host)
        )

    # What people do.

    @deed(weight=3, index=indexes, wish=wishes)
    def apply_warmup(self, index: int, wish: Wish) -> None:
        """Somebody applies a ModelWarmup."""
        if self.world.find(WARMUP.kind, NAMESPACE_NAME, f"w{index}"):
            return
        manifest = warmup_manifest(
            f"w{index}",
            TARGETS[wish.targets],
            parallelism=wish.parallelism,
            retryLimit=wish.retry,
            jobTimeoutSeconds=90,
            ttlSecondsAfterFinished=600,
        )
        if wish.wait:
            manifest["metadata"]["annotations"] = {labels.TARGET_WAIT_SECONDS: wish.wait}
        self.world.apply(manifest)

    @deed(index=indexes)
    def delete_warmup(self, index: int) -> None:
        """Somebody deletes a ModelWarmup."""
        if self.world.find(WARMUP.kind, NAMESPACE_NAME, f"w{index}"):
            self.world.delete_warmup(NAMESPACE_NAME, f"w{index}")

    @deed(pool=one_of(POOL, "q", None))
    def move_namespace(self, pool: str | None) -> None:
        """Somebody puts the namespace into another pool, or into none."""
        self.world.relabel_namespace(NAMESPACE_NAME, {labels.POOL: pool})

    @deed(pick=whole(0, 7))
    def delete_job(self, pick: int) -> None:
        """Somebody deletes a Job by hand."""
        jobs = self.world.listed(JOB.kind)
        if jobs:
            self.world.delete_job(NAMESPACE_NAME, jobs[pick % len(jobs)]["metadata"]["name"])

    @deed(pick=whole(0, 7))
    def delete_pod(self, pick: int) -> None:
        """Somebody deletes a Pod by hand."""
        pods = self.world.listed(POD.kind)
        if pods:
            self.world.delete_pod(NAMESPACE_NAME, pods[pick % len(pods)]["metadata"]["name"])

    @deed(index=indexes, phase=one_of("Succeeded", "Pending"))
    def deface_status(self, index: int, phase: str) -> None:
        """Somebody writes into a status that is ours."""
        if self.world.find(WARMUP.kind, NAMESPACE_NAME, f"w{index}"):
            self.world.edit_status(f"w{index}", {"phase": phase})

    @deed(pick=whole(0, 7))
    def strip_job(self, pick: int) -> None:
        """Somebody takes the labels off a Job, so that no watch of ours shows it any more."""
        jobs = self.world.listed(JOB.kind)
        if jobs:
            self.world.strip_job(jobs[pick % len(jobs)]["metadata"]["name"])

    @deed(pick=whole(0, 7))
    def strip_pod(self, pick: int) -> None:
        """Somebody takes the label off a Pod: it goes on, and nobody shows it any more."""
        pods = self.world.listed(POD.kind)
        if pods:
            self.world.strip_pod(pods[pick % len(pods)]["metadata"]["name"])

    @deed(how=one_of("forbid", "deny", "allow"))
    def refuse_jobs(self, how: str) -> None:
        """A quota or an admission policy refuses Jobs, or not any more."""
        if how == "allow":
            self.world.allow(JOB.kind, NAMESPACE_NAME)
        else:
            getattr(self.world, how)(JOB.kind, NAMESPACE_NAME, f"{how}: no more Jobs")

    # What machines do.

    @deed(name=names, pool=one_of(POOL, POOL, "q", ""), kind=plans)
    def node_joins(self, name: str, pool: str, kind: str) -> None:
        """A machine joins."""
        if not self.world.find(NODE.kind, "", name):
            self.world.add_node(name, pool=pool, plan=PLANS[kind])

    @deed()
    def control_plane_joins(self) -> None:
        """A control-plane machine joins the pool, by somebody's mistake."""
        if not self.world.find(NODE.kind, "", "n9"):
            self.world.add_control_plane_node("n9", pool=POOL)

    @deed(name=names)
    def node_leaves(self, name: str) -> None:
        """A machine leaves for good."""
        if self.world.find(NODE.kind, "", name):
            self.world.delete_node(name)

    @deed(name=names, kind=plans)
    def node_is_replaced(self, name: str, kind: str) -> None:
        """Another machine takes the name of one that leaves."""
        if self.world.find(NODE.kind, "", name):
            self.world.replace_node(name, plan=PLANS[kind])

    @deed(name=names, enabled=one_of("true", "false", None))
    def opt_in(self, name: str, enabled: str | None) -> None:
        """A node's opt-in is set, wrong, or taken away."""
        if self.world.find(NODE.kind, "", name):
            self.world.relabel_node(name, {labels.ENABLED: enabled})

    @deed(name=names, closed=yes_or_no())
    def cordon(self, name: str, closed: bool) -> None:  # noqa: FBT001 -- a rule's parameter
        """A node is cordoned, or not any more."""
        if self.world.find(NODE.kind, "", name):
            (self.world.cordon if closed else self.world.uncordon)(name)

    @deed(name=names, silent=yes_or_no())
    def kubelet_is_silent(self, name: str, silent: bool) -> None:  # noqa: FBT001 -- a parameter
        """A kubelet falls silent, or comes back."""
        if self.world.find(NODE.kind, "", name):
            (self.world.stop_kubelet if silent else self.world.start_kubelet)(name)

    @deed(pick=whole(0, 7))
    def pod_is_evicted(self, pick: int) -> None:
        """A kubelet runs low and evicts a Pod that it runs."""
        pods = [pod for pod in self.world.listed(POD.kind) if pod["spec"].get("nodeName")]
        if pods:
            self.world.evict_pod(NAMESPACE_NAME, pods[pick % len(pods)]["metadata"]["name"])

    # What time and networks do.

    @deed(weight=4, turns=whole(1, 12))
    def work(self, turns: int) -> None:
        """The controller does a few things."""
        for _ in range(turns):
            self.work_by(Driver.turn)

    @deed(seconds=one_of(0.05, 1, 5, 30))
    def time_passes(self, seconds: float) -> None:
        """The cluster goes on, and the controller sees nothing of it yet."""
        self.world.cluster.advance(self.world.cluster.now + int(seconds * 1000) * MILLISECOND)

    @deed(weight=8, seconds=apart(one_of(1, 5, 30), seeded=one_of(1, 5, 30, 120)))
    def work_on(self, seconds: int) -> None:
        """Cluster and controller go on."""
        self.drive(seconds)

    @deed()
    def crash(self) -> None:
        """The controller dies where it stands, and another one goes on from the log."""
        self.live()

    @deed(
        method=one_of("POST", "PATCH", "DELETE", "GET"),
        part=one_of(*PARTS),
        fault=one_of(*sorted(FAULTS)),
        times=whole(1, 3),
    )
    def trouble(self, method: str, part: str, fault: str, times: int) -> None:
        """The next requests of a sort go wrong."""
        self.world.cluster.api.faults.add(every(method, part), FAULTS[fault], times=times)

    @deed(back=whole(1, 20))
    def lists_are_stale(self, back: int) -> None:
        """Lists are answered from the past, as by a server that lags behind."""
        version = self.world.cluster.storage.version - back
        self.world.cluster.api.faults.list_version = max(version, 1)

    @deed()
    def watches_break(self) -> None:
        """Every connection breaks."""
        self.world.cluster.api.cut_watches()

    @deed(pick=whole(0, 4))
    def watch_lags(self, pick: int) -> None:
        """One watch is behind the others."""
        cursors = self.world.cluster.api.cursors
        if cursors:
            cursors[pick % len(cursors)].hold()

    @deed()
    def history_is_forgotten(self) -> None:
        """Watches that break now cannot go on: 410."""
        self.world.cluster.api.cut_watches()
        self.world.cluster.compact()

    @deed(back=whole(1, 30))
    def cluster_is_restored(self, back: int) -> None:
        """The cluster is restored from a backup, and the controller, which ran in it, starts."""
        self.world.cluster.api.faults.list_version = None
        self.world.cluster.api.faults.list_versions = {}
        self.world.restore(back)
        self.crash()

    @deed(when=lambda self: not self.world.cluster.api.faults.unreachable)
    def network_fails(self) -> None:
        """Nothing gets through."""
        self.world.cluster.api.faults.unreachable = "no route to host"

    @deed()
    def all_is_well(self) -> None:
        """Network, server, kubelets and policies are well again."""
        self.troubles_end()
        self.world.allow(JOB.kind, NAMESPACE_NAME)
        for node in self.world.listed(NODE.kind):
            self.world.start_kubelet(node["metadata"]["name"])

    def drive(self, seconds: int) -> None:
        """Let controller and cluster go on for so long, or until both are at rest."""
        end = self.world.cluster.now + seconds * SECOND
        self.work_by(lambda driver: driver.run(until_at=end, turns=TURNS))

    def finish(self) -> None:
        """Let all faults end, come to rest, and note how it is then."""
        self.all_is_well()
        self.drive(
            2 * 3600
        )  # an hour after the last edit of others nobody is told of them any more
        for row in self.log.rows:
            self.say(str(row))
        watch_rest(self.witness, self.driver, [self.world], lambda: self.drive(3600))
