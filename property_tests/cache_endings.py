"""Endings: after any story the faults stop, and a willing world does what is asked of it."""

from collections.abc import Iterator

from machines.caches.asking import release_questions
from machines.caches.blocking import block_of
from machines.caches.entries import EntryState
from machines.caches.finding import site_of
from machines.caches.levels import ClaimLevel, HydrationJobLevel, HydrationPodLevel
from machines.caches.selecting import is_abandoned, is_leaving
from machines.caches.states import SILENCE, Cache, Entry
from machines.observations import ClaimUsersRead, Deleted, Observation, Seen
from machines.states import Known, State
from property_tests import cache_actions as act
from property_tests.cache_chaos import CacheChaos, carried_out, place

ROUNDS = 25


def come_to_rest(chaos: CacheChaos) -> None:
    """Let every cluster answer, everything be listed, and all that is asked for be done."""
    for index in range(-1, 2):
        chaos.take(act.Reaches(index, reachable=True))
    for index in range(2):
        chaos.take(act.PlaceIs(index, system=False, terminating=False))
        chaos.take(act.ClassIs(index))
    chaos.take(act.Restart(listed=True))
    chaos.take(act.TokenIs("d9"))
    for _ in range(ROUNDS):
        for seq in list(chaos.state.open):
            if seq in chaos.state.open:
                chaos.tell(list(carried_out(chaos, seq)))
        for index in range(2):
            chaos.tell(list(_moved(chaos, place(index))))
        chaos.tell([
            ClaimUsersRead(one.cluster, one.subject, ()) for one in release_questions(chaos.state)
        ])  # fmt: skip
        chaos.take(act.AllListed())
        chaos.take(act.TimePasses(4000))


def unfinished(state: State) -> Iterator[str]:
    """Say which caches did not get where they were to get."""
    for seq, one in state.open.items():
        yield f"{seq} {one.intent} is still open"
    for cache in state.caches.values():
        if is_abandoned(cache):
            continue
        if cache.level.deleting and cache.level.held:
            yield f"{cache.subject} is still held"
        yield from (
            f"{cache.subject} on {entry.cluster} is {entry.state}"
            for entry in cache.entries.values()
            if not _is_where_it_should_be(state, cache, entry)
        )


def _is_where_it_should_be(state: State, cache: Cache, entry: Entry) -> bool:
    site = site_of(state, cache, entry)
    if site is None or block_of(state, cache, entry, site) is not SILENCE:
        return True
    if not entry.selected or is_leaving(cache):
        return False
    if cache.spec is None:
        return entry.state is EntryState.FAILED
    return entry.state is EntryState.READY or site.claim_level.phase == "Lost"


def _moved(chaos: CacheChaos, cluster: str) -> Iterator[Observation]:
    """Bind claims, end Jobs and Pods, and let go what is being deleted."""
    for kind in ("PersistentVolumeClaim", "HydrationJob", "HydrationPod", "Secret"):
        for known in chaos.known(cluster, kind):
            if getattr(known.level, "deleting", False):
                yield Deleted(cluster, known.subject, chaos.version())
            else:
                yield from _gone_on(chaos, cluster, known)


def _gone_on(chaos: CacheChaos, cluster: str, known: Known) -> Iterator[Seen | Deleted]:
    level = known.level
    if isinstance(level, ClaimLevel) and level.phase == "Pending":
        yield chaos.seen(cluster, known.subject, level._replace(phase="Bound"))
    elif isinstance(level, HydrationJobLevel) and not level.ended:
        yield chaos.seen(cluster, known.subject, level._replace(outcome="Complete"))
    elif isinstance(level, HydrationPodLevel):
        yield Deleted(cluster, known.subject, chaos.version())
