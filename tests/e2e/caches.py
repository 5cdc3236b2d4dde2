"""ModelCaches as end-to-end tests stage them: a team, and the sites where its models lie."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import aiohttp

from machines import labels
from machines.caches import child_names
from machines.caches.mounts import mount
from tests.e2e.controlplane import stages
from tests.e2e.controlplane.nodes import create_nodes
from tests.e2e.controlplane.watching import PATIENCE_SECONDS, Json, Objects, request, wait_until
from tests.e2e.storage import Storage

API = "/apis/modelplane.ai/v1alpha1"
CLUSTERS = f"{API}/inferenceclusters"
MERGE_PATCH = "application/merge-patch+json"
REPO = "org/model"

_COLLECTIONS = {
    "jobs": "/apis/batch/v1",
    "modelcaches": API,
    "modelreplicas": API,
    "deployments": "/apis/apps/v1",
    "leaderworkersets": "/apis/leaderworkerset.x-k8s.io/v1",
    "resourceclaimtemplates": "/apis/resource.k8s.io/v1",
}


def path(namespace: str, kind: str) -> str:
    """The collection of a kind in a namespace."""
    return f"{_COLLECTIONS.get(kind, '/api/v1')}/namespaces/{namespace}/{kind}"


class Site(NamedTuple):
    """One cluster, and the namespace of it where a team's models are staged."""

    name: str  # of its InferenceCluster
    session: aiohttp.ClientSession
    namespace: str

    @property
    def storage(self) -> Storage:
        """The claims of the namespace."""
        return Storage(self.session, self.namespace)

    def path(self, kind: str) -> str:
        """The collection of a kind in the namespace."""
        return path(self.namespace, kind)

    async def add_nodes(self, *names: str) -> None:
        """Create Nodes; a word in a name decides what becomes of the Pods there."""
        await create_nodes(self.session, names)

    async def until_pod(self, cache: str, holds: Callable[[Json], bool]) -> Json:
        """Wait until something holds of a Pod that hydrates a cache; give the Pod."""

        def fitting(pods: Objects) -> list[Json]:
            return [pod for pod in pods.values() if holds(pod)]

        pods = await wait_until(
            self.session,
            self.path("pods"),
            lambda found: bool(fitting(found)),
            timeout_seconds=PATIENCE_SECONDS,
            label_selector=f"{labels.CACHE}={cache}",
        )
        return fitting(pods)[0]

    async def allow_attempts(self, job: str, count: int) -> Json:
        """Let a Job fail after fewer attempts than it was made for; wait until there is the Job.

        Between two attempts the Job controller waits 10 s, then 20 s and so on.
        """
        await wait_until(self.session, self.path("jobs"), lambda found: job in found)
        fewer: Json = {"spec": {"backoffLimit": count - 1}}
        where = f"{self.path('jobs')}/{job}"
        return await request(self.session, "PATCH", where, fewer, MERGE_PATCH)

    async def end(self, cache: str, end: str, last_words: str = "") -> Json:
        """Wait until a Pod that hydrates a cache runs, and tell it to end so; give the Pod."""
        pod = await self.until_pod(cache, _runs)
        told = {stages.END_ANNOTATION: end, stages.LAST_WORDS_ANNOTATION: last_words}
        where = f"{self.path('pods')}/{pod['metadata']['name']}"
        change: Json = {"metadata": {"annotations": told}}
        return await request(self.session, "PATCH", where, change, MERGE_PATCH)


