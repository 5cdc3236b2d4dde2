"""ModelReplicas in the whole controller: what is watched for them, and when it acts."""

import asyncio

from adapters.http.serving import Mark
from adapters.kubernetes.kinds import DEPLOYMENT, SERVING_KINDS, list_request
from adapters.running.health import ControllerHealth
from adapters.simulator.answers import failure
from adapters.simulator.clock import SECOND
from adapters.simulator.faults import every
from adapters.simulator.storage import Change
from adapters.simulator.worlds import World
from machines.labels import REPLICA_WORKLOADS
from tests.running.clusters import CACHE, entries, other_world, phases, serve
from tests.running.engines import (
    REPLICA,
    WORKLOADS,
    condition,
    define_replicas,
    delete,
    deployment,
    engine_world,
    make_replica,
    reason,
    serving,
)
from tests.running.living import Life, check
from tests.running.virtual import in_world

SERVING = {kind.name for kind in SERVING_KINDS}
NO = failure(403, "Forbidden", "warmlog may not", {})


async def settled(life: Life) -> None:
    """Wait until nothing is under way, and compare log and server."""
    await life.until(lambda: not life.unsent and not life.state.open)
    await check(life)


def watched(life: Life, cluster: str = "sim") -> set[str]:
    """The kinds that are watched on a cluster."""
    return {one.kind for one in life.controller.keeper.sessions[cluster].watch.health}


def watches_told(health: ControllerHealth) -> set[str]:
    """The kinds of which the metrics tell whether they are watched."""
    [told] = [one for one in health.metrics() if one.name == "warmlog_watch_healthy"]
    return {kind for (kind,) in told.samples}


def claims(world: World) -> list[dict[str, object]]:
    """The claims of caches that are there and not going away."""
    found = world.listed("PersistentVolumeClaim")
    return [one for one in found if "deletionTimestamp" not in one["metadata"]]


def test_engines_wait_for_their_cache_run_and_go_whole() -> None:
    """The entry's words are told while it is staged; then there is an engine, which serves; with
    the replica all of it goes, and the finalizer last.
    """
    world = engine_world()
    make_replica(world)
    quoted = set()

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: reason(world, "ModelAccepted") == "WaitingForCache")
            assert CACHE in condition(world, "ModelAccepted")[2]
            world.make_cache("default", CACHE)
            while not deployment(world):
                said = condition(world, "ModelAccepted")[2]
                if said and said == entries(world).get("home", {}).get("message"):
                    quoted.add(entries(world)["home"]["phase"])
                await asyncio.sleep(0.1)
            assert quoted == {"Pending", "Hydrating"}
            await life.until(lambda: reason(world, "Ready") == "Available")
            assert reason(world, "ModelReady") == "Serving"
            replica = world.must_find("ModelReplica", "default", REPLICA)
            assert replica["metadata"]["finalizers"] == [REPLICA_WORKLOADS]
            assert replica["status"]["mount"] == entries(world)["home"]["mount"]
            await settled(life)
            delete(world)
            await life.until(lambda: not world.find("ModelReplica", "default", REPLICA))
            for kind in SERVING - {"LeaderWorkerSet"}:
                assert world.listed(kind) == [], kind
            await settled(life)

    in_world(world, story)


def test_it_wakes_on_the_log() -> None:
    """What engines are made of is applied within a second of the Job's end, however long it took:
    five requests one after the other, and no wait in between.
    """
    world = engine_world()
    make_replica(world)
    times: dict[str, int] = {}

    def note(kind: str, change: Change) -> None:
        item = change.object
        if kind == "Job" and any(
            one["type"] == "Complete" for one in item.get("status", {}).get("conditions", ())
        ):
            times.setdefault(kind, world.cluster.now)
        if kind in SERVING:
            times.setdefault(kind, world.cluster.now)

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: reason(world, "ModelAccepted") == "WaitingForCache")
            world.cluster.storage.subscribe(note)
            life.api.seconds = 0.05
            world.make_cache("default", CACHE)
            await life.until(lambda: deployment(world))
            assert times["Deployment"] - times["Job"] < SECOND

    in_world(world, story)


def test_without_their_definition_caches_go_on() -> None:
    """One sentence in the output, on `/readyz` and in the log says so; claims are let go of as
    ever. Once it is installed, replicas are served within ten seconds.
    """
    world = engine_world(definition=False)
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: phases(world).get("home") == "Ready")
            health = ControllerHealth(None)
            health.controller = life.controller
            told = {one.name: one for one in health.ready()}
            assert told["ModelReplicas"].mark is Mark.WARN
            assert "has no CRD modelreplicas.modelplane.ai" in told["ModelReplicas"].words
            await asyncio.sleep(60)
            rows = [row for row in life.log.rows if row.type == "Unread"]
            assert [('"served":false' in row.data, row.cluster) for row in rows] == [(True, "sim")]
            world.delete_cache("default", CACHE)
            await life.until(lambda: not world.find("ModelCache", "default", CACHE))
            assert watched(life).isdisjoint(SERVING | {"ModelReplica"})
            define_replicas(world)
            make_replica(world, cache="")
            await life.until(lambda: reason(world, "Ready") == "Available", seconds=60)
            assert "ModelReplicas" not in {one.name for one in health.ready()}
            await settled(life)

    in_world(world, story)


