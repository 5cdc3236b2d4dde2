"""What the end-to-end tests wait for, read off API objects."""

import json
from collections.abc import Mapping
from typing import Any

import aiohttp
import yaml

from tests.e2e.controllers import run_warmlog
from tests.e2e.controlplane.watching import PATIENCE_SECONDS, wait_until
from tests.repository import ROOT

Json = dict[str, Any]
POOL = {
    "resource-pool.aibrix.ai/name": "latency-pool",
    "model.aibrix.ai/warmup-enabled": "true",
}
JOBS = "/apis/batch/v1/namespaces/default/jobs"
WARMUPS = "/apis/model.aibrix.ai/v1alpha1/namespaces/default/modelwarmups"
SAMPLE = ROOT / "samples" / "modelwarmup" / "modelwarmup.yaml"
NAME = "runtime-image-warmup"
ENDS = ("Succeeded", "Failed", "Degraded")


def phase(objects: Mapping[str, Json], name: str) -> str:
    """Give the phase of a ModelWarmup, "" when it has none."""
    found: str = objects.get(name, {}).get("status", {}).get("phase", "")
    return found


def is_finished(job: Json) -> bool:
    """Say whether a Job is Complete or Failed."""
    conditions = job.get("status", {}).get("conditions", ())
    return any(
        condition["type"] in {"Complete", "Failed"} and condition["status"] == "True"
        for condition in conditions
    )


def target_names(jobs: Mapping[str, Json]) -> list[str]:
    """Give the nodes that Jobs were made for, sorted."""
    annotation = "model.aibrix.ai/target-node"
    return sorted(job["metadata"]["annotations"][annotation] for job in jobs.values())


def sample(**policies: int) -> Json:
    """The shipped sample, with other policies."""
    manifest: Json = yaml.safe_load(SAMPLE.read_text())
    manifest["spec"]["policies"] |= policies
    return manifest


async def ended(
    session: aiohttp.ClientSession, name: str = NAME, seconds: float = PATIENCE_SECONDS
) -> Json:
    """Wait for a warmup's end, and give it."""
    warmups = await wait_until(
        session, WARMUPS, lambda found: phase(found, name) in ENDS, timeout_seconds=seconds
    )
    return warmups[name]


def rows(log: str) -> list[Json]:
    """Give the rows of a log, as its export has them, without the header."""
    lines = run_warmlog("export", log).splitlines()[1:]
    parsed: list[Json] = [json.loads(line) for line in lines]
    return [row for row in parsed if "type" in row]
