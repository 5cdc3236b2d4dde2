"""Whole ModelCaches on simulated clusters, while people, machines and networks do what they do.

The controller may crash between any two of its turns, and goes on from its log, or from an empty
one. At the end all faults stop, the worlds run to rest, and what was promised is checked.
"""

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from adapters.simulator.answers import failure
from adapters.simulator.clock import MILLISECOND, SECOND
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
from property_tests.cache_people import STORAGE, WORKLOADS, CachePeople, places
from property_tests.cache_rest import LOST, check_rest, check_statuses
from property_tests.laws import divergences
from property_tests.running import run
from property_tests.staged_worlds import HOME

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

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

    @rule(turns=st.integers(1, 12))
    def work(self, turns: int) -> None:
        """The controller does a few things."""
        for _ in range(turns):
            run(self.driver.turn())

    @rule(seconds=st.sampled_from([0.05, 1, 5, 30]))
    def time_passes(self, seconds: float) -> None:
        """The clusters go on, and the controller sees nothing of it yet."""
        at = self.home.cluster.now + int(seconds * 1000) * MILLISECOND
        for world in self.worlds.values():
            world.cluster.advance(at)

    @rule(seconds=st.sampled_from([1, 5, 30, 400]))
    def work_on(self, seconds: int) -> None:
        """Clusters and controller go on."""
        self.drive(seconds)

    @rule()
    def crash(self) -> None:
        """The controller dies where it stands, and another one goes on from the log."""
        self.live()

    @rule()
    def log_is_lost(self) -> None:
        """It dies, and its log with it."""
        self.left.add(LOST)
        self.logs.append(MemoryLog(f"log-{len(self.logs)}"))
        self.live()

    @rule(place=places, method=st.sampled_from(["POST", "PATCH", "DELETE", "GET"]),
          part=st.sampled_from(PARTS), fault=st.sampled_from(sorted(FAULTS)),
          times=st.integers(1, 3))  # fmt: skip
    def trouble(self, place: str, method: str, part: str, fault: str, times: int) -> None:
        """The next requests of a sort go wrong."""
        faults = self.worlds[place].cluster.api.faults
        faults.add(every(method, part), FAULTS[fault], times=times)

    @rule(place=places, back=st.integers(1, 20))
    def lists_are_stale(self, place: str, back: int) -> None:
        """Lists are answered from the past, as by a server that lags behind."""
        cluster = self.worlds[place].cluster
        cluster.api.faults.list_version = max(cluster.storage.version - back, 1)

    @rule(place=places, what=st.sampled_from(["break", "lag", "forget"]), pick=st.integers(0, 9))
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

    @rule(place=places)
    def network_fails(self, place: str) -> None:
        """Nothing gets through to a cluster."""
        self.worlds[place].lose_api()

    @rule(place=places)
    def network_is_well(self, place: str) -> None:
        """It does again."""
        self.worlds[place].cluster.api.faults.clear()

    def all_is_well(self) -> None:
        """Everything that can be well is."""
        for name, world in self.worlds.items():
            world.cluster.api.faults.clear()
            for cursor in world.cluster.api.cursors:
                cursor.release()
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
        run(self.driver.run(until_at=end, turns=TURNS))

    def teardown(self) -> None:
        """Let all faults end, come to rest, and check what was promised."""
        if not hasattr(self, "driver"):
            return
        self.all_is_well()
        self.time_passes(20)  # after which the definitions are looked for again
        try:
            self.drive(3 * 3600)
            self.delete_lost()
            self.drive(3 * 3600)
            rows = len(self.logs[-1].rows)
            writes = [len(world.writes) for world in self.worlds.values()]
            self.drive(3 * 3600)
        finally:
            for row in self.logs[-1].rows:
                note(str(row))
        assert self.logs[-1].rows[rows:] == [], "rows without news"
        assert [len(world.writes) for world in self.worlds.values()] == writes, "writes at rest"
        assert run(divergences(self.logs[-1])) == []
        check_rest(self.home, self.worlds, self.driver, self.left)
        check_statuses(self.home, self.driver, self.logs[-1])

    def delete_lost(self) -> None:
        """A claim whose volume is lost is for people to delete."""
        for world in self.worlds.values():
            for claim in world.listed(CLAIM.kind, WORKLOADS):
                if claim["status"].get("phase") == "Lost":
                    world.delete_any(claim)


TestCacheWorlds = CacheWorlds.TestCase
# A world costs as much as some dozens of the other tests' examples.
TestCacheWorlds.settings = settings(max_examples=settings().max_examples // 2)
