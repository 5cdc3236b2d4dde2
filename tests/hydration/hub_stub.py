"""A small hub on this machine, for what the hydration script asks of the real one.

It speaks model info, tree, resolve (HEAD and GET, ETag, X-Repo-Commit, ranges, redirects of large
files to another host without the token) and the hub's ways of saying no. It keeps what it was
asked, can be down, and can stall or break off in the middle of a file.
"""

import asyncio
import hashlib
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import unquote

from aiohttp import web

SIGNATURE = "X-Amz-Signature=a-signature-that-nobody-may-read"
INVALID = {"X-Error-Message": "Invalid credentials in Authorization header"}
NO_REPO = {"X-Error-Code": "RepoNotFound", "X-Error-Message": "Repository not found"}
NO_REVISION = {"X-Error-Code": "RevisionNotFound", "X-Error-Message": "Invalid rev id"}
NO_ENTRY = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
GATED = {"X-Error-Code": "GatedRepo", "X-Error-Message": "Access to model is restricted"}

_API = re.compile(r"/api/models/(?P<repo>[^/]+/[^/]+)(/(?P<what>revision|tree)/(?P<rev>[^/]+))?")
_RESOLVE = re.compile(r"/(?P<repo>[^/]+/[^/]+)/resolve/(?P<rev>[^/]+)/(?P<path>.+)")
_CDN = re.compile(r"/cdn/(?P<sha>[0-9a-f]{64})")


class File(NamedTuple):
    """A file of a repository; large ones are kept as the hub keeps them, under their sha256."""

    content: bytes
    large: bool = False
    listed: int | None = None  # the size that the hub lists, should it be another

    @property
    def etag(self) -> str:
        """The name of its blob."""
        if self.large:
            return hashlib.sha256(self.content).hexdigest()
        header = f"blob {len(self.content)}\0".encode()
        return hashlib.sha1(header + self.content, usedforsecurity=False).hexdigest()

    def entry(self, path: str) -> dict[str, Any]:
        """What a listing says of it."""
        size = len(self.content) if self.listed is None else self.listed
        entry: dict[str, Any] = {"type": "file", "oid": self.etag[:40], "size": size, "path": path}
        if self.large:
            entry["lfs"] = {"oid": self.etag, "size": size, "pointerSize": 134}
        return entry


@dataclass
class Repo:
    """A repository: its commits, what its branches and tags mean, and who may read it."""

    commits: dict[str, dict[str, File]]
    refs: dict[str, str]
    gated: bool = False
    private: bool = False

    def commit(self, revision: str) -> str | None:
        """The commit of a revision, if there is one."""
        return revision if revision in self.commits else self.refs.get(revision)


class Asked(NamedTuple):
    """One request, and how many bytes of content it was given."""

    method: str
    path: str
    range: str
    authorization: str
    sent: int


