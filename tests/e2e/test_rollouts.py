"""What docs/modelreplica.md tells of rollouts and devices, on a real cluster."""

import copy
import re

import pytest

from machines.replicas.names import workload_name
from tests.e2e.caches import Site
from tests.e2e.controllers import ControllerProcess
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, request, wait_until
from tests.e2e.devices import COUNT, DRA
from tests.e2e.replicas import DEPLOYMENT, Fleet, engine, find, settled
from tests.pages import read_page

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

NAME = "chat"
WORKLOAD = workload_name(NAME, "main")
RESTARTED = "kubectl.kubernetes.io/restartedAt"


def using(devices: int, *, image: str = "engine:v1") -> Json:
    """An engine that claims so many devices at once."""
    made = copy.deepcopy(engine(image=image))
    made["members"][0]["deviceRequests"][0]["count"] = devices
    return made


async def counts(site: Site) -> list[int]:
    """How many devices each Pod of the engine has that is not on its way out."""
    claims = f"{DRA}/namespaces/{site.namespace}/resourceclaims"
    there = {
        each["metadata"]["ownerReferences"][0]["uid"]: each["spec"]["devices"]["requests"]
        for each in (await request(site.session, "GET", claims))["items"]
    }
    pods = (await request(site.session, "GET", site.path("pods")))["items"]
    alive = [each["metadata"] for each in pods if "deletionTimestamp" not in each["metadata"]]
    return [there[each["uid"]][0]["exactly"]["count"] for each in alive if each["uid"] in there]


async def deployment(site: Site) -> Json:
    """The engine's Deployment."""
    found = await find(site, DEPLOYMENT.lower() + "s", WORKLOAD)
    assert found is not None
    return found


def kubectl(control_plane: ControlPlane, namespace: str, *words: str) -> str:
    """Run kubectl in a namespace."""
    return control_plane.kubectl("-n", namespace, *words)


async def test_a_rollout_without_free_devices_waits_and_can_be_told_not_to(
    control_plane: ControlPlane, fleet: Fleet, staging: ControllerProcess
) -> None:
    """With all devices in use the new Pod waits while the old one serves; the page's command has
    the old one end first, and what it sets outlives the next update [C26]
    """
    home = fleet.team.home
    await fleet.serve(NAME, home, using(COUNT))
    await fleet.change(NAME, engines=[using(COUNT, image="engine:v2")])
    stuck = await wait_until(
        home.session, home.path("deployments"),
        lambda found: found[WORKLOAD].get("status", {}).get("unavailableReplicas") == 1,
    )  # fmt: skip
    assert stuck[WORKLOAD]["status"]["readyReplicas"] == 1
    wait = ("wait", "--for=condition=ModelReady", f"mr/{NAME}", "--timeout=10s")
    assert "met" in kubectl(control_plane, fleet.team.namespace, *wait)
    page = read_page("modelreplica.md")
    [patch] = re.findall(r"patch deployment NAME --patch \\\n  '(.*?)'\n", page)
    kubectl(control_plane, home.namespace, "patch", "deployment", WORKLOAD, "--patch", patch)
    assert (await settled(home, DEPLOYMENT, NAME, rollouts=2)).images == {"engine:v2"}
    await fleet.change(NAME, engines=[using(COUNT, image="engine:v3")])
    assert (await settled(home, DEPLOYMENT, NAME, rollouts=3)).images == {"engine:v3"}
    strategy = (await deployment(home))["spec"]["strategy"]
    assert strategy["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}


async def test_other_devices_are_for_new_pods_alone(
    control_plane: ControlPlane, fleet: Fleet, staging: ControllerProcess
) -> None:
    """An edit of device requests leaves the Pod that runs as it is; a restart by kubectl has it
    follow, and is left alone by warmlog.
    """
    home = fleet.team.home
    before = await fleet.serve(NAME, home, using(2))
    assert await counts(home) == [2]
    await fleet.change(NAME, engines=[using(3)])
    templates = f"{DRA}/namespaces/{home.namespace}/resourceclaimtemplates"
    await wait_until(
        home.session, templates,
        lambda found: [each["spec"]["spec"]["devices"]["requests"][0]["exactly"]["count"]
                       for each in found.values()] == [3],
    )  # fmt: skip
    await staging.wait_until_quiet()
    assert await settled(home, DEPLOYMENT, NAME) == before
    assert await counts(home) == [2]
    kubectl(control_plane, home.namespace, "rollout", "restart", f"deployment/{WORKLOAD}")
    await settled(home, DEPLOYMENT, NAME, rollouts=2)
    assert await counts(home) == [3]
    await fleet.change(NAME, engines=[using(3, image="engine:v2")])
    await settled(home, DEPLOYMENT, NAME, rollouts=3)
    template = (await deployment(home))["spec"]["template"]
    assert RESTARTED in template["metadata"]["annotations"]
