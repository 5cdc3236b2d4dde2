"""Measuring: figures that are true at each moment, whatever was missed before."""

import re
from collections.abc import Iterable, Mapping

from adapters.http.metrics import Metric
from adapters.running.health import ControllerHealth
from adapters.running.measuring import state_metrics
from adapters.simulator.clock import SECOND
from adapters.simulator.plans import Ending, NodePlan
from engine.errors import LogUnavailable
from tests import repository
from tests.machines.builders import FORBIDDEN, Scene, naming, selecting, spec_of
from tests.running.living import Life, living
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

Figures = dict[str, float]


def told(metrics: Iterable[Metric]) -> dict[str, Figures]:
    """What is told: the values of each metric that are not 0, by its label values."""
    return {
        one.name.removeprefix("warmlog_"): {
            "/".join(values): figure for values, figure in one.samples.items() if figure
        }
        for one in metrics
    }


def of(life: Life) -> dict[str, Figures]:
    """What a running controller tells."""
    health = ControllerHealth(None)
    health.controller = life.controller
    return told(health.metrics())


def test_warmups_and_nodes_by_phase() -> None:
    """Nodes and ModelWarmups stand where their statuses say, and refusals are counted."""
    scene = Scene()
    scene.nodes("a", "b", "c", "d")
    scene.warmup(spec_of(selecting(), naming("e"), parallelism=3))
    scene.refuse("a", FORBIDDEN)
    scene.finish("b")
    scene.finish("c", "Failed")
    scene.accept("d")
    figures = told(state_metrics(scene.state))
    assert figures["warmups"] == {"ns/Running": 1}
    assert figures["targets"] == {"Pending": 2, "Running": 1, "Succeeded": 1, "Failed": 1}
    assert figures["refused_targets"] == {"ns": 1}
    phases: Mapping[str, int] = {
        name: scene.status[f"{name}Nodes"] for name in ("active", "succeeded", "failed", "desired")
    }
    assert phases == {"active": 1, "succeeded": 1, "failed": 1, "desired": 5}


def test_every_phase_has_a_figure() -> None:
    """A phase that no ModelWarmup is in is told as 0, so that an alarm has something to compare."""
    scene = Scene()
    assert state_metrics(scene.state)[0].samples == {}
    scene.warmup(spec_of(selecting()))
    samples = state_metrics(scene.state)[0].samples
    assert samples == {
        ("ns", "Pending"): 1, ("ns", "Running"): 0, ("ns", "Succeeded"): 0,
        ("ns", "Degraded"): 0, ("ns", "Failed"): 0,
    }  # fmt: skip


def test_what_left_is_not_counted() -> None:
    """Withdrawn nodes count nowhere, nor does a deleted ModelWarmup whose Jobs are still going."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.answer_all_creates()
    scene.node("a", enabled=None)
    assert told(state_metrics(scene.state))["targets"] == {"Running": 1}
    scene.warmup_gone()
    assert scene.mw.gone
    assert told(state_metrics(scene.state))["warmups"] == {}


def test_an_end_under_another_log_is_counted_as_its_status_tells_it() -> None:
    """What ended before this log began is in the figures all the same."""
    scene = Scene()
    past = {"phase": "Degraded", "desiredNodes": 5, "succeededNodes": 3, "failedNodes": 2}
    scene.warmup(spec_of(selecting()), status=past)
    figures = told(state_metrics(scene.state))
    assert figures["warmups"] == {"ns/Degraded": 1}
    assert figures["targets"] == {"Succeeded": 3, "Failed": 2}


def test_what_goes_wrong_can_be_alarmed_by() -> None:
    """A failed warmup, a server that refuses and a store that takes nothing have figures [W76]"""
    world = pool_world("n1", plan=NodePlan(ending=Ending.FAIL))
    world.forbid("Job", "default", "no Jobs here")
    world.apply(manifest(policies={"retryLimit": 0}))

    async def story() -> None:
        async with living(world) as life:
            assert of(life)["ready"] == {}
            await life.until(lambda: of(life)["refused_targets"])
            assert of(life)["waiting_retries"] == {"": 1}
            assert of(life)["ready"] == {"": 1}
            world.allow("Job", "default")
            await life.ended()
            figures = of(life)
            assert figures["refused_targets"] == {}
            assert figures["warmups"] == {"default/Failed": 1}
            assert figures["log_position"] == {"": len(life.log.rows)}
            assert figures["log_epoch"] == {"": 1}
            assert figures["last_event_timestamp_seconds"] == {"": life.log.rows[-1].at / SECOND}
            assert set(figures["watch_healthy"]) >= {"Node", "Pod", "Job", "ModelWarmup"}

            life.log.trouble = LogUnavailable("the database is locked")
            world.add_node("n2", pool="gpu")
            await life.until(lambda: of(life)["log_trouble"])
            figures = of(life)
            assert figures["ready"] == {}
            assert figures["log_unsent_rows"][""] > 0

    in_world(world, story)


def test_the_page_names_every_metric() -> None:
    """docs/deploying.md has a row for each metric, with its labels, and for no other."""
    world = pool_world("n1")

    async def story() -> None:
        async with living(world) as life:
            health = ControllerHealth(None)
            health.controller = life.controller
            given = {
                (one.name, ", ".join(f"`{name}`" for name in one.labels))
                for one in health.metrics()
            }
            page = (repository.ROOT / "docs" / "deploying.md").read_text()
            rows = re.findall(r"^\| `(warmlog_\w+)` \| ([^|]*?) ?\|", page, re.MULTILINE)
            assert sorted(rows) == sorted(given)

    in_world(world, story)


def test_before_it_runs_it_is_not_ready() -> None:
    """Without a controller there is one figure, and it is the one that an alarm waits for."""
    (metric,) = ControllerHealth(None).metrics()
    assert (metric.name, metric.samples) == ("warmlog_ready", {(): False})
