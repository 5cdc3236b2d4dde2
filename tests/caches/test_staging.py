"""Staging: from a ModelCache to a published mount, each step once the one before is seen."""

from tests.caches.builders import ONE, CacheScene
from tests.caches.willing import stage


def test_a_public_cache_becomes_ready() -> None:
    """Finalizer, namespace, claim, Job, latch, one after the other: then the entry is Ready."""
    scene = CacheScene()
    scene.cache()
    assert scene.doing("home") == ["Hold ModelCache"]
    assert scene.doing() == []
    stage(scene)
    assert scene.phase() == "Ready"
    [claim] = scene.state.clusters[ONE].objects["PersistentVolumeClaim"]
    assert scene.entry().latch == f"{claim}/{scene.mc.fingerprint}"
    assert scene.state.clusters[ONE].objects["HydrationJob"] == {}
    steps = [
        "Hold ModelCache", "create Namespace", "create PersistentVolumeClaim",
        "create HydrationJob", "Latch PersistentVolumeClaim", "delete HydrationJob",
    ]  # fmt: skip
    assert [scene.decided(step) for step in steps] == [1] * len(steps)
