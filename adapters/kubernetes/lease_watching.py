"""Watching a Lease that is somebody else's: whether a controller still renews it."""

from typing import NamedTuple

from adapters.kubernetes.answers import names_object, status_words
from adapters.kubernetes.fields import integer, mapping, text
from adapters.kubernetes.kinds import get_request
from adapters.kubernetes.leases import LEASE
from adapters.kubernetes.timing import Timer
from adapters.ports import Api

_DURATION = 15  # seconds, for a lease that names none
_PAUSE = 1.0  # seconds between two looks


class SeenLease(NamedTuple):
    """A Lease as it was read once."""

    namespace: str
    name: str
    holder: str = ""  # "" when nobody has it, or there is none
    duration: int = _DURATION
    renewed: str = ""  # when, by the holder's clock
    version: str = ""  # another one after each renewal
    trouble: str = ""  # why it could not be read

    @property
    def place(self) -> str:
        """Where it is."""
        return f"{self.namespace}/{self.name}"


async def see_lease(api: Api, namespace: str, name: str, *, timeout_seconds: float) -> SeenLease:
    """Read a Lease once. Raises ApiUnanswered."""
    seen = SeenLease(namespace, name)
    request = get_request(LEASE, namespace, name)
    response = await api.send(request, timeout_seconds=timeout_seconds)
    if names_object(response, LEASE.plural, name):
        return seen
    if not response.ok:
        return seen._replace(trouble=status_words(response))
    metadata, spec = (mapping(mapping(response.body).get(part)) for part in ("metadata", "spec"))
    return seen._replace(
        holder=text(spec.get("holderIdentity")),
        duration=integer(spec.get("leaseDurationSeconds")) or _DURATION,
        renewed=text(spec.get("renewTime")),
        version=f"{text(metadata.get('uid'))} {text(metadata.get('resourceVersion'))}",
    )


async def is_renewed(api: Api, first: SeenLease, timer: Timer, *, timeout_seconds: float) -> bool:
    """Wait until a held Lease is renewed, given back, or has not moved for its whole duration.

    Times in it are another clock's, so only our own is used. Raises ApiUnanswered.
    """
    until = timer.monotonic() + first.duration
    while True:
        seen = await see_lease(api, first.namespace, first.name, timeout_seconds=timeout_seconds)
        if seen.version != first.version and not seen.trouble:
            return bool(seen.holder)
        left = until - timer.monotonic()
        if left <= 0:
            return False
        await timer.sleep(min(_PAUSE, left))
