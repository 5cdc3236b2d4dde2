"""`warmlog record` beside a working controller, with an account that may only look."""

import asyncio
import json
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from tests.e2e.controllers import WARMLOG, ControllerProcess, run_warmlog
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.e2e.controlplane.watching import PATIENCE_SECONDS
from tests.e2e.pools import open_pool, targets
from tests.repository import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "observed"


class Recording:
    """Lives of `warmlog record` into one file."""

    def __init__(self, kubeconfig: Path, folder: Path) -> None:
        """Record into a file in `folder`."""
        self.file = folder / "rec.jsonl"
        self._kubeconfig = kubeconfig

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """Run a recorder that never outlives the context."""
        arguments = ("record", "--out", str(self.file), "--kubeconfig", str(self._kubeconfig))
        pipe = subprocess.PIPE
        process = subprocess.Popen((WARMLOG, *arguments), stdout=pipe, stderr=pipe, text=True)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows that are whole by now, the header left out."""
        if not self.file.exists():
            return []
        whole, _, _ = self.file.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()[1:]]

    async def until(self, kind: str, subject: str, words: str = "") -> None:
        """Wait until it holds a row of a type, about something, with certain words."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any(
                row["type"] == kind and row["subject"].startswith(subject)
                and words in json.dumps(row["data"]) for row in self.rows
            ):  # fmt: skip
                await asyncio.sleep(0.1)  # a file has no watch


def looker(control_plane: ControlPlane, name: str, folder: Path, roles: Sequence[str]) -> Path:
    """Make an account with these cluster roles; give its kubeconfig."""
    control_plane.kubectl("create", "serviceaccount", name)
    for role in roles:
        subject = f"--serviceaccount=default:{name}"
        binding = ("create", "clusterrolebinding", f"{name}-{role}", f"--clusterrole={role}")
        control_plane.kubectl(*binding, subject)
    token = control_plane.kubectl("create", "token", name, "--duration=2h").strip()
    return control_plane.kubeconfig_for(token, folder / "kubeconfig")


def shown(log: str | Path, name: str) -> dict[str, Any]:
    """Give what a log says of a warmup, but for times, which are of whoever saw it."""
    told = json.loads(run_warmlog("replay", str(log), "--object", name, "-o", "json"))
    found = {
        node: (row["phase"], row.get("reason"), row.get("jobName"))
        for node, row in targets(told).items()
    }
    counts = ("phase", "desiredNodes", "succeededNodes", "failedNodes", "activeNodes")
    conditions = [(row["type"], row["status"], row["reason"]) for row in told["conditions"]]
    return {**{key: told[key] for key in counts}, "targets": found, "conditions": conditions}


@pytest.fixture(scope="module")
def applied(control_plane: ControlPlane) -> ControlPlane:
    """A control plane with the role that recording needs."""
    control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy" / "recording"))
    return control_plane


async def test_a_recording_tells_what_the_controller_knows(
    controller: ControllerProcess,
    applied: ControlPlane,
    session: aiohttp.ClientSession,
    tmp_path: Path,
) -> None:
    """Killed on the way and gone on with, it ends with the controller's phases and words."""
    access = looker(applied, "looker", tmp_path, ("view", "warmlog-recording"))
    with pytest.raises(KubectlError, match="forbidden"):
        applied.kubectl("create", "configmap", "anything", kubeconfig=access)
    recording, names = Recording(access, tmp_path), ["gpu-seen", f"gpu-seen-{stages.FAILING}"]
    reference = f"modelwarmup/{NAME}/pair"
    async with open_pool(session, NAME, names) as pool:
        with recording.running() as first:
            await recording.until("Synced", "", "ModelWarmup")
            await pool.warm("pair", retryLimit=0)
            await recording.until("JobSeen", f"Job/{NAME}/")
            first.kill()
        await pool.end_of("pair")
        await controller.wait_until_quiet()
        with recording.running() as second:
            await recording.until("Recovered", f"ModelWarmup/{NAME}/pair", "Degraded")
            second.send_signal(signal.SIGINT)
            told, complaints = await asyncio.to_thread(second.communicate)
        assert second.returncode == 0, complaints
        assert f"into {recording.file}" in told
        assert "goes on after position" in complaints
        assert "may not be read" not in complaints
        assert shown(recording.file, reference) == shown(controller.log, reference)
        for log in (recording.file, controller.log):
            said = run_warmlog("explain", reference, "--log", str(log))
            assert said.startswith(f"ModelWarmup {NAME}/pair is Degraded")
            assert names[1] in said
    rows = recording.rows
    assert [row["epoch"] for row in rows if row["type"] == "SessionStarted"] == [1, 2]
    assert {row["data"]["recorder"] for row in rows if row["type"] == "SessionStarted"} == {
        "record"
    }


@pytest.mark.usefixtures("controller")
async def test_what_an_account_may_not_read_is_recorded_as_that(
    applied: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path
) -> None:
    """With `view` alone nodes are Unread, in the server's words, said once; Jobs are seen."""
    access = looker(applied, "viewer", tmp_path, ("view",))
    recording = Recording(access, tmp_path)
    async with open_pool(session, "viewed", ["gpu-viewed"]) as pool:
        with recording.running() as process:
            await recording.until("Unread", "", "Node")
            await pool.warm("one")
            await recording.until("JobSeen", "Job/viewed/", "Complete")
            process.send_signal(signal.SIGTERM)
            _, complaints = await asyncio.to_thread(process.communicate)
    assert process.returncode == 0
    said = [line for line in complaints.splitlines() if "Node of cluster local" in line]
    assert len(said) == 1
    assert 'cannot list resource "nodes"' in said[0]
    assert not [row for row in recording.rows if row["type"] == "NodeSeen"]
