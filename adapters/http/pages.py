"""Pages that show what the log holds: guarded, and only to be read."""

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from aiohttp import web

from adapters.http.asking import Answer, Asker
from adapters.http.guarding import OK, UNAUTHENTICATED, Asked, Guard
from engine.canonical_json import dumps

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_ASKED = ("object", "at", "node", "on", "cluster")


class Pages(NamedTuple):
    """Who may see them, and who is asked for them."""

    guard: Guard
    asker: Asker


def add_pages(app: web.Application, pages: Pages) -> None:
    """Add `/explain`."""
    app.router.add_get("/explain", _guarded(pages.guard, _explaining(pages.asker)))


def _guarded(guard: Guard, handle: Callable[[web.Request], Awaitable[Answer]]) -> Any:
    async def answer(request: web.Request) -> web.Response:
        verdict = await guard.judge(Asked(request.path, request.remote or "", request.headers))
        if verdict.code != OK:
            return _response(request, Answer(verdict.code, verdict.words))
        return _response(request, await handle(request))

    return answer


def _explaining(asker: Asker) -> Callable[[web.Request], Awaitable[Answer]]:
    async def handle(request: web.Request) -> Answer:
        asked = {name: request.query[name] for name in _ASKED if name in request.query}
        return await asker.ask({**asked, "format": "json" if _wants_json(request) else "text"})

    return handle


def _wants_json(request: web.Request) -> bool:
    wanted = request.query.get("format")
    return wanted == "json" or (
        wanted is None and "application/json" in request.headers.get("Accept", "")
    )


def _response(request: web.Request, answer: Answer) -> web.Response:
    """Give text, or JSON to who asks for that: of an error a sentence in either form."""
    headers, body = dict(HEADERS), answer.body
    if answer.code == UNAUTHENTICATED:
        headers["WWW-Authenticate"] = 'Bearer realm="warmlog"'
    if _wants_json(request):
        document = body if answer.code == OK else {"code": answer.code, "error": body}
        told, kind = f"{dumps(document)}\n", "application/json"
    else:
        told, kind = body if answer.code == OK else f"{body}\n", "text/plain"
    return web.Response(text=told, status=answer.code, content_type=kind, headers=headers)
