"""Claims, their Jobs and Pods in a simulated world, and short ways to look at them."""

from typing import Any

from adapters.simulator.storage import Manifest
from adapters.simulator.worlds import World
from tests.simulator.building import JOBS, TEAM, job_body, post

SELECTED = "volume.kubernetes.io/selected-node"
LATE = "WaitForFirstConsumer"


def filling_job(name: str, claim: str = "c", node: str = "", **spec: Any) -> Manifest:
    """A Job that mounts a claim and keeps its last words."""
    body = job_body(name, node, **spec)
    pod = body["spec"]["template"]["spec"]
    pod["volumes"] = [{"name": "artifact", "persistentVolumeClaim": {"claimName": claim}}]
    pod["containers"][0]["terminationMessagePolicy"] = "FallbackToLogsOnError"
    return body


def fill(world: World, name: str = "x", claim: str = "c", **spec: Any) -> None:
    """Create such a Job."""
    assert post(world, JOBS, filling_job(name, claim, **spec)).code == 201


def claim_now(world: World, name: str = "c") -> Manifest:
    """A claim as it is now."""
    return world.must_find("PersistentVolumeClaim", TEAM, name)


def phase(world: World, name: str = "c") -> str:
    """The phase of a claim."""
    found: str = claim_now(world, name)["status"]["phase"]
    return found


def chosen(world: World, name: str = "c") -> str:
    """The node that the scheduler chose for a claim; empty for none."""
    notes = claim_now(world, name)["metadata"].get("annotations") or {}
    node: str = notes.get(SELECTED, "")
    return node


def volume_now(world: World, name: str = "c") -> Manifest:
    """The volume of a claim as it is now."""
    return world.must_find("PersistentVolume", "", claim_now(world, name)["spec"]["volumeName"])