def test_no_claim_is_let_go_of_before_replicas_are_listed() -> None:
    """While it is not known whether a replica holds on to a claim, it stays; then it goes."""
    world = engine_world()
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: phases(world).get("home") == "Ready")
            await settled(life)
            log = life.log
        world.api.faults.add(every("GET", "/modelreplicas"), NO, times=100_000)
        world.delete_cache("default", CACHE)
        async with serving(world, log) as life:
            await asyncio.sleep(120)
            assert len(claims(world)) == 1
            world.api.faults.clear()
            await life.until(lambda: not world.find("ModelCache", "default", CACHE))
            assert claims(world) == []
            await settled(life)

    in_world(world, story)


def test_only_where_a_replica_is_pinned_its_kinds_are_watched() -> None:
    """Most Deployments and Services of a cluster are nobody's here: they are read where needed."""
    world, other = engine_world(), other_world(8)
    serve(world, "east", "east")
    make_replica(world, cluster="east", cache="")

    async def story() -> None:
        async with serving(world, others={"east": other}) as life:
            await life.until(lambda: other.listed("Deployment"))
            assert watched(life).isdisjoint(SERVING)
            assert watched(life, "ic/east") >= SERVING
            await settled(life)

    in_world(world, story, [other])


def test_kinds_that_are_refused_or_missing_stop_nothing_else() -> None:
    """Where LeaderWorkerSets are not served and Services are forbidden, caches are staged, and
    the replica says what cannot be read.
    """
    world = engine_world()
    make_replica(world)
    make_replica(world, "gang", gang=True)
    world.make_cache("default", CACHE)
    world.api.faults.add(every("GET", "/services"), NO, times=100_000)

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: phases(world).get("home") == "Ready")
            await life.until(lambda: "warmlog may not" in condition(world, "ModelAccepted")[2])
            assert reason(world, "ModelAccepted") == "WaitingForCluster"
            assert reason(world, "Supported", "gang") == "Unsupported"
            health = ControllerHealth(None)
            health.controller = life.controller
            marks = {one.name: one.mark for one in health.ready()}
            assert Mark.FAIL not in marks.values()
            assert marks["watch Service"] is Mark.WARN
            assert marks["watch LeaderWorkerSet"] is Mark.OK
            assert "LeaderWorkerSet" not in watches_told(health)
            world.api.faults.clear()
            await life.until(lambda: reason(world, "Ready") == "Available", seconds=120)
            await settled(life)

    in_world(world, story)


def test_a_lost_log_leaves_engines_as_they_are() -> None:
    """What runs goes on with its mount, and its workload is not written to at all."""
    world = engine_world()
    make_replica(world)
    world.make_cache("default", CACHE)

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: reason(world, "Ready") == "Available", seconds=120)
            await settled(life)
        before = deployment(world)
        async with serving(world) as life:
            await life.until(lambda: "ModelReplicaSeen" in life.types)
            await asyncio.sleep(120)
            assert "ApplyIntended" not in life.types
            assert deployment(world) == before
            assert reason(world, "Ready") == "Available"
            await settled(life)

    in_world(world, story)


def test_a_workload_that_a_list_leaves_out_is_asked_for_first() -> None:
    """What runs is not composed again because one list did not show it; what is gone comes back."""
    world = engine_world()
    make_replica(world, cache="")

    async def story() -> None:
        async with serving(world) as life:
            await life.until(lambda: reason(world, "Ready") == "Available")
            await settled(life)
            before = [life.types.count(kind) for kind in ("ApplyIntended", "Gone")]
            listed = world.api.answer(list_request(DEPLOYMENT))
            short = listed._replace(body={**listed.body, "items": []})
            world.api.faults.add(every("GET", "/deployments"), short)
            for _ in range(2):  # a watch that broke off before it had an event begins with a list
                world.api.cut_watches()
                await asyncio.sleep(30)
            assert [life.types.count(kind) for kind in ("ApplyIntended", "Gone")] == before
            assert reason(world, "Ready") == "Available"
            found = deployment(world)
            assert found is not None
            world.delete_deployment(WORKLOADS, found["metadata"]["name"])
            await life.until(lambda: deployment(world) and deployment(world) != found, seconds=5)
            await life.until(lambda: reason(world, "Ready") == "Available")
            await settled(life)

    in_world(world, story)
