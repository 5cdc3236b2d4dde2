"""Statuses: what is published, in which order, and within which size."""

import pytest

from engine.canonical_json import dumps, loads
from machines.domain import WARMLOG
from machines.showing import cut_to_bytes, share, shown_words
from machines.states import Words
from machines.statuses import STATUS_PATHS, warmup_status
from tests.machines.builders import Scene, naming, selecting, spec_of

LONG_NAME = "n" * 240


def crowd(count: int) -> list[str]:
    """So many node names, as long as names may be."""
    return [f"{LONG_NAME}{index:04}" for index in range(count)]


def midway() -> Scene:
    """One node of three has ended, one has its Job, one waits for a slot."""
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.warmup(spec_of(selecting(), parallelism=2))
    scene.finish("a")
    scene.accept("b")
    return scene


def test_the_figures_of_a_run() -> None:
    """A status in the middle of a run, but for its details and conditions, to the last field."""
    scene = midway()
    shown = {key: scene.status[key] for key in scene.status.keys() - {"targets", "conditions"}}
    assert shown == {
        "phase": "Running",
        "observedGeneration": 1,
        "observedRevision": "ef7e2d9085ee",
        "desiredNodes": 3,
        "activeNodes": 1,
        "succeededNodes": 1,
        "failedNodes": 0,
        "skippedNodes": 0,
        "omittedTargetDetails": 0,
        "startTime": "2026-01-01T00:00:00Z",
        "warmlog": {"uid": "mw-uid", "log": "log", "position": scene.mw.position},
    }


def test_the_details_of_a_run() -> None:
    """What runs comes before what waits, each to the last field; what succeeded is only counted."""
    scene = midway()
    common = {
        "source": "target[0]",
        "sourceCount": 1,
        "revision": "ef7e2d9085ee",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
    }
    running = {
        "nodeName": "b",
        "jobName": scene.target("b").job_name,
        "phase": "Running",
        "reason": "JobRunning",
        "message": "its Job has no Pod yet",
    }
    waiting = {
        "nodeName": "c",
        "phase": "Pending",
        "reason": "WaitingForSlot",
        "message": "waits for one of the 2 Jobs that may run at a time",
    }
    assert scene.status["targets"] == [{**common, **running}, {**common, **waiting}]


def test_the_conditions_of_a_run() -> None:
    """Every condition is there from the start; Progressing says how it goes [W36]"""
    conditions = midway().status["conditions"]
    assert [each["type"] for each in conditions] == [
        "Complete", "Progressing", "Degraded", "Failed", "Finished", "Valid",
    ]  # fmt: skip
    assert conditions[1] == {
        "type": "Progressing",
        "status": "True",
        "reason": "JobsRunning",
        "message": "1 succeeded, 0 failed, 1 running, 1 waiting",
        "lastTransitionTime": "2026-01-01T00:00:00Z",
        "observedGeneration": 1,
    }


