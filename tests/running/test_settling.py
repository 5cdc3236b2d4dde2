"""Settling: what no watch shows any more is asked for by name before it is believed to be gone."""

import asyncio

import pytest

from adapters.running.limits import Limits
from adapters.running.settling import AT_ONCE, SettlingBook
from adapters.simulator.clock import SECOND, Span
from adapters.simulator.driving import start
from adapters.simulator.faults import Loss, every
from adapters.simulator.plans import Ending, NodePlan
from adapters.simulator.worlds import World
from adapters.store.memory_logs import MemoryLog
from engine.events import Subject
from machines.caches.levels import HydrationJobLevel
from machines.labels import WARMUP_UID
from machines.levels import JobLevel
from machines.observations import Deleted, Listed, RolledBack, Seen
from tests.caches.builders import ONE, CacheScene
from tests.caches.willing import carry_out
from tests.machines.builders import CLUSTER, NAMESPACE, Scene, selecting, spec_of
from tests.running.fakes import WRITER
from tests.running.living import Life, check, living, phase, status
from tests.running.stories import manifest, pool_world
from tests.running.virtual import in_world

SLOW = NodePlan(pull=Span(60 * SECOND, 60 * SECOND))


def only(world: World, kind: str) -> str:
    """Give the name of the one object of a kind."""
    (found,) = world.listed(kind)
    name: str = found["metadata"]["name"]
    return name


def reads(life: Life, part: str) -> int:
    """How often single objects were read whose path holds `part`."""
    return sum(each.method == "GET" and part in each.path for each in life.api.requests)


