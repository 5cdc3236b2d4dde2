"""What can heal is waited for and said on `/readyz`; nothing needs a restart."""

from collections.abc import Callable
from pathlib import Path

import aiohttp
import pytest

from tests.e2e.conditions import POOL, WARMUPS, ended, sample
from tests.e2e.controllers import ControllerProcess, assert_replay_agrees, deploy, free_port
from tests.e2e.controlplane import credentials
from tests.e2e.controlplane.nodes import NodeShape, create_nodes, node_names
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import request
from tests.repository import ROOT

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

CRD = "customresourcedefinition/modelwarmups.model.aibrix.ai"
FAILED_WATCH = "[fail] watch ModelWarmup"


def says(check: str, words: str) -> Callable[[dict[str, str]], bool]:
    """Give the condition that a check of `/readyz?verbose` says these words."""
    return lambda told: words in told.get(check, "")


async def test_a_missing_crd_is_named_and_waited_for(tmp_path: Path) -> None:
    """Without the CRD `/readyz` says which command mends it; once it is applied, all is well.

    The control plane is the test's own: others have objects that a deleted CRD would take along.
    """
    with ControlPlane(tmp_path / "control-plane") as control_plane:
        kubeconfig = control_plane.kubeconfig_for(deploy(control_plane), tmp_path / "kubeconfig")
        control_plane.kubectl("delete", CRD)
        with ControllerProcess(kubeconfig, tmp_path) as controller:
            await controller.wait_until(says(FAILED_WATCH, "kubectl apply -k crds/"))
            control_plane.kubectl("apply", "--server-side", "-k", str(ROOT / "crds"))
            await controller.wait_until_quiet(timeout_seconds=90)


async def test_a_missing_permission_is_named_and_waited_for(
    control_plane: ControlPlane, kubeconfig: Path, tmp_path: Path
) -> None:
    """An account without the role reads on `/readyz` what it lacks; the role heals it."""
    name = "without-rights"
    control_plane.kubectl("create", "serviceaccount", name, "-n", "warmlog-system")
    token = control_plane.kubectl("create", "token", name, "-n", "warmlog-system").strip()
    control_plane.kubeconfig_for(token, kubeconfig)
    with ControllerProcess(kubeconfig, tmp_path, options=["--no-lease"]) as controller:
        await controller.wait_until(says(FAILED_WATCH, "may not list and watch"))
        account = f"--serviceaccount=warmlog-system:{name}"
        control_plane.kubectl(
            "create", "clusterrolebinding", name, "--clusterrole=warmlog", account
        )
        await controller.wait_until_quiet(timeout_seconds=90)
    control_plane.kubectl("delete", "clusterrolebinding", name)
    control_plane.kubectl("delete", "serviceaccount", name, "-n", "warmlog-system")


async def test_an_unreachable_server_is_said_and_does_not_end_the_process(
    control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Nobody answers at the address: the process lives, is not ready, and stops when told to."""
    dead = f"https://127.0.0.1:{free_port()}"
    kubeconfig = credentials.write_kubeconfig(
        tmp_path / "kubeconfig", dead, control_plane.ca_file, "token"
    )
    controller = ControllerProcess(kubeconfig, tmp_path, options=["--no-lease"])
    controller.start()
    answer = await controller.wait_until(says(FAILED_WATCH, "does not answer"))
    assert "ok" not in answer
    assert controller.stop() == 0


async def test_a_second_controller_waits_and_takes_over(kubeconfig: Path, tmp_path: Path) -> None:
    """With one log and one lease, the second starts no session until the first has stopped."""
    log = str(tmp_path / "shared.db")
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        folder.mkdir()
    first, second = (ControllerProcess(kubeconfig, folder, log=log) for folder in folders)
    with first:
        told = await first.wait_until_quiet()
        assert told["epoch"] == "1"
        with second:
            await second.wait_until(says("[fail] lease", "it is held by"))
            first.stop()
            told = await second.wait_until_quiet()
            assert told["epoch"] == "2"


@pytest.mark.postgres
@pytest.mark.usefixtures("clean")
async def test_a_log_in_postgresql_serves_as_well(
    session: aiohttp.ClientSession, kubeconfig: Path, tmp_path: Path, postgres_log: str
) -> None:
    """The sample warms its nodes with its log in PostgreSQL, and that log replays to the status."""
    await create_nodes(session, node_names(3, "gpu"), NodeShape(labels=POOL))
    with ControllerProcess(kubeconfig, tmp_path, log=postgres_log) as controller:
        await request(session, "POST", WARMUPS, sample())
        warmup = await ended(session)
        assert warmup["status"]["phase"] == "Succeeded"
        await controller.wait_until_quiet()
    assert_replay_agrees(postgres_log, warmup)
