"""Retries: a failed hydration is told, kept, and tried again with growing waits."""

from typing import Any

import pytest

from machines.caches.messages import entry_message
from machines.levels import NodeLevel
from tests.caches.builders import CLAIM, JOB, ONE, WORKLOAD, CacheScene, spec_of
from tests.caches.willing import carry_out, stage


def failed(*, heard: bool = True, **settings: Any) -> CacheScene:
    """A cache whose first Job has failed after four attempts."""
    scene = CacheScene(**settings)
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    if heard:
        scene.pod("Failed", reason="Error", message="No space left on device")
    scene.job("Failed", reason="BackoffLimitExceeded", message="limit", failed_attempts=4)
    return scene


def test_a_failure_is_told_and_outlives_its_job() -> None:
    """Attempts, the Job's words and the container's own stay after the Job is gone [C29]"""
    scene = failed()
    assert (scene.phase(), scene.doing()) == ("Failed", ["delete HydrationJob"])
    carry_out(scene)
    failure = scene.entry().failure
    assert (failure.attempts, failure.said) == (4, ("Error", "No space left on device"))
    assert failure.job_said == ("BackoffLimitExceeded", "limit")
    assert (scene.phase(), scene.opened()) == ("Failed", [])


def test_last_words_are_waited_for() -> None:
    """A failed Job is deleted once a failed Pod of it was seen, or after five seconds."""
    scene = failed(heard=False)
    assert scene.opened() == []
    scene.wait(4)
    assert scene.opened() == []
    scene.wait(2)
    assert scene.doing() == ["delete HydrationJob"]
    late = failed(heard=False)
    late.pod("Failed", reason="Error", message="late words")
    assert late.doing() == ["delete HydrationJob"]
    assert late.entry().failure.said.words == "late words"


def test_it_is_tried_again_when_it_says_so() -> None:
    """Failed until its time has come, then Hydrating with the last failure kept."""
    scene = failed(retry_seconds=60)
    carry_out(scene)
    scene.wait(59)
    assert (scene.phase(), scene.decided("create HydrationJob")) == ("Failed", 1)
    scene.wait(2)
    assert (scene.phase(), scene.doing()) == ("Hydrating", ["create HydrationJob"])
    assert scene.entry().failure.said.words == "No space left on device"


