"""The demo of caches: two simulated clusters, and what happens to a node of the second one."""

from typing import NamedTuple
from uuid import NAMESPACE_URL, uuid5

from adapters.cli.demo_logs import LOG_PREFIX
from adapters.kubernetes.schemas import INFERENCECLUSTER, MODELCACHE
from adapters.settings import settings_digest
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.connecting import kubeconfig_of
from adapters.simulator.plans import ProvisionerPlan
from adapters.simulator.worlds import World
from machines.caches.selecting import DEFAULT_CLASS
from machines.caches.settings import CachingSettings

NAMESPACE, NAME = "default", "qwen-everywhere"
REPO, REVISION, SIZE_GIB = "Qwen/Qwen2.5-7B-Instruct", "main", 20
HOME, WEST = "home", "west"

_CLUSTER = "demo"  # home's name in the log
_SECRET = "west-kubeconfig"  # noqa: S105 -- a name
_SETTLING = 2 * SECOND
_LOSE, _JOIN = 8 * SECOND, 20 * SECOND  # after the beginning
_CACHING = CachingSettings(heal_seconds=60)  # a demo does not wait five minutes


class CacheDemoSettings(NamedTuple):
    """What makes one demo of caches different from another."""

    seed: int

    @property
    def caching(self) -> CachingSettings:
        """Give what the controller is told of caches."""
        return _CACHING

    def digest(self) -> str:
        """Give the sha256 hex for `SessionStarted`."""
        return settings_digest({"story": "caches", **self._asdict(), **_CACHING.to_json()})

    @property
    def log_id(self) -> str:
        """Give the log's id, the same for the same settings."""
        return f"{LOG_PREFIX}{uuid5(NAMESPACE_URL, f'warmlog demo: caches, seed {self.seed}')}"


class CacheDemo(NamedTuple):
    """Two worlds in which a ModelCache has just been applied."""

    home: World
    west: World
    begun_at: int
    news: list[tuple[int, str]]  # (instant, what somebody did), as it happens


def build_cache_worlds(settings: CacheDemoSettings) -> CacheDemo:
    """Build both clusters, have home serve them, and apply a ModelCache for both.

    The second one's storage is slow, so that its node is lost between choice and volume.
    """
    home = World(settings.seed, name=_CLUSTER)
    for definition in (MODELCACHE, INFERENCECLUSTER):
        home.install(definition)
    home.add_namespace(_CACHING.own_namespace)
    west = home.beside(WEST)
    _furnish(home, "home-1", seconds=2)
    _furnish(west, "west-1", seconds=12)
    for world in (home, west):
        world.cluster.advance(world.cluster.now + _SETTLING)
    home.set_secret(_CACHING.own_namespace, _SECRET, {"kubeconfig": kubeconfig_of(WEST)})
    home.add_inference_cluster(HOME, class_name=DEFAULT_CLASS)
    home.add_inference_cluster(WEST, source="Existing", secret=_SECRET, class_name=DEFAULT_CLASS)
    home.make_cache(NAMESPACE, NAME, repo=REPO, revision=REVISION, sizeGiB=SIZE_GIB)
    demo = CacheDemo(home, west, home.cluster.now, [])
    _tell_story(demo)
    return demo


def _furnish(world: World, node: str, *, seconds: int) -> None:
    take = Span(seconds * SECOND, seconds * SECOND)
    world.add_node(node)
    world.add_storage_class(
        DEFAULT_CLASS, mode="WaitForFirstConsumer", plan=ProvisionerPlan(take=take)
    )


def _tell_story(demo: CacheDemo) -> None:
    """Have the cloud take the node that the claim waits for, and give another one later."""
    west, agenda = demo.west, demo.west.cluster.agenda

    def lose() -> None:
        west.delete_node("west-1")
        demo.news.append((west.cluster.now, "the cloud takes node west-1 of west away"))

    def join() -> None:
        west.add_node("west-2")
        demo.news.append((west.cluster.now, "node west-2 of west joins"))

    agenda.put(demo.begun_at + _LOSE, ("demo", "lose"), lose)
    agenda.put(demo.begun_at + _JOIN, ("demo", "join"), join)
