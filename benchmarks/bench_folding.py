"""What folding a row costs, by what it is about and how many objects there are.

    python -m benchmarks.bench_folding [LOG …]

Logs of ever more objects, from the first time that they are seen until all of them are done, are
folded as `warmlog replay` folds them: read out of their text, nothing decided. Every figure is CPU
time, the best of several runs in one process. A row costs what it changes, so its cost is flat in
what there is: ends with 1 where a row of a log of many objects costs too much more than one of few.
A new cache is looked for on every cluster, which its rows pay for: their bar is another one.
"""

import gc
import sys
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from engine.events import Event, Subject
from machines.caches.entries import EntryState
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel
from machines.domain import WARMLOG
from machines.intents import CreateJob
from machines.observations import Answered, Done
from machines.replicas.levels import WorkloadLevel
from machines.replicas.replicas import ReplicaState
from machines.states import Known
from machines.warmups import WarmupState
from tests.caches.builders import ONE, CacheScene
from tests.caches.builders import spec_of as cache_spec
from tests.caches.willing import carry_out
from tests.machines.builders import NAMESPACE, Scene, selecting
from tests.machines.builders import spec_of as warmup_spec
from tests.replicas.builders import ReplicaScene
from tests.replicas.builders import spec_of as replica_spec

NODES = 10
RUNS, FEW_RUNS, MANY_ROWS = 7, 3, 10_000


def fold(rows: Sequence[Event]) -> float:
    """Fold a log from its beginning; give microseconds a row."""
    state = WARMLOG.initial("log")
    begun = time.process_time()
    for row in rows:
        state = WARMLOG.fold(state, row)
    return (time.process_time() - begun) / len(rows) * 1e6


def about_nodes(count: int) -> list[Event]:
    """Give the log of one warmup on so many nodes, from the first node to the last outcome."""
    scene = Scene()
    scene.nodes(*(f"n{n}" for n in range(count)))
    scene.warmup(warmup_spec(selecting(), parallelism=min(count, 100)))
    while True:
        creating = scene.creating()
        if not creating:
            return scene.rows
        for name in creating:
            uid = scene.accept(name)
            scene.pod(uid, f"pod-{name}", "Running", name)
            scene.pod(uid, f"pod-{name}", "Succeeded", name)
            scene.job(name, "Complete")


def about_warmups(count: int) -> list[Event]:
    """Give the log of so many warmups, one after the other on ten nodes, which go and come."""
    scene = Scene()
    names = [f"n{n}" for n in range(NODES)]
    scene.nodes(*names)
    for number in range(count):
        uid = f"w{number}-uid"
        scene.warmup(warmup_spec(selecting(), parallelism=NODES), name=f"w{number}")
        for one in [*scene.state.open.values()]:
            assert isinstance(one.intent, CreateJob)
            node = one.intent.node_name
            subject = Subject("Job", NAMESPACE, one.intent.job_name, f"{uid}-{node}")
            scene.see(subject, scene.job_level_of(uid, node))
            scene.tell(Answered(one.seq, Done(subject.uid)))
            scene.see(subject, scene.job_level_of(uid, node, "Complete"))
        for seq in [*scene.state.open]:  # the last look at the nodes
            scene.tell(scene.listed("Node"), Answered(seq, Done()))
        assert scene.state.warmups[uid].state is WarmupState.READY
        scene.node(names[number % NODES], cordoned=number % (2 * NODES) < NODES)
    return scene.rows


def about_caches(count: int) -> list[Event]:
    """Give the log of so many caches that are staged to one cluster."""
    scene = CacheScene()
    scene.namespace(ONE)
    for number in range(count):
        scene.cache(name=f"m{number}", uid=f"u{number}")
    stage_all(scene, lambda: carry_out(scene))
    return scene.rows


