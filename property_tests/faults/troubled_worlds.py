"""Troubled worlds: what may go wrong in every world of the property tests, as deeds.

A world says which clusters it has, which log, and how a life of its controller begins; lives that
end on the way, and stores that take nothing, are dealt with here as a running process would.
"""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from adapters.simulator.driven_sessions import Host
from adapters.simulator.driving import Driver
from adapters.simulator.faults import Death, Matching, SenderDied, Slowness, Stay, every
from adapters.simulator.watching import WatchCursor
from adapters.simulator.worlds import World
from engine.errors import LogUnavailable
from engine.logs import EventLog
from property_tests.faults.elders import Elder, Lease
from property_tests.faults.failing_logs import FailingLog, StoreTrouble, StoreTroubles
from property_tests.faults.memories import Memories
from property_tests.faults.shifting_clocks import ShiftingClock
from property_tests.playing.choices import one_of, whole
from property_tests.playing.deeds import deed
from property_tests.playing.telling_worlds import TellingWorld
from property_tests.running import run

RETRY_SECONDS = 2  # after which a controller that cannot begin tries again
KINDS = (
    "Job", "Pod", "ModelWarmup", "Node", "ModelCache", "PersistentVolumeClaim", "Secret",
    "InferenceCluster", "ModelReplica", "Deployment", "Service", "Namespace",
)  # fmt: skip
PARTS = ("", "", "/status", "/jobs", "/nodes", "/secrets", "/persistentvolumeclaims",
         "/modelcaches", "/deployments")  # fmt: skip
SPANS = (0, 0, 1, 9, 60)  # seconds that a request is under way: a request waits for 10
JUMPS = (60, 3600, 90_000, -60, -3600, -90_000)  # seconds by which somebody sets a clock

Begin = Callable[[EventLog, Host], Coroutine[Any, Any, Driver]]
Work = Callable[[Driver], Coroutine[Any, Any, Any]]

sorts = one_of("write", "write", "write", "POST", "PATCH", "DELETE", "GET")  # of requests
picks = whole(0, 9)


def requests(sort: str, part: str = "") -> Matching:
    """Match requests of a sort, a method or all that write, with something in their path."""
    if sort != "write":
        return every(sort, part)
    return lambda request: request.method != "GET" and part in request.path


