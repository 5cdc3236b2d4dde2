"""Pods that do not run, or end badly, on a real control plane: the status says why."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import aiohttp
import pytest

from tests.e2e.controllers import ControllerProcess, assert_replay_agrees
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.e2e.pools import open_pool, targets

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

# From the start of a Job to its deadline, for those that never get any further.
PATIENCE = 8


class Trouble(NamedTuple):
    """What a node's detail says while its Pod waits ("" where none does), and at the end."""

    waiting: str  # the reason while it waits
    ended: str  # the reason of the failure
    words: str  # what the message holds, both times


# The word that steers the Pod is the name of its node.
TROUBLES = {
    stages.UNPULLABLE: Trouble(
        "ImagePullBackOff", "DeadlineExceeded", 'failed to resolve reference "busybox:1.36"'
    ),
    stages.UNCONFIGURED: Trouble(
        "CreateContainerConfigError", "DeadlineExceeded", 'secret "hf-token" not found'
    ),
    stages.EVICTED: Trouble(
        "JobDisrupted", "DeadlineExceeded", "Evicted: The node was low on resource"
    ),
    stages.MISNAMED: Trouble("", "InvalidImageName", 'parse image name "busybox:1.36"'),
    stages.NEVER_PULLED: Trouble("", "ErrImageNeverPull", "with pull policy of Never"),
    stages.UNSTARTABLE: Trouble("", "BackoffLimitExceeded", "executable file not found in $PATH"),
    stages.FAILING: Trouble("", "BackoffLimitExceeded", "exit code 1: image-0 could not warm up"),
    stages.VANISHING: Trouble("", "BackoffLimitExceeded", "the Pod failed without a word"),
}


def says(status: Mapping[str, Any], node: str, reason: str, phase: str) -> bool:
    """Whether a node's detail has this phase and reason, and the words of its trouble."""
    detail = targets(status).get(node, {})
    told = (detail.get("phase"), detail.get("reason"))
    return told == (phase, reason) and TROUBLES[node].words in detail.get("message", "")


def all_wait(status: Mapping[str, Any]) -> bool:
    """Whether every Pod that goes on waiting is told of, and the hopeless ones have failed."""
    return all(
        says(status, node, trouble.waiting, "Running")
        for node, trouble in TROUBLES.items()
        if trouble.waiting
    ) and all(
        says(status, node, TROUBLES[node].ended, "Failed")
        for node in (stages.MISNAMED, stages.NEVER_PULLED)
    )


async def test_each_trouble_is_told_while_it_lasts_and_after_all_was_deleted(
    session: aiohttp.ClientSession, controller: ControllerProcess, control_plane: ControlPlane
) -> None:
    """Whose words they are, they stand there while a Pod waits, at its end, and after [W50]"""
    async with open_pool(session, "troubled", TROUBLES) as pool:
        await pool.warm("doomed", retryLimit=0, jobTimeoutSeconds=PATIENCE)
        await pool.until("doomed", all_wait)
        told = control_plane.kubectl("describe", "mw", "doomed", "-n", "troubled")
        assert all(trouble.words in told for trouble in TROUBLES.values() if trouble.waiting)
        ended = await pool.end_of("doomed")
        assert ended["status"]["phase"] == "Failed"
        for node, trouble in TROUBLES.items():
            assert says(ended["status"], node, trouble.ended, "Failed"), targets(ended["status"])[
                node
            ]
        background: Json = {"propagationPolicy": "Background"}
        await request(session, "DELETE", pool.path("jobs"), background)
        await wait_until(session, pool.path("pods"), lambda found: not found)
        await controller.wait_until_quiet()
        path = f"{pool.path('modelwarmups')}/doomed"
        after = await request(session, "GET", path)
        assert after["status"] == ended["status"]
        assert_replay_agrees(controller.log, after)
