"""Recovering: what the status of an object tells when this log does not know how it ended."""

import itertools
from typing import Any

import pytest

from engine.canonical_json import Number, dumps
from machines.intents import CreateJob, DeleteJob
from machines.levels import WarmupLevel
from machines.node_jobs import NodeJobState
from machines.observations import RolledBack
from machines.recovering import recovered_of
from machines.states import State
from tests.machines.builders import CLUSTER, Scene, naming, selecting, spec_of

OURS = {"uid": "mw-uid", "log": "another", "position": 7}
ENDED: dict[str, Any] = {
    "phase": "Degraded",
    "startTime": "2025-01-01T00:00:00Z",
    "completionTime": "2025-01-01T01:00:00Z",
    "desiredNodes": 3,
    "activeNodes": 0,
    "succeededNodes": 2,
    "failedNodes": 1,
    "skippedNodes": 4,
    "observedRevision": "ef7e2d9085ee",
    "omittedTargetDetails": 0,
    "targets": [
        {
            "nodeName": "n9",
            "phase": "Failed",
            "reason": "BackoffLimitExceeded",
            "message": "exit code 1",
            "source": "target[0]",
            "sourceCount": 1,
            "lastTransitionTime": "2025-01-01T00:30:00Z",
        }
    ],
    "warmlog": OURS,
}


def recovered(status: Any, **scene: Any) -> Scene:
    """A log that sees a ModelWarmup with this status for the first time."""
    made = Scene(**scene)
    made.nodes("a", "b")
    made.warmup(spec_of(selecting()), status=status)
    return made


def types(scene: Scene) -> list[str]:
    """The types of the last rows, after the ModelWarmup was seen."""
    begin = next(i for i, row in enumerate(scene.rows) if row.type == "ModelWarmupSeen")
    return [row.type for row in scene.rows[begin:]]


def test_an_end_under_another_log_is_the_end() -> None:
    """What ended under another log never runs again, and keeps its figures and its failures."""
    scene = recovered(ENDED)
    assert types(scene) == ["ModelWarmupSeen", "Recovered"]
    status = scene.status
    kept = (
        "phase", "startTime", "completionTime", "desiredNodes", "succeededNodes", "failedNodes",
        "skippedNodes", "observedRevision", "omittedTargetDetails", "targets",
    )  # fmt: skip
    assert {name: status[name] for name in kept} == {name: ENDED[name] for name in kept}
    assert status["warmlog"] == {"uid": "mw-uid", "log": "log", "position": scene.rows[-1].seq}
    assert scene.condition("Degraded")["message"] == "1 of 3 nodes failed"


def test_before_anything_is_listed() -> None:
    """It is the end as well when it is seen before the cluster is known."""
    scene = recovered(ENDED, synced=False)
    scene.sync()
    assert (scene.phase, scene.decided(CreateJob)) == ("Degraded", [])


def test_the_originals_end_is_the_end() -> None:
    """A terminal status of AIBrix's own controller is kept as well."""
    scene = recovered({"phase": "Succeeded", "desiredNodes": 2, "succeededNodes": 2})
    assert (scene.phase, scene.status["succeededNodes"]) == ("Succeeded", 2)
    assert scene.decided(CreateJob) == []


@pytest.mark.parametrize(
    "status",
    [
        None,
        {},
        {"phase": ""},
        {"phase": "Strange"},
        {"phase": ["Succeeded"]},
        "Succeeded",
        {**ENDED, "warmlog": {**OURS, "uid": "another"}},
        {**ENDED, "warmlog": "x"},
        {**ENDED, "warmlog": {}},
    ],
)
def test_what_tells_nothing_of_this_object(status: Any) -> None:
    """A status of another object, or of nobody, is no past: the warmup begins."""
    scene = recovered(status)
    assert "Recovered" not in types(scene)
    assert scene.creating() == ["a", "b"]


