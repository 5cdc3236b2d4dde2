"""Wide logs: one ModelWarmup over many nodes, with all that their Jobs and Pods go through."""

from collections.abc import Iterable
from pathlib import Path

from engine.events import Event
from engine.instants import SECOND
from machines.charting import Chart
from machines.domain import WARMLOG
from machines.warmups import WarmupState
from tests.machines.builders import Scene, selecting, spec_of
from tests.timeline.growing import Growing

PARALLELISM = 100
BAD_IMAGE_EVERY, FAILS_EVERY = 5, 50  # nodes
WORDS = "Back-off pulling image registry.example/models/qwen:v1"


class Wide(Scene):
    """Nodes that are warmed in waves, the Pods of a wave beside each other."""

    def warm(self, wave: Iterable[str]) -> None:
        """Each node of a wave gets a Job, whose Pod waits, runs and comes to its end."""
        numbers = {name: int(name.rpartition("-")[2]) for name in wave}
        jobs = {name: self.accept(name) for name in numbers}
        for name, uid in jobs.items():
            self._see_pod(name, uid, "Pending", placed=False)
        for name, uid in jobs.items():
            self._see_pod(name, uid, "Pending")
            if numbers[name] % BAD_IMAGE_EVERY == 0:
                self._see_pod(name, uid, "Pending", reason="ImagePullBackOff")
        for name, uid in jobs.items():
            self._see_pod(name, uid, "Running")
        for name, uid in jobs.items():
            fails = numbers[name] % FAILS_EVERY == 0
            self._see_pod(name, uid, "Failed" if fails else "Succeeded")
            reason = "BackoffLimitExceeded" if fails else ""
            self.job(name, "Failed" if fails else "Complete", reason=reason)

    def _see_pod(
        self, name: str, job: str, phase: str, *, placed: bool = True, reason: str = ""
    ) -> None:
        self.clock += SECOND // 20
        words = WORDS if reason else ""
        node = name if placed else ""
        self.pod(job, f"pod-{name}", phase, node, reason=reason, message=words)


def wide_log(nodes: int) -> list[Event]:
    """Give the log of one ModelWarmup over so many nodes, from the first node to its end.

    More than ten rows are about each node.
    """
    scene = Wide()
    scene.nodes(*(f"node-{number:04}" for number in range(nodes)))
    scene.warmup(spec_of(selecting(), parallelism=min(nodes, PARALLELISM)))
    while wave := scene.creating():
        scene.warm(wave)
    scene.resolve()
    scene.store()
    assert scene.mw.state in {WarmupState.DEGRADED, WarmupState.READY}
    return scene.rows


def chart_of(rows: Iterable[Event]) -> Chart:
    """Give the timeline of a log."""
    state, chart = WARMLOG.initial("log"), Chart()
    for event in rows:
        state = WARMLOG.fold(state, event)
        chart.take(state, event)
        WARMLOG.rest(state)
    return chart


async def write(path: Path, rows: list[Event]) -> None:
    """Make a database of a log."""
    await Growing(path, rows).begin(len(rows))
