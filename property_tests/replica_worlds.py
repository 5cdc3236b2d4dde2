"""Whole ModelReplicas with their caches on simulated clusters, as `cache_worlds` has caches.

At the end all faults stop, the worlds run to rest, and what was promised is checked.
"""

from adapters.simulator.faults import every
from property_tests.cache_people import places
from property_tests.cache_worlds import FAULTS
from property_tests.playing.choices import one_of, whole
from property_tests.playing.deeds import deed
from property_tests.replica_people import ReplicaPeople
from property_tests.served_worlds import STRANGER
from property_tests.staged_worlds import NOBODY

PARTS = ("/modelreplicas", "/deployments", "/services", "/leaderworkersets",
         "/resourceclaimtemplates")  # fmt: skip


class ReplicaWorlds(ReplicaPeople):
    """Those clusters, time, networks, and a controller that lives many lives."""

    @deed(place=places, method=one_of("PATCH", "DELETE", "GET"),
          part=one_of(*PARTS), fault=one_of(*sorted(FAULTS)),
          times=whole(1, 3))  # fmt: skip
    def engine_trouble(self, place: str, method: str, part: str, fault: str, times: int) -> None:
        """The next requests of a sort go wrong."""
        faults = self.worlds[place].cluster.api.faults
        faults.add(every(method, part), FAULTS[fault], times=times)

    @deed(back=whole(1, 60))
    def log_is_older(self, back: int) -> None:
        """The controller dies, and its log is an older copy of itself, of whole batches."""
        log = self.logs[-1]
        whole = [length for length in self.lengths if length <= len(log.rows) - back]
        if whole:
            self.elder = None
            self.witness.cut_log()
            del log.rows[max(whole) :]
            self.live()

    def people_help(self) -> None:
        """Do what is for people to do, and what only a controller of gangs could."""
        super().people_help()
        self.gangs_are_up()

    def rest(self) -> None:
        """Let hours pass in which nothing is to happen, and note how it is then."""
        super().rest()
        ending = self.witness.evidence.ending
        if ending is not None:
            ending.excused |= self.left_replicas | {NOBODY, STRANGER}
