"""Snapshots: a cached state, used only where it is proved to fit."""

from typing import Any

import pytest

from adapters.store.memory_logs import MemoryLog
from engine.canonical_json import dumps
from engine.events import Event
from engine.replaying import Moment, replay
from engine.snapshots import Snapshot, is_usable, restored, row_digest, snapshot_of
from machines.domain import WARMLOG
from machines.states import State
from tests.machines.builders import FORBIDDEN, Scene, naming, selecting, spec_of

ROW = Event(7, 1, 10, "c", "a/b/c/d", "T", 1, "{}", 3, None)
SNAPSHOT = Snapshot("log", 7, row_digest(ROW), "code", "data")


def usable(snapshot: Snapshot = SNAPSHOT, row: Event | None = ROW) -> bool:
    """Say whether a snapshot may be used for the log "log" and the code "code"."""
    return is_usable(snapshot, log_id="log", row=row, code_digest="code")


def test_all_four_match() -> None:
    """A snapshot of this log, this row and this code is used."""
    assert usable()


@pytest.mark.parametrize(
    "changed",
    [{"log_id": "another"}, {"position": 8}, {"row_digest": "0" * 64}, {"code_digest": "older"}],
)
def test_any_one_does_not(changed: dict[str, Any]) -> None:
    """A snapshot that differs in any one of the four is ignored."""
    assert not usable(SNAPSHOT._replace(**changed))


def test_no_row_there() -> None:
    """A snapshot beyond the end of the log, as after a restored backup, is ignored."""
    assert not usable(row=None)


def test_every_column_of_the_row_counts() -> None:
    """A row that differs in any column has another digest."""
    changed: list[Event] = [
        ROW._replace(epoch=2), ROW._replace(at=11), ROW._replace(cluster="x"),
        ROW._replace(subject="a/b/c/e"), ROW._replace(type="U"), ROW._replace(version=2),
        ROW._replace(data='{"a":1}'), ROW._replace(cause=None), ROW._replace(seen=3),
    ]  # fmt: skip
    digests = {row_digest(row) for row in [ROW, *changed]}
    assert len(digests) == len(changed) + 1
    assert not any(usable(row=row) for row in changed)


def eventful_log() -> MemoryLog:
    """A real log with waits, refusals, Pods, a restart, a withdrawal and an end."""
    scene = Scene()
    scene.nodes("a", "b", "c")
    scene.warmup(spec_of(selecting(), naming("d"), parallelism=2), wait="30")
    scene.refuse("a", FORBIDDEN)
    job = scene.accept("b")
    scene.pod(job, "pod", "Pending", "b", reason="Unschedulable", message="no node")
    scene.wait(1)
    scene.node("c", enabled=None)
    scene.restart()
    scene.job("b", "Failed", reason="DeadlineExceeded")
    scene.pod_gone("pod")
    scene.wait(30)
    scene.answer_all_creates()
    scene.job("a", "Complete")
    scene.resolve()
    scene.store()
    log = MemoryLog("log")
    log.rows = scene.rows
    return log


async def test_a_snapshot_and_the_rest() -> None:
    """From a snapshot at any position of a real log, the rest gives the state of the whole."""
    log = eventful_log()
    whole = await replay(WARMLOG, log)
    for row in log.rows:
        there = await replay(WARMLOG, log, Moment(position=row.seq))
        made = snapshot_of(WARMLOG, there, row, log_id="log", code_digest="code")
        assert usable(made, row)
        back = restored(WARMLOG, made)
        assert back.cursor == there.cursor
        rest = await replay(WARMLOG, log, start=back)
        assert WARMLOG.dump(rest.state) == WARMLOG.dump(whole.state)
        assert rest.cursor == whole.cursor


@pytest.mark.parametrize(
    "data",
    ["[]", "[1,2]", dumps([[0, 0, 0, 0], "[]"]), dumps([[1], "{}"]), "{", dumps([[0, 0], 5])],
)
def test_a_damaged_snapshot(data: str) -> None:
    """A snapshot that cannot be read is a ValueError, whatever is wrong with it."""
    with pytest.raises(ValueError, match=r"."):
        restored(WARMLOG, SNAPSHOT._replace(data=data))


def test_the_log_is_eventful() -> None:
    """The log that the snapshots are taken of has every sort of row that a short one can have."""
    types = {row.type for row in eventful_log().rows}
    assert {"IntentRefused", "PodSeen", "DeadlinePassed", "SessionStarted", "StatusStored"} <= types
    assert isinstance(WARMLOG.initial("x"), State)
