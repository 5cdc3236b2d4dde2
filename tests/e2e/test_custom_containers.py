"""deploy/policies/custom-containers.yaml: what custom containers may not have."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from tests.crds.manifests import CONTAINER, GOOD, custom
from tests.e2e.admitting import DRY_RUN, WARMUPS, answer, wait_for_refusal, warmup
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json
from tests.repository import ROOT

pytestmark = pytest.mark.e2e

POLICY = ROOT / "deploy" / "policies" / "custom-containers.yaml"
SAMPLES = ROOT / "samples" / "modelwarmup"


def volume(**source: Any) -> Json:
    """A spec whose one container has this volume."""
    return custom(containers=[CONTAINER], volumes=[{"name": "cache", **source}])


def host(path: str) -> Json:
    """A spec with a folder of the host."""
    return volume(hostPath={"path": path})


def container(kind: str = "containers", **fields: Any) -> Json:
    """A spec with this container."""
    return custom(**{kind: [{**CONTAINER, **fields}]})


def secured(**context: Any) -> Json:
    """A spec whose container has this security context."""
    return container(securityContext=context)


VOLUMES = "spec.custom.volumes: hostPath of cache must be in one of the folders "
PRIVILEGED = "spec.custom: containers download must not be privileged"
HIDDEN = "spec.custom.volumes: cache must not be a Secret, a token or a certificate"

REFUSED: dict[str, tuple[Json, str]] = {
    "another folder": (host("/etc"), VOLUMES + "/var/lib/aibrix/models"),
    "the whole host": (host("/"), VOLUMES),
    "a folder above": (host("/var/lib/aibrix"), VOLUMES),
    "a folder of a longer name": (host("/var/lib/aibrix/models-of-others"), VOLUMES),
    "a way out": (host("/var/lib/aibrix/models/../../kubelet"), VOLUMES),
    "no path": (host(""), VOLUMES),
    "a Secret": (volume(secret={"secretName": "hf"}), HIDDEN),
    "a token": (volume(projected={"sources": [{"serviceAccountToken": {"path": "t"}}]}), HIDDEN),
    "a projected Secret": (
        volume(projected={"sources": [{"configMap": {}}, {"secret": {"name": "hf"}}]}),
        HIDDEN,
    ),
    "privileged": (secured(privileged=True), PRIVILEGED),
    "a privileged init container": (
        container("initContainers", securityContext={"privileged": True}),
        PRIVILEGED,
    ),
    "a process of the host": (secured(windowsOptions={"hostProcess": True}), PRIVILEGED),
    "a capability": (secured(capabilities={"add": ["CHOWN", "SYS_ADMIN"]}), PRIVILEGED),
    "/proc unmasked": (secured(procMount="Unmasked"), PRIVILEGED),
    "a port of the host": (
        container(ports=[{"containerPort": 80}, {"containerPort": 81, "hostPort": 81}]),
        "spec.custom: containers download must not use ports of the host",
    ),
}

ALLOWED: dict[str, Json] = {
    "images alone": GOOD["image only"],
    "empty custom": GOOD["custom empty"],
    "the folder": host("/var/lib/aibrix/models"),
    "a folder in it": host("/var/lib/aibrix/models/qwen"),
    "other volumes": volume(emptyDir={}),
    "a projected ConfigMap": volume(projected={"sources": [{"configMap": {"name": "a"}}]}),
    "a Secret in the environment": container(envFrom=[{"secretRef": {"name": "hf"}}]),
    "fewer rights": secured(
        privileged=False, procMount="Default", capabilities={"drop": ["ALL"], "add": ["CHOWN"]}
    ),
    "ports of its own": container(
        ports=[{"containerPort": 80}, {"containerPort": 81, "hostPort": 0}]
    ),
    **{
        path.name: yaml.safe_load(path.read_text())["spec"]
        for path in sorted(SAMPLES.glob("*.yaml"))
    },
}


@pytest_asyncio.fixture
async def policed(
    control_plane: ControlPlane, server: aiohttp.ClientSession
) -> AsyncIterator[aiohttp.ClientSession]:
    """The policy in force."""
    control_plane.kubectl("apply", "-f", str(POLICY))
    try:
        await wait_for_refusal(server, REFUSED["the whole host"][0])
        yield server
    finally:
        control_plane.kubectl("delete", "-f", str(POLICY))
        await wait_for_refusal(server, REFUSED["the whole host"][0], refused=False)


async def test_what_reaches_into_the_host_is_refused(policed: aiohttp.ClientSession) -> None:
    """Each is refused as forbidden, in words that name the volume or the container."""
    for case, (what, words) in REFUSED.items():
        code, said = await answer(policed, "POST", WARMUPS + DRY_RUN, warmup(what))
        assert code == 403, (case, said)
        assert words in said["message"], (case, said)


async def test_everything_else_is_let_through(policed: aiohttp.ClientSession) -> None:
    """The samples, and whatever stays in the allowed folders, are none of its business."""
    for case, what in ALLOWED.items():
        code, said = await answer(policed, "POST", WARMUPS + DRY_RUN, warmup(what))
        assert code == 201, (case, said)


async def test_the_folders_are_the_administrators_choice(
    control_plane: ControlPlane, policed: aiohttp.ClientSession
) -> None:
    """Which folders there are is one line of the policy."""
    line = "['/var/lib/aibrix/models']"
    assert POLICY.read_text().count(line) == 1
    edited = POLICY.read_text().replace(line, "['/data', '/mnt/models']")
    control_plane.kubectl("apply", "-f", "-", input=edited)
    await wait_for_refusal(policed, host("/data"), refused=False)
    for path, expected in {
        "/data/a": 201,
        "/mnt/models": 201,
        "/database": 403,
        "/var/lib/aibrix/models": 403,
    }.items():
        code, said = await answer(policed, "POST", WARMUPS + DRY_RUN, warmup(host(path)))
        assert code == expected, (path, said)
