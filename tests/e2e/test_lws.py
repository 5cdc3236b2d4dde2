"""LeaderWorkerSets of a real API server: what replicas of many nodes are tried with."""

import aiohttp
import pytest

from tests.e2e import lws
from tests.e2e.admitting import MERGE_PATCH, answer
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request

pytestmark = pytest.mark.e2e

GANGS = lws.path_of("default")
POD: Json = {"spec": {"containers": [{"name": "engine", "image": "engine:v1"}]}}


def gang(name: str, size: int) -> Json:
    """A LeaderWorkerSet of one gang."""
    template = {"size": size, "leaderTemplate": POD, "workerTemplate": POD}
    return {
        "apiVersion": lws.API_VERSION,
        "kind": "LeaderWorkerSet",
        "metadata": {"name": name},
        "spec": {"replicas": 1, "leaderWorkerTemplate": template},
    }


async def test_a_gang_is_stored_and_told_of(
    with_gangs: ControlPlane, session: aiohttp.ClientSession
) -> None:
    """The fetched definition is served as it stands, and a test may play its controller."""
    made = await request(session, "POST", GANGS, gang("served", 2))
    assert made["spec"]["leaderWorkerTemplate"]["size"] == 2
    available = {
        "type": "Available",
        "status": "True",
        "reason": "AllGroupsReady",
        "message": "All replicas are ready",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    status: Json = {"status": {"conditions": [available]}}
    code, said = await answer(session, "PATCH", f"{GANGS}/served/status", status, MERGE_PATCH)
    assert (code, said["status"]["conditions"]) == (200, [available])
    await request(session, "DELETE", f"{GANGS}/served")


async def test_no_field_is_let_through_unseen(
    with_gangs: ControlPlane, session: aiohttp.ClientSession
) -> None:
    """A field that the definition does not know is refused when it is read strictly."""
    wrong = gang("wrong", 2)
    wrong["spec"]["leaderWorkerTemplate"]["nodes"] = 2
    code, said = await answer(session, "POST", f"{GANGS}?fieldValidation=Strict", wrong)
    assert code == 400, said
    assert 'unknown field "spec.leaderWorkerTemplate.nodes"' in said["message"]
