"""Concerning: a log with only the rows that can have to do with one object.

What is left out is left out before it is decoded, so that one object of a log of a million rows is
shown in a moment; what is shown of it is the same to the byte.
"""

from collections.abc import AsyncGenerator, Sequence

from adapters.store.sifting import Sieve, Sifter
from engine.events import Event
from engine.logs import EventReader, LogIdentity
from machines.concerning import (
    OWNED,
    OWNERS,
    WARMUP,
    foreign_kinds,
    owner_text,
    uids_of,
    workload_namespaces,
)

MOST = 10_000  # subjects that are worth looking for; a log with more is read whole


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


async def sieve_for(sifter: Sifter, kind: str, namespace: str, name: str) -> Sieve | None:
    """Give what lets all rows through that an object may depend on; None where that is all.

    There may be several objects of that name, on several clusters and one after the other.
    """
    kinds = foreign_kinds(kind)
    if not kinds:
        return None
    if kind == WARMUP:
        begins = set[str]()
        subjects = await _of_warmup(sifter, f"{kind}/{namespace}/{name}/")
    else:
        begins, subjects = await _of_namespace(sifter, namespace)
    whole = len(subjects) > MOST
    return None if whole else Sieve(kinds, frozenset(begins), subjects)


async def _of_warmup(sifter: Sifter, begin: str) -> frozenset[str]:
    """Give the subjects of ModelWarmups, of their Jobs, and of the Pods of those."""
    own = await sifter.below(begin)
    uids = uids_of(own)
    jobs = await sifter.saying("Job", uids)
    if len(jobs) > MOST:
        return jobs
    pods = await sifter.linked("Pod", "jobUid", uids_of(jobs), uids)
    # Of a Job that was gone before anybody saw it only its Pods tell.
    unseen = frozenset(job for _, job in pods) - uids_of(jobs)
    gone = await sifter.ending("Job", unseen) if unseen else frozenset()
    return own | jobs | gone | frozenset(pod for pod, _ in pods)


async def _of_namespace(sifter: Sifter, namespace: str) -> tuple[set[str], frozenset[str]]:
    """Give how subjects begin that have to do with the owners of a namespace, and which else do."""
    there = workload_namespaces(namespace, await sifter.of_type("SessionStarted"))
    begins = {f"{kind}/{namespace}/" for kind in OWNERS}
    begins |= {f"{kind}/{name}/" for kind in OWNED for name in there}
    subjects: set[str] = set()
    for kind in OWNED:
        subjects |= await sifter.saying(kind, [owner_text(namespace)])
    jobs = [one for one in subjects if one.startswith("HydrationJob/")]
    for name in there:
        jobs += await sifter.below(f"HydrationJob/{name}/")
    if len(jobs) <= MOST:
        pods = await sifter.linked("HydrationPod", "jobUid", uids_of(jobs), ())
        subjects.update(pod for pod, _ in pods)
    elsewhere = (one for one in subjects if not one.startswith(tuple(begins)))
    return begins, frozenset(jobs if len(jobs) > MOST else elsewhere)
