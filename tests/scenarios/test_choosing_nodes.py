"""Which nodes a warmup means, and what it says of each, whatever nodes are like."""

import asyncio
from typing import Any

import pytest

from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.resources import WARMUP
from adapters.simulator.storage import key_of
from adapters.simulator.worlds import World
from tests.running.living import living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world
from tests.scenarios.endings import Ledger, closed

LONG = ".".join(["n" * 62] * 4)[:253]
EMPTY_SELECTORS = [{"nodeSelector": {}}, {}, {"nodeSelector": {"matchLabels": {}}}]


def details(world: World) -> dict[str, tuple[str, str]]:
    """Phase and reason of every node that the status lists, by name."""
    return {each["nodeName"]: (each["phase"], each["reason"]) for each in status(world)["targets"]}


def conditions(world: World) -> dict[str, dict[str, Any]]:
    """The status's conditions, by type."""
    return {each["type"]: each for each in status(world)["conditions"]}


def edit_spec(world: World, **spec: Any) -> None:
    """Change a spec as a server takes it whose CRD lacks the rule against that."""
    item = world.must_find(WARMUP.kind, "default", "warm")
    metadata = {**item["metadata"], "generation": item["metadata"]["generation"] + 1}
    edited = {**item, "metadata": metadata, "spec": manifest(**spec)["spec"]}
    world.cluster.storage.put(WARMUP.kind, key_of("default", "warm"), edited)


@pytest.mark.parametrize("entry", EMPTY_SELECTORS)
def test_an_empty_selector_means_nothing_everywhere(entry: dict[str, Any]) -> None:
    """It selects no node and counts none: the spec is refused, with the field's path [S4]"""
    world = pool_world("n1", "n2")
    ledger = Ledger(world)
    world.apply(manifest(targets=[entry], policies={"parallelism": 5}))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            found = status(world)
            assert (found["phase"], found["desiredNodes"], found["activeNodes"]) == ("Failed", 0, 0)
            valid = conditions(world)["Valid"]
            assert (valid["status"], valid["reason"]) == ("False", "InvalidSpec")
            assert valid["message"].startswith("spec.targets[0]")
            assert not ledger.made
            await closed(life, ledger)

    in_world(world, story)


def test_a_selector_that_is_widened_after_the_end_is_not_passed_over() -> None:
    """Where no rule of the CRD refuses it, the status says that the spec was changed [S5]"""
    world = pool_world("n1", "n2", "n3")
    ledger = Ledger(world)
    world.apply(manifest(targets=[{"nodes": {"names": ["n1"]}}]))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            assert status(world)["desiredNodes"] == 1
            edit_spec(world)
            await life.until(lambda: conditions(world)["Valid"]["reason"] == "SpecChanged")
            found = status(world)
            assert (found["phase"], found["observedGeneration"]) == ("Succeeded", 2)
            assert dict(ledger.made) == {"n1": 1}
            await closed(life, ledger)

    in_world(world, story)


def test_unready_nodes_are_told_one_by_one() -> None:
    """A silent and a cordoned node come last, each with its own words; nobody else fails [S16]"""
    world = pool_world("n1", "n2", "n3", "n4")
    ledger = Ledger(world)
    world.stop_kubelet("n1")
    world.cordon("n2")
    world.cluster.advance(world.cluster.now + 60 * 10**9)
    world.apply(manifest(policies={"parallelism": 1, "jobTimeoutSeconds": 60}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: status(world)["succeededNodes"] == 1 if phase(world) else 0)
            words = {each["nodeName"]: each.get("message", "") for each in status(world)["targets"]}
            assert "taint node.kubernetes.io/unreachable" in words["n1"]
            assert words["n2"].startswith("node is cordoned")
            await life.until(lambda: status(world)["succeededNodes"] == 2, seconds=60)
            await life.until(lambda: details(world)["n1"][0] == "Failed", seconds=120)
            world.uncordon("n2")
            await life.ended()
            assert details(world) == {"n1": ("Failed", "DeadlineExceeded")}
            (failed,) = status(world)["targets"]
            assert "untolerated taint" in failed["message"]
            assert (phase(world), status(world)["succeededNodes"]) == ("Degraded", 3)
            await closed(life, ledger)

    in_world(world, story)


@pytest.mark.parametrize("name", ["n" * 63, LONG])
def test_a_node_name_of_any_length_gets_its_job(name: str) -> None:
    """No label holds it: nodes with names of 63 and of 253 characters are warmed [S19]"""
    world = pool_world("n1")
    ledger = Ledger(world)
    world.add_node(name, pool="gpu", marks={"kubernetes.io/hostname": "short"})
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            assert (phase(world), status(world)["succeededNodes"]) == ("Succeeded", 2)
            assert dict(ledger.made) == {"n1": 1, name: 1}
            for job in world.listed("Job"):
                template = job["spec"]["template"]["metadata"]["labels"]
                values = [*job["metadata"]["labels"].values(), *template.values()]
                assert name not in values
            await closed(life, ledger)

    in_world(world, story)


def test_a_deleted_node_stays_in_list_and_count_alike() -> None:
    """What failed has failed: the totals go on adding up after its Node was deleted [S20]"""
    failing = NodePlan(ending=Ending.FAIL)
    world = pool_world("n1", "n2", plans={"n1": failing, "n2": NodePlan(starts=False)})
    ledger = Ledger(world)
    world.apply(manifest(policies={"retryLimit": 0}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: phase(world) and status(world)["failedNodes"] == 1)
            world.delete_node("n1")
            await asyncio.sleep(5)
            found = status(world)
            assert (found["desiredNodes"], found["activeNodes"], found["failedNodes"]) == (2, 1, 1)
            assert details(world)["n1"][0] == "Failed"
            world.delete_node("n2")
            await life.ended()
            found = status(world)
            assert (found["phase"], found["desiredNodes"], found["failedNodes"]) == ("Failed", 1, 1)
            assert details(world) == {"n1": ("Failed", "BackoffLimitExceeded")}
            await life.until(lambda: not world.listed("Pod"), seconds=90)
            await closed(life, ledger)

    in_world(world, story)


def test_a_change_during_a_run_is_not_dropped() -> None:
    """An edited spec is told at once, an annotation is acted on, a deletion ends the run [S17]"""
    world = pool_world("n1", "n2", "n3", plan=NodePlan(starts=False))
    ledger = Ledger(world)
    world.apply(manifest(policies={"parallelism": 2}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: len(world.listed("Pod")) == 2)
            edit_spec(world, policies={"parallelism": 3})
            await life.until(lambda: conditions(world)["Valid"]["reason"] == "SpecChanged")
            world.annotate("ModelWarmup", "default", "warm", {"warmlog.dev/suspend": "true"})
            await life.until(lambda: conditions(world)["Progressing"]["reason"] == "Suspended")
            edits = [row for row in life.log.rows if row.type == "ModelWarmupSeen"]
            assert len(edits) == 3
            assert sum(ledger.made.values()) == 2
            world.delete_warmup("default", "warm")
            await life.until(lambda: not world.listed("Job"), seconds=10)
            await life.until(lambda: not world.listed("Pod"), seconds=60)
            assert life.controller.writer.state.warmups == {}
            await closed(life, ledger)

    in_world(world, story)
