"""Showing: what is published follows each step, and its position names the row that changed it."""

from typing import Any

from engine.canonical_json import loads
from machines.caches.statuses import cache_status, cluster_condition
from machines.domain import WARMLOG
from tests.caches.builders import CLAIM, HOME, JOB, ONE, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def status_of(scene: CacheScene) -> dict[str, Any]:
    """What is published of the scene's cache."""
    return cache_status(scene.state, scene.mc)


def entry_of(scene: CacheScene) -> dict[str, Any]:
    """What is published of its first cluster."""
    found: dict[str, Any] = status_of(scene)["clusters"][0]
    return found


def without_position(status: dict[str, Any]) -> dict[str, Any]:
    """A status, but for the row that changed it last."""
    return {name: value for name, value in status.items() if name != "warmlog"}


def test_each_step_is_told() -> None:
    """From nothing to the mount each step has its words, and none is left out [C2]"""
    scene = CacheScene()
    scene.cache()
    assert entry_of(scene) == {
        "name": "one",
        "phase": "Pending",
        "message": f"waiting for claim {WORKLOAD}/{CLAIM} to be created",
    }
    carry_out(scene)
    assert entry_of(scene)["message"] == f"waiting for claim {WORKLOAD}/{CLAIM} to bind"
    scene.node("n")
    scene.claim("Pending", selected_node="n")
    assert entry_of(scene)["message"].endswith("to bind; the scheduler chose node n")
    scene.claim("Bound")
    assert entry_of(scene)["phase"] == "Hydrating"
    assert entry_of(scene)["message"] == (
        f"downloading Qwen/Qwen3-8B at its default branch into claim {WORKLOAD}/{CLAIM}"
    )
    scene.job("Complete")
    assert "is whole in claim" in entry_of(scene)["message"]
    carry_out(scene)
    assert entry_of(scene)["phase"] == "Ready"
    assert "message" not in entry_of(scene)
    assert entry_of(scene)["mount"]["volumes"][0]["persistentVolumeClaim"]["claimName"] == CLAIM


def test_the_mount_names_the_claim_that_was_made() -> None:
    """What is published is the name of the very claim that was created, derived once [C77]"""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    made = [loads(row.data) for row in scene.rows if row.type == "CreateIntended"]
    [claim] = [one["name"] for one in made if one["kind"] == "PersistentVolumeClaim"]
    [volume] = entry_of(scene)["mount"]["volumes"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim


def test_a_gone_node_is_told_with_its_time() -> None:
    """When the chosen node goes, the message says so, and when the choice is taken back [C2]"""
    scene = CacheScene(heal_seconds=60)
    scene.cache()
    carry_out(scene)
    node = scene.node("n")
    scene.claim("Pending", selected_node="n")
    scene.gone(ONE, node)
    said = "the scheduler chose node n, which is gone since 2026-01-01T00:00:00Z: "
    again = "at 2026-01-01T00:01:00Z the choice is taken back, so that another node is chosen"
    assert entry_of(scene)["message"].endswith(said + again)


def test_a_failure_is_told_until_it_is_over() -> None:
    """Failed ends in its next try, the retry keeps the failure, Ready forgets it [C29]"""
    scene = CacheScene(retry_seconds=60)
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.pod("Failed", reason="Error", message="No space left on device")
    scene.job("Failed", reason="BackoffLimitExceeded", message="limit", failed_attempts=4)
    failed = (
        f"Job {WORKLOAD}/{JOB} failed after 4 attempts: Error: No space left on device; "
        "BackoffLimitExceeded: limit"
    )
    assert entry_of(scene)["message"] == f"{failed}; tried again at 2026-01-01T00:01:00Z"
    carry_out(scene)
    assert entry_of(scene)["message"] == f"{failed}; tried again at 2026-01-01T00:01:00Z"
    scene.gone(ONE, scene.pod("Failed"))
    scene.wait(61)
    carry_out(scene)
    assert entry_of(scene)["phase"] == "Hydrating"
    assert entry_of(scene)["message"].endswith(f"; before, {failed}")
    scene.job("Complete")
    carry_out(scene)
    assert "message" not in entry_of(scene)


def test_a_restart_changes_nothing_that_is_shown() -> None:
    """While nothing is listed anew yet, what was known is told, and no position moves."""
    scene = CacheScene()
    scene.cache(spec_of(secret="hub"))
    scene.list_secrets()
    carry_out(scene)
    assert "Secret ml-team/hub does not exist" in entry_of(scene)["message"]
    before, reached = status_of(scene), cluster_condition(scene.state, scene.state.served["one"])
    scene.start()
    assert status_of(scene) == before
    for cluster in (HOME, ONE):
        scene.sync(cluster)
        assert status_of(scene) == before
    assert cluster_condition(scene.state, scene.state.served["one"]) == reached


def test_a_position_names_the_row_that_changed_the_status() -> None:
    """Between two statuses that differ the position moves, else it stays, for every row."""
    scene = CacheScene("one", "two")
    scene.cache()
    stage(scene)
    scene.unreachable("ic/two")
    scene.reachable("ic/two")
    scene.cache(deleting=True)
    scene.users("engine-0")
    state = WARMLOG.initial("log")
    last: dict[str, Any] = {}
    seen = 0
    for row in scene.rows:
        state = WARMLOG.fold(state, row)
        cache = state.caches.get("cache-uid")
        if cache is None:
            continue
        now = cache_status(state, cache)
        changed = without_position(now) != without_position(last)
        expected = row.seq if changed else last["warmlog"]["position"]
        assert now["warmlog"]["position"] == expected, row
        seen, last = seen + changed, now
    assert seen > 7


def test_a_cluster_turns_with_its_answers() -> None:
    """Reachable has the time at which a cluster fell silent, and the client's words."""
    scene = CacheScene()
    scene.wait(10)
    scene.unreachable(words="no route")
    scene.wait(10)
    row = cluster_condition(scene.state, scene.state.served["one"])
    assert (row["status"], row["message"]) == ("False", "no route")
    assert row["lastTransitionTime"] == "2026-01-01T00:00:10Z"
    scene.reachable()
    row = cluster_condition(scene.state, scene.state.served["one"])
    assert (row["status"], row["lastTransitionTime"]) == ("True", "2026-01-01T00:00:20Z")
