"""Effecting: intents carried out a few at a time, and looked up until their outcome is sure."""

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

from adapters.running.effecting import LONGEST_LOOK_UP_SECONDS, Effector
from adapters.running.limits import Limits
from adapters.simulator.faults import Loss, every, internal_error
from adapters.simulator.worlds import World
from machines.intents import DeleteJob, Effect
from machines.observations import Absent, Answer, Answered, Done, Observation, Seen, Unknown
from tests.running.fakes import WatchedApi
from tests.running.stories import CLUSTER, WARMUP, create_effect, manifest
from tests.running.virtual import LoopTimer, in_world


class Desk:
    """An effector at work on a world, and what it reports."""

    def __init__(self, world: World, concurrency: int) -> None:
        """Work on `world`."""
        self.api = WatchedApi(world.api)
        self.reported: list[tuple[float, Observation]] = []
        self.unwanted: set[int] = set()
        self.effector = Effector(
            self.api, self.take, LoopTimer(), self.wanted, Limits(effects=concurrency)
        )

    def wanted(self, seq: int) -> bool:
        """Say whether an intent still holds."""
        return seq not in self.unwanted

    async def take(self, observations: tuple[Observation, ...]) -> None:
        """Take a report."""
        now = asyncio.get_running_loop().time()
        self.reported += [(now, one) for one in observations]

    @property
    def answers(self) -> list[tuple[int, Answer]]:
        """The outcomes so far."""
        return [
            (one.intent_seq, one.answer) for _, one in self.reported if isinstance(one, Answered)
        ]


def at_work(
    work: Callable[[Desk], Coroutine[Any, Any, None]],
    *,
    world: World | None = None,
    concurrency: int = 4,
) -> Desk:
    """Give the desk on which `work` was done."""
    world = world or World(1, name=CLUSTER)

    async def story() -> Desk:
        desk = Desk(world, concurrency)
        running = asyncio.create_task(desk.effector.run())
        await work(desk)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return desk

    return in_world(world, story)


def test_a_create_is_reported_with_its_job() -> None:
    """The Job as it was answered comes before the outcome, in one report."""

    async def work(desk: Desk) -> None:
        desk.effector.perform(create_effect(3))
        await asyncio.sleep(1)

    desk = at_work(work)
    [(_, seen), (_, answered)] = desk.reported
    assert isinstance(seen, Seen)
    assert answered == Answered(3, Done(seen.subject.uid))


def test_only_so_many_at_once() -> None:
    """Never more requests than workers, and all of them are carried out."""

    async def work(desk: Desk) -> None:
        desk.api.seconds = 1
        for seq in range(10):
            desk.effector.perform(create_effect(seq))
        await asyncio.sleep(3.5)
        assert len(desk.answers) == 9
        await asyncio.sleep(1)

    desk = at_work(work, concurrency=3)
    assert desk.api.most_at_once == 3
    assert sorted(seq for seq, _ in desk.answers) == list(range(10))


def test_a_body_that_is_not_as_intended_is_not_sent() -> None:
    """When the rebuilt body is not the one decided upon, it did not happen, and nothing is sent."""

    async def work(desk: Desk) -> None:
        desk.effector.perform(create_effect(3, digest="another"))
        desk.effector.perform(create_effect(4)._replace(body=None))
        await asyncio.sleep(1)

    desk = at_work(work)
    assert desk.answers == [(3, Absent()), (4, Absent())]
    assert desk.api.requests == []


def test_what_is_not_wanted_any_more_is_not_sent() -> None:
    """An intent is asked for again when its turn has come: what ceased to hold did not happen."""

    async def work(desk: Desk) -> None:
        desk.api.seconds = 1
        for seq in (3, 4, 5):
            desk.effector.perform(create_effect(seq))
        await asyncio.sleep(0.5)
        desk.unwanted |= {3, 5}  # the first is under way, and nothing can call it back
        await asyncio.sleep(5)

    desk = at_work(work, concurrency=1)
    assert [(seq, type(answer)) for seq, answer in desk.answers] == [
        (3, Done), (4, Done), (5, Absent),
    ]  # fmt: skip
    assert [request.method for request in desk.api.requests] == ["POST", "POST"]


