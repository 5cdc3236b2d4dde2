"""`warmlog record` beside a working controller, with an account that may only look."""

import json
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from adapters.cli.exit_codes import ExitCode
from tests.e2e.controllers import ControllerProcess, run_warmlog
from tests.e2e.controlplane import credentials, stages
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, delete_nodes
from tests.e2e.controlplane.running import ControlPlane, KubectlError
from tests.e2e.controlplane.watching import Json, request
from tests.e2e.pools import open_pool, targets
from tests.e2e.proxies import Passing, Proxy
from tests.e2e.recorders import Recording, ended, looker, rows_of
from tests.repository import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "observed"
ROLES = ("view", "warmlog-recording")
# What `view` has no word of where warmlog is deployed, whose own kinds it lets people read. Storage
# classes, which it has none of either, are read where there are InferenceClusters.
BEYOND_VIEW = {"Node"}
NOTCH = "warmlog.test/notch"  # a label that a test counts up
# Some 150 KB of labels, so that few changes of one Node fill a file of a mebibyte.
LARGE = NodeShape(
    labels={f"{'.'.join(['p' * 60] * 4)}/n{number}": "v" * 63 for number in range(450)}
)


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
    access = applied.kubeconfig_for(looker(applied, "looker", ROLES), tmp_path / "kubeconfig")
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
            end = await ended(second, signal.SIGINT)
        assert end.code == ExitCode.OK, end.complaints
        assert f"into {recording.file}" in end.told
        assert "goes on after position" in end.complaints
        assert "may not be read" not in end.complaints
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
    """With `view` alone nodes are Unread, in the server's words, said once; Jobs are seen. The exit
    code says that something is missing, and nothing else is.
    """
    access = applied.kubeconfig_for(looker(applied, "viewer", ["view"]), tmp_path / "kubeconfig")
    recording = Recording(access, tmp_path)
    async with open_pool(session, "viewed", ["gpu-viewed"]) as pool:
        with recording.running("-o", "json") as process:
            await recording.until("Unread", "", "Node")
            await pool.warm("one")
            await recording.until("JobSeen", "Job/viewed/", "Complete")
            end = await ended(process, signal.SIGTERM)
    assert end.code == ExitCode.INCOMPLETE
    said = [line for line in end.complaints.splitlines() if "Node of cluster local" in line]
    assert len(said) == 1
    assert 'cannot list resource "nodes"' in said[0]
    assert not [row for row in recording.rows if row["type"] == "NodeSeen"]
    assert {one["kind"] for one in json.loads(end.told)["missing"]} == BEYOND_VIEW
    recording.assert_sound()


@pytest.mark.usefixtures("controller")
@pytest.mark.parametrize("roles", [ROLES, ROLES[1:]], ids=["with-view", "alone"])
async def test_nothing_is_written(
    applied: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path, roles: tuple[str, ...]
) -> None:
    """Whatever a recorder may read, each of its requests is a GET, while a warmup comes and goes;
    with the role of deploy/recording alone it sees nodes, and says what it does not.
    """
    methods: list[str] = []

    async def count(passing: Passing) -> None:
        if passing.moment == "request":
            methods.append(passing.method)

    name = f"counted-{len(roles)}"
    token = looker(applied, name, roles)
    async with Proxy(applied).serving() as proxy, open_pool(session, name, [name]) as pool:
        proxy.hook = count
        access = credentials.write_kubeconfig(
            tmp_path / "kubeconfig", proxy.address, applied.ca_file, token
        )
        recording = Recording(access, tmp_path)
        with recording.running() as process:
            await recording.until("NodeSeen", f"Node//{name}/")
            await pool.warm("one")
            await recording.until("Recovered", f"ModelWarmup/{name}/one", "Succeeded")
            end = await ended(process, signal.SIGINT)
    assert set(methods) == {"GET"}
    assert end.code == (ExitCode.OK if roles == ROLES else ExitCode.INCOMPLETE), end.complaints
    assert ("Job of cluster local may not be read" in end.complaints) is (roles != ROLES)
    assert "Traceback" not in end.complaints
    recording.assert_sound()


@pytest.mark.parametrize("out", ["rec.jsonl", "rec.db"])
async def test_files_are_cut_and_a_kill_loses_nothing(
    applied: ControlPlane, session: aiohttp.ClientSession, tmp_path: Path, out: str
) -> None:
    """Each file stands alone, together they tell every change of a Node in its order and once, and
    what was killed goes on where it was.
    """
    name = f"cut-{out.removeprefix('rec.')}"
    access = applied.kubeconfig_for(looker(applied, name, ROLES), tmp_path / "kubeconfig")
    recording = Recording(access, tmp_path, out)
    await create_nodes(session, [name], LARGE)
    try:
        with recording.running("--max-size-mib", "1") as first:
            await _notch(session, recording, name, range(10))
            first.kill()
        before = recording.rows
        with recording.running("--max-size-mib", "1") as second:
            await _notch(session, recording, name, range(10, 20))
            end = await ended(second, signal.SIGINT)
    finally:
        await delete_nodes(session, [name])
    assert end.code == ExitCode.OK, end.complaints
    assert "Traceback" not in end.complaints
    assert len(recording.files) > 1
    assert recording.rows[: len(before)] == before
    assert _notches(recording, name) == [str(number) for number in range(20)]
    recording.assert_sound()


async def _notch(
    session: aiohttp.ClientSession, recording: Recording, name: str, numbers: range
) -> None:
    """Change a Node again and again, each time when the last change is in a file."""
    for number in numbers:
        change: Json = {"metadata": {"labels": {NOTCH: str(number)}}}
        kind = "application/merge-patch+json"
        await request(session, "PATCH", f"/api/v1/nodes/{name}", change, kind)
        await recording.until("NodeSeen", f"Node//{name}/", f'"{NOTCH}": "{number}"')


def _notches(recording: Recording, name: str) -> list[str]:
    """Give how a Node was counted up; AssertionError where a file tells one level of it twice.

    What a file begins with is told once more, and left out.
    """
    found: list[str] = []
    for path in recording.files:
        rows = [row for row in rows_of(path) if row["subject"].startswith(f"Node//{name}/")]
        levels = [row["data"]["level"] for row in rows if row["type"] == "NodeSeen"]
        assert all(one != other for one, other in pairwise(levels)), path
        notches = [level["labels"][NOTCH] for level in levels if NOTCH in level["labels"]]
        found += notches[1:] if notches[:1] == found[-1:] else notches
    return found
