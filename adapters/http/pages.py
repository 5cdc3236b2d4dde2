"""Pages that show what the log holds: guarded, and only to be read."""

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple

from aiohttp import web

from adapters.explaining.answers import Answer
from adapters.http.asking import Asker
from adapters.http.following import HANDING_OUT, Following
from adapters.http.guarding import OK, UNANSWERED, UNAUTHENTICATED, Asked, Guard
from adapters.store.pieces import KIND, PATH
from adapters.timeline.pages import live_page, live_policy
from engine.canonical_json import dumps

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
RETRY_SECONDS = 2  # after which the page itself asks again
_ASKED = ("object", "at", "node", "on", "cluster")
_SHOWN = ("/", "/timeline.json")  # by a browser
_MISASKED = 400
_DIGITS = 18  # of the largest position that may be asked for

Respond = Callable[[web.Request], Awaitable[web.Response]]


class Pages(NamedTuple):
    """Who may see them, and who is asked for them."""

    guard: Guard
    asker: Asker
    following: Following
    handing_out: Following


def pages_over(log: str, guard: Guard) -> Pages:
    """Give the pages of the log at a place; each has its process once it is asked for."""
    return Pages(guard, Asker(log), Following(log), Following(log, HANDING_OUT))


def add_pages(app: web.Application, pages: Pages) -> None:
    """Add `/explain`, the live page `/`, `/timeline.json` that it reads, and the log's rows."""

    async def end(app: web.Application) -> None:  # noqa: ARG001 -- as aiohttp calls it
        await pages.following.close()
        await pages.handing_out.close()

    for path, respond in (
        ("/", _show),
        ("/explain", _explaining(pages.asker)),
        ("/timeline.json", _following(pages.following, "application/json")),
        (PATH, _following(pages.handing_out, KIND)),
    ):
        app.router.add_get(path, _guarded(pages.guard, respond))
    app.on_cleanup.append(end)


def _guarded(guard: Guard, respond: Respond) -> Respond:
    async def answer(request: web.Request) -> web.Response:
        verdict = await guard.judge(Asked(request.path, request.remote or "", request.headers))
        if verdict.code != OK:
            return _response(request, Answer(verdict.code, verdict.words))
        return await respond(request)

    return answer


def _explaining(asker: Asker) -> Respond:
    async def respond(request: web.Request) -> web.Response:
        asked = {name: request.query[name] for name in _ASKED if name in request.query}
        form = "json" if _wants_json(request) else "text"
        return _response(request, await asker.ask({**asked, "format": form}))

    return respond


async def _show(request: web.Request) -> web.Response:  # noqa: ARG001 -- as aiohttp calls it
    policy = f"{live_policy()}; frame-ancestors 'none'"
    headers = {**HEADERS, "Content-Security-Policy": policy}
    return web.Response(text=live_page(), content_type="text/html", headers=headers)


def _following(following: Following, kind: str) -> Respond:
    async def respond(request: web.Request) -> web.Response:
        after = request.query.get("after", "0")
        if not (after.isascii() and after.isdigit() and len(after) <= _DIGITS):
            words = f"after={after} is no position: write a number, 0 for the whole log."
            return _response(request, Answer(_MISASKED, words))
        is_gzip = "gzip" in request.headers.get("Accept-Encoding", "")
        told = await following.ask(int(after), is_gzip=is_gzip)
        if told.code != OK:
            return _response(request, Answer(told.code, told.body.decode()))
        headers = {**HEADERS, **({"Content-Encoding": "gzip"} if told.is_gzip else {})}
        return web.Response(body=told.body, content_type=kind, headers=headers)

    return respond


def _wants_json(request: web.Request) -> bool:
    wanted = request.query.get("format")
    return (
        wanted == "json"
        or request.path.endswith(".json")
        or (wanted is None and "application/json" in request.headers.get("Accept", ""))
    )


def _response(request: web.Request, answer: Answer) -> web.Response:
    """Give text, or JSON to who asks for that: of an error a sentence in either form."""
    body = answer.body
    if _wants_json(request):
        document = body if answer.code == OK else {"code": answer.code, "error": body}
        told, kind = f"{dumps(document)}\n", "application/json"
    else:
        told, kind = body if answer.code == OK else f"{body}\n", "text/plain"
    headers = {**HEADERS, **_advice(answer.code, request.path)}
    return web.Response(text=told, status=answer.code, content_type=kind, headers=headers)


def _advice(code: int, path: str) -> Mapping[str, str]:
    """Give the headers that say what to do: a browser asks its user for what it knows alone."""
    if code == UNAUTHENTICATED:
        challenge = 'Bearer realm="warmlog"'
        basic = f'Basic realm="warmlog", charset="UTF-8", {challenge}'
        return {"WWW-Authenticate": basic if path in _SHOWN else challenge}
    return {"Retry-After": str(RETRY_SECONDS)} if code == UNANSWERED else {}