class TroubledWorld(TellingWorld):
    """Clusters and a controller to which all of this may happen."""

    driver: Driver

    def __init__(self) -> None:
        """Begin with everything well."""
        super().__init__()
        self.store = StoreTroubles()
        self.clock = ShiftingClock(lambda: self.now)
        self.elder: Elder | None = None  # who led before, and may not know that it does no more
        self._lease = Lease()
        self._memories = Memories()

    def every_world(self) -> Sequence[World]:
        """Give the clusters, the one that the controller runs in first."""
        raise NotImplementedError

    def live(self) -> None:
        """Begin a life of the controller, by `born`."""
        raise NotImplementedError

    def born(self, begin: Begin) -> Driver:
        """Begin a life of the controller, however often the store forbids it or the process ends.

        What went before is taken for dead, unless it was kept as the elder.
        """
        last = getattr(self, "driver", None)
        lives_on = self.elder is not None and self.elder.driver is last
        while True:
            self._lease = Lease()
            log = self.all_logs[-1]
            recall = self._memories.of(last, log, lives_on=lives_on)
            try:
                host = Host(self.clock, self._lease, recall)
                return run(begin(FailingLog(log, self.store), host))
            except LogUnavailable:
                self.wait(RETRY_SECONDS)
            except SenderDied:
                continue

    def work_by(self, work: Work) -> None:
        """Have the controller work; a life that ends on the way is followed by another."""
        while True:
            try:
                run(work(self.driver))
            except SenderDied:
                self.live()
            else:
                return

    def wait(self, seconds: float) -> None:
        """Let time pass for the clusters alone."""
        at = self.now + int(seconds * 1_000_000_000)
        for world in self.every_world():
            world.cluster.advance(at)

    def troubles_end(self) -> None:
        """The store, the watches and the clock are well again, and an elder hears of the truth."""
        self.store.clear()
        self.clock.mend()
        for world in self.every_world():
            world.cluster.api.faults.clear()
            for cursor in world.cluster.api.cursors:
                cursor.release()
        if self.elder is not None:
            self.elder_goes_on()
        self.elder = None

    def all_is_well(self) -> None:
        """Make everything well that can be."""
        raise NotImplementedError

    def drive(self, seconds: int) -> None:
        """Let controller and clusters go on for so long, or until all are at rest."""
        raise NotImplementedError

    @deed(weight=0, seconds=one_of(60, 600, 3600))
    def peace(self, seconds: int) -> None:
        """All is well for a while."""
        self.all_is_well()
        self.drive(seconds)

    @deed(trouble=one_of(*StoreTrouble), times=whole(1, 4), skipped=whole(0, 3))
    def store_fails(self, trouble: str, times: int, skipped: int) -> None:
        """The store of the log fails at one of the next commits."""
        self.store.add(StoreTrouble(trouble), times=times, skipped=skipped)

    @deed(seconds=one_of(*JUMPS))
    def clock_is_set(self, seconds: int) -> None:
        """Somebody sets the clock of the controller's machine."""
        self.clock.jump(seconds)
        self.witness.evidence.clock_sets.append(self.now)

    @deed(
        place=picks,
        sort=sorts,
        part=one_of(*PARTS),
        death=one_of(*Death),
        skipped=whole(0, 3),
    )
    def dies_at_request(self, place: int, sort: str, part: str, death: str, skipped: int) -> None:
        """The controller dies at one of its next requests, before or after it is carried out."""
        faults = self._world(place).cluster.api.faults
        faults.add(requests(sort, part), Death(death), skipped=skipped)

    @deed(
        place=picks,
        sort=sorts,
        part=one_of(*PARTS),
        there=one_of(*SPANS),
        back=one_of(*SPANS),
        times=whole(1, 3),
    )
    def requests_take_time(
        self, place: int, sort: str, part: str, there: int, back: int, times: int
    ) -> None:
        """The next requests of a sort take long on their way there, or back: maybe too long."""
        faults = self._world(place).cluster.api.faults
        faults.add(requests(sort, part), Slowness(there, back), times=times)

    @deed(place=picks, kind=one_of(*KINDS), back=whole(1, 20))
    def kind_is_stale(self, place: int, kind: str, back: int) -> None:
        """Lists of one kind are answered from the past, and those of the others are not."""
        cluster = self._world(place).cluster
        cluster.api.faults.list_versions[kind] = max(cluster.storage.version - back, 1)

    @deed(place=picks, pick=picks, changes=whole(1, 20))
    def watch_repeats(self, place: int, pick: int, changes: int) -> None:
        """A watch tells once more what it has told before."""
        cursor = self._watch(place, pick)
        if cursor is not None:
            cursor.repeat(changes)

    @deed(place=picks, pick=picks, changes=whole(0, 20))
    def watch_trickles(self, place: int, pick: int, changes: int) -> None:
        """A watch lags behind the others, and tells a little of what it kept back."""
        cursor = self._watch(place, pick)
        if cursor is not None:
            cursor.hold()
            cursor.trickle(changes)

    @deed(place=picks, sort=one_of("write", "write", "POST", "PATCH", "DELETE"),
          where=one_of(*Stay), turns=whole(0, 30))  # fmt: skip
    def another_leads(self, place: int, sort: str, where: str, turns: int) -> None:
        """The lease is lost to another controller, while a request may be under way."""
        faults = self._world(place).cluster.api.faults
        faults.add(requests(sort), Stay(where))
        if self.elder is not None:
            self.elder_goes_on()
        self.elder = Elder(self.driver, self._lease)
        self.elder.work(turns)
        faults.remove(Stay(where))
        self.elder.lose_lease()
        self.live()

    @deed()
    def elder_goes_on(self) -> None:
        """Who led before hears of what it sent, and tries to go on."""
        if self.elder is None:
            return
        rows = list(self.all_logs[-1].rows)
        if self.elder.go_on():
            self.elder = None
        assert self.all_logs[-1].rows == rows, "who lost the log wrote to it"

    def _world(self, place: int) -> World:
        worlds = self.every_world()
        return worlds[place % len(worlds)]

    def _watch(self, place: int, pick: int) -> WatchCursor | None:
        cursors = self._world(place).cluster.api.cursors
        return cursors[pick % len(cursors)] if cursors else None
