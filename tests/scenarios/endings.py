"""What must hold after every story: the log tells what is, and nothing was made for nobody.

A `Ledger` is opened with the world, before the controller lives; `closed` looks once all is done.
"""

from collections import Counter
from collections.abc import Iterator

from adapters.simulator.resources import JOB, POD, WARMUP
from adapters.simulator.storage import DELETED, Change, Manifest
from adapters.simulator.worlds import World
from engine.events import Event
from machines import labels
from machines.domain import WARMLOG
from tests.running.living import Life, check


class Ledger:
    """Every Job of ours that a world has seen, noted at the moment of each write."""

    def __init__(self, world: World) -> None:
        """Begin to note."""
        self.made: Counter[str] = Counter()  # Jobs by the name of their node
        self.most = 0  # unfinished Jobs at one moment, of one ModelWarmup
        self.doubled: list[str] = []
        self._world = world
        world.cluster.storage.subscribe(self._note)

    def _note(self, kind: str, change: Change) -> None:
        if kind != JOB.kind or change.type == DELETED or not warmup_of(change.object):
            return
        if change.previous is None:
            self.made[node_of(change.object)] += 1
        own = [
            node_of(job)
            for job in self._world.listed(JOB.kind)
            if warmup_of(job) == warmup_of(change.object) and not has_ended(job)
        ]
        self.most = max(self.most, len(own))
        if len(own) > len(set(own)):
            self.doubled.append(f"version {change.version}: {sorted(own)}")


async def closed(life: Life, ledger: Ledger) -> None:
    """Live and rebuilt statuses agree, replays are equal, nothing is left over or was doubled."""
    await life.until(lambda: not life.unsent and not life.controller.writer.state.open)
    await check(life)
    assert replayed(life.log.rows) == replayed(life.log.rows)
    assert ledger.doubled == []
    assert list(left_over(life.world)) == []


def replayed(rows: list[Event]) -> str:
    """Everything that a log comes to, as text."""
    state = WARMLOG.initial("log")
    for row in rows:
        state = WARMLOG.fold(state, row)
    return WARMLOG.dump(state)


def left_over(world: World) -> Iterator[str]:
    """Name what is there for nobody: a Job whose warmup went or ended, a Pod whose Job went."""
    warmups = {item["metadata"]["uid"]: item for item in world.listed(WARMUP.kind)}
    jobs = {item["metadata"]["uid"] for item in world.listed(JOB.kind)}
    for job in world.listed(JOB.kind):
        owner = warmups.get(warmup_of(job))
        if owner is None or ("completionTime" in owner["status"] and not has_ended(job)):
            yield f"Job {job['metadata']['name']}"
    for pod in world.listed(POD.kind):
        if pod["metadata"]["ownerReferences"][0]["uid"] not in jobs:
            yield f"Pod {pod['metadata']['name']}"


def warmup_of(job: Manifest) -> str:
    """The uid of the ModelWarmup that a Job names by its label."""
    return str((job["metadata"].get("labels") or {}).get(labels.WARMUP_UID, ""))


def node_of(job: Manifest) -> str:
    """The name of the node that a Job is for."""
    return str(job["metadata"]["annotations"][labels.TARGET_NODE])


def has_ended(job: Manifest) -> bool:
    """Say whether a Job is Complete or Failed."""
    conditions = (job.get("status") or {}).get("conditions") or ()
    return any(
        each["type"] in {"Complete", "Failed"} and each["status"] == "True" for each in conditions
    )
