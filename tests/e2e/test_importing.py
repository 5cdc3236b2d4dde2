"""What `kubectl` or an audit log recorded of a real cluster becomes a log that explains itself.

The controller works on the cluster, and its own log is not looked at: only what others recorded.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.controllers import ControllerProcess, run_warmlog
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import delete_nodes
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.joining import open_team, staging_controller
from tests.e2e.leaving_logs import leave
from tests.e2e.pools import open_pool, targets
from tests.e2e.recording import CACHE_KINDS, WARMUP_KINDS, Recorder, audited
from tests.e2e.storage import selected_node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

NAME = "qwen"
NODE = "hanging-first"
REGISTRYS_WORDS = 'failed to resolve reference "busybox:1.36"'


@pytest.fixture(scope="module")
def audited_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane of this module's own, whose API server keeps an audit log."""
    with audited(tmp_path_factory.mktemp("audited")) as running:
        yield running


@pytest.fixture(scope="module")
def working(
    audited_plane: ControlPlane,
    second_control_plane: ControlPlane,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[ControllerProcess]:
    """The controller that works there."""
    folder = tmp_path_factory.mktemp("working")
    with staging_controller(audited_plane, second_control_plane, folder) as running:
        asyncio.run(running.wait_until_quiet())
        yield running


@pytest.mark.usefixtures("working")
async def test_a_node_that_cannot_pull_is_explained_by_what_others_recorded(
    audited_plane: ControlPlane, tmp_path: Path
) -> None:
    """Image, node and the registry's words are told with positions, whoever recorded them."""

    def told(status: dict[str, Any]) -> bool:
        detail = targets(status).get(stages.UNPULLABLE, {})
        return detail.get("reason") == "ImagePullBackOff"

    recorder = Recorder(audited_plane, tmp_path, WARMUP_KINDS)
    async with audited_plane.open_session() as session:
        nodes = [stages.UNPULLABLE, "gpu-good"]
        with recorder.watching():
            async with open_pool(session, "troubled", nodes) as pool:
                await pool.warm("doomed", retryLimit=0, jobTimeoutSeconds=600)
                await pool.until("doomed", told)
                recorder.stop_watching()
                recorder.list()
                recorder.audit()
    for number, material in enumerate(recorder.materials()):
        log = imported(material, tmp_path / f"log-{number}.db", "modelwarmup/troubled/doomed")
        explained = run_warmlog("explain", "mw/troubled/doomed", "--log", log)
        assert f"{stages.UNPULLABLE}: Hydrating" in explained, material
        assert 'image "busybox:1.36"' in explained
        assert REGISTRYS_WORDS in explained
        seen = rf"^ +\d+ .* Pod .* seen: Pending on {stages.UNPULLABLE}: ImagePullBackOff.*"
        assert re.search(seen + re.escape(REGISTRYS_WORDS), explained, re.MULTILINE), explained


@pytest.mark.usefixtures("working")
async def test_a_cache_whose_node_vanished_is_explained_by_what_others_recorded(
    audited_plane: ControlPlane, second_control_plane: ControlPlane, tmp_path: Path
) -> None:
    """Claim and node are told with positions, whoever recorded them."""
    recorder = Recorder(audited_plane, tmp_path, CACHE_KINDS)
    async with (
        audited_plane.open_session() as session,
        second_control_plane.open_session() as second,
        open_team(session, second) as team,
    ):
        site, claim = team.home, team.claim(NAME)
        with recorder.watching():
            await site.add_nodes(NODE)
            await team.stage(NAME, sites=[site], revision="v1.5")
            await site.storage.until(claim, lambda claim: bool(selected_node(claim)))
            await team.until_entry(NAME, site, "Pending", claim, NODE)
            recorder.list()
            await delete_nodes(site.session, [NODE])
            await team.until_entry(NAME, site, "Pending", claim, NODE, "gone")
            recorder.stop_watching()
            recorder.list()
            recorder.audit()
    for number, material in enumerate(recorder.materials()):
        cache = f"modelcache/{team.namespace}/{NAME}"
        log = imported(material, tmp_path / f"log-{number}.db", cache)
        explained = run_warmlog("explain", f"mc/{team.namespace}/{NAME}", "--log", log)
        waits = f"waiting for claim {team.home.namespace}/{claim} to bind; the scheduler chose"
        assert f"{waits} node {NODE}, which is gone" in explained, (material, explained)
        chosen = rf"^ +\d+ .* claim .* the scheduler chose node {NODE}"
        assert re.search(chosen, explained, re.MULTILINE), explained
        if material[0].name != "stream.json":  # there, the Nodes' story stands before the claim's
            assert re.search(rf"^ +\d+ .* Node {NODE} is gone", explained, re.MULTILINE), explained


def imported(material: Sequence[Path], log: Path, reference: str) -> str:
    """Import material; give the log, of which the object's story is kept as a recording."""
    run_warmlog("import", *map(str, material), str(log))
    leave(str(log), f"{material[0].stem}", reference)
    return str(log)
