"""The Lease: who holds it, for how long, and when another may take it over."""

import asyncio
from typing import Any

import pytest

from adapters.kubernetes.leases import LeaseHolder, LeaseLost, LeaseTerms
from adapters.ports import ApiUnanswered, Request, Response
from tests.kubernetes.fakes import AnsweringApi, ManualTimer, refused

TERMS = LeaseTerms("warmlog-system", "warmlog", "a", duration_seconds=15, renew_seconds=5)
PATH = "/apis/coordination.k8s.io/v1/namespaces/warmlog-system/leases"


class LeaseServer:
    """Holds one Lease, with optimistic concurrency; `broken` makes it silent."""

    def __init__(self) -> None:
        """Begin without a Lease."""
        self.lease: dict[str, Any] | None = None
        self.version = 0
        self.broken = False
        self.api = AnsweringApi(self.answer)

    def answer(self, request: Request) -> Response | Exception:
        """Do what was asked."""
        if self.broken:
            return ApiUnanswered("no answer within 5 s")
        match request.method:
            case "GET" if self.lease is None:
                return refused(404, "NotFound", "not found")
            case "GET":
                return Response(200, self.lease)
            case "POST" if self.lease is not None:
                return refused(409, "AlreadyExists", "exists")
            case "PUT" if self.lease is None or self.lease["metadata"] != request.body["metadata"]:
                return refused(409, "Conflict", "modified")
        return Response(200, self.store(request.body))

    def store(self, body: dict[str, Any]) -> dict[str, Any]:
        """Keep a Lease in a new version."""
        self.version += 1
        metadata = {**body["metadata"], "uid": "lease-uid", "resourceVersion": str(self.version)}
        self.lease = {**body, "metadata": metadata}
        return self.lease

    def hold(self, identity: str, *, renewed: int = 0, duration: int = 15) -> None:
        """Let somebody else hold it; `renewed` makes one renewal differ from another."""
        spec = {
            "holderIdentity": identity,
            "leaseDurationSeconds": duration,
            "renewTime": renewed,
            "leaseTransitions": 3,
        }
        self.store({"metadata": {"name": "warmlog", "namespace": "warmlog-system"}, "spec": spec})

    @property
    def spec(self) -> dict[str, Any]:
        """The Lease's spec."""
        assert self.lease is not None
        spec: dict[str, Any] = self.lease["spec"]
        return spec


def _holder(server: LeaseServer, timer: ManualTimer, identity: str = "a") -> LeaseHolder:
    terms = TERMS._replace(identity=identity)
    return LeaseHolder(server.api, terms, now=lambda: 1_000_000_000, timer=timer)


async def test_a_lease_that_does_not_exist_is_made() -> None:
    """It is created with us as its holder, and lasts from before the request."""
    server, timer = LeaseServer(), ManualTimer()
    holder = _holder(server, timer)
    assert not holder.held
    await holder.acquire()
    assert [request.method for request in server.api.requests] == ["GET", "POST"]
    assert server.api.requests[1].path == PATH
    assert server.spec == {
        "holderIdentity": "a",
        "leaseDurationSeconds": 15,
        "acquireTime": "1970-01-01T00:00:01.000000Z",
        "renewTime": "1970-01-01T00:00:01.000000Z",
        "leaseTransitions": 0,
    }
    assert holder.outlives(14.9)
    assert not holder.outlives(15)


async def test_another_holders_lease_is_waited_for() -> None:
    """It is taken only when it has not moved for its own duration, by our clock."""
    server, timer = LeaseServer(), ManualTimer()
    server.hold("b", duration=15)
    holder = _holder(server, timer)
    assert not await holder.try_acquire()
    assert holder.words == "it is held by b"
    timer.now = 14.9
    assert not await holder.try_acquire()
    timer.now = 15.0
    assert await holder.try_acquire()
    assert (server.spec["holderIdentity"], server.spec["leaseTransitions"]) == ("a", 4)
    assert holder.words == ""


async def test_a_lease_that_is_renewed_is_not_taken() -> None:
    """Each renewal begins the wait anew, whatever its timestamps say."""
    server, timer = LeaseServer(), ManualTimer()
    holder = _holder(server, timer)
    for renewed in range(10):
        server.hold("b", renewed=renewed)
        assert not await holder.try_acquire()
        timer.now += 10


async def test_of_two_that_see_it_free_one_gets_it() -> None:
    """The version decides: the slower one finds it held."""
    server, timer = LeaseServer(), ManualTimer()
    first, second = _holder(server, timer), _holder(server, timer, "c")
    server.hold("b")
    await first.try_acquire()
    await second.try_acquire()
    timer.now = 20
    results = await asyncio.gather(first.try_acquire(), second.try_acquire())
    assert sorted(results) == [False, True]
    loser = second if results[0] else first
    assert loser.words in {"another process was quicker", "it is held by a", "it is held by c"}


