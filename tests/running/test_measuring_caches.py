"""Measuring caches: figures by cluster and phase, as the state has them."""

from adapters.http.metrics import exposition
from adapters.running.measuring_caches import cache_metrics
from engine.instants import SECOND
from machines.caches.states import Refusal
from tests.caches.builders import BEGINNING, CacheScene
from tests.caches.willing import carry_out, stage


def test_entries_by_cluster_and_phase() -> None:
    """Each cluster has the number of its entries in each phase, and whether it is reached."""
    scene = CacheScene("one", "two")
    scene.cache()
    scene.wait(5)
    carry_out(scene)
    stage(scene, "ic/two")
    scene.unreachable("ic/one")
    scene.entry("one").refusals["create HydrationJob"] = Refusal("Forbidden", "no", 1, 0)
    told = {metric.name: metric.samples for metric in cache_metrics(scene.state)}
    entries = told["warmlog_cache_entries"]
    assert {key: value for key, value in entries.items() if value} == {
        ("one", "Pending"): 1,
        ("two", "Ready"): 1,
    }
    assert ("one", "Failed") in entries, "a phase that nothing is in is told as none"
    assert told["warmlog_caches"] == {("ml-team", "true"): 0, ("ml-team", "false"): 1}
    assert told["warmlog_cache_waiting_timestamp_seconds"] == {("one",): BEGINNING / SECOND}
    assert told["warmlog_cache_refused_changes"] == {("one",): 1, ("two",): 0}
    assert told["warmlog_cluster_reachable"] == {("one",): False, ("two",): True}
    body, _ = exposition(cache_metrics(scene.state), "")
    assert b'warmlog_cache_entries{inferencecluster="two",phase="Ready"} 1.0' in body


def test_retained_entries_do_not_count() -> None:
    """What is kept on a cluster that is not selected any more is in no figure."""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.entry().selected = False
    told = {metric.name: metric.samples for metric in cache_metrics(scene.state)}
    assert told["warmlog_cache_entries"] == {}
