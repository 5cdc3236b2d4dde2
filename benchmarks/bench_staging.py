"""What one row about ModelCaches costs as their clusters grow, and a node's row beside them.

    python -m benchmarks.bench_staging

Every figure is CPU time of the core alone, the best of several runs in one process. Where a cost
follows what a row changes, it grows little with the clusters, and a row about a node costs with
many caches what it costs without. Ends with 1 when a bar is missed.
"""

import sys
import time
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from engine.events import Event
from machines.caches.levels import ClaimLevel, HydrationJobLevel
from machines.domain import WARMLOG
from machines.levels import NodeLevel
from machines.states import State
from tests.caches.builders import CacheScene
from tests.caches.willing import carry_out

CLUSTERS = (1, 10, 100)
CACHES = 3
BARS = {10: 300, 100: 1500}  # microseconds a row
RUNS = 5
NODES, READY, CHANGES = 5000, 100, 1000
NODE_BAR = 1.25  # a quarter is noise


def fold(state: State, rows: Sequence[Event]) -> float:
    """Fold rows; give microseconds a row."""
    begun = time.process_time()
    for row in rows:
        state = WARMLOG.fold(state, row)
    return (time.process_time() - begun) / len(rows) * 1e6


def cost_of_staging(clusters: int) -> float:
    """Give what a row costs from the first cluster to claims and Jobs on all of them."""
    scene = CacheScene(*(f"c{n}" for n in range(clusters)))
    for n in range(CACHES):
        scene.cache(name=f"m{n}", uid=f"u{n}")
    carry_out(scene)
    return min(fold(WARMLOG.initial("log"), scene.rows) for _ in range(RUNS))


def cost_of_nodes(caches: int) -> float:
    """Give what a changed node costs on a cluster of many, beside so many caches that are Ready."""
    scene = CacheScene()
    for n in range(caches):
        scene.cache(name=f"m{n}", uid=f"u{n}")
    carry_out(scene)
    known = scene.state.clusters["ic/one"].objects
    for claim in list(known["PersistentVolumeClaim"].values()):
        assert isinstance(claim.level, ClaimLevel)
        scene.see("ic/one", claim.subject, claim.level._replace(phase="Bound"))
    carry_out(scene)
    for job in list(known["HydrationJob"].values()):
        assert isinstance(job.level, HydrationJobLevel)
        scene.see("ic/one", job.subject, job.level._replace(outcome="Complete"))
    carry_out(scene)
    phases = [
        entry.state for cache in scene.state.caches.values() for entry in cache.entries.values()
    ]
    assert phases == ["Ready"] * caches
    nodes = [scene.node(f"n{n}") for n in range(NODES)]
    before, first = WARMLOG.copy(scene.state), len(scene.rows)
    for node in nodes[:CHANGES]:
        scene.see("ic/one", node, NodeLevel(ready="False"))
    rows = scene.rows[first:]
    return min(fold(WARMLOG.copy(before), rows) for _ in range(RUNS))


def main() -> int:
    """Print the figures; give 1 when a bar is missed."""
    table = Table("what", "µs a row", "ratio", "bar")
    costs = {clusters: cost_of_staging(clusters) for clusters in CLUSTERS}
    for clusters, cost in costs.items():
        bar = f"{BARS[clusters]} µs" if clusters in BARS else ""
        ratio = f"{cost / costs[CLUSTERS[0]]:.1f}"
        table.add_row(f"{CACHES} caches on {clusters} clusters", f"{cost:.0f}", ratio, bar)
    without, beside = cost_of_nodes(0), cost_of_nodes(READY)
    table.add_row(f"a node of {NODES}, no caches", f"{without:.0f}", "1.0", "")
    ratio = f"{beside / without:.2f}"
    table.add_row(f"the same beside {READY} Ready caches", f"{beside:.0f}", ratio, f"{NODE_BAR}")
    Console().print(table)
    reached = all(costs[clusters] <= bar for clusters, bar in BARS.items())
    return 0 if reached and beside <= NODE_BAR * without else 1


if __name__ == "__main__":
    sys.exit(main())
