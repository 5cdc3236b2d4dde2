"""Reading afresh: all of a kind, page by page, one object by its name, or what a query selects."""

from typing import Any

from adapters.kubernetes.answers import INVALID, names_object, status_reason, status_words, uid_of
from adapters.kubernetes.fields import mapping, mappings, text
from adapters.kubernetes.kinds import KIND_BY_NAME, PAGE_ROWS, Kind, get_request
from adapters.kubernetes.normalising import ObjectForeign, ObjectMalformed, normalise
from adapters.kubernetes.reflecting import ReadRefused, Reflector
from adapters.ports import JSON, Api, ApiUnanswered, Request
from engine.events import Subject
from machines.observations import Listed, Seen

_MOST_PAGES = 10_000  # five million objects: a server that says "more" for ever is broken
MOST_PAGES = 40  # of what a query selects: more than that is asked for again later

Query = tuple[tuple[str, str], ...]


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


async def read_one(api: Api, subject: Subject, *, timeout_seconds: float) -> Seen | None:
    """Give an object as it is now; None when it is no more, whoever has its name.

    Raises ApiUnanswered, and ReadRefused when the answer does not tell.
    """
    kind = KIND_BY_NAME[subject.kind]
    request = get_request(kind, subject.namespace, subject.name)
    response = await api.send(request, timeout_seconds=timeout_seconds)
    if names_object(response, kind.plural, subject.name):
        return None
    uid = uid_of(response.body) if response.ok else ""
    if not uid:
        raise ReadRefused(response.code, status_words(response), status_reason(response))
    if uid != subject.uid:
        return None
    try:
        return normalise(api.cluster, kind, response.body)
    except ObjectForeign:
        return None
    except ObjectMalformed as error:
        raise ReadRefused(response.code, str(error)) from error


async def read_items(
    api: Api, path: str, query: Query, *, timeout_seconds: float
) -> list[dict[str, Any]] | None:
    """Give the raw objects that `query` selects below `path`; None when there is no whole answer.

    `timeout_seconds` bounds each of at most MOST_PAGES pages.
    """
    try:
        return await read_raw(api, path, query, timeout_seconds=timeout_seconds, pages=MOST_PAGES)
    except (ApiUnanswered, ReadRefused):
        return None


async def read_raw(
    api: Api,
    path: str,
    query: Query,
    *,
    timeout_seconds: float,
    pages: int = _MOST_PAGES,
    accept: str = JSON,
) -> list[dict[str, Any]]:
    """Give the raw objects that `query` selects below `path`, all of them.

    `timeout_seconds` bounds each of at most so many `pages`; `accept` says in which form.
    Raises ApiUnanswered, and ReadRefused when the server says no or never comes to an end.
    """
    items: list[dict[str, Any]] = []
    more: Query = ()
    for _ in range(pages):
        asked = (*query, ("limit", str(PAGE_ROWS)), *more)
        request = Request("GET", path, asked, accept=accept)
        response = await api.send(request, timeout_seconds=timeout_seconds)
        if not response.ok:
            raise ReadRefused(response.code, status_words(response), status_reason(response))
        body = mapping(response.body)
        items += mappings(body.get("items"))
        token = text(mapping(body.get("metadata")).get("continue"))
        if not token:
            return items
        more = (("continue", token),)
    raise ReadRefused(INVALID, f"the list of {path} has no end")