@pytest.mark.parametrize("phase", ["Pending", "Running"])
def test_what_had_not_ended_goes_on(phase: str) -> None:
    """Of an unfinished past only the Jobs speak: they are still there."""
    scene = recovered({**ENDED, "phase": phase})
    assert (scene.phase, scene.creating()) == ("Running", ["a", "b"])
    assert (scene.mw.recovered, scene.status["desiredNodes"]) == (None, 2)


def test_looked_at_once() -> None:
    """Our own status, seen again and again, never comes into the log."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.resolve()
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    assert scene.see(scene.subject(), level, status=scene.status) == ()
    assert scene.see(scene.subject(), level, status=ENDED) == ()


def test_a_log_restored_from_a_backup() -> None:
    """A status at a later position than this log has of the object tells what it has lost."""
    scene = recovered(None)
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    ours = {**OURS, "log": "log", "position": scene.mw.position}
    assert scene.see(scene.subject(), level, status={**ENDED, "warmlog": ours}) == ()
    later = {**ours, "position": scene.mw.position + 1}
    rows = scene.see(scene.subject(), level, status={**ENDED, "warmlog": later})
    assert [row.type for row in rows] == ["Recovered"]
    assert (scene.phase, scene.status["failedNodes"]) == ("Degraded", 1)


def test_an_end_that_this_log_has_forgotten_is_the_end() -> None:
    """Lists from the past, in two sessions, did not show a ModelWarmup that had ended, so it begins
    anew; the status that comes then, sent before that, says how it ended.
    """
    scene = recovered(None)
    scene.tell(RolledBack(CLUSTER, "older"), scene.listed("ModelWarmup", without=["mw"]))
    scene.sync()
    scene.restart()
    scene.warmup(spec_of(selecting()))
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    ours = {**OURS, "log": "log", "position": scene.mw.position - 1}
    assert scene.mw.started_at > 0
    rows = scene.see(scene.subject(), level, status={**ENDED, "warmlog": ours})
    assert [row.type for row in rows] == ["Recovered"]
    assert (scene.phase, scene.status["completionTime"]) == ("Degraded", ENDED["completionTime"])


def test_an_unfinished_later_status_is_no_row() -> None:
    """A status that had not ended is not recovered at each look."""
    scene = recovered(None)
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    status = {**ENDED, "phase": "Running"}
    assert scene.see(scene.subject(), level, status=status) == ()


def test_what_this_log_has_ended_stays_its_own() -> None:
    """A foreign end does not replace the one that this log knows."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.finish("a")
    scene.resolve()
    level = WarmupLevel(1, dumps(spec_of(selecting())))
    assert scene.see(scene.subject(), level, status=ENDED) == ()
    assert scene.phase == "Succeeded"


def test_what_runs_is_deleted() -> None:
    """A Job that still runs for a ModelWarmup that had ended is deleted, after the status."""
    scene = Scene(synced=False)
    scene.node("a")
    scene.foreign_job("old", scene.job_level_of("mw-uid", "a"))
    scene.warmup(spec_of(selecting()), status=ENDED)
    scene.sync()
    assert scene.decided(DeleteJob) == []
    scene.store()
    assert [one.job_uid for one in scene.decided(DeleteJob)] == ["old"]


def test_a_spec_that_would_be_refused_today() -> None:
    """A warmup that succeeded stays so, though its spec would not be accepted any more."""
    scene = Scene()
    succeeded = {"phase": "Succeeded", "desiredNodes": 1, "succeededNodes": 1}
    scene.warmup({"targets": []}, status=succeeded)
    assert scene.phase == "Succeeded"
    assert scene.condition("Complete")["reason"] == "ImagePreloadSucceeded"
    assert scene.condition("Valid")["status"] == "False"


HOSTILE: tuple[Any, ...] = (
    None, True, -1, 10**30, Number("1.5"), "x", "x" * 5000, "\ud800", [], {}, [[]],
    [{"nodeName": 1}],
)  # fmt: skip


