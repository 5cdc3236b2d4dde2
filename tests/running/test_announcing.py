"""Announcing: one Event per change, none per pass, and none a second time."""

import asyncio

import pytest

from adapters.running.announcing import TOLD_SINGLY, Announcer
from adapters.running.writing import Writer, open_writer
from adapters.simulator.plans import Ending, NodePlan
from adapters.store.memory_logs import MemoryLog
from engine.events import Subject
from machines.ingesting import due_deadlines
from machines.labels import SUSPEND
from machines.levels import JobLevel, WarmupLevel
from machines.observations import Answered, Deleted, Done, Refused, Seen
from tests.running.fakes import WRITER, StubbornLog
from tests.running.living import living
from tests.running.stories import (
    CLUSTER,
    NOON,
    WARMUP,
    manifest,
    node_seen,
    pool_world,
    synced,
    warmup_seen,
)
from tests.running.virtual import in_world

PULL_FAILS = NodePlan(pull_failures=None)
FAILS = NodePlan(ending=Ending.FAIL)
ENDED_ELSEWHERE = {
    "phase": "Succeeded",
    "desiredNodes": 1,
    "succeededNodes": 1,
    "warmlog": {"uid": WARMUP.uid, "log": "another", "position": 99},
}


async def begun() -> Writer:
    """A writer of a synced cluster with one node and one warmup."""
    writer = await open_writer(MemoryLog("log"), WRITER, NOON)
    writer.fold_in(synced(node_seen("n1")), NOON)
    return writer


def told(announcer: Announcer, writer: Writer) -> list[tuple[str, str]]:
    """What is new now: type and reason."""
    return [(one.type, one.reason) for one in announcer.news(writer.state)]


async def test_each_change_of_phase_is_told_once() -> None:
    """A new phase is one Event; looking again, or at rows that change nothing, gives none [W76]"""
    writer = await begun()
    announcer = Announcer(writer.state)
    writer.fold_in([warmup_seen()], NOON)
    assert told(announcer, writer) == [("Normal", "Running")]
    assert told(announcer, writer) == []
    writer.fold_in([node_seen("n1", 11)], NOON)
    assert told(announcer, writer) == []


async def test_a_cause_is_told_when_it_changes() -> None:
    """What keeps a warmup from going on is told once for each cause, not for each retry."""
    writer = await begun()
    announcer = Announcer(writer.state)
    writer.fold_in([warmup_seen()], NOON)
    told(announcer, writer)
    causes = []
    clock = NOON
    for words in ("quota a", "quota a", "quota b"):
        [seq] = writer.state.open
        writer.fold_in([Answered(seq, Refused(403, "Forbidden", words))], clock)
        causes += announcer.news(writer.state)
        clock += 10**12
        writer.fold_in(due_deadlines(writer.state, clock), clock)
        causes += announcer.news(writer.state)
    assert [one.type for one in causes] == ["Warning"]
    assert causes[0].note.startswith("node n1: ")
    assert "quota a" in causes[0].note


async def test_success_is_that_of_a_job() -> None:
    """A node that succeeded is told by its Job, which is done; what its disk holds nobody knows.

    A kubelet removes images when it needs room, and names at most fifty of those it has [W71]
    """
    writer = await begun()
    announcer = Announcer(writer.state)
    writer.fold_in([warmup_seen()], NOON)
    announcer.news(writer.state)
    [seq] = writer.state.open
    level = JobLevel(WARMUP.uid, WARMUP.uid, "n1-uid", "n1", "", "Complete")
    job = Seen(CLUSTER, Subject("Job", "default", "j", "j-uid"), "60", level)
    writer.fold_in([Answered(seq, Done("j-uid")), job], NOON)
    [one] = announcer.news(writer.state)
    assert (one.reason, one.note) == ("NodeSucceeded", "node n1: its Job is complete")


async def test_what_held_before_the_session_is_not_told() -> None:
    """An announcer that begins on a state takes all in it as told."""
    writer = await begun()
    writer.fold_in([warmup_seen()], NOON)
    assert told(Announcer(writer.state), writer) == []


async def test_an_end_under_another_log_is_not_told_again() -> None:
    """What a status tells of the past was announced by whoever wrote it."""
    writer = await begun()
    announcer = Announcer(writer.state)
    writer.fold_in([warmup_seen(status=ENDED_ELSEWHERE)], NOON)
    assert writer.state.warmups[WARMUP.uid].recovered is not None
    assert told(announcer, writer) == []


