"""The clusters of one ModelCache: its claims and hydration Jobs, and what runs there of itself."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from engine.events import Subject
from machines.caches.levels import ClaimLevel, HydrationJobLevel
from machines.levels import Level
from machines.observations import Deleted, Observation, Seen
from property_tests.exploring.worlds import Budget, Move, Side, Wires

CLAIM, JOB = "PersistentVolumeClaim", "HydrationJob"
WATCHED = (CLAIM, JOB, "HydrationPod")  # the last: none is ever made


class There(NamedTuple):
    """An object in a cluster."""

    cluster: str
    subject: Subject
    version: int
    level: Level


class Feed(NamedTuple):
    """What is to be heard of one cluster, by kind and in order; nothing before it is listed."""

    listed: bool = False
    claims: tuple[Seen | Deleted, ...] = ()
    jobs: tuple[Seen | Deleted, ...] = ()


class CacheWorld(NamedTuple):
    """The clusters, and what is between them and the controller."""

    budget: Budget
    feeds: tuple[Feed, ...]  # by cluster
    made: tuple[int, ...]  # claims and Jobs that there ever were, by cluster
    wires: Wires = Wires()
    objects: tuple[There, ...] = ()  # by cluster and kind
    whole: tuple[str, ...] = ()  # uids of the claims that a Job has filled


def seen(there: There) -> Seen:
    """Observe an object as it is."""
    return Seen(there.cluster, there.subject, str(there.version), there.level)


def find(world: CacheWorld, cluster: str, kind: str, uid: str = "") -> There | None:
    """Give the object of a kind in a cluster, of this uid if one is given."""
    for one in world.objects:
        if (one.cluster, one.subject.kind) == (cluster, kind):
            return one if uid in ("", one.subject.uid) else None
    return None


def place(cluster: str) -> int:
    """Give where a cluster stands."""
    return ("ic/one", "ic/two").index(cluster)


def news_of(world: CacheWorld, news: Seen | Deleted) -> CacheWorld:
    """Send news; there is none of a cluster that is yet to be listed."""
    index = place(news.cluster)
    feed = world.feeds[index]
    if not feed.listed:
        return world
    if news.subject.kind == CLAIM:
        feed = feed._replace(claims=(*feed.claims, news))
    else:
        feed = feed._replace(jobs=(*feed.jobs, news))
    return with_feed(world, index, feed)


def with_feed(world: CacheWorld, index: int, feed: Feed) -> CacheWorld:
    """Change what is to be heard of a cluster."""
    feeds = list(world.feeds)
    feeds[index] = feed
    return world._replace(feeds=tuple(feeds))


def added(world: CacheWorld, cluster: str, subject: Subject, level: Level) -> CacheWorld:
    """Make an object; its uid says how many there were in its cluster."""
    index = place(cluster)
    made = list(world.made)
    made[index] += 1
    uid = f"{'claim' if subject.kind == CLAIM else 'job'}-{cluster[3:]}-{made[index]}"
    one = There(cluster, subject._replace(uid=uid), 1, level)
    objects = tuple(sorted((*world.objects, one), key=lambda each: each.subject.uid))
    return news_of(world._replace(made=tuple(made), objects=objects), seen(one))


def changed(world: CacheWorld, there: There, **changes: Any) -> CacheWorld:
    """Change an object."""
    after = there._replace(version=there.version + 1, level=there.level._replace(**changes))
    objects = tuple(after if one is there else one for one in world.objects)
    return news_of(world._replace(objects=objects), seen(after))


def removed(world: CacheWorld, there: There) -> CacheWorld:
    """Delete an object, and its Pods with it."""
    objects = tuple(one for one in world.objects if one is not there)
    news = Deleted(there.cluster, there.subject, str(there.version + 1), there.level)
    return news_of(world._replace(objects=objects), news)


def _own(words: str, world: CacheWorld, *, fault: bool = False) -> Move:
    return Move(words, world, fault=fault, side=Side.CLUSTER)


def goes_on(world: CacheWorld, there: There) -> Iterator[Move]:
    """What the binder and the Job's controller do next, and what may happen to a claim."""
    level, what = there.level, f"{there.subject.kind} {there.subject.uid}"
    if isinstance(level, ClaimLevel):
        if level.phase == "Pending":
            yield _own(f"{what} is bound", changed(world, there, phase="Bound"))
        if world.budget.failures:
            left = world.budget._replace(failures=world.budget.failures - 1)
            gone = removed(world._replace(budget=left), there)
            yield _own(f"somebody deletes {what}", gone, fault=True)
            if level.phase == "Bound":
                lost = changed(world._replace(budget=left), there, phase="Lost")
                yield _own(f"{what} loses its volume", lost, fault=True)
    elif isinstance(level, HydrationJobLevel) and not level.ended:
        claim = find(world, there.cluster, CLAIM, level.claim_uid)
        bound = claim is not None and getattr(claim.level, "phase", "") == "Bound"
        if bound:
            whole = tuple(sorted({*world.whole, level.claim_uid}))
            done = changed(world._replace(whole=whole), there, outcome="Complete")
            yield _own(f"{what} is Complete", done)


def shown_by(observations: tuple[Observation, ...]) -> Iterator[Seen]:
    """Give what was seen on the way to an answer."""
    yield from (one for one in observations if isinstance(one, Seen))