def test_no_type_is_too_wrong() -> None:
    """A field of any type is taken or left out, and what is written again is always valid."""
    for field, value in itertools.product(ENDED, HOSTILE):
        if field in {"phase", "warmlog"}:
            continue
        status = recovered({**ENDED, field: value}).status
        assert len(dumps(status)) < 100_000
        assert all(isinstance(status[name], int) for name in ("desiredNodes", "failedNodes"))
        assert isinstance(status["startTime"], str)
        assert all(isinstance(each["nodeName"], str) for each in status["targets"])


def test_no_detail_is_too_wrong() -> None:
    """Neither is a field of a detail; and no key is mistaken for one of the row's own."""
    (detail,) = ENDED["targets"]
    for field, value in itertools.product([*detail, "extra"], HOSTILE):
        past = recovered_of({**ENDED, "targets": [{**detail, field: value}] * 300})
        assert len(past.targets) < 512 * 1024
    keys = dict.fromkeys(("cluster", "subject", "name", "cause", "clock", "version"), "x")
    assert recovered({**ENDED, **keys}).phase == "Degraded"


def test_times_are_rewritten() -> None:
    """A time in any RFC 3339 form is kept; what is no time is left out."""
    assert recovered_of({"startTime": "2025-01-01T02:00:00.5+02:00"}).started_at == (
        "2025-01-01T00:00:00Z"
    )
    assert recovered_of({"startTime": "yesterday"}).started_at == ""


def test_a_recovered_state_needs_no_targets() -> None:
    """The end of another log is told though this one has never resolved a target."""
    scene = recovered(ENDED, synced=False)
    assert isinstance(scene.state, State)
    assert (scene.mw.targets, scene.status["failedNodes"]) == ({}, 1)


def test_a_warmup_that_was_not_gone_after_all() -> None:
    """A ModelWarmup that a rolled back cluster shows again goes on with what it had.

    What left meanwhile has left, what it waits for has its deadline again.
    """
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.warmup(spec_of(selecting(), naming("z")), wait="60")
    scene.finish("a")
    job = scene.accept("b")
    scene.tell(RolledBack(CLUSTER, "older"), scene.listed("ModelWarmup", without=["mw"]))
    scene.sync()
    assert (scene.mw.gone, scene.state.timers) == (True, [])
    scene.node_gone("c")
    scene.warmup(spec_of(selecting(), naming("z")), wait="60")
    assert (scene.mw.gone, scene.status["succeededNodes"]) == (False, 1)
    assert scene.target("c").state is NodeJobState.WITHDRAWN
    assert [one.job_uid for one in scene.decided(DeleteJob)] == [job]
    scene.wait(60)
    assert scene.detail("z")["phase"] == "Failed"


def test_an_outcome_without_a_job_outlives_a_list_from_the_past() -> None:
    """A name that was waited for in vain stays failed, when a list that lacks its ModelWarmup after
    a roll-back was only from the past.
    """
    scene = Scene()
    scene.nodes("a")
    scene.warmup(spec_of(selecting(), naming("z")), wait="20")
    scene.wait(20)
    failed = scene.target("z")
    scene.tell(RolledBack(CLUSTER, "older"), scene.listed("ModelWarmup", without=["mw"]))
    scene.sync()
    scene.warmup(spec_of(selecting(), naming("z")), wait="20")
    assert (scene.target("z"), failed.state) == (failed, NodeJobState.FAILED)


def test_what_two_sessions_do_not_list_is_forgotten() -> None:
    """A ModelWarmup that a list after a roll-back lacked is remembered until another session."""
    scene = Scene()
    scene.warmup(spec_of(selecting()))
    scene.tell(RolledBack(CLUSTER, "older"), scene.listed("ModelWarmup", without=["mw"]))
    scene.sync()
    assert "mw-uid" in scene.state.warmups
    scene.restart()
    assert "mw-uid" not in scene.state.warmups


@pytest.mark.parametrize(
    ("raw", "kept"), [(0, 0), (2**31 - 1, 2**31 - 1), (2**31, 0), (-1, 0), (True, 0), ("5", 0)]
)
def test_counts_are_within_their_schema(raw: Any, kept: int) -> None:
    """A count is kept within the bounds that the schema sets for it, else it is 0."""
    assert recovered_of({"desiredNodes": raw}).desired == kept
