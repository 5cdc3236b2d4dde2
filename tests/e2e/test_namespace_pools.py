"""deploy/policies/namespace-pools.yaml: who may choose the pool of a namespace."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from machines.labels import POOL
from tests.e2e.controlplane.running import ControlPlane
from tests.repository import ROOT

pytestmark = pytest.mark.e2e

NAMESPACES = "/api/v1/namespaces"
POLICY = ROOT / "deploy" / "policies" / "namespace-pools.yaml"
TENANT, ADMINISTRATOR = "tenant", "administrator"
CREATED, OK, FORBIDDEN = 201, 200, 403
RESOURCES = "namespaces,namespaces/status,namespaces/finalize"
RIGHTS = {TENANT: RESOURCES, ADMINISTRATOR: f"{RESOURCES},nodes"}


class Asking:
    """Requests about namespaces, in somebody's name."""

    def __init__(self, control_plane: ControlPlane) -> None:
        """Impersonate as the admin."""
        self._session = control_plane.open_session()

    async def close(self) -> None:
        """Ask nothing more."""
        await self._session.close()

    async def ask(
        self, user: str, method: str, path: str, body: Any, kind: str = "application/json"
    ) -> tuple[int, Any]:
        """Ask as `user`: code and body."""
        headers = {"Impersonate-User": user, "Content-Type": kind}
        data = json.dumps(body).encode()
        url = f"{NAMESPACES}{path}"
        async with self._session.request(method, url, data=data, headers=headers) as response:
            return response.status, await response.json()

    async def label(self, user: str, name: str, **labels: str | None) -> int:
        """Label a namespace; `pool` stands for the label of the pool."""
        changes = {POOL if key == "pool" else key: value for key, value in labels.items()}
        patch = {"metadata": {"labels": changes}}
        return (await self.ask(user, "PATCH", f"/{name}", patch, "application/merge-patch+json"))[0]


@pytest_asyncio.fixture
async def asking(control_plane: ControlPlane) -> AsyncIterator[Asking]:
    """The policy in force, and two users who may write namespaces, one of them nodes as well."""
    kubectl = control_plane.kubectl
    for user, resources in RIGHTS.items():
        verbs = "--verb=create,delete,get,patch,update"
        kubectl("create", "clusterrole", user, verbs, f"--resource={resources}")
        kubectl("create", "clusterrolebinding", user, f"--clusterrole={user}", f"--user={user}")
    kubectl("apply", "-f", str(POLICY))
    kubectl("create", "namespace", "pooled")
    asking = Asking(control_plane)
    try:
        deadline = time.monotonic() + 30
        turn = 0
        while await asking.label(TENANT, "pooled", pool=f"turn-{turn}") != FORBIDDEN:
            assert time.monotonic() < deadline, "the policy never came into force"
            await asyncio.sleep(0.2)
            turn += 1
        yield asking
    finally:
        await asking.close()
    kubectl("delete", "-f", str(POLICY))
    kubectl("delete", "namespace", "pooled", "plain", "--ignore-not-found", "--wait=false")
    for user in RIGHTS:
        kubectl("delete", "clusterrolebinding,clusterrole", user)


async def test_only_who_may_update_nodes_chooses_pools(asking: Asking) -> None:
    """A tenant may make and label namespaces, but gives none a pool, nor takes one.

    Who may update nodes may, so that administrators need no right that they have not [W56]
    """
    assert await asking.label(ADMINISTRATOR, "pooled", pool="gpu") == OK
    for pool in ("other", None):
        assert await asking.label(TENANT, "pooled", pool=pool) == FORBIDDEN
    assert await asking.label(TENANT, "pooled", team="a") == OK

    plain: Any = {"metadata": {"name": "plain"}}
    pooled: Any = {"metadata": {"name": "plain", "labels": {POOL: "gpu"}}}
    code, told = await asking.ask(TENANT, "POST", "", pooled)
    assert code == FORBIDDEN
    assert f"label {POOL} of a namespace decides" in told["message"]
    assert (await asking.ask(TENANT, "POST", "", plain))[0] == CREATED

    _, found = await asking.ask(TENANT, "GET", "/plain", None)
    found["metadata"]["labels"][POOL] = "gpu"
    for path in ("/plain", "/plain/status", "/plain/finalize"):
        code, told = await asking.ask(TENANT, "PUT", path, found)
        assert code == FORBIDDEN, (path, told)
    assert (await asking.ask(ADMINISTRATOR, "PUT", "/plain", found))[0] == OK