class Team(NamedTuple):
    """A namespace with ModelCaches, and where they are staged."""

    namespace: str
    home: Site
    second: Site

    @property
    def session(self) -> aiohttp.ClientSession:
        """The admin's session with the cluster that has the ModelCaches."""
        return self.home.session

    @property
    def sites(self) -> tuple[Site, Site]:
        """Both clusters."""
        return self.home, self.second

    @property
    def caches(self) -> str:
        """The team's ModelCaches."""
        return path(self.namespace, "modelcaches")

    def claim(self, cache: str) -> str:
        """The name of a cache's claim, on either cluster."""
        return child_names.claim_name(self.namespace, cache)

    def job(self, cache: str) -> str:
        """The name of a cache's hydration Job, on either cluster."""
        return child_names.hydration_job_name(self.namespace, cache)

    def token_secret(self, cache: str) -> str:
        """The name of the copy of a cache's token, on either cluster."""
        return child_names.token_secret_name(self.namespace, cache)

    async def stage(
        self,
        name: str,
        *,
        sites: Iterable[Site] = (),
        revision: str = "",
        secret: str = "",
        annotations: dict[str, str] | None = None,
    ) -> Json:
        """Create a ModelCache for one site, or for both when none is named."""
        hub: Json = {"repo": REPO, "sizeGiB": 1}
        hub |= {"revision": revision} if revision else {}
        hub |= {"authSecret": {"name": secret}} if secret else {}
        spec: Json = {"source": "HuggingFace", "huggingFace": hub}
        for site in sites:
            spec["clusterSelector"] = {"matchLabels": {"site": site.name}}
        body: Json = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelCache"}
        body |= {"metadata": {"name": name, "annotations": annotations or {}}, "spec": spec}
        return await request(self.session, "POST", self.caches, body)

    async def change(self, name: str, **metadata: Any) -> Json:
        """Change the metadata of a ModelCache."""
        body: Json = {"metadata": metadata}
        return await request(self.session, "PATCH", f"{self.caches}/{name}", body, MERGE_PATCH)

    async def select(self, name: str, site: Site) -> None:
        """Have a ModelCache staged at one site alone."""
        spec: Json = {"clusterSelector": {"matchLabels": {"site": site.name}}}
        where = f"{self.caches}/{name}"
        await request(self.session, "PATCH", where, {"spec": spec}, MERGE_PATCH)

    async def delete(self, name: str) -> None:
        """Ask for the deletion of a ModelCache."""
        await request(self.session, "DELETE", f"{self.caches}/{name}")

    async def until_gone(self, name: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until a ModelCache is gone."""
        await wait_until(
            self.session, self.caches, lambda found: name not in found, timeout_seconds=seconds
        )

    async def until(
        self, name: str, holds: Callable[[Json], bool], seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until something holds of a ModelCache that has a status; give the ModelCache."""

        def found(caches: Objects) -> bool:
            return "status" in caches.get(name, {}) and holds(caches[name])

        return (await wait_until(self.session, self.caches, found, timeout_seconds=seconds))[name]

    async def until_entry(
        self, name: str, site: Site, phase: str, *words: str, seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until the entry of a site has this phase and these words; give the entry."""

        def said(cache: Json) -> bool:
            found = entry(cache["status"], site)
            message = found.get("message", "")
            return found.get("phase") == phase and all(each in message for each in words)

        return entry((await self.until(name, said, seconds))["status"], site)

    async def read(self, name: str) -> Json:
        """Read a ModelCache."""
        return await request(self.session, "GET", f"{self.caches}/{name}")

    async def put_secret(self, name: str, **values: str) -> None:
        """Create a Secret."""
        await request(self.session, "POST", self.home_path("secrets"), {
            "metadata": {"name": name}, "stringData": values,
        })  # fmt: skip

    async def change_secret(self, name: str, **values: str) -> None:
        """Give keys of a Secret other values."""
        body: Json = {"stringData": values}
        where = f"{self.home_path('secrets')}/{name}"
        await request(self.session, "PATCH", where, body, MERGE_PATCH)

    def home_path(self, kind: str) -> str:
        """The collection of a kind in the team's own namespace."""
        return path(self.namespace, kind)

    def mount(self, cache: str) -> Json:
        """The mount that a Ready entry of a cache publishes."""
        return mount(self.claim(cache))


async def staged(team: Team, name: str, *sites: Site) -> None:
    """Stage a model from the start until it is Ready at these sites.

    The ModelCache is made unless it is there: for the one site that is named, or for both.
    """
    caches = (await request(team.session, "GET", team.caches))["items"]
    if name not in {each["metadata"]["name"] for each in caches}:
        await team.stage(name, sites=sites if len(sites) == 1 else ())
    for site in sites:
        await site.add_nodes(f"hanging-{site.name}-{name}")
        await site.storage.bind_when_asked(team.claim(name))
        await site.end(name, stages.COMPLETED)
        await team.until_entry(name, site, "Ready")


def entry(status: Json, site: Site) -> Json:
    """The entry of a site; empty when there is none."""
    found: Sequence[Json] = status.get("clusters", ())
    return next((each for each in found if each["name"] == site.name), {})


def condition(status: Json, kind: str) -> tuple[str, str]:
    """The status and the reason of a condition; empty when there is none."""
    for each in status.get("conditions", ()):
        if each["type"] == kind:
            return each["status"], each["reason"]
    return "", ""


def _runs(pod: Json) -> bool:
    told = pod["metadata"].get("annotations", {})
    return pod["status"].get("phase") == "Running" and stages.END_ANNOTATION not in told
