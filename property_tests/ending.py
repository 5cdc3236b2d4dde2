"""Ending: how a world is left once its faults have ended and its people rest."""

from collections.abc import Callable, Iterable, Sequence

from adapters.simulator.driving import Driver
from adapters.simulator.worlds import World
from property_tests.evidence import Ending, Sent
from property_tests.witnessing import Witness

# What the invariants ask for of the end.
KINDS = (
    "ModelWarmup", "ModelCache", "ModelReplica", "InferenceCluster", "Job", "Secret",
    "PersistentVolumeClaim", "Service", "Deployment", "LeaderWorkerSet", "ResourceClaimTemplate",
    "Node", "Namespace",
)  # fmt: skip


def watch_rest(
    witness: Witness,
    driver: Driver,
    worlds: Iterable[World],
    rest: Callable[[], None],
    announced: Sequence[object] = (),
) -> Ending:
    """Note how everything is, and what still happens while `rest` lets hours pass."""
    rows, happened, told = witness.position, len(witness.evidence.happened), len(announced)
    rest()
    state = driver.writer.state
    news = [str(row) for row in witness.evidence.logs[-1][rows:]]
    news += [str(one) for one in witness.evidence.happened[happened:] if isinstance(one, Sent)]
    news += [str(one) for one in announced[told:]]
    ending = Ending(
        live=state,
        standing=[
            (world.cluster.api.cluster, item)
            for world in worlds
            for kind in KINDS
            for item in world.listed(kind)
        ],
        unsent=driver.book.unsent(state) + driver.conditions.unsent(state),
        news=news,
    )
    witness.evidence.ending = ending
    return ending
