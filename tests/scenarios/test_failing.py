"""Failing: what a user reads of nodes whose Pods do not come to a good end."""

from typing import Any

from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from tests.running.living import check, living, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

PULL = Span(SECOND, SECOND)


def lived(world: World, **policies: int) -> dict[str, Any]:
    """Apply a warmup with these policies, and give its status at its end."""
    world.apply(manifest(policies=policies))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            await check(life)

    in_world(world, story)
    found: dict[str, Any] = status(world)
    return found


def test_a_command_that_is_not_in_the_image() -> None:
    """The node has failed, and its words say that the image is there and why it failed [W70]"""
    plan = NodePlan(ending=Ending.FAIL, exit_code=127, message="sh: vllm: not found")
    found = lived(pool_world("n1", plan=plan), retryLimit=0)
    assert found["phase"] == "Failed"
    (detail,) = found["targets"]
    assert detail["reason"] == "BackoffLimitExceeded"
    assert detail["message"].startswith(
        "CommandFailed: the image is there, but container image-0 failed with exit code 127:"
        " sh: vllm: not found; "
    )


def test_all_attempts_share_one_deadline() -> None:
    """A second attempt has what the first one left; both that and the first failure are told.

    The limit is the Job's own, as documented: nothing gives a later attempt a limit anew [W53]
    """
    plan = NodePlan(
        pull=PULL, run=Span(40 * SECOND, 40 * SECOND), ending=Ending.FAIL, failures=1,
        exit_code=9, message="no route to host",
    )  # fmt: skip
    found = lived(pool_world("n1", plan=plan), jobTimeoutSeconds=60, retryLimit=2)
    (detail,) = found["targets"]
    assert (detail["phase"], detail["reason"]) == ("Failed", "DeadlineExceeded")
    cause, _, own = detail["message"].partition("; ")
    assert cause == (
        "CommandFailed: the image is there, but container image-0 failed with exit code 9:"
        " no route to host"
    )
    assert "deadline" in own
    again = lived(pool_world("n1", plan=plan), jobTimeoutSeconds=120, retryLimit=2)
    assert again["phase"] == "Succeeded"
