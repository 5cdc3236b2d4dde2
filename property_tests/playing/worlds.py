"""The sorts of worlds that stories are about."""

from collections.abc import Mapping

from property_tests.cache_worlds import CacheWorlds
from property_tests.playing.telling_worlds import TellingWorld
from property_tests.replica_worlds import ReplicaWorlds
from property_tests.warmup_worlds import WarmupWorlds

WORLDS: Mapping[str, type[TellingWorld]] = {
    "warmups": WarmupWorlds,
    "caches": CacheWorlds,
    "replicas": ReplicaWorlds,
}
# Of ten seeds in a row: worlds of warmups are the quickest, those of replicas hold caches as well.
SHARES = ("warmups",) * 6 + ("caches",) * 3 + ("replicas",)


def world_of_seed(seed: int) -> str:
    """Give the sort of world that a seed is for."""
    return SHARES[seed % len(SHARES)]