def test_every_field_is_declared() -> None:
    """The projection writes no field that the list of its fields lacks."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.finish("a", "Failed")
    scene.finish("b")
    scene.resolve()
    found = set()
    for name, value in scene.status.items():
        rows = value if isinstance(value, list) else [value]
        for row in rows:
            inner = [f".{key}" for key in row] if isinstance(row, dict) else [""]
            found |= {f"{name}{'[]' if isinstance(value, list) else ''}{key}" for key in inner}
    assert found <= set(STATUS_PATHS)


def test_failed_then_running_then_pending() -> None:
    """Details come failed first, then running, then pending, each by name; successes do not."""
    scene = Scene()
    scene.nodes(*"hgfedcba")
    scene.warmup(spec_of(selecting(), naming("y"), parallelism=8))
    for name, outcome in (("b", "Failed"), ("a", "Failed"), ("e", "Complete"), ("h", "Complete")):
        scene.finish(name, outcome)
    scene.accept("g")
    scene.accept("c")
    found = [(each["phase"], each["nodeName"]) for each in scene.status["targets"]]
    assert found == [
        ("Failed", "a"), ("Failed", "b"), ("Running", "c"), ("Running", "g"),
        ("Pending", "d"), ("Pending", "f"), ("Pending", "y"),
    ]  # fmt: skip


def test_at_most_256_details() -> None:
    """Of more than 256 details the rest is counted [W21]"""
    scene = Scene()
    scene.nodes(*[f"n{index:04}" for index in range(300)])
    scene.warmup(spec_of(selecting(), parallelism=300))
    scene.finish("n0299", "Failed")
    scene.finish("n0000")
    status = scene.status
    assert (len(status["targets"]), status["omittedTargetDetails"]) == (256, 43)
    assert status["targets"][0]["nodeName"] == "n0299"


@pytest.mark.parametrize("character", ["x", '"', "é", "\x00", "\U0001f600", "\ud800"])
def test_a_thousand_hostile_targets_stay_small(character: str) -> None:
    """1,000 nodes with the longest names and words stay below 512 KiB, with 256 details [W21]"""
    scene = Scene()
    names = crowd(1000)
    scene.nodes(*names)
    scene.warmup(spec_of(selecting(), parallelism=1000))
    for name in names[:400]:
        scene.accept(name)
        words = {"reason": character * 2000, "message": character * 2000}
        scene.job(name, "Failed", **words)
    status = scene.status
    assert len(dumps(status)) <= 512 * 1024
    assert len(status["targets"]) == 256
    assert all(len(each["message"]) <= 1024 for each in status["targets"])
    assert all(each["message"] for each in status["targets"])


def test_ordinary_words_are_not_cut() -> None:
    """A message of 1,024 plain characters is shown whole, however many details there are."""
    words = Words("BackoffLimitExceeded", "x" * 1024)
    assert shown_words(words, share(1000)) == words


def test_a_few_foreign_words_are_not_cut() -> None:
    """A message of 1,024 characters of any script is shown whole while details are few."""
    words = Words("BackoffLimitExceeded", "字" * 1024)
    assert shown_words(words, share(20)) == words
    assert 100 < len(shown_words(words, share(256)).message) < 1024


def test_cutting_to_bytes() -> None:
    """A cut fits, says that it was cut, and is as long as can be."""
    for text in ("x" * 100, "é" * 100, "\U0001f600" * 100, '"\\' * 50, "a\U0001f600" * 50):
        for size in range(40, 90):
            cut = cut_to_bytes(text, size)
            assert len(dumps(cut)) - 2 <= size
            assert cut == text or (cut.endswith("…") and text.startswith(cut[:-1]))
            longer = text[: len(cut)] + "…"
            assert cut == text or len(dumps(longer)) - 2 > size
    assert cut_to_bytes("abc", 2) == ""


def test_a_hostile_name_is_no_name() -> None:
    """A demanded name that would not fit is refused with the spec, not shown."""
    scene = Scene()
    scene.warmup(spec_of(naming("x" * 100_000)))
    assert (scene.phase, len(dumps(scene.status)) < 10_000) == ("Failed", True)


def test_a_hostile_spec_stays_small() -> None:
    """Ten thousand faults make one condition of ordinary length."""
    scene = Scene()
    scene.warmup({"targets": [{}] * 10_000})
    assert len(dumps(scene.status)) < 10_000


def test_the_cause_is_in_the_conditions() -> None:
    """The first cause that a person can do something about stands in the condition's message."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    job = scene.accept("b")
    scene.pod(job, "pod", "Pending", "b", reason="ImagePullBackOff", message="not found")
    assert scene.condition("Progressing")["message"] == (
        "0 succeeded, 0 failed, 2 running, 0 waiting; first b: ImagePullBackOff: not found"
    )
    scene.job("b", "Failed", reason="BackoffLimitExceeded", message="too many")
    scene.job("a", "Complete")
    scene.resolve()
    assert scene.condition("Failed")["message"] == (
        "1 of 2 nodes failed; first b: BackoffLimitExceeded: ImagePullBackOff: not found; too many"
    )


def test_a_projection_reads_only() -> None:
    """Projecting changes nothing, and twice gives the same bytes."""
    scene = Scene()
    scene.nodes("a", "b")
    scene.warmup(spec_of(selecting()))
    before = WARMLOG.dump(scene.state)
    texts = {dumps(warmup_status(scene.state, scene.mw)) for _ in range(2)}
    assert (len(texts), WARMLOG.dump(scene.state)) == (1, before)
    assert loads(texts.pop()) == scene.status


def test_projections_are_sorted_and_alive() -> None:
    """Every ModelWarmup that exists is projected, by namespace and name."""
    scene = Scene()
    for name in ("c", "a", "b"):
        scene.warmup(spec_of(selecting()), name=name)
    scene.warmup_gone("b")
    assert [each.subject.name for each in WARMLOG.project(scene.state)] == ["a", "c"]


def test_nothing_moves_the_position_but_the_status() -> None:
    """A row that cannot be read in the status leaves its position where it was."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    job = scene.accept("a")
    scene.pod(job, "pod", "Running", "a")
    position = scene.mw.position
    scene.pod(job, "another", "Running", "a")
    scene.restart()
    scene.node("outside", pool="q")
    assert scene.mw.position == position
    scene.job("a", "Complete")
    assert scene.mw.position == scene.rows[-2].seq


def test_positions_beyond_the_details() -> None:
    """Words that only an omitted detail has leave the position; a shown one moves it."""
    scene = Scene()
    names = [f"n{index:04}" for index in range(300)]
    scene.nodes(*names)
    scene.warmup(spec_of(selecting(), parallelism=1))
    position = scene.mw.position
    scene.node("n0299", cordoned=True)
    assert scene.mw.position == position
    scene.node("n0200", cordoned=True)
    assert scene.mw.position == scene.rows[-1].seq
