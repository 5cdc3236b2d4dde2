"""The Lease that says which process may try to write the log.

It never protects the log, the epoch does; it keeps two processes from trying in turn. Another
holder's lease is taken over only after it has not moved for its whole duration, measured by our own
monotonic clock from the moment we first saw it so: its timestamps are another clock's.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import structlog

from adapters.kubernetes.announcing import micro_time
from adapters.kubernetes.answers import (
    CONFLICT,
    FORBIDDEN,
    NOT_FOUND,
    status_words,
)
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.kinds import Kind, get_request
from adapters.kubernetes.timing import SystemTimer, Timer
from adapters.ports import Api, ApiUnanswered, Request, Response

LEASE = Kind("Lease", "coordination.k8s.io/v1", "leases", namespaced=True)

_log = structlog.get_logger(__name__)
_DURATION = 15  # seconds, for a lease that names none
_QUICKER = 5  # a renewal that failed is tried again so much sooner


class LeaseLost(Exception):
    """The lease is no longer ours, or could not be renewed in time: stop writing at once."""


class LeaseTerms(NamedTuple):
    """Where the lease is, for whom, and how long it lasts without a renewal."""

    namespace: str
    name: str
    identity: str  # of this process alone: two with one identity would both hold it
    duration_seconds: int = 15
    renew_seconds: float = 5.0
    request_seconds: float = 5.0


class _Observed(NamedTuple):
    """A lease as it was read, and since when (monotonic) it has not moved."""

    metadata: dict[str, Any]
    spec: dict[str, Any]
    since: float

    @property
    def identity(self) -> tuple[str, str]:
        """Which Lease it is, and in which version: what makes two readings one."""
        return text(self.metadata.get("uid")), text(self.metadata.get("resourceVersion"))

    @property
    def holder(self) -> str:
        return text(self.spec.get("holderIdentity"))

    @property
    def duration(self) -> int:
        return integer(self.spec.get("leaseDurationSeconds")) or _DURATION


class LeaseHolder:
    """Acquires one lease, keeps it, and says how long it is still surely ours.

        holder = LeaseHolder(api, terms, now=clock)
        await holder.acquire()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(holder.keep())     # raises LeaseLost
            …                                    # each write only while holder.outlives(time-out)
        await holder.release()

    `lost` is set as well when the lease is lost; `words` says what is waited for.
    """

    def __init__(
        self, api: Api, terms: LeaseTerms, *, now: Callable[[], int], timer: Timer | None = None
    ) -> None:
        """`now` gives UTC nanoseconds, for people who read the Lease; nothing is decided by it."""
        self.lost = asyncio.Event()
        self.words = ""
        self._api = api
        self._terms = terms
        self._now = now
        self._timer = timer or SystemTimer()
        self._observed: _Observed | None = None
        self._held_until = float("-inf")  # monotonic

    @property
    def held(self) -> bool:
        """Whether the lease is surely ours at this moment."""
        return self.outlives(0)

    def outlives(self, seconds: float) -> bool:
        """Say whether the lease is surely ours for `seconds` more, whatever happens meanwhile."""
        return self._timer.monotonic() + seconds < self._held_until

    async def acquire(self) -> None:
        """Wait until the lease is ours. A failure is said in `words`, and tried again."""
        while not await self.try_acquire():
            await self._timer.sleep(self._terms.renew_seconds)
        self.lost.clear()

    async def keep(self) -> None:
        """Renew until cancelled. Raises LeaseLost as soon as the lease is not surely ours."""
        pause = self._terms.renew_seconds
        while True:
            left = self._held_until - self._timer.monotonic()
            await self._timer.sleep(min(pause, max(left, 0.0)))
            if self.held:
                renewed = await self.try_acquire()
                pause = self._terms.renew_seconds / (1 if renewed else _QUICKER)
            if self._is_anothers() or not self.held:
                self._held_until = float("-inf")
                self.lost.set()
                raise LeaseLost(f"The lease {self._place()} is lost: {self.words}")

    async def release(self) -> None:
        """Give the lease back, so that the next holder need not wait. Never raises."""
        observed = self._observed
        if observed is None or observed.holder != self._terms.identity:
            return
        self._held_until = float("-inf")
        spec = {**observed.spec, "holderIdentity": "", "leaseDurationSeconds": 1}
        try:
            response = await self._put(observed, spec)
        except ApiUnanswered as error:
            _log.warning("the lease was not given back", lease=self._place(), words=str(error))
            return
        self._observed = None
        if not response.ok:
            words = status_words(response)
            _log.warning("the lease was not given back", lease=self._place(), words=words)

    async def try_acquire(self) -> bool:
        """Try once to get or renew the lease; say whether it worked. Never raises."""
        try:
            taken = await self._try()
        except ApiUnanswered as error:
            self.words = str(error)
            return False
        if taken:
            self.words = ""
        return taken

    async def _try(self) -> bool:
        # The lease runs from before the request: when it was taken in is not for us to know.
        begun = self._timer.monotonic()
        response = await self._send(get_request(LEASE, self._terms.namespace, self._terms.name))
        if response.code == NOT_FOUND:
            return self._taken(await self._post(), begun)
        if not response.ok:
            return self._failed(response)
        observed = self._observe(response.body)
        if not self._is_free(observed):
            self.words = f"it is held by {observed.holder}"
            return False
        return self._taken(await self._put(observed, self._claim(observed)), begun)

    def _observe(self, body: Any) -> _Observed:
        """Keep what was read; its age counts from when it was first read so."""
        lease = mapping(body)
        metadata, spec = mapping(lease.get("metadata")), mapping(lease.get("spec"))
        observed = _Observed(metadata, spec, self._timer.monotonic())
        known = self._observed
        if known is not None and known.identity == observed.identity:
            return known
        self._observed = observed
        return observed

    def _is_free(self, observed: _Observed) -> bool:
        if observed.holder in {"", self._terms.identity}:
            return True
        return self._timer.monotonic() >= observed.since + observed.duration

    def _is_anothers(self) -> bool:
        return self._observed is not None and self._observed.holder != self._terms.identity

    def _taken(self, response: Response, begun: float) -> bool:
        if not response.ok:
            return self._failed(response)
        self._observe(response.body)
        self._held_until = begun + self._terms.duration_seconds
        return True

    def _failed(self, response: Response) -> bool:
        self.words = status_words(response)
        if response.code == CONFLICT:
            self.words = "another process was quicker"
        elif response.code == FORBIDDEN:
            self.words += "; apply warmlog's roles with `kubectl apply -k deploy/`"
        return False

    def _claim(self, observed: _Observed | None) -> dict[str, Any]:
        """Give the lease's spec with us as its holder."""
        now = micro_time(self._now())
        spec = dict(observed.spec) if observed else {}
        if spec.get("holderIdentity") != self._terms.identity:
            transitions = integer(spec.get("leaseTransitions"))
            spec["acquireTime"] = now
            spec["leaseTransitions"] = 0 if transitions is None else transitions + 1
        spec["holderIdentity"] = self._terms.identity
        spec["leaseDurationSeconds"] = self._terms.duration_seconds
        spec["renewTime"] = now
        return spec

    async def _post(self) -> Response:
        path = LEASE.path(self._terms.namespace)
        metadata = {"name": self._terms.name, "namespace": self._terms.namespace}
        return await self._send(Request("POST", path, body=_body(metadata, self._claim(None))))

    async def _put(self, observed: _Observed, spec: dict[str, Any]) -> Response:
        """Replace the lease, if it is still as it was observed."""
        metadata = {
            name: value for name, value in observed.metadata.items() if name != "managedFields"
        }
        path = LEASE.path(self._terms.namespace, self._terms.name)
        return await self._send(Request("PUT", path, body=_body(metadata, spec)))

    async def _send(self, request: Request) -> Response:
        # A renewal that comes too late is none: its answer is not waited for.
        left = self._held_until - self._timer.monotonic()
        most = self._terms.request_seconds
        return await self._api.send(request, timeout_seconds=min(most, left) if left > 0 else most)

    def _place(self) -> str:
        return f"{self._terms.namespace}/{self._terms.name}"


def _body(metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": LEASE.group_version,
        "kind": LEASE.name,
        "metadata": metadata,
        "spec": spec,
    }
