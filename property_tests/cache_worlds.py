"""Whole ModelCaches on simulated clusters, while people, machines and networks do what they do.

The controller may crash between any two of its turns, and goes on from its log, or from an empty
one. At the end all faults stop, the worlds run to rest, and what was promised is checked.
"""

from adapters.simulator.answers import failure
from adapters.simulator.clock import MILLISECOND, SECOND
from adapters.simulator.driving import Driver
from adapters.simulator.faults import (
    Fault,
    Loss,
    every,
    internal_error,
    too_many_requests,
    version_conflict,
)
from adapters.simulator.plans import ProvisionerPlan
from adapters.simulator.resources import CLAIM, JOB, NODE, POD, SECRET
from adapters.store.memory_logs import MemoryLog
from machines import labels
from property_tests.cache_people import STORAGE, WORKLOADS, CachePeople, places
from property_tests.ending import watch_rest
from property_tests.playing.choices import one_of, whole
from property_tests.playing.deeds import deed
from property_tests.staged_worlds import HOME, LOST, NOBODY

TURNS = 20_000  # many times what the busiest of these worlds needs
FAULTS: dict[str, Fault] = {
    "request lost": Loss.REQUEST,
    "reply lost": Loss.REPLY,
    "429": too_many_requests(),
    "500": internal_error(),
    "409": version_conflict(),
    "403": failure(403, "Forbidden", "forbidden: no right to do that", {}),
    "410": failure(410, "Expired", "The resourceVersion is too old", {}),
}
PARTS = ("/jobs", "/modelcaches", "/persistentvolumeclaims", "/secrets", "/inferenceclusters",
         "/namespaces", "/pods", "")  # fmt: skip


class CacheWorlds(CachePeople):
    """Those clusters, time, networks, and a controller that lives many lives."""

    # What time and networks do.

    @deed(weight=4, turns=whole(1, 12))
    def work(self, turns: int) -> None:
        """The controller does a few things."""
        for _ in range(turns):
            self.work_by(Driver.turn)

    @deed(seconds=one_of(0.05, 1, 5, 30))
    def time_passes(self, seconds: float) -> None:
        """The clusters go on, and the controller sees nothing of it yet."""
        at = self.home.cluster.now + int(seconds * 1000) * MILLISECOND
        for world in self.worlds.values():
            world.cluster.advance(at)

    @deed(weight=4, seconds=one_of(1, 5, 30, 400))
    def work_on(self, seconds: int) -> None:
        """Clusters and controller go on."""
        self.drive(seconds)

    @deed()
    def crash(self) -> None:
        """The controller dies where it stands, and another one goes on from the log."""
        self.live()

    @deed()
    def log_is_lost(self) -> None:
        """It dies, and its log with it."""
        self.left.add(LOST)
        self.elder = None  # whoever has a log of its own is fenced by nobody
        name = f"log-{len(self.logs)}"
        self.logs.append(MemoryLog(name))
        self.witness.begin_log(self.logs[-1], name)
        self.live()

    @deed(place=places, method=one_of("POST", "PATCH", "DELETE", "GET"),
          part=one_of(*PARTS), fault=one_of(*sorted(FAULTS)),
          times=whole(1, 3))  # fmt: skip
    def trouble(self, place: str, method: str, part: str, fault: str, times: int) -> None:
        """The next requests of a sort go wrong."""
        faults = self.worlds[place].cluster.api.faults
        faults.add(every(method, part), FAULTS[fault], times=times)

    @deed(place=places, back=whole(1, 20))
    def lists_are_stale(self, place: str, back: int) -> None:
        """Lists are answered from the past, as by a server that lags behind."""
        cluster = self.worlds[place].cluster
        cluster.api.faults.list_version = max(cluster.storage.version - back, 1)

    @deed(place=places, what=one_of("break", "lag", "forget"), pick=whole(0, 9))
    def watches_suffer(self, place: str, what: str, pick: int) -> None:
        """Watches break, lag behind the others, or cannot go on: 410."""
        api = self.worlds[place].cluster.api
        if what == "lag":
            if api.cursors:
                api.cursors[pick % len(api.cursors)].hold()
            return
        api.cut_watches()
        if what == "forget":
            self.worlds[place].cluster.compact()

    @deed(place=places)
    def network_fails(self, place: str) -> None:
        """Nothing gets through to a cluster."""
        self.worlds[place].lose_api()

    @deed(place=places)
    def network_is_well(self, place: str) -> None:
        """It does again."""
        self.worlds[place].cluster.api.faults.clear()

    def all_is_well(self) -> None:
        """Everything that can be well is."""
        self.troubles_end()
        for name, world in self.worlds.items():
            for kind in (JOB.kind, CLAIM.kind, SECRET.kind):
                world.allow(kind, WORKLOADS)
            for node in ("n0", "n1"):
                if not world.find(NODE.kind, "", node):
                    world.add_node(node)
                world.start_kubelet(node)
            self.class_is_there(name, there=True)
            world.set_provisioner(STORAGE, ProvisionerPlan())
            self.plans[name] = "succeeds"
            self.speak()
            if name != HOME:
                self.point(name, name)
            for pod in world.listed(POD.kind, WORKLOADS):  # those that hang, too
                world.delete_pod(WORKLOADS, pod["metadata"]["name"])

    def drive(self, seconds: int) -> None:
        """Let controller and clusters go on for so long, or until all are at rest."""
        end = self.home.cluster.now + seconds * SECOND
        self.work_by(lambda driver: driver.run(until_at=end, turns=TURNS))

    def finish(self) -> None:
        """Let all faults end, come to rest, and note how it is then."""
        self.all_is_well()
        self.time_passes(20)  # after which the definitions are looked for again
        try:
            self.drive(3 * 3600)
            self.people_help()
            self.drive(3 * 3600)
            self.rest()
        finally:
            for row in self.logs[-1].rows:
                self.say(str(row))

    def people_help(self) -> None:
        """Do what is for people to do."""
        self.delete_lost()
        self.delete_unmarked()

    def rest(self) -> None:
        """Let hours pass in which nothing is to happen, and note how it is then."""
        evidence = self.witness.evidence
        ending = watch_rest(
            self.witness, self.driver, self.worlds.values(), lambda: self.drive(3 * 3600),
            evidence.announced,
        )  # fmt: skip
        ending.forgotten = LOST in self.left
        ending.excused = frozenset(self.left | {NOBODY} if self.left else ())

    def delete_unmarked(self) -> None:
        """So is a Job without the label by which a new log sees it: its Pods are in the way."""
        for world in self.worlds.values():
            for job in world.listed(JOB.kind, WORKLOADS):
                if labels.CACHE not in (job["metadata"].get("labels") or {}):
                    world.delete_any(job)

    def delete_lost(self) -> None:
        """A claim whose volume is lost is for people to delete."""
        for world in self.worlds.values():
            for claim in world.listed(CLAIM.kind, WORKLOADS):
                if claim["status"].get("phase") == "Lost":
                    world.delete_any(claim)