@dataclass
class Hub:
    """The stub's world; tests change it between runs, and during them."""

    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    valid: set[str] = field(default_factory=set)  # tokens of somebody
    granted: set[str] = field(default_factory=set)  # tokens that may read what is not public
    down: bool = False
    stall_after: int | None = None  # bytes of a large file
    stalled: int = 0  # answers that stalled so far
    busy: int = 0  # answers that are not finished
    changed: threading.Condition = field(default_factory=threading.Condition)
    cut_after: int | None = None  # bytes of the next large file: its connection breaks there
    moving: list[str] = field(default_factory=list)  # commits to which main moves, one a listing
    asked: list[Asked] = field(default_factory=list)

    def fetched(self, etag: str) -> int:
        """How many bytes of a large file went out."""
        return sum(each.sent for each in self.asked if etag in each.path)

    def wait_until_stalled(self, answers: int = 1) -> None:
        """Return once so many answers have stalled in the middle."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.stalled == answers, 30)

    def wait_until_idle(self) -> None:
        """Return once nobody is being answered, those included who were killed meanwhile."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.busy == 0, 30)

    def _count(self, *, stalled: int = 0, busy: int = 0) -> None:
        with self.changed:
            self.stalled += stalled
            self.busy += busy
            self.changed.notify_all()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer as the hub does, and keep what was asked."""
        sent = 0
        self._count(busy=1)
        try:
            response = await self._answer(request)
            sent = getattr(response, "sent", 0)
            return response
        finally:
            headers = request.headers
            self.asked.append(
                Asked(
                    request.method,
                    request.raw_path,
                    headers.get("Range", ""),
                    headers.get("Authorization", ""),
                    sent,
                )
            )
            self._count(busy=-1)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        if self.down:
            return web.Response(status=503)
        path = request.raw_path.partition("?")[0]
        if match := _CDN.fullmatch(path):
            return await self._content(request, self._large(match["sha"]))
        match = _API.fullmatch(path) or _RESOLVE.fullmatch(path)
        if match is None:
            return web.Response(status=404)
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if token and token not in self.valid:
            return web.Response(status=401, headers=INVALID)
        repo = self.repos.get(unquote(match["repo"]))
        if repo is None or (repo.private and token not in self.granted):
            return web.Response(status=404 if token else 401, headers=NO_REPO)
        commit = repo.commit(unquote(match["rev"] or "main"))
        if commit is None:
            return web.Response(status=404, headers=NO_REVISION)
        if match.re is _API:
            return self._told(repo, commit, match)
        if repo.gated and token not in self.granted:
            return web.Response(status=403 if token else 401, headers=GATED)
        return await self._resolved(request, repo.commits[commit], commit, unquote(match["path"]))

    def _told(self, repo: Repo, commit: str, match: re.Match[str]) -> web.Response:
        files = repo.commits[commit]
        if match["what"] == "tree":
            if self.moving:
                repo.refs["main"] = self.moving.pop(0)
            folders = {path.rpartition("/")[0] for path in files} - {""}
            listed = [{"type": "directory", "oid": "0" * 40, "size": 0, "path": p} for p in folders]
            return web.json_response(
                listed + [file.entry(path) for path, file in sorted(files.items())]
            )
        siblings = [{"rfilename": path} for path in files]
        return web.json_response(
            {"id": match["repo"], "sha": commit, "siblings": siblings, "private": repo.private}
        )

    async def _resolved(
        self, request: web.Request, files: dict[str, File], commit: str, path: str
    ) -> web.StreamResponse:
        known = {"X-Repo-Commit": commit}
        file = files.get(path)
        if file is None:
            return web.Response(status=404, headers=known | NO_ENTRY)
        if file.large:
            elsewhere = self.url.replace("127.0.0.1", "localhost")
            known |= {
                "X-Linked-Etag": f'"{file.etag}"',
                "X-Linked-Size": str(len(file.content)),
                "Location": f"{elsewhere}/cdn/{file.etag}?{SIGNATURE}",
            }
            return web.Response(status=302, headers=known)
        return await self._content(request, file, known)

    def _large(self, sha: str) -> File:
        repos = self.repos.values()
        files = (file for repo in repos for each in repo.commits.values() for file in each.values())
        return next(file for file in files if file.etag == sha)

    async def _content(
        self, request: web.Request, file: File, headers: dict[str, str] | None = None
    ) -> web.StreamResponse:
        first = int(re.sub(r"\D", "", request.headers.get("Range", "").partition("-")[0]) or 0)
        content = file.content[first:]
        told = (headers or {}) | {"ETag": f'"{file.etag}"', "Content-Length": str(len(content))}
        if first:
            whole = len(file.content)
            told["Content-Range"] = f"bytes {first}-{whole - 1}/{whole}"
        response = Counted(status=206 if first else 200, headers=told)
        await response.prepare(request)
        if request.method == "HEAD":
            return response
        if file.large and self.stall_after is not None:
            await response.write(content[: self.stall_after])
            self._count(stalled=1)
            await asyncio.sleep(3600)  # until who asks is gone: the handler is cancelled then
        if file.large and self.cut_after is not None:
            content, self.cut_after = content[: self.cut_after], None
            await response.write(content)
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(content)
        return response


class Counted(web.StreamResponse):
    """A response that knows how much of its content went out."""

    sent = 0

    async def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, and count."""
        await super().write(data)
        self.sent += len(data)


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve `hub` on a port of its own, in a thread, until the block ends."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> web.AppRunner:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", hub.answer)
        runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        [(_, port)] = [address[:2] for address in runner.addresses]
        hub.url = f"http://127.0.0.1:{port}"
        return runner

    runner = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    try:
        yield hub
    finally:
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