def test_a_pod_that_lost_its_label_holds_its_slot() -> None:
    """It is asked for, ever more rarely, until it is gone; only then the next Job is made."""
    plan = NodePlan(ending=Ending.HANG, stop=Span(25 * SECOND, 25 * SECOND))
    world = pool_world("n1", plan=plan)
    world.apply(manifest(policies={"parallelism": 1, "retryLimit": 1}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: len(world.listed("Pod")) == 1)
            await asyncio.sleep(10)
            world.relabel("Pod", "default", only(world, "Pod"), {WARMUP_UID: None})
            await asyncio.sleep(1)
            job = only(world, "Job")
            world.delete_job("default", job)
            await life.until(lambda: not world.find("Job", "default", job), seconds=5)
            await asyncio.sleep(15)
            assert world.listed("Job") == []
            assert status(world)["targets"][0]["reason"] == "PodsTerminating"
            await life.until(lambda: world.listed("Job"), seconds=60)
            assert life.types.count("CreateJobIntended") == 2
            assert reads(life, "/pods/") < 12
            await life.until(lambda: not life.unsent and not life.controller.writer.state.open)
            await check(life)

    in_world(world, story)


def test_a_job_that_is_deleted_is_gone() -> None:
    """A Job that a fresh read does not find has vanished, and is made again at once."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Pod"))
            first = only(world, "Job")
            world.delete_job("default", first)
            await life.until(lambda: life.types.count("CreateJobIntended") == 2, seconds=5)
            assert reads(life, f"/jobs/{first}") == 1
            await life.ended()
            await check(life)

    in_world(world, story)


def test_without_an_answer_nothing_is_gone() -> None:
    """While nobody says whether the Job is there it is kept, and asked for again."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: world.listed("Pod"))
            first = only(world, "Job")
            world.api.faults.add(every("GET", f"/jobs/{first}"), Loss.REPLY, times=4)
            world.delete_job("default", first)
            await asyncio.sleep(5)
            assert status(world)["activeNodes"] == 1
            assert "Gone" not in [row.type for row in life.log.rows if "Job/" in row.subject]
            await life.until(lambda: life.types.count("CreateJobIntended") == 2, seconds=30)
            await life.ended()
            await check(life)

    in_world(world, story)


def test_what_has_its_outcome_may_go_unasked() -> None:
    """Nobody asks about finished Jobs and Pods that go after the end."""
    world = pool_world("n1", "n2", "n3")
    world.apply(manifest(policies={"ttlSecondsAfterFinished": 1}))

    async def story() -> None:
        async with living(world) as life:
            await life.ended()
            await life.until(lambda: not world.listed("Pod"))
            await asyncio.sleep(5)
            assert (reads(life, "/pods/"), world.listed("Job")) == (0, [])

    in_world(world, story)


def test_a_namespace_that_goes_makes_no_wave() -> None:
    """What a namespace takes with it is not asked about, object by object."""
    world = pool_world(*(f"n{index:02}" for index in range(30)), plan=SLOW)
    world.apply(manifest(policies={"parallelism": 30}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: len(world.listed("Pod")) == 30)
            world.delete_namespace("default")
            await life.until(lambda: not world.listed("Pod"))
            assert reads(life, "/pods/") + reads(life, "/jobs/") == 0

    in_world(world, story)


def test_a_wave_is_asked_a_few_at_a_time() -> None:
    """However many Jobs somebody deletes at once, only so many reads are under way."""
    world = pool_world(*(f"n{index:02}" for index in range(40)), plan=SLOW)
    world.apply(manifest(policies={"parallelism": 40}))

    async def story() -> None:
        async with living(world) as life:
            await life.until(lambda: len(world.listed("Pod")) == 40)
            await asyncio.sleep(5)
            life.api.seconds, life.api.most_at_once = 1.0, 0
            for job in world.listed("Job"):
                world.delete_job("default", job["metadata"]["name"], "Orphan")
            await asyncio.sleep(0.9)
            assert AT_ONCE <= life.api.most_at_once <= AT_ONCE + Limits().statuses
            await life.until(lambda: len(world.listed("Job")) == 0)

    in_world(world, story)


def scene_with_job() -> tuple[Scene, Subject, JobLevel]:
    """A warmup whose Job runs."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    scene.accept("a")
    return scene, scene.job_subject("a"), scene.job_level("a")


def test_a_roll_back_is_believed() -> None:
    """The list that follows on a roll-back shows another past: nothing of it is doubted."""
    scene, _, _ = scene_with_job()
    listed = Listed(CLUSTER, "Job", "999", ())
    book = SettlingBook()
    assert book.sift(scene.state, [RolledBack(CLUSTER, "older"), listed], 0)[1] == listed
    (doubted,) = book.sift(scene.state, [listed], 0)
    assert isinstance(doubted, Listed)
    assert len(doubted.unsettled) == 1


def test_who_shows_up_again_is_not_asked_for() -> None:
    """A label that is put back before anybody asked makes the question moot."""
    scene, subject, level = scene_with_job()
    book = SettlingBook()
    assert book.sift(scene.state, [Deleted(CLUSTER, subject, "900")], 0) == []
    assert book.next_due(CLUSTER) == 0
    seen = Seen(CLUSTER, subject, "901", level)
    assert book.sift(scene.state, [seen], 0) == [seen]
    assert (book.next_due(CLUSTER), book.due(CLUSTER, 0)) == (None, [])


def test_each_cluster_is_asked_for_itself() -> None:
    """Two InferenceClusters that prove to be one cluster show the same objects, with the same uids:
    what one of them answers settles nothing for the other.
    """
    scene, subject, level = scene_with_job()
    other = "ic/twin"
    book = SettlingBook()
    book.sift(scene.state, [Deleted(CLUSTER, subject, "900")], 0)
    shown = Seen(other, subject, "900", level)
    book.sift(scene.state, [shown, Deleted(other, subject, "901")], 0)
    assert [one.gone.cluster for one in book.due(other, 0)] == [other]
    (first,) = book.due(CLUSTER, 0)
    book.found(first, None, 0)
    assert book.next_due(CLUSTER) is None


def test_it_is_asked_ever_more_rarely() -> None:
    """What stays hidden is asked for after 1, 2, 4 … 60 seconds; an answer makes it Seen."""
    scene, subject, level = scene_with_job()
    book = SettlingBook()
    book.sift(scene.state, [Deleted(CLUSTER, subject, "900")], 0)
    hidden = Seen(CLUSTER, subject, "901", level._replace(warmup_uid=""))
    now, waits = 0, []
    for _ in range(9):
        (absence,) = book.due(CLUSTER, now)
        assert book.due(CLUSTER, now) == []
        assert book.found(absence, hidden, now) == (hidden,)
        due = book.next_due(CLUSTER)
        assert due is not None
        waits.append((due - now) // SECOND)
        now = due
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    (absence,) = book.due(CLUSTER, now)
    (gone,) = book.found(absence, None, now)
    assert isinstance(gone, Deleted)
    assert (gone.settled, gone.version, book.next_due(CLUSTER)) == (True, "901", None)
    assert book.sift(scene.state, [gone], now) == [gone]


@pytest.mark.parametrize("namespace", [NAMESPACE, "elsewhere"])
def test_of_others_nobody_asks(namespace: str) -> None:
    """A Job that no warmup of this log has is gone when it is said to be."""
    scene, _, level = scene_with_job()
    scene.foreign_job("f", level._replace(controller_uid="somebody"), namespace=namespace)
    gone = Deleted(CLUSTER, Subject("Job", namespace, "foreign-f", "f"), "900")
    assert SettlingBook().sift(scene.state, [gone], 0) == [gone]


async def test_the_driver_settles_as_the_loop_does() -> None:
    """In a simulated world a Job that is deleted by hand is asked for, and made again."""
    world = pool_world("n1", plan=SLOW)
    world.apply(manifest())
    log = MemoryLog("log")
    driver = await start(world, log, WRITER)
    await driver.run(until_at=world.cluster.now + 5 * SECOND)
    world.delete_job("default", only(world, "Job"))
    await driver.run()
    assert phase(world) == "Succeeded"
    assert [row.type for row in log.rows].count("CreateJobIntended") == 2


def first_shown() -> tuple[Scene, Seen]:
    """A scene that has never heard of a Job, and that Job as its create shows it."""
    scene = Scene()
    scene.node("a")
    scene.warmup(spec_of(selecting()))
    subject = Subject("Job", NAMESPACE, "mw-a", "job-a")
    return scene, Seen(CLUSTER, subject, str(scene.next()), scene.job_level("a"))


def test_a_job_that_loses_its_label_at_once_is_asked_for() -> None:
    """Shown and gone from sight within one batch, it is no less in doubt than a known one."""
    scene, seen = first_shown()
    book = SettlingBook()
    gone = Deleted(CLUSTER, seen.subject, str(scene.next()))
    assert book.sift(scene.state, [seen, gone], scene.clock) == [seen]
    assert [one.subject for one in book.due(CLUSTER, scene.clock)] == [seen.subject]


def test_a_list_does_not_take_away_what_its_batch_shows_first() -> None:
    """Neither is what a list of the same batch does not hold any more."""
    scene, seen = first_shown()
    book = SettlingBook()
    listed = Listed(CLUSTER, "Job", str(scene.next()), ())
    _, sifted = book.sift(scene.state, [seen, listed], scene.clock)
    assert isinstance(sifted, Listed)
    assert sifted.unsettled == {seen.subject.uid}
    scene.tell(seen, sifted)
    assert "Gone" not in [row.type for row in scene.rows]


def test_what_a_list_shows_and_its_watch_takes_away_at_once_is_asked_for() -> None:
    """A list from the past shows an object with its label; taken off since, it comes as deleted."""
    scene, subject, level = scene_with_job()
    book = SettlingBook()
    other = subject._replace(uid="not-seen-yet")
    shown = Listed(CLUSTER, "Job", "900", (Seen(CLUSTER, other, "899", level),))
    assert book.sift(scene.state, [shown, Deleted(CLUSTER, other, "901")], 0)[1:] == []
    assert other in [one.subject for one in book.due(CLUSTER, 0)]


def test_what_a_list_no_longer_held_is_asked_about_when_an_answer_still_shows_it() -> None:
    """A list that overtakes an answer leaves nobody to say that what it shows has gone since."""
    scene, seen = first_shown()
    book = SettlingBook()
    listed = Listed(CLUSTER, "Job", str(scene.next()), ())
    scene.tell(*book.sift(scene.state, [listed], scene.clock))
    scene.tell(*book.sift(scene.state, [seen], scene.clock))
    (absence,) = book.due(CLUSTER, scene.clock)
    assert "job-a" in scene.state.jobs
    scene.tell(*book.sift(scene.state, book.found(absence, None, scene.clock), scene.clock))
    assert "job-a" not in scene.state.jobs
    assert book.next_due(CLUSTER) is None


def test_what_has_ended_in_the_log_is_not_asked_about_whatever_shows_it() -> None:
    """An answer that shows it anew is not taken in: asked again, it would be shown for ever."""
    scene, seen = first_shown()
    book = SettlingBook()
    scene.tell(seen, Deleted(CLUSTER, seen.subject, str(scene.next()), settled=True))
    listed = Listed(CLUSTER, "Job", str(scene.next()), ())
    scene.tell(*book.sift(scene.state, [listed], scene.clock))
    scene.tell(*book.sift(scene.state, [seen], scene.clock))
    assert "job-a" not in scene.state.jobs
    assert book.next_due(CLUSTER) is None


def test_what_a_create_has_found_is_asked_about_when_a_newer_list_did_not_hold_it() -> None:
    """It counted as gone, and is taken in: whether it still is there no watch will say."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    claim, book = scene.known(ONE, "PersistentVolumeClaim"), SettlingBook()
    scene.claim_gone()
    [seq] = [seq for seq, one in scene.state.open.items() if "Claim" in str(one.intent)]
    listed = Listed(ONE, claim.subject.kind, str(scene.next()), ())
    scene.tell(*book.sift(scene.state, [listed], scene.clock))
    seen = Seen(ONE, claim.subject, str(claim.version), claim.level, found_by=seq)
    scene.tell(*book.sift(scene.state, [seen], scene.clock))
    assert [one.subject for one in book.due(ONE, scene.clock)] == [claim.subject]


def test_what_was_made_after_a_list_is_not_asked_about() -> None:
    """The watch tells of it from there on; so it does of what a list has held."""
    scene, seen = first_shown()
    book = SettlingBook()
    listed = Listed(CLUSTER, "Job", seen.version, (seen,))
    assert book.sift(scene.state, [listed, seen], 0) == [listed, seen]
    scene.tell(listed)
    assert book.sift(scene.state, [seen], 0) == [seen]
    newer = Seen(CLUSTER, seen.subject._replace(uid="newer"), str(scene.next()), seen.level)
    assert book.sift(scene.state, [newer], 0) == [newer]
    assert book.next_due(CLUSTER) is None


def test_a_job_that_ends_and_goes_at_once_is_gone() -> None:
    """What has its outcome within the batch needs no reading."""
    scene, seen = first_shown()
    book = SettlingBook()
    gone = Deleted(CLUSTER, seen.subject, str(scene.next()), scene.job_level("a", "Complete"))
    assert book.sift(scene.state, [seen, gone], scene.clock) == [seen, gone]


@pytest.mark.parametrize("outcome", ["", "Complete"])
def test_what_holds_a_wanted_name_is_asked_for_until_it_is_gone(outcome: str) -> None:
    """Somebody's Job under the name of a hydration Job, finished or not, is never just dropped."""
    scene = CacheScene()
    scene.cache()
    carry_out(scene)
    level = HydrationJobLevel(outcome=outcome)
    subject = scene.known(ONE, "HydrationJob").subject._replace(uid="somebody")
    seen, book = Seen(ONE, subject, "900", level), SettlingBook()
    assert book.sift(scene.state, [seen], 0) == [seen]
    (absence,) = book.due(ONE, SECOND)
    assert book.found(absence, seen, SECOND) == (seen,)
    assert book.sift(scene.state, [seen], SECOND) == [seen]
    (absence,) = book.due(ONE, 3 * SECOND)
    (gone,) = book.found(absence, None, 3 * SECOND)
    assert (gone, book.next_due(ONE)) == (Deleted(ONE, subject, "900", settled=True), None)
