"""Concerning: a log with only the rows that can have to do with one object.

What is left out is left out before it is decoded, so that one object of a log of a million rows is
shown in a moment; what is shown of it is the same to the byte.
"""

from collections.abc import AsyncGenerator, Collection, Sequence

from adapters.store.databases import SqlReader
from adapters.store.json_lines import JsonLinesReader
from adapters.store.sifting import Part, Sieve, Sifter
from adapters.store.sifting_lines import LineSifter
from adapters.store.sifting_rows import RowSifter
from engine.errors import EventMalformed, LogUnreadable
from engine.events import Event, Subject
from engine.logs import EventReader, LogIdentity
from engine.replaying import Moment
from machines.concerning import (
    KINDS,
    OWNED,
    fixed_namespaces,
    foreign_kinds,
    owner_text,
    uids_of,
    workload_namespaces,
)
from machines.domain import WARMLOG
from machines.kinds import WARMUP
from machines.lasting import TELLING, lasting

MOST = 10_000  # subjects that are worth looking for; a log with more is read whole

Names = tuple[str, str, str]  # kind, namespace and name


class Concerning:
    """The rows that a sieve lets through (engine.logs.EventReader), at their old positions."""

    def __init__(self, whole: EventReader, sifter: Sifter, sieve: Sieve) -> None:
        """Read through `sifter` from the log that `whole` reads."""
        self._whole = whole
        self._sifter = sifter
        self._sieve = sieve

    async def identify(self) -> LogIdentity:
        """Say which log this is, and where the whole of it ends."""
        return await self._whole.identify()

    async def read(
        self, after: int = 0, until: int | None = None, *, batch_rows: int = 1000
    ) -> AsyncGenerator[Sequence[Event], None]:
        """Give the rows with after < seq ≤ until that are let through; `seq` has gaps."""
        rows = self._sifter.sift(self._sieve, after, until, batch_rows=batch_rows)
        async for batch in rows:
            yield batch


async def sifted(reader: EventReader, names: Names | None, moment: Moment) -> Part | None:
    """Give the rows that can have to do with objects of a name, or else with any, at a moment.

    None where all rows may, and where none can be left out unread.
    """
    sifter = sifter_of(reader)
    if sifter is None:
        return None
    # A log may grow while it is looked through: what comes after its end of now is not shown.
    end = (await reader.identify()).position if moment.position is None else moment.position
    if moment.at is not None:
        end = min(end, await sifter.position_at(moment.at))
    sieve = await (sieve_for(sifter, *names, end) if names else sieve_at(sifter, end))
    if sieve is None:
        return None
    last = await sifter.row_at(end)
    return Part(Concerning(reader, sifter, sieve), Moment(position=end), last)


def sifter_of(reader: EventReader) -> Sifter | None:
    """Give what looks through a log; None for one that is not at hand, as that of a controller."""
    if isinstance(reader, SqlReader):
        return RowSifter(reader)
    return LineSifter(reader) if isinstance(reader, JsonLinesReader) else None


async def sieve_for(
    sifter: Sifter, kind: str, namespace: str, name: str, until: int | None = None
) -> Sieve | None:
    """Give what lets all rows through that an object may depend on; None where that is all.

    There may be several objects of that name, on several clusters and one after the other, each of
    which matters from its beginning. What else was over by `until`, a row, may be left out.
    """
    kinds = foreign_kinds(kind)
    if not kinds:
        return None
    if kind == WARMUP:
        warmups = await sifter.below(f"{kind}/{namespace}/{name}/")
        return _sieve(kinds, await _with_theirs(sifter, warmups))
    told = await _told(sifter)
    if told is None:
        return None
    places = {namespace, *workload_namespaces(namespace, fixed_namespaces(told))}
    spans = [*await sifter.spans((WARMUP, "Job", "Pod"), until, places)]
    own = [span for span in spans if span.subject.startswith(f"{kind}/{namespace}/{name}/")]
    spans += (span._replace(is_over=False) for span in own)  # with all that was there meanwhile
    elsewhere = await _elsewhere(sifter, namespace, places)
    return _sieve(kinds, elsewhere | lasting(spans, told).others)


async def sieve_at(sifter: Sifter, until: int | None = None) -> Sieve | None:
    """Give what lets all rows through that anything may depend on which is there at a row.

    None where so much is there that nothing is won.
    """
    told = await _told(sifter)
    if told is None:
        return None
    homes = await sifter.homes(OWNED)
    warmups, others = lasting(await sifter.spans(("Job", "Pod"), until), told, homes)
    if len(warmups) + len(others) > MOST:
        return None
    return _sieve(KINDS, others | await _with_theirs(sifter, warmups))


async def _told(sifter: Sifter) -> Sequence[Event] | None:
    """Give what tells how spans are to be taken; None where that cannot be read.

    Whoever then reads the whole is told so at that row, if it comes to it.
    """
    rows = await sifter.of_types(*TELLING)
    state = WARMLOG.initial("")
    try:
        for row in rows:
            WARMLOG.fold(state, row)
    except (EventMalformed, LogUnreadable):
        return None
    return rows


def _sieve(kinds: tuple[str, ...], subjects: frozenset[str]) -> Sieve | None:
    return None if len(subjects) > MOST else Sieve(kinds, subjects)


async def _with_theirs(sifter: Sifter, warmups: frozenset[str]) -> frozenset[str]:
    """Give the subjects of ModelWarmups, of their Jobs, and of the Pods of those."""
    if len(warmups) > MOST:
        return warmups
    uids = uids_of(warmups)
    jobs = frozenset(
        job for job, _ in await sifter.linked("Job", "warmupUid", uids, {"controllerUid": uids})
    )
    if len(jobs) > MOST:
        return jobs
    pods = await sifter.linked("Pod", "jobUid", uids_of(jobs), {"warmupUid": uids})
    # Of a Job that was gone before anybody saw it only its Pods tell.
    unseen = frozenset(job for _, job in pods) - uids_of(jobs)
    gone = await sifter.ending("Job", unseen) if unseen else frozenset()
    return warmups | jobs | gone | frozenset(pod for pod, _ in pods)


async def _elsewhere(sifter: Sifter, namespace: str, places: Collection[str]) -> frozenset[str]:
    """Give what names an owner of a namespace and is in none of its places, with their Pods.

    Within its places a Pod is found by where it is: it is always where the Job is that controls it.
    """
    said = await sifter.saying(OWNED, owner_text(namespace))
    found = frozenset(one for one in said if Subject.parse(one).namespace not in places)
    jobs = uids_of(one for one in found if one.startswith("HydrationJob/"))
    if not jobs or len(jobs) > MOST:
        return found
    return found | {pod for pod, _ in await sifter.linked("HydrationPod", "jobUid", jobs, {})}
