"""The demo of replicas: one simulated cluster, a model, an engine, and what becomes of both."""

from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

from adapters.cli.demo_logs import LOG_PREFIX
from adapters.cli.demo_telling import News, Stage
from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE, MODELREPLICA
from adapters.settings import settings_digest
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.plans import ProvisionerPlan
from adapters.simulator.worlds import World
from machines.caches.child_names import workload_namespace
from machines.caches.selecting import DEFAULT_CLASS
from machines.caches.settings import CachingSettings
from machines.labels import POOL_NAME
from machines.replicas.names import workload_name

NAMESPACE, NAME, CLUSTER = "default", "qwen-small-home", "home"
CACHE, REPO, SIZE_GIB = "qwen-small", "Qwen/Qwen2.5-0.5B-Instruct", 2
ROOMY, ROOMY_GIB = "qwen-roomy", 20  # the same model, in a volume with room to spare
TOKEN, KEY = "hub-token", "HF_TOKEN"
ENGINE, POOL = "vllm", "gpu-small"

_SETTLING = 2 * SECOND
_CACHING = CachingSettings(replicas=True)
# After the beginning; each leaves time for what comes before it, whatever the seed.
_SWITCH, _GIVE, _DELETE, _LOSE = 60 * SECOND, 80 * SECOND, 150 * SECOND, 170 * SECOND
END_SECONDS = 171  # the last deed, and a moment for it to be seen


class ReplicaDemoSettings(NamedTuple):
    """What makes one demo of replicas different from another."""

    seed: int

    @property
    def caching(self) -> CachingSettings:
        """Give what the controller is told of caches."""
        return _CACHING

    def digest(self) -> str:
        """Give the sha256 hex for `SessionStarted`."""
        return settings_digest({"story": "replicas", **self._asdict(), **_CACHING.to_json()})

    @property
    def log_id(self) -> str:
        """Give the log's id, the same for the same settings."""
        return f"{LOG_PREFIX}{uuid5(NAMESPACE_URL, f'warmlog demo: replicas, seed {self.seed}')}"


def replica_spec(cache: str = CACHE) -> dict[str, Any]:
    """Give the spec of the ModelReplica: one engine on one node, with a GPU."""
    container = {
        "name": "engine",
        "image": "vllm/vllm-openai:v0.10.2",
        "command": ["vllm", "serve"],
        "args": [REPO, "--port=8000"],
    }
    member = {
        "nodePoolName": POOL,
        "deviceRequests": [{"name": "gpu", "deviceClassName": "gpu.nvidia.com"}],
        "template": {"spec": {"containers": [container]}},
    }
    engines = [{"name": ENGINE, "members": [member]}]
    return {"clusterName": CLUSTER, "modelCacheRef": {"name": cache}, "engines": engines}


def build_replica_world(settings: ReplicaDemoSettings) -> Stage:
    """Build a cluster that serves itself; apply a ModelCache, and a ModelReplica that needs it."""
    world = World(settings.seed, name="demo")
    for definition in (MODELCACHE, INFERENCECLUSTER, MODELREPLICA):
        world.install(definition)
    world.add_namespace(_CACHING.own_namespace)
    world.add_node("gpu-1", marks={POOL_NAME: POOL})
    take = Span(4 * SECOND, 4 * SECOND)
    world.add_storage_class(
        DEFAULT_CLASS, mode="WaitForFirstConsumer", plan=ProvisionerPlan(take=take)
    )
    world.cluster.advance(world.cluster.now + _SETTLING)
    world.add_inference_cluster(CLUSTER, class_name=DEFAULT_CLASS)
    world.make_cache(NAMESPACE, CACHE, repo=REPO, sizeGiB=SIZE_GIB)
    _apply(world, CACHE)
    stage = Stage(world, {}, world.cluster.now, [])
    _tell_story(stage, world, stage.news)
    return stage


def _apply(world: World, cache: str) -> None:
    world.apply({
        "apiVersion": "modelplane.ai/v1alpha1", "kind": "ModelReplica",
        "metadata": {"name": NAME, "namespace": NAMESPACE}, "spec": replica_spec(cache),
    })  # fmt: skip


def _tell_story(stage: Stage, world: World, news: News) -> None:
    """Have people switch the replica to another cache, give its token, and take things away."""

    def switch() -> None:
        secret = {"name": TOKEN, "key": KEY}
        world.make_cache(NAMESPACE, ROOMY, repo=REPO, sizeGiB=ROOMY_GIB, authSecret=secret)
        _apply(world, ROOMY)

    def give() -> None:
        world.add_secret(NAMESPACE, TOKEN, {KEY: "hf_demo"})

    def lose() -> None:
        there = workload_namespace(NAMESPACE, _CACHING.workload_namespace)
        world.delete_deployment(there, workload_name(NAME, ENGINE))

    deeds: list[tuple[int, str, Callable[[], None]]] = [
        (_SWITCH, f"somebody makes ModelCache {ROOMY}, and switches the replica to it", switch),
        (_GIVE, f"somebody makes Secret {TOKEN}", give),
        (_DELETE, f"somebody deletes ModelCache {ROOMY}", lambda: world.delete_cache(
            NAMESPACE, ROOMY)),
        (_LOSE, "somebody deletes the engine's Deployment by hand", lose),
    ]  # fmt: skip
    for after, words, deed in deeds:

        def act(words: str = words, deed: Callable[[], None] = deed) -> None:
            deed()
            news.append((world.cluster.now, words))

        world.cluster.agenda.put(stage.begun_at + after, ("demo", words), act)