def lost(fault: Loss, look_ups: int) -> Desk:
    """A create whose answer is lost, and whose first look-ups fail too."""
    world = World(1, name=CLUSTER)
    owner_uid = world.apply(manifest())["metadata"]["uid"]
    world.api.faults.add(every("POST"), fault)
    world.api.faults.add(every("GET", "/jobs/"), Loss.REQUEST, times=look_ups)

    async def work(desk: Desk) -> None:
        desk.effector.perform(create_effect(3, owner_uid=owner_uid))
        await asyncio.sleep(600)

    return at_work(work, world=world)


def test_an_unknown_outcome_is_looked_up_until_it_is_sure() -> None:
    """A lost answer is Unknown at once, and Done as soon as a look-up tells."""
    desk = lost(Loss.REPLY, 3)
    [(_, first), (_, second)] = desk.answers
    assert isinstance(first, Unknown)
    assert isinstance(second, Done)
    assert [request.method for request in desk.api.requests] == ["POST", *["GET"] * 4]


def test_what_did_not_land_is_absent() -> None:
    """A lost request is found to have changed nothing; it is not sent again from here."""
    desk = lost(Loss.REQUEST, 1)
    assert [type(answer) for _, answer in desk.answers] == [Unknown, Absent]
    assert [request.method for request in desk.api.requests] == ["POST", "GET", "GET"]


def test_look_ups_come_slower_and_hold_no_worker() -> None:
    """While nobody answers, look-ups back off to half a minute, and other effects go on."""
    world = World(1, name=CLUSTER)
    world.api.faults.add(every("POST"), Loss.REPLY)
    world.api.faults.add(every("GET", "/jobs/"), internal_error(), times=1000)
    looked: list[float] = []

    async def work(desk: Desk) -> None:
        desk.effector.perform(create_effect(3))
        desk.effector.perform(create_effect(4))
        asked = 0
        for _ in range(3000):
            await asyncio.sleep(0.1)
            if len(desk.api.requests) > asked:
                asked = len(desk.api.requests)
                looked.append(asyncio.get_running_loop().time())

    desk = at_work(work, world=world, concurrency=1)
    assert [seq for seq, _ in desk.answers] == [3, 4]
    gaps = [round(later - earlier) for earlier, later in pairwise(looked)]
    assert gaps[:6] == [1, 2, 4, 8, 16, 30]
    assert set(gaps[6:]) == {round(LONGEST_LOOK_UP_SECONDS)}


def test_an_old_intent_is_looked_up_and_not_sent() -> None:
    """A look-up asks, whatever the body; a Job that is gone means that its delete landed."""
    delete = Effect(5, CLUSTER, DeleteJob(WARMUP.uid, "default", "warm-9", "job-uid", "n1-uid"))

    async def work(desk: Desk) -> None:
        desk.effector.look_up(create_effect(3)._replace(body=None))
        desk.effector.look_up(delete)
        await asyncio.sleep(1)

    desk = at_work(work)
    assert dict(desk.answers) == {3: Absent(), 5: Done("job-uid", found=True)}
    assert desk.api.writes == []


def test_a_look_up_that_fails_is_repeated() -> None:
    """An old intent whose look-up is not answered stays unknown, and is asked for again."""
    world = World(1, name=CLUSTER)
    world.api.faults.add(every("GET"), Loss.REQUEST, times=2)

    async def work(desk: Desk) -> None:
        desk.effector.look_up(create_effect(3))
        await asyncio.sleep(10)

    desk = at_work(work, world=world)
    assert [type(answer) for _, answer in desk.answers] == [Unknown, Absent]
