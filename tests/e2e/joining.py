"""Joining two clusters: what each is given before a controller stages models on both."""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import aiohttp

from machines import labels
from machines.caches.child_names import workload_namespace
from tests.e2e.caches import Site, Team, path
from tests.e2e.controllers import ControllerProcess, deploy
from tests.e2e.controlplane.running import ControlPlane
from tests.e2e.controlplane.watching import Json, RequestError, request, wait_until
from tests.e2e.storage import VOLUMES, WAITING_CLASS, classes
from tests.repository import ROOT

# Names of the InferenceClusters; the first has what the controller is told about.
HOME, SECOND = "home", "second"
SECRET_NAMESPACE = "cluster-secrets"
SECRET = "second-kubeconfig"
HEAL_SECONDS = 2
RETRY_SECONDS = 10
# After an outage of their API server, fake kubelets take a while to come back.
LONG_SECONDS = 120
OPTIONS = (
    "--cluster-secret-namespace", SECRET_NAMESPACE,
    "--heal-seconds", str(HEAL_SECONDS),
    "--retry-seconds", str(RETRY_SECONDS),
)  # fmt: skip


def remote_token(second: ControlPlane) -> str:
    """A token of the account that deploy/workload-cluster makes on the other cluster."""
    request = ("create", "token", "warmlog-remote", "-n", "warmlog-system", "--duration=2h")
    return second.kubectl(*request).strip()


def apply(control_plane: ControlPlane, *objects: Json) -> None:
    """Apply objects as the admin."""
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
    control_plane.kubectl("apply", "--server-side", "-f", "-", input=json.dumps(listed))


def kubeconfig_secret(text: str) -> Json:
    """The Secret with the kubeconfig of the second cluster."""
    metadata = {"name": SECRET, "namespace": SECRET_NAMESPACE}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": metadata,
        "stringData": {"kubeconfig": text},
    }


def inference_cluster(name: str, **cluster: Json | str) -> Json:
    """An InferenceCluster, which a ModelCache may select by its own name."""
    return {
        "apiVersion": "modelplane.ai/v1alpha1",
        "kind": "InferenceCluster",
        "metadata": {"name": name, "labels": {"site": name}},
        "spec": {"cluster": dict(cluster)},
    }


@contextmanager
def joined(home: ControlPlane, second: ControlPlane) -> Iterator[str]:
    """Apply all that two clusters need; give a token of the controller. At the end they part."""
    token = deploy(home)
    second.kubectl("apply", "--server-side", "-k", str(ROOT / "deploy" / "workload-cluster"))
    for control_plane in (home, second):
        apply(control_plane, *classes())
    namespace: Json = {"apiVersion": "v1", "kind": "Namespace"}
    apply(home, namespace | {"metadata": {"name": SECRET_NAMESPACE}})
    apply(home, kubeconfig_secret(second.kubeconfig_text(remote_token(second))))
    storage: Json = {"cache": {"storageClassName": WAITING_CLASS}}
    reference: Json = {"secretRef": {"name": SECRET}}
    apply(
        home,
        inference_cluster(HOME, source="InCluster", inCluster=storage),
        inference_cluster(SECOND, source="Existing", existing=reference | storage),
    )
    try:
        yield token
    finally:
        home.kubectl("delete", "inferencecluster", "--all")
        for control_plane in (home, second):
            control_plane.kubectl("delete", "storageclass", "--all")


@contextmanager
def staging_controller(
    home: ControlPlane, second: ControlPlane, folder: Path
) -> Iterator[ControllerProcess]:
    """Run a controller that stages models on both clusters."""
    with joined(home, second) as token:
        kubeconfig = home.kubeconfig_for(token, folder / "kubeconfig")
        with ControllerProcess(kubeconfig, folder, options=OPTIONS) as running:
            yield running


@asynccontextmanager
async def open_team(
    home: aiohttp.ClientSession, second: aiohttp.ClientSession
) -> AsyncIterator[Team]:
    """Make a namespace for ModelCaches. All that they had goes at the end, and all Nodes.

    The controller has to run then: only it can let a ModelCache go.
    """
    body: Json = {"metadata": {"generateName": "team-"}}
    name = (await request(home, "POST", "/api/v1/namespaces", body))["metadata"]["name"]
    namespace = workload_namespace(name)
    team = Team(name, Site(HOME, home, namespace), Site(SECOND, second, namespace))
    try:
        yield team
    finally:
        await _clear(team)


async def _clear(team: Team) -> None:
    replicas = path(team.namespace, "modelreplicas")
    await request(team.session, "DELETE", replicas)
    await wait_until(team.session, replicas, lambda found: not found)
    for site in team.sites:
        await wait_until(
            site.session,
            site.path("pods"),
            lambda found: not found,
            timeout_seconds=LONG_SECONDS,
            label_selector=labels.SERVING,
        )
        # A Pod of a test's own that mounts a claim would keep its ModelCache.
        await request(site.session, "DELETE", site.path("pods"))
    await request(team.session, "DELETE", team.caches)
    await wait_until(team.session, team.caches, lambda found: not found)
    for site in team.sites:
        await wait_until(site.session, site.path("pods"), lambda found: not found)
        await site.storage.until_none()
        await request(site.session, "DELETE", VOLUMES)
        await request(site.session, "DELETE", "/api/v1/nodes")
        # A test without a claim has no such namespace.
        with suppress(RequestError):
            await request(site.session, "DELETE", f"/api/v1/namespaces/{site.namespace}")
    with suppress(RequestError):
        await request(team.session, "DELETE", f"/api/v1/namespaces/{team.namespace}")