def test_the_waits_grow_to_an_hour() -> None:
    """Each failure in a row doubles the wait, up to an hour; success begins anew."""
    scene = failed(retry_seconds=60)
    waits = []
    for _ in range(8):
        carry_out(scene)
        failure = scene.entry().failure
        waits.append((failure.due - failure.at) // 10**9)
        scene.wait(3601)
        carry_out(scene)
        scene.job("Failed", reason="BackoffLimitExceeded")
        scene.wait(6)
    assert waits == [60, 120, 240, 480, 960, 1920, 3600, 3600]
    carry_out(scene)
    scene.wait(3601)
    carry_out(scene)
    scene.job("Complete")
    carry_out(scene)
    assert (scene.phase(), scene.entry().failure.tries) == ("Ready", 0)


def test_an_edited_annotation_retries_at_once() -> None:
    """Each new value of warmlog.dev/retry is one try at once; the same value is none."""
    scene = failed()
    carry_out(scene)
    scene.cache(annotations=(("warmlog.dev/retry", "1"),))
    assert (scene.phase(), scene.doing()) == ("Hydrating", ["create HydrationJob"])
    carry_out(scene)
    scene.job("Failed", reason="BackoffLimitExceeded")
    scene.wait(6)
    carry_out(scene)
    scene.cache(annotations=(("warmlog.dev/retry", "1"), ("warmlog.dev/x", "")))
    assert (scene.phase(), scene.opened()) == ("Failed", [])
    scene.cache(annotations=(("warmlog.dev/retry", "2"),))
    assert scene.doing() == ["create HydrationJob"]


def test_a_retry_waits_until_the_failed_job_is_gone() -> None:
    """A new Job is made when the old one and its Pods are gone: two would write one volume."""
    scene = failed()
    scene.pod("Running", "late")
    scene.cache(annotations=(("warmlog.dev/retry", "1"),))
    carry_out(scene)
    assert scene.decided("create HydrationJob") == 1
    scene.pod("Failed", "late")
    assert scene.doing() == ["create HydrationJob"]


def test_a_failed_job_never_beats_the_latch() -> None:
    """A claim that was staged once stays Ready, whatever another Job of it says [C39]"""
    scene = CacheScene()
    scene.cache()
    stage(scene)
    scene.job("Failed", uid="foreign-try", reason="BackoffLimitExceeded")
    assert scene.phase() == "Ready"
    carry_out(scene)
    assert scene.state.clusters[ONE].objects["HydrationJob"] == {}


@pytest.mark.parametrize("lost", [{"phase": "Lost"}, {"phase": "Bound", "deleting": True}])
def test_a_failure_promises_no_try_that_its_claim_forbids(lost: dict[str, Any]) -> None:
    """A failed entry whose claim is lost, or goes, waits for a claim, and not for the next try."""
    scene = failed()
    carry_out(scene)
    scene.claim(**lost)
    assert scene.phase() == "Pending"
    said = entry_message(scene.state, scene.mc, scene.entry())
    assert said.startswith(f"claim {WORKLOAD}/{CLAIM} ")
    assert "tried again" not in said
    scene.claim("Bound", deleting=False)
    assert scene.phase() == "Failed"


def test_a_job_that_has_failed_is_not_called_a_download() -> None:
    """Once its next try is due, a failed Job that is still there is to make room for that."""
    scene = failed()
    scene.cache(annotations=(("warmlog.dev/retry", "1"),))
    said = entry_message(scene.state, scene.mc, scene.entry())
    assert said.startswith("waiting to download Qwen/Qwen3-8B ")
    assert f"an earlier Job {WORKLOAD}/{JOB} is to go first" in said
    assert "failed after 4 attempts" in said


def test_an_outcome_seen_in_a_jobs_last_moment_counts() -> None:
    """A Job that failed and was removed at once has failed all the same."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    last = scene.job_level()._replace(outcome="Failed", reason="DeadlineExceeded")
    scene.job_gone(last=last)
    assert scene.phase() == "Failed"
    assert scene.entry().failure.job_said.reason == "DeadlineExceeded"


def test_a_job_that_vanishes_is_made_again() -> None:
    """A Job that somebody deletes before its end is replaced [C28]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    scene.claim("Bound")
    scene.job_gone()
    assert scene.doing() == ["create HydrationJob"]


def test_other_clusters_go_on() -> None:
    """One cluster's failure is that cluster's alone [C45]"""
    scene = CacheScene("one", "two")
    scene.cache()
    carry_out(scene)
    scene.claim("Bound", cluster="ic/two")
    scene.claim("Bound")
    scene.job("Failed", reason="BackoffLimitExceeded")
    assert (scene.phase("one"), scene.phase("two")) == ("Failed", "Hydrating")


@pytest.mark.parametrize("image", ["python:3.13", "mine:2"])
def test_an_unfinished_job_is_left_alone(image: str) -> None:
    """Another image or script does not replace a Job of the same claim and source [C38]"""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    hydration = scene.settings.hydration._replace(image=image)
    scene.settings = scene.settings._replace(hydration=hydration)
    scene.start()
    for cluster in ("home", ONE):
        scene.sync(cluster)
    assert scene.opened() == []


def test_nodes_of_no_concern_cost_nothing() -> None:
    """A node that no claim waits for touches no cache."""
    scene = CacheScene()
    scene.cache(spec_of())
    carry_out(scene)
    position = scene.mc.position
    scene.node("n1")
    assert (scene.state.dirty, scene.mc.position) == ({}, position)
    assert isinstance(scene.known(ONE, "Node").level, NodeLevel)
