"""Reading all of a kind afresh, page by page."""

from adapters.kubernetes.answers import INVALID
from adapters.kubernetes.kinds import Kind
from adapters.kubernetes.reflecting import ReadRefused, Reflector
from adapters.ports import Api
from machines.observations import Listed

_MOST_PAGES = 10_000  # five million objects: a server that says "more" for ever is broken


async def read_all(api: Api, kind: Kind, *, timeout_seconds: float) -> Listed:
    """Give a complete, fresh list of `kind`; `timeout_seconds` bounds each page.

    Raises ApiUnanswered, and ReadRefused when the server says no or never comes to an end.
    """
    reflector = Reflector(api.cluster, kind)
    for _ in range(_MOST_PAGES):
        response = await api.send(reflector.next_request(), timeout_seconds=timeout_seconds)
        for observation in reflector.feed_page(response):
            if isinstance(observation, Listed):
                return observation
    raise ReadRefused(INVALID, f"the list of {kind.plural} has no end")
