"""The worlds that are explored, by name, each with its laws and the settings of its controller."""

from typing import Any, NamedTuple

from machines.caches.settings import DEFAULT_SETTINGS, CachingSettings
from property_tests.exploring.cache_world import CacheGame
from property_tests.exploring.cores import Laws
from property_tests.exploring.judging import CACHE_LAWS, REPLICA_LAWS, WARMUP_LAWS
from property_tests.exploring.replica_world import ReplicaGame
from property_tests.exploring.warmup_world import WarmupGame
from property_tests.exploring.worlds import ANY, Budget, Game


class Played(NamedTuple):
    """A world, and what is to hold in it."""

    game: Game[Any]
    laws: Laws
    settings: CachingSettings = DEFAULT_SETTINGS


SERVING = CachingSettings(replicas=True)


def _switching(*, farthest: int = ANY, **budget: int) -> Played:
    return Played(ReplicaGame(Budget(**budget), farthest=farthest), REPLICA_LAWS, SERVING)


GAMES = {  # the longest first: two are explored at once
    "warmup-near": Played(WarmupGame(2, Budget(crashes=1, failures=1), farthest=2), WARMUP_LAWS),
    "cache-near": Played(CacheGame(1, Budget(crashes=1, failures=1), farthest=2), CACHE_LAWS),
    "warmup-one": Played(WarmupGame(1, Budget(crashes=1, failures=1)), WARMUP_LAWS),
    "replica-crash": _switching(crashes=1),
    "warmup-failure": Played(WarmupGame(2, Budget(failures=1)), WARMUP_LAWS),
    "warmup-crash": Played(WarmupGame(2, Budget(crashes=1)), WARMUP_LAWS),
    "cache-loss": Played(CacheGame(1, Budget(failures=1)), CACHE_LAWS),
    "cache-crash": Played(CacheGame(1, Budget(crashes=1)), CACHE_LAWS),
    "cache-pair": Played(CacheGame(2, Budget()), CACHE_LAWS),
    "warmup-answers": Played(WarmupGame(1, Budget(failures=1, losses=1), farthest=2), WARMUP_LAWS),
    "cache-answers": Played(CacheGame(1, Budget(failures=1, losses=1), farthest=2), CACHE_LAWS),
    "replica-switch": _switching(),
    # Larger, or not known to end: for who asks for them by name.
    "replica-loss": _switching(failures=1),
    "replica": _switching(crashes=1, failures=1),
    "warmup": Played(WarmupGame(2, Budget(crashes=1, failures=1)), WARMUP_LAWS),
    "cache": Played(CacheGame(1, Budget(crashes=1, failures=1)), CACHE_LAWS),
    "cache-pair-crash": Played(CacheGame(2, Budget(crashes=1, failures=1)), CACHE_LAWS),
}
USUAL = tuple(GAMES)[:12]
