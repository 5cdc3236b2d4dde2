"""Whole ModelReplicas with their caches on simulated clusters, as `test_cache_worlds` has caches.

At the end all faults stop, the worlds run to rest, and what was promised is checked.
"""

import pytest
from hypothesis import note, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

from adapters.simulator.faults import every
from property_tests.cache_people import places
from property_tests.cache_rest import NOBODY, check_rest, check_statuses
from property_tests.laws import divergences
from property_tests.replica_people import ReplicaPeople
from property_tests.replica_rest import check_replicas
from property_tests.running import run
from property_tests.test_cache_worlds import FAULTS

# A search has no natural length: on a busy machine it only takes longer.
pytestmark = pytest.mark.timeout(900)

PARTS = ("/modelreplicas", "/deployments", "/services", "/leaderworkersets",
         "/resourceclaimtemplates")  # fmt: skip


class ReplicaWorlds(ReplicaPeople):
    """Those clusters, time, networks, and a controller that lives many lives."""

    @rule(place=places, method=st.sampled_from(["PATCH", "DELETE", "GET"]),
          part=st.sampled_from(PARTS), fault=st.sampled_from(sorted(FAULTS)),
          times=st.integers(1, 3))  # fmt: skip
    def engine_trouble(self, place: str, method: str, part: str, fault: str, times: int) -> None:
        """The next requests of a sort go wrong."""
        faults = self.worlds[place].cluster.api.faults
        faults.add(every(method, part), FAULTS[fault], times=times)

    @rule(back=st.integers(1, 60))
    def log_is_older(self, back: int) -> None:
        """The controller dies, and its log is an older copy of itself, of whole batches."""
        log = self.logs[-1]
        whole = [length for length in self.lengths if length <= len(log.rows) - back]
        if whole:
            del log.rows[max(whole) :]
            self.live()

    def teardown(self) -> None:
        """Let all faults end, come to rest, and check what was promised."""
        if not hasattr(self, "driver"):
            return
        self.all_is_well()
        self.time_passes(20)  # after which the definitions are looked for again
        try:
            self.drive(3 * 3600)
            self.delete_lost()
            self.gangs_are_up()
            self.drive(3 * 3600)
            rows, told = len(self.logs[-1].rows), len(self.told)
            writes = [len(world.writes) for world in self.worlds.values()]
            self.drive(3 * 3600)
        finally:
            for row in self.logs[-1].rows:
                note(str(row))
        assert self.logs[-1].rows[rows:] == [], "rows without news"
        assert [len(world.writes) for world in self.worlds.values()] == writes, "writes at rest"
        assert self.told[told:] == [], "news at rest"
        assert run(divergences(self.logs[-1])) == []
        check_rest(self.home, self.worlds, self.driver, self.left | {NOBODY})
        check_replicas(self.home, self.worlds, self.left_replicas)
        check_statuses(self.home, self.driver, self.logs[-1])


TestReplicaWorlds = ReplicaWorlds.TestCase
# A world costs as much as some dozens of the other tests' examples.
TestReplicaWorlds.settings = settings(max_examples=settings().max_examples // 3)
