"""What kubectl shows of a warmup, and what it can wait for."""

import json
import re
from typing import NamedTuple

import aiohttp
import pytest

from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.e2e.controlplane.watching import Objects, wait_until
from tests.e2e.pools import Pool, open_pool

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300), pytest.mark.usefixtures("controller")]

HEADER = "NAME PHASE DESIRED ACTIVE SUCCEEDED FAILED MESSAGE AGE"
NAME = "warmup"


class End(NamedTuple):
    """How a warmup ends: its columns, what is True then, and the Events that tell of it."""

    columns: list[str]
    true: set[str]
    events: set[str]


# Nodes, of which a word in the name lets the Pods fail -> how their warmup ends.
ENDS = {
    ("well-a", "well-b"): End(
        ["Succeeded", "2", "0", "2", "0", "2 nodes succeeded"],
        {"Complete"},
        {"Running", "NodeSucceeded", "Succeeded"},
    ),
    ("bad-failing",): End(
        ["Failed", "1", "0", "0", "1", "1 of 1 node failed; first bad-failing: "],
        {"Failed", "Degraded"},
        {"Running", "NodeFailed", "Failed"},
    ),
    ("half-well", "half-failing"): End(
        ["Degraded", "2", "0", "1", "1", "1 of 2 nodes failed; first half-failing: "],
        {"Failed", "Degraded"},
        {"Running", "NodeSucceeded", "NodeFailed", "Degraded"},
    ),
}


def wait_for(control_plane: ControlPlane, pool: Pool, condition: str, timeout: str) -> str:
    """Wait for a condition as a script does; give what kubectl printed."""
    command = ("wait", f"mw/{NAME}", "-n", pool.name, f"--for=condition={condition}")
    return control_plane.kubectl(*command, f"--timeout={timeout}", timeout_seconds=100)


def columns(control_plane: ControlPlane, pool: Pool) -> list[str]:
    """The columns of the pool's one warmup, without its name and age."""
    header, row = control_plane.kubectl("get", "mw", "-n", pool.name).splitlines()
    assert header.split() == HEADER.split()
    return re.split(r"\s{2,}", row)[1:-1]


def true_conditions(control_plane: ControlPlane, pool: Pool) -> set[str]:
    """The types of the conditions that are True."""
    text = control_plane.kubectl("get", "mw", NAME, "-n", pool.name, "-o", "json")
    conditions = json.loads(text)["status"]["conditions"]
    return {each["type"] for each in conditions if each["status"] == "True"}


def told_events(found: Objects) -> set[str]:
    """The reasons of the Events about warmups."""
    events = found.values()
    return {one["reason"] for one in events if one["involvedObject"]["kind"] == "ModelWarmup"}


@pytest.mark.parametrize("nodes", ENDS, ids=lambda nodes: nodes[-1])
async def test_any_end_is_waited_for_and_shown(
    control_plane: ControlPlane, session: aiohttp.ClientSession, nodes: tuple[str, ...]
) -> None:
    """`kubectl wait` for Finished always returns; `get` and `describe` show which end it was."""
    end = ENDS[nodes]
    async with open_pool(session, f"ends-{nodes[-1]}", nodes) as pool:
        await pool.warm(NAME, retryLimit=0)
        assert "condition met" in wait_for(control_plane, pool, "Finished", "60s")
        *counts, message = columns(control_plane, pool)
        assert counts == end.columns[:-1]
        assert message.startswith(end.columns[-1])
        assert true_conditions(control_plane, pool) == {"Finished", "Valid", *end.true}
        wrong = "Failed" if "Complete" in end.true else "Complete"
        with pytest.raises(KubectlError, match="condition not met"):
            wait_for(control_plane, pool, wrong, "0s")
        await wait_until(
            session, pool.path("events"), lambda found: end.events <= told_events(found)
        )
        status, events = control_plane.kubectl("describe", "mw", NAME, "-n", pool.name).split(
            "Events:"
        )
        assert end.columns[-1] in status
        assert end.columns[-1] in events
        assert all(f" {reason} " in events for reason in end.events)
