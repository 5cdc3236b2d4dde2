"""The pages of a running controller: who may see them, and that they say what its log says."""

import asyncio
from collections.abc import Iterator

import aiohttp
import pytest

from tests.e2e.conditions import WARMUPS
from tests.e2e.controllers import ControllerProcess, deploy, free_port, run_warmlog
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import request

pytestmark = pytest.mark.e2e

NAMESPACE, NAME = "default", "explained-over-http"
REF = f"modelwarmup/{NAMESPACE}/{NAME}"
PAGES = (("/", "<title>warmlog timeline</title>"), ("/timeline.json", NAME), ("/log", NAME))
VIEWER, STRANGER = "pages-viewer", "pages-stranger"


@pytest.fixture(scope="module")
def exposed(
    control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControllerProcess]:
    """A controller that listens on more than loopback, as in a Pod; one account may see it."""
    folder = tmp_path_factory.mktemp("exposed")
    kubeconfig = control_plane.kubeconfig_for(deploy(control_plane), folder / "kubeconfig")
    for name in (VIEWER, STRANGER):
        control_plane.kubectl("create", "serviceaccount", name, "-n", NAMESPACE)
    control_plane.kubectl(
        "create", "clusterrolebinding", VIEWER, "--clusterrole=warmlog-viewer",
        f"--serviceaccount={NAMESPACE}:{VIEWER}",
    )  # fmt: skip
    address = f"0.0.0.0:{free_port()}"
    controller = ControllerProcess(kubeconfig, folder, options=("--listen", address))
    controller.port = int(address.rpartition(":")[2])
    with controller as running:
        asyncio.run(running.wait_until_quiet())
        yield running
    control_plane.kubectl("delete", "clusterrolebinding", VIEWER)


async def ask(
    controller: ControllerProcess, path: str, token: str = ""
) -> tuple[int, str, dict[str, str]]:
    """Ask for a page; give the code, the text and the headers."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    async with (
        aiohttp.ClientSession(trust_env=False) as session,
        session.get(f"http://127.0.0.1:{controller.port}{path}", headers=headers) as response,
    ):
        return response.status, await response.text(), dict(response.headers)


def token_of(control_plane: ControlPlane, account: str) -> str:
    """Give a token of an account."""
    return control_plane.kubectl("create", "token", account, "-n", NAMESPACE).strip()


async def test_only_who_may_is_told_and_it_is_what_the_log_says(
    exposed: ControllerProcess, control_plane: ControlPlane, session: aiohttp.ClientSession
) -> None:
    """Without a token 401, with one of a stranger 403 and what to grant; the viewer has the text of
    `warmlog explain` on the same log, the live page and its timeline. Health answers anybody, and
    no token is in the output.
    """
    body = {
        "apiVersion": "model.aibrix.ai/v1alpha1", "kind": "ModelWarmup",
        "metadata": {"name": NAME, "namespace": NAMESPACE},
        "spec": {
            "targets": [{"nodes": {"names": ["no-such-node"]}}],
            "imagePreload": {"images": [{"image": "busybox:1.36", "command": ["true"]}]},
        },
    }  # fmt: skip
    await request(session, "POST", WARMUPS, body)
    await exposed.wait_until_quiet()
    path = f"/explain?object={REF}"
    code, text, headers = await ask(exposed, path)
    assert (code, headers["WWW-Authenticate"]) == (401, 'Bearer realm="warmlog"')
    stranger = token_of(control_plane, STRANGER)
    code, text, _ = await ask(exposed, path, stranger)
    assert code == 403
    assert f"--clusterrole=warmlog-viewer --serviceaccount={NAMESPACE}:{STRANGER}" in text
    assert (await ask(exposed, path, "nobody's"))[0] == 401
    viewer = token_of(control_plane, VIEWER)
    code, text, _ = await ask(exposed, path, viewer)
    assert code == 200
    assert text == run_warmlog("explain", REF, "--log", exposed.log)
    assert "no-such-node" in text
    for page, words in PAGES:
        assert (await ask(exposed, page))[0] == 401
        assert (await ask(exposed, page, stranger))[0] == 403
        code, text, _ = await ask(exposed, page, viewer)
        assert code == 200
        assert words in text
    assert (await ask(exposed, "/healthz"))[0] == 200
    assert stranger not in exposed.output
    assert viewer not in exposed.output
    await request(session, "DELETE", f"{WARMUPS}/{NAME}")