def about_clusters(count: int) -> list[Event]:
    """Give the log of so many clusters, with a cache of its own for each."""
    names = [f"c{number}" for number in range(count)]
    scene = CacheScene(*names)
    for name in names:
        scene.namespace(f"ic/{name}")
        scene.cache(cache_spec(selector={"name": name}), name=f"m-{name}", uid=f"u-{name}")
    stage_all(scene, lambda: carry_out(scene))
    for name in names:
        scene.cluster(name, storage_class="another")
    return scene.rows


def about_replicas(count: int) -> list[Event]:
    """Give the log of so many replicas on one cluster, each with its cache, that come to serve."""
    scene = ReplicaScene()
    scene.namespace(ONE)
    for number in range(count):
        scene.cache(name=f"m{number}", uid=f"u{number}")
        spec = replica_spec(cache=f"m{number}")
        scene.replica(uid=f"r{number}-uid", name=f"r{number}", spec=spec)
    stage_all(scene, scene.carry_out)
    for cluster, known in known_of(scene, "Deployment"):
        assert isinstance(known.level, WorkloadLevel)
        scene.see(cluster, known.subject, known.level._replace(available="True", reason=""))
    states = [one.state for one in scene.state.replicas.values()]
    assert states == [ReplicaState.SERVING] * count
    return scene.rows


def stage_all(scene: CacheScene, carry_out: Callable[[], None]) -> None:
    """Bring every cache to Ready, each Job with a Pod that waits, runs and succeeds."""
    carry_out()
    for cluster, known in known_of(scene, "HydrationJob"):
        for phase in ("Pending", "Running", "Succeeded"):
            level = HydrationPodLevel(known.subject.uid, "n1", phase)
            name = f"{known.subject.name}-abcde"
            subject = Subject(
                "HydrationPod", known.subject.namespace, name, f"{known.subject.uid}-pod"
            )
            scene.see(cluster, subject, level)
    for cluster, known in known_of(scene, "PersistentVolumeClaim"):
        assert isinstance(known.level, ClaimLevel)
        scene.see(cluster, known.subject, known.level._replace(phase="Bound"))
    carry_out()
    for cluster, known in known_of(scene, "HydrationJob"):
        assert isinstance(known.level, HydrationJobLevel)
        scene.see(cluster, known.subject, known.level._replace(outcome="Complete"))
    carry_out()
    for cache in scene.state.caches.values():
        assert [one.state for one in cache.entries.values()] == [EntryState.READY]


def known_of(scene: CacheScene, kind: str) -> list[tuple[str, Known]]:
    """Give every object of a kind, with the cluster that it is on."""
    clusters = scene.state.clusters.values()
    return [(one.name, known) for one in clusters for known in one.objects[kind].values()]


class Sort(NamedTuple):
    """A sort of log: how it is made, for how many objects, and what a row may cost at most."""

    make: Callable[[int], list[Event]]
    sizes: tuple[int, ...] = (10, 100, 1000)
    bar: float = 1.3  # times what a row of the smallest costs; that much is noise and memory


LOGS = {
    "nodes of a warmup": Sort(about_nodes),
    "warmups": Sort(about_warmups),
    "caches": Sort(about_caches),
    "clusters": Sort(about_clusters, (10, 30, 100), 2.5),
    "replicas": Sort(about_replicas),
}


def main(names: list[str]) -> int:
    """Print the figures; give 1 when a bar is missed."""
    gc.disable()  # a pause of it would be counted as one row's
    table = Table("a log of many …", "objects", "rows", "µs a row", "of the smallest", "bar")
    missed = False
    for name in names or LOGS:
        sort, first = LOGS[name], 0.0
        for size in sort.sizes:
            rows = sort.make(size)
            cost = min(fold(rows) for _ in range(RUNS if len(rows) < MANY_ROWS else FEW_RUNS))
            first = first or cost
            missed |= cost > sort.bar * first
            figures = f"{cost:.1f}", f"{cost / first:.2f}", f"{sort.bar}"
            table.add_row(name, str(size), str(len(rows)), *figures)
    Console().print(table)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
