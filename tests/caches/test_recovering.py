"""Recovering: a lost log finds again what was staged, by the latch and by our own status."""

from typing import Any

from engine.events import Subject
from machines.caches.levels import HydrationPodLevel
from machines.caches.messages import entry_message
from tests.caches.builders import JOB, ONE, UID, WORKLOAD, CacheScene
from tests.caches.willing import carry_out


def status(phase: str = "Ready", uid: str = UID) -> dict[str, Any]:
    """A status that another log wrote."""
    rows = [{"name": "one", "phase": phase, "mount": {}}, {"name": 7}, "x"]
    return {"clusters": rows, "warmlog": {"uid": uid, "log": "older", "position": 99}}


def test_what_was_published_stays_until_it_is_looked_at() -> None:
    """A Ready entry of a cluster that is not listed yet keeps its mount."""
    scene = CacheScene()
    scene.start()
    scene.sync("home")
    scene.cache(status=status(), held=True)
    assert (scene.phase(), scene.entry().recovered) == ("Ready", True)
    assert scene.opened() == []


def test_the_latch_decides_once_the_cluster_is_known() -> None:
    """A claim without our latch ends what only a status told."""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.claim("Bound", uid="claim")
    scene.cache(status=status(), held=True)
    assert (scene.phase(), scene.entry().recovered) == ("Hydrating", False)


def test_what_was_told_ends_when_the_cluster_was_looked_at() -> None:
    """A Ready that only a status told is Pending when the cluster has no such claim."""
    scene = CacheScene()
    scene.start()
    scene.sync("home")
    scene.cache(status=status(), held=True)
    scene.sync(ONE)
    assert (scene.phase(), scene.entry().recovered) == ("Pending", False)


def test_a_latched_claim_needs_no_status() -> None:
    """With the latch on the claim the entry is Ready at once, without any Job."""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.start()
    scene.sync("home")
    fingerprint = scene.cache(held=True).fingerprint
    scene.claim("Bound", uid="claim", hydrated=f"claim/{fingerprint}")
    scene.sync(ONE)
    assert (scene.phase(), scene.opened()) == ("Ready", [])


def test_a_status_of_another_object_proves_nothing() -> None:
    """A status without our uid, as a foreign Ready, is not believed."""
    for foreign in (status(uid="other"), {"clusters": [{"name": "one", "phase": "Ready"}]}, None):
        scene = CacheScene()
        scene.start()
        scene.sync("home")
        scene.cache(status=foreign, held=True)
        assert scene.phase() == "Pending"
        assert all(row.type != "Recovered" for row in scene.rows)


def test_a_status_is_recorded_once() -> None:
    """An object that the log knows tells no past any more."""
    scene = CacheScene()
    scene.cache(status=status(), held=True)
    carry_out(scene)
    scene.cache(status=status("Failed"), generation=2)
    assert sum(row.type == "Recovered" for row in scene.rows) == 1


def test_an_older_log_withdraws_no_mount() -> None:
    """What was published after a restored log ended stays until its cluster is listed."""
    scene = hydrating_again()
    scene.cache(status=status())
    assert (scene.phase(), scene.entry().recovered) == ("Ready", True)
    scene.cache(status=status(), generation=2)
    assert sum(row.type == "Recovered" for row in scene.rows) == 1
    scene.sync(ONE)
    assert (scene.phase(), scene.entry().recovered) == ("Hydrating", False)


def test_a_status_of_this_log_tells_nothing_later() -> None:
    """What this log published itself, or says nothing of a mount, is no news to it."""
    own = status() | {"warmlog": {"uid": UID, "log": "log", "position": 1}}
    for told in (own, status("Failed"), status(uid="other")):
        scene = hydrating_again()
        scene.cache(status=told)
        assert scene.phase() == "Hydrating"
        assert all(row.type != "Recovered" for row in scene.rows)


def hydrating_again() -> CacheScene:
    """A log that ended while the model was staged; of its cluster nothing is listed yet."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.start()
    scene.sync("home")
    assert scene.phase() == "Hydrating"
    return scene


def test_a_pod_of_a_job_that_no_log_knows_is_waited_for() -> None:
    """A Pod that outlived its Job and the log still writes: no second Job is begun beside it."""
    scene = CacheScene()
    scene.namespace(ONE)
    scene.claim("Bound", uid="claim")
    pod = Subject("HydrationPod", WORKLOAD, f"{JOB}-abcde", "pod-uid")
    scene.see(ONE, pod, HydrationPodLevel("forgotten", phase="Running"))
    scene.cache(held=True)
    carry_out(scene)
    assert scene.doing() == []
    assert f"Pod {JOB}-abcde of an earlier Job" in entry_message(
        scene.state, scene.mc, scene.entry()
    )
    scene.gone(ONE, pod)
    assert scene.doing() == ["create HydrationJob"]