async def test_a_released_lease_is_taken_at_once() -> None:
    """Giving it back spares the next holder the wait, and what others wrote on it stays."""
    server, timer = LeaseServer(), ManualTimer()
    first, second = _holder(server, timer), _holder(server, timer, "c")
    await first.acquire()
    assert not await second.try_acquire()
    assert server.lease is not None
    server.lease["metadata"]["labels"] = {"team": "ml"}
    await first.release()
    assert not first.held
    assert server.lease["metadata"]["labels"] == {"team": "ml"}
    assert await second.try_acquire()
    await first.release()
    assert server.spec["holderIdentity"] == "c"


async def test_a_lease_that_is_kept_outlives_every_pause() -> None:
    """Renewed every five seconds, it is surely ours for at least ten more."""
    server, timer = LeaseServer(), ManualTimer(ends_after=20)
    holder = _holder(server, timer)
    await holder.acquire()
    keeping = asyncio.create_task(holder.keep())
    await timer.ended.wait()
    assert timer.slept == [5.0] * 20
    assert holder.outlives(9.9)
    assert server.spec["leaseTransitions"] == 0
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert not holder.lost.is_set()


async def test_a_lease_that_cannot_be_renewed_is_lost_in_time() -> None:
    """While nobody answers it is tried more often, and given up when its duration is over."""
    server, timer = LeaseServer(), ManualTimer()
    holder = _holder(server, timer)
    await holder.acquire()
    server.broken = True
    with pytest.raises(LeaseLost, match=r"warmlog-system/warmlog is lost: no answer within 5 s"):
        await holder.keep()
    assert holder.lost.is_set()
    assert not holder.held
    assert timer.now == pytest.approx(15.0)
    assert timer.slept[:2] == [5.0, 1.0]
    # No request waits longer than the lease lasts.
    assert all(seconds <= 15 - 5 for seconds in server.api.timeouts[2:])


async def test_a_short_silence_loses_nothing() -> None:
    """An answer before the duration is over keeps the lease."""
    server = LeaseServer()
    timer = ManualTimer(ends_after=4)
    holder = _holder(server, timer)
    await holder.acquire()

    class Mending(ManualTimer):
        async def sleep(self, seconds: float) -> None:
            server.broken = 5 <= self.now < 12
            await super().sleep(seconds)

    mending = Mending(ends_after=20)
    holder = _holder(server, mending)
    await holder.acquire()
    keeping = asyncio.create_task(holder.keep())
    await mending.ended.wait()
    assert holder.held
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_a_lease_that_another_took_is_lost_at_once() -> None:
    """Whoever edits the holder takes the lease away, and it is not fought for."""
    server, timer = LeaseServer(), ManualTimer()
    holder = _holder(server, timer)
    await holder.acquire()
    server.hold("b")
    with pytest.raises(LeaseLost, match="it is held by b"):
        await holder.keep()
    assert timer.now == 5.0
    assert server.spec["holderIdentity"] == "b"


async def test_a_lease_that_was_deleted_is_made_again() -> None:
    """A person who deletes the Lease does not stop the holder."""
    server, timer = LeaseServer(), ManualTimer(ends_after=1)
    holder = _holder(server, timer)
    await holder.acquire()
    server.lease = None
    keeping = asyncio.create_task(holder.keep())
    await timer.ended.wait()
    assert server.spec["holderIdentity"] == "a"
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)


async def test_acquiring_goes_on_until_it_works() -> None:
    """Silence and refusals are said in words, and tried again."""
    server, timer = LeaseServer(), ManualTimer()
    server.broken = True
    holder = _holder(server, timer)
    assert not await holder.try_acquire()
    assert holder.words == "no answer within 5 s"
    forbidden = LeaseHolder(
        AnsweringApi(lambda request: refused(403, "Forbidden", "leases is forbidden")),
        TERMS,
        now=lambda: 0,
        timer=timer,
    )
    assert not await forbidden.try_acquire()
    assert forbidden.words == (
        "leases is forbidden; apply warmlog's roles with `kubectl apply -k deploy/`"
    )


async def test_releasing_never_raises() -> None:
    """A lease that cannot be given back simply runs out."""
    server, timer = LeaseServer(), ManualTimer()
    holder = _holder(server, timer)
    await holder.release()
    await holder.acquire()
    server.broken = True
    await holder.release()
    assert not holder.held