async def test_what_is_gone_is_not_told() -> None:
    """A deleted warmup says nothing more, and another one of its name begins anew."""
    writer = await begun()
    announcer = Announcer(writer.state)
    writer.fold_in([warmup_seen()], NOON)
    told(announcer, writer)
    writer.fold_in([Deleted(CLUSTER, WARMUP, "60")], NOON)
    assert told(announcer, writer) == []
    again = WARMUP._replace(uid="other")
    writer.fold_in([warmup_seen(70)._replace(subject=again)], NOON)
    assert told(announcer, writer) == [("Normal", "Running")]


def test_few_nodes_are_told_singly() -> None:
    """Each node that ends has one Event, with its words when it failed, and the end has one."""
    world = pool_world("n1", "n2", "n3", plans={"n3": FAILS})
    world.apply(manifest(policies={"retryLimit": 0}))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            await asyncio.sleep(3)
            reasons = [one.reason for one in life.news]
            ends = ["Degraded", "NodeFailed", "NodeSucceeded", "NodeSucceeded", "Running"]
            assert sorted(reasons) == ends
            [failed] = [one for one in life.news if one.reason == "NodeFailed"]
            assert failed.type == "Warning"
            assert failed.note.startswith("node n3: ")
            assert {one.subject.name for one in life.news} == {"warm"}

    in_world(world, story)


def test_a_cause_is_told_while_it_lasts() -> None:
    """An image that cannot be pulled is told once, however often it is tried."""
    world = pool_world("n1", "n2", plans={"n2": PULL_FAILS})
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await asyncio.sleep(300)
            causes = [one for one in life.news if one.type == "Warning"]
            assert [one.reason for one in causes] == ["ImagePullBackOff"]
            assert causes[0].note.startswith("node n2: ")

    in_world(world, story)


@pytest.mark.parametrize("plan", [FAILS, NodePlan()])
def test_many_nodes_are_told_together(plan: NodePlan) -> None:
    """Beyond twenty ends successes are not told one by one, and failures in numbers."""
    count = 3 * TOLD_SINGLY
    world = pool_world(*(f"n{number:02}" for number in range(count)), plan=plan)
    world.apply(manifest(policies={"parallelism": count, "retryLimit": 0}))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            await asyncio.sleep(3)
            single = [one for one in life.news if one.reason in {"NodeFailed", "NodeSucceeded"}]
            assert len(single) <= TOLD_SINGLY
            together = [one for one in life.news if one.reason == "NodesFailed"]
            failed = sum(int(one.note.partition(" ")[0]) for one in together)
            assert failed + len(single) == count or plan is not FAILS
            assert len(life.news) <= TOLD_SINGLY + 20

    in_world(world, story)


@pytest.mark.parametrize(("count", "reasons"), [(20, ["NodeFailed"] * 20), (21, ["NodesFailed"])])
async def test_up_to_twenty_nodes_are_told_one_by_one(count: int, reasons: list[str]) -> None:
    """Twenty nodes that fail at once are twenty Events, and twenty-one are a single one."""
    writer = await begun()
    announcer = Announcer(writer.state)
    others = [node_seen(f"m{number}", 20 + number) for number in range(count - 1)]
    writer.fold_in([*others, warmup_seen(policies={"parallelism": count})], NOON)
    told(announcer, writer)
    never = Refused(413, "RequestEntityTooLarge", "too large")
    answers = [Answered(seq, never) for seq in list(writer.state.open)]
    writer.fold_in(answers, NOON)
    assert [reason for _, reason in told(announcer, writer) if "Failed" in reason] == reasons


def test_nothing_is_repeated_after_a_restart() -> None:
    """A later session tells only what is new since it began."""
    world = pool_world("n1", "n2", "n3", plans={"n3": PULL_FAILS})
    world.apply(manifest())
    log = StubbornLog(MemoryLog("log"))

    async def story() -> None:
        async with living(world, log) as first:
            await asyncio.sleep(60)
            assert first.news
        async with living(world, log) as second:
            await asyncio.sleep(60)
            assert second.news == []

    in_world(world, story)


async def test_a_suspension_is_told_when_it_begins_and_ends() -> None:
    """Whoever looks at the Events sees why no Job comes, and when Jobs come again."""
    writer = await begun()
    announcer = Announcer(writer.state)
    seen = warmup_seen()
    assert isinstance(seen.level, WarmupLevel)
    held = seen.level._replace(annotations=((SUSPEND, "true"),))
    writer.fold_in([seen._replace(level=held)], NOON)
    assert told(announcer, writer) == [("Normal", "Suspended"), ("Normal", "Running")]
    writer.fold_in([warmup_seen(41)], NOON)
    assert told(announcer, writer) == [("Normal", "Resumed")]
    assert told(announcer, writer) == []
