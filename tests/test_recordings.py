"""The recorded logs: this code must show and decide of them what was shown and decided then."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.store.copying import import_log
from adapters.store.opening import open_log
from engine.canonical_json import loads
from engine.replaying import Moment, replay
from engine.verifying import verify
from machines.domain import WARMLOG
from tests.cli.commands import warmlog
from tests.recordings import any_order, making, reading
from tests.recordings.taking import REAL
from tests.repository import ROOT

NAMES = reading.names()
# Those that a cluster told: for the others, which tell one row each, the core alone counts.
OF_CLUSTERS = [name for name in NAMES if name not in any_order.STORIES]
EXPECTED: dict[str, reading.Expected] = json.loads(reading.EXPECTED.read_text())
LARGEST = 100_000  # bytes
BATCH_SIZES = (1, 2, 7, 1000)
AROUND = (
    {"PYTHONHASHSEED": "0", "TZ": "UTC"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Kolkata"},
    {"PYTHONHASHSEED": "2", "TZ": "America/St_Johns"},
)
# What each story is about: a recording without such a row would prove nothing.
TOLD_BY = {
    "demo": ("CreateJobIntended", "StatusStored"),
    "one_node_cannot_pull": ("ImagePullBackOff", "DeadlineExceeded"),
    "containers_fail": ("BackoffLimitExceeded", "StampTtlIntended", "disk is full"),
    "jobs_are_refused": ("IntentRefused", "exceeded quota"),
    "crashes_around_a_create": ("IntentAbsent", "IntentDone", "IntentUnknown"),
    "jobs_deleted_by_hand": ("Gone",),
    "an_end_is_recovered": ("Recovered", "StatusStored"),
    "nodes_come_and_go": ("Gone", "Unschedulable"),
    "nobody_gets_there": ("DeadlinePassed", "BackoffLimitExceeded", "gpu-z"),
    "demo_caches": ("HydrationJobSeen", "EventsRead", "InferenceClusterSeen"),
    "demo_replicas": ("ApplyIntended", "DeploymentSeen", '"served":false'),
    "engines_are_refused": ("ApplyIntended", "exceeded quota: gpus", "IntentUnknown"),
    "a_mount_is_recovered": ("Recovered", "ApplyIntended"),
    "a_job_ends_before_it_is_known": ('"outcome":"Complete"',),
    "a_job_ends_after_its_node_left": ('"outcome":"Complete"',),
    "a_pool_is_left_and_joined_again": ("NamespaceSeen",),
    "a_named_node_leaves_and_returns": ("NamespaceSeen", "JobSeen"),
    "an_image_has_no_such_name": ("InvalidImageName",),
    "a_job_is_refused_for_good": ("IntentRefused", '"field":true'),
    "a_warmup_can_never_work": ("ModelWarmupSeen",),
    "a_cache_can_never_work": ("../etc",),
    "a_staged_cache_can_never_work": ("../etc", "Recovered"),
    "a_failed_hydration_gets_a_token": ('"outcome":"Failed"', "SecretSeen"),
    "a_failure_is_told_and_nothing_else": ("Recovered",),
    "a_failed_hydration_is_made_good": ('"outcome":"Failed"', '"outcome":"Complete"'),
    "a_claim_is_lost_with_a_backup": ("ClusterRolledBack",),
    "a_job_fails_before_its_claim_is_bound": ('"outcome":"Failed"', '"phase":"Bound"'),
    "a_staged_claim_is_found": ('"phase":"Bound"',),
    "a_staged_claim_is_lost_with_a_backup": ("ClusterRolledBack", '"change":"Latch"'),
    "another_claim_takes_the_name": ('"change":"Latch"',),
    "a_staged_cache_has_a_failed_job": ("Recovered", '"outcome":"Failed"'),
    "an_engine_serves_before_its_replica": ("DeploymentSeen", "ModelReplicaSeen"),
    "real_a_half_failing_warmup": ("BackoffLimitExceeded", "StatusStored"),
    "real_a_hydration_fails_once": ('"outcome":"Failed"', "Latch"),
    "real_five_idle_restarts": ("SessionStarted", "StatusStored"),
}


def test_every_recording_is_described() -> None:
    """Each file has its expectations, its rows of note, its story and its line in the README."""
    assert set(NAMES) == EXPECTED.keys() == TOLD_BY.keys()
    assert {name for name in NAMES if not name.startswith(REAL)} == set(making.NAMES)
    readme = (reading.FOLDER / "README.md").read_text()
    assert all(f"| `{name}` |" in readme for name in NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_recordings_are_small_and_tell_their_story(name: str) -> None:
    """A file fits into a repository, and holds what it was recorded for."""
    text = (reading.FOLDER / f"{name}.jsonl").read_text("ascii")
    assert len(text) < LARGEST
    assert [words for words in TOLD_BY[name] if words not in text] == []


@pytest.mark.parametrize("name", NAMES)
async def test_phases_and_outcomes_stay(name: str) -> None:
    """What the recording ended in is what it ends in now."""
    assert await reading.outcomes(reading.FOLDER / f"{name}.jsonl") == EXPECTED[name]


@pytest.mark.parametrize("name", NAMES)
async def test_decisions_stay(name: str) -> None:
    """This code decides at every border what the recording decided."""
    found = [str(divergence) async for divergence in verify(WARMLOG, reading.reader(name))]
    assert found == []


def test_courses_stay() -> None:
    """`warmlog verify` finds every recording as it was, with every step of its objects."""
    logs = [reading.FOLDER / f"{name}.jsonl" for name in NAMES]
    result = warmlog("verify", *logs, "--expect", reading.COURSES)
    assert result.exit_code == ExitCode.OK, result.stdout
    assert result.stdout.count("no divergence") == len(NAMES)


@pytest.mark.parametrize("name", OF_CLUSTERS)
async def test_replays_are_the_same_bytes(name: str, tmp_path: Path) -> None:
    """SQLite and JSON Lines, in batches of any size, give every status after every row alike."""
    place = tmp_path / "log.db"
    await import_log(reading.reader(name), place)
    async with await open_log(place) as log:
        told = {
            await reading.statuses(source, batch_rows)
            for source in (reading.reader(name), log)
            for batch_rows in BATCH_SIZES
        }
    assert len(told) == 1
    assert told != {""}


@pytest.mark.parametrize("name", OF_CLUSTERS)
async def test_a_replay_in_two_parts_is_the_same(name: str) -> None:
    """Folding to any row and on from there, also by way of a dump, is folding at once."""
    source = reading.reader(name)
    whole = WARMLOG.dump((await replay(WARMLOG, source)).state)
    for position in range(0, EXPECTED[name]["position"], 5):
        part = await replay(WARMLOG, source, Moment(position=position))
        again = part._replace(state=WARMLOG.load(WARMLOG.dump(part.state)))
        assert WARMLOG.dump((await replay(WARMLOG, source, start=again)).state) == whole


@pytest.mark.parametrize("around", AROUND, ids=lambda around: around["TZ"])
async def test_surroundings_change_nothing(around: dict[str, str]) -> None:
    """Processes with other hash seeds and in other time zones give the same bytes."""
    done = subprocess.run(  # noqa: ASYNC221 -- nothing else shares the loop
        [sys.executable, "-m", "tests.recordings.reading"],
        cwd=ROOT,
        env={**os.environ, **around},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert loads(done.stdout.decode()) == await reading.digests()


def test_the_commands_read_them() -> None:
    """`warmlog replay` and `warmlog verify` say of a recording what is expected of it."""
    path = reading.FOLDER / "crashes_around_a_create.jsonl"
    shown = warmlog("replay", path, "-o", "json")
    assert shown.exit_code == ExitCode.OK
    assert '"phase":"Succeeded"' in shown.stdout.replace(" ", "")
    verified = warmlog("verify", path)
    assert (verified.exit_code, verified.stdout.splitlines()[0][:13]) == (0, "no divergence")


@pytest.mark.parametrize("name", making.NAMES)
def test_stories_that_play_anew_end_alike(name: str, tmp_path: Path) -> None:
    """What makes the recordings still works, and today's controller comes to the same ends."""
    made = asyncio.run(reading.outcomes(making.make(name, tmp_path)))
    for kind in ("warmups", "caches", "replicas"):
        assert made[kind] == EXPECTED[name][kind]
