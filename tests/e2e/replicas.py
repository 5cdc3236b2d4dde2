"""ModelReplicas as end-to-end tests run them: engines at the sites of a team.

Nobody here carries gangs out: a test writes the status of each LeaderWorkerSet itself.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from machines.replicas.mounts import mount_in
from machines.replicas.names import workload_name
from tests.e2e.caches import MERGE_PATCH, Site, Team, path
from tests.e2e.controllers import assert_replays_agree
from tests.e2e.controlplane.watching import PATIENCE_SECONDS, Json, Objects, request, wait_until
from tests.replicas import specs

DEPLOYMENT, GANG = "Deployment", "LeaderWorkerSet"
BOTH = {"one": DEPLOYMENT, "many": GANG}  # a replica of each kind, by name
POOL = "gpu"
COLLECTIONS = {DEPLOYMENT: "deployments", GANG: "leaderworkersets"}
AVAILABLE: Json = {
    "type": "Available",
    "status": "True",
    "reason": "AllGroupsReady",
    "message": "All replicas are ready",
    "lastTransitionTime": "2026-01-01T00:00:00Z",
}


class Told(NamedTuple):
    """An Event: its reason and note."""

    reason: str
    note: str


class Workload(NamedTuple):
    """What there is of a workload: what shows whether its engines were restarted, and how often."""

    uid: str
    rollouts: int  # how many Pod templates a Deployment has had; generation of a LeaderWorkerSet
    templates: Json  # by their keys
    replicas: int
    pods: frozenset[str] = frozenset()  # uids; a LeaderWorkerSet has none here

    @property
    def mounts(self) -> list[Json]:
        """What each of its Pod templates has of a cache."""
        return [mount_in(each["spec"]).to_json() for each in self.templates.values()]

    @property
    def images(self) -> set[str]:
        """The images that it runs."""
        pods = self.templates.values()
        return {pod["spec"]["containers"][0]["image"] for pod in pods}


def engine(
    kind: str = DEPLOYMENT, *, name: str = "main", image: str = "engine:v1", gpus: int = 1,
    **more: Any,
) -> Json:  # fmt: skip
    """An engine that runs as a workload of this kind, with GPUs for each of its members."""
    given: Json = {
        "nodePoolName": POOL,
        "template": specs.template(specs.container(image=image)),
        "deviceRequests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com", "count": gpus}],
    }
    members = [specs.leader(**given), specs.worker(**given)]
    if kind == DEPLOYMENT:
        members = [specs.member(**given)]
    return specs.engine(*members, name=name, **more)


class Fleet(NamedTuple):
    """The ModelReplicas of a team."""

    team: Team

    @property
    def replicas(self) -> str:
        """The team's ModelReplicas."""
        return path(self.team.namespace, "modelreplicas")

    async def create(
        self, name: str, site: Site, *engines: Json, cache: str = "", **spec: Any
    ) -> Json:
        """Create a ModelReplica; of one engine on one node unless others are given."""
        reference = {"modelCacheRef": {"name": cache}} if cache else {}
        wanted = {"clusterName": site.name, "engines": list(engines) or [engine()]}
        body: Json = {"apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica"}
        body |= {"metadata": {"name": name}, "spec": {**wanted, **reference, **spec}}
        return await request(self.team.session, "POST", self.replicas, body)

    async def change(self, name: str, **spec: Any) -> Json:
        """Change the spec of a ModelReplica by a merge; None takes a field away."""
        body: Json = {"spec": spec}
        where = f"{self.replicas}/{name}"
        return await request(self.team.session, "PATCH", where, body, MERGE_PATCH)

    async def refer(self, name: str, cache: str) -> None:
        """Have a ModelReplica refer to another cache, or to none."""
        await self.change(name, modelCacheRef={"name": cache} if cache else None)

    async def delete(self, name: str) -> None:
        """Ask for the deletion of a ModelReplica."""
        await request(self.team.session, "DELETE", f"{self.replicas}/{name}")

    async def until_gone(self, name: str, seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until a ModelReplica is gone."""
        await wait_until(
            self.team.session, self.replicas, lambda found: name not in found,
            timeout_seconds=seconds,
        )  # fmt: skip

    async def read(self, name: str) -> Json:
        """Read a ModelReplica."""
        return await request(self.team.session, "GET", f"{self.replicas}/{name}")

    async def until(
        self, name: str, holds: Callable[[Json], bool], seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until something holds of a ModelReplica's status; give the status."""

        def found(replicas: Objects) -> bool:
            return holds(replicas.get(name, {}).get("status", {}))

        replicas = await wait_until(
            self.team.session, self.replicas, found, timeout_seconds=seconds
        )
        status: Json = replicas[name]["status"]
        return status

    async def until_told(
        self, name: str, kind: str, value: str, *words: str, seconds: float = PATIENCE_SECONDS
    ) -> Json:
        """Wait until a condition has "status/reason" and these words; give the condition."""
        status = await self.until(
            name, lambda status: is_told(condition(status, kind), value, words), seconds
        )
        return condition(status, kind)

    async def serve(
        self, name: str, site: Site, *engines: Json, cache: str = "", **spec: Any
    ) -> Workload:
        """Create a ModelReplica and bring it to Serving; give the workload of its first engine."""
        await self.create(name, site, *engines, cache=cache, **spec)
        return await self.served(name, site)

    async def served(self, name: str, site: Site) -> Workload:
        """Bring a ModelReplica to Serving; give the workload of its first engine."""
        first = (await self.read(name))["spec"]["engines"][0]
        kind = GANG if len(first["members"]) > 1 else DEPLOYMENT
        if kind == GANG:
            await make_available(site, workload_name(name, first["name"]))
        await self.until_told(name, "ModelReady", "True/Serving")
        return await settled(site, kind, name, first["name"])

    async def serve_both(self, site: Site, cache: str = "") -> dict[str, Workload]:
        """Serve a replica of each kind at a site; give their workloads by the replicas' names."""
        for name, kind in BOTH.items():
            await self.create(name, site, engine(kind), cache=cache)
        return {name: await self.served(name, site) for name in BOTH}

    async def both(
        self, site: Site, rollouts: Mapping[str, int] | None = None
    ) -> dict[str, Workload]:
        """Give both workloads as they are, once they have had so many rollouts and are settled."""
        least = rollouts or dict.fromkeys(BOTH, 0)
        return {
            name: await settled(site, kind, name, rollouts=least[name])
            for name, kind in BOTH.items()
        }

    async def until_both_told(self, kind: str, value: str, *words: str) -> None:
        """Wait until a condition of both replicas has "status/reason" and these words."""
        for name in BOTH:
            await self.until_told(name, kind, value, *words)

    async def assert_replays_agree(self, log: str) -> None:
        """Replay gives every status of the team as the server holds it, and verify agrees."""
        items = (await request(self.team.session, "GET", self.replicas))["items"]
        assert_replays_agree(log, {each["metadata"]["name"]: each for each in items})

    async def until_events(self, name: str, count: int, kind: str = "Warning") -> list[Told]:
        """Wait until there are so many Events of a kind about a ModelReplica; give all."""
        where = self.team.home_path("events")

        def holds(found: Objects) -> bool:
            return len(_told(found, name, kind)) >= count

        return _told(await wait_until(self.team.session, where, holds), name, kind)

    async def assert_warned_once(self, reason: str, *words: str) -> None:
        """About each of both there is one Warning, with this reason and these words."""
        for name in BOTH:
            [(said, note)] = await self.until_events(name, 1)
            assert said == reason
            assert all(word in note for word in words)


def _told(events: Objects, name: str, kind: str) -> list[Told]:
    """The Events of a kind about a ModelReplica, in order."""
    about = [
        each
        for each in events.values()
        if each["type"] == kind
        and each["involvedObject"]["kind"] == "ModelReplica"
        and each["involvedObject"]["name"] == name
    ]
    about.sort(key=lambda each: each["eventTime"] or "")
    return [Told(each["reason"], each["message"]) for each in about]


def condition(status: Json, kind: str) -> Json:
    """A condition of a status; empty when there is none."""
    conditions: Iterable[Json] = status.get("conditions", ())
    return next((each for each in conditions if each["type"] == kind), {})


def is_told(found: Json, value: str, words: Iterable[str] = ()) -> bool:
    """Say whether a condition has "status/reason" and these words."""
    said = f"{found.get('status')}/{found.get('reason')}"
    return said == value and all(word in found.get("message", "") for word in words)


def templates(body: Json) -> Json:
    """The Pod templates of a workload by their keys."""
    spec = body["spec"].get("leaderWorkerTemplate", body["spec"])
    return {key: spec[key] for key in spec if key.lower().endswith("template")}


async def find(site: Site, kind: str, name: str) -> Json | None:
    """Give an object of a site's namespace, by its kind's collection; None when there is none."""
    for each in (await request(site.session, "GET", site.path(kind)))["items"]:
        if each["metadata"]["name"] == name:
            found: Json = each
            return found
    return None


async def settled(
    site: Site, kind: str, replica: str, engine: str = "main", **wanted: Any
) -> Workload:
    """Wait until a workload is as its spec wants it, with every Pod; give it.

    `wanted` says what else has to hold of it: `rollouts=2`, an image, or a uid that `is_not` this.
    """
    name = workload_name(replica, engine)
    where = site.path(COLLECTIONS[kind])

    def holds(found: Objects) -> bool:
        there = found.get(name)
        if there is None or there["metadata"]["uid"] == wanted.get("is_not"):
            return False
        enough = rollouts_of(there) >= wanted.get("rollouts", 0)
        right = "image" not in wanted or seen(there).images == {wanted["image"]}
        return enough and right and (kind == GANG or _is_settled(there))

    body = (await wait_until(site.session, where, holds, timeout_seconds=PATIENCE_SECONDS))[name]
    pods = frozenset(await _pods(site, name, body)) if kind == DEPLOYMENT else frozenset()
    return seen(body, pods)


def seen(body: Json, pods: frozenset[str] = frozenset()) -> Workload:
    """A workload as it was read."""
    return Workload(
        body["metadata"]["uid"], rollouts_of(body), templates(body), body["spec"]["replicas"], pods
    )


async def make_available(site: Site, name: str, *, available: bool = True) -> None:
    """Do what the controller of LeaderWorkerSets does once all Pods of a gang are ready."""
    where = site.path(COLLECTIONS[GANG])
    await wait_until(
        site.session, where, lambda found: name in found, timeout_seconds=PATIENCE_SECONDS
    )
    said = AVAILABLE | {"status": str(available)}
    status: Json = {"status": {"conditions": [said]}}
    await request(site.session, "PATCH", f"{where}/{name}/status", status, MERGE_PATCH)


def rollouts_of(body: Json) -> int:
    """Say how many Pod templates a workload has had."""
    if "template" not in body["spec"]:
        return int(body["metadata"]["generation"])
    notes = body["metadata"].get("annotations", {})
    return int(notes.get("deployment.kubernetes.io/revision", 0))


def _is_settled(body: Json) -> bool:
    status, wanted = body.get("status", {}), body["spec"]["replicas"]
    figures = ("replicas", "updatedReplicas", "availableReplicas")
    is_observed = status.get("observedGeneration") == body["metadata"]["generation"]
    return is_observed and all(status.get(each, 0) == wanted for each in figures)


async def _pods(site: Site, name: str, body: Json) -> list[str]:
    """Wait until a Deployment has no Pod but those that it wants; give their uids."""
    found = await wait_until(
        site.session,
        site.path("pods"),
        lambda pods: len(pods) == body["spec"]["replicas"],
        timeout_seconds=PATIENCE_SECONDS,
        label_selector=f"modelplane.ai/workload={name}",
    )
    return [pod["metadata"]["uid"] for pod in found.values()]
