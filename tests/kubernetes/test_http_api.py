"""The HTTP API over real sockets: servers that answer, cut, stall, and talk nonsense."""

import asyncio
import ssl
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web
from kubernetes_asyncio.client import Configuration

from adapters.kubernetes.configuring import Access
from adapters.kubernetes.http_api import HttpApi
from adapters.ports import JSON_PATCH, ApiUnanswered, Request
from engine.canonical_json import Number
from tests.kubernetes.certificates import write_certificates
from tests.kubernetes.serving import calling, hosting, json_response, plain, serving, talking

GET = Request("GET", "/api/v1/nodes")


async def _words(api: HttpApi, seconds: float = 5) -> str:
    with pytest.raises(ApiUnanswered) as error:
        await api.send(GET, timeout_seconds=seconds)
    return str(error.value).partition(": ")[2]


async def test_a_request_is_sent_as_it_was_given() -> None:
    """Method, path, query in order, body as canonical JSON and its content type arrive."""
    came: list[Any] = []

    async def handler(request: web.BaseRequest) -> web.Response:
        came.append((request.method, request.path_qs, request.content_type, await request.text()))
        return json_response({"kind": "Job"})

    async with serving(handler) as api:
        await api.send(
            Request(
                "PATCH",
                "/apis/batch/v1/namespaces/default/jobs/x",
                (("labelSelector", "a/b=c,d"), ("continue", "e+f=")),
                [{"value": Number("1e3")}],
                JSON_PATCH,
            ),
            timeout_seconds=5,
        )
        await api.send(GET, timeout_seconds=5)
    path = "/apis/batch/v1/namespaces/default/jobs/x"
    method, sent, content_type, body = came[0]
    assert (method, content_type, body) == ("PATCH", JSON_PATCH, '[{"value":1e3}]')
    assert sent.partition("?")[0] == path
    assert came[1][0] == "GET"
    assert came[1][3] == ""


async def test_a_query_arrives_whole() -> None:
    """Selectors and continue tokens come out of the URL as they went in."""
    query = (("labelSelector", "a/b in (c,d)"), ("continue", "e+f/g=="), ("limit", "5"))

    async def handler(request: web.BaseRequest) -> web.Response:
        return json_response({"query": list(request.query.items())})

    async with serving(handler) as api:
        response = await api.send(Request("GET", "/x", query), timeout_seconds=5)
    assert response.body == {"query": [list(pair) for pair in query]}


async def test_numbers_of_our_own_group_keep_their_text() -> None:
    """`1.0` in a ModelWarmup stays `1.0`; elsewhere it is a float."""

    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(text='{"a": 1.0, "b": 2}')

    async with serving(handler) as api:
        path = "/apis/model.aibrix.ai/v1alpha1/modelwarmups"
        ours = await api.send(Request("GET", path), timeout_seconds=5)
        theirs = await api.send(GET, timeout_seconds=5)
    assert ours.body == {"a": Number("1.0"), "b": 2}
    assert theirs.body == {"a": 1.0, "b": 2}


async def test_a_refusal_is_a_response() -> None:
    """Codes of failure come with the server's Status, and plain words become one."""

    async def handler(request: web.BaseRequest) -> web.Response:
        if request.path == "/text":
            return web.Response(text="404 page not found\n", status=404)
        return json_response({"kind": "Status", "message": "no"}, 503)

    async with serving(handler) as api:
        refused = await api.send(GET, timeout_seconds=5)
        missing = await api.send(Request("GET", "/text"), timeout_seconds=5)
    assert (refused.code, refused.body["message"], refused.ok) == (503, "no", False)
    assert (missing.code, missing.body["message"]) == (404, "404 page not found")


@pytest.mark.parametrize(
    ("status", "text", "words"),
    [
        (200, "<html>", "what it answered is not JSON"),
        (200, "", "what it answered is not JSON"),
        (200, "[]", "what it answered is no JSON object"),
        (200, '{"a": NaN}', "what it answered is not JSON"),
        (502, "<html></html>", "it answered HTTP 502, and not as an API server does"),
        (302, "", "it answered HTTP 302, and not as an API server does"),
        (200, '{"a": "\udc80"}', "what it answered is not JSON"),
    ],
)
async def test_what_is_no_answer_of_an_api_server_is_none(
    status: int, text: str, words: str
) -> None:
    """Proxies' pages and half documents are never taken for an answer."""
    data = text.encode("utf-8", "surrogateescape")

    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(body=data, status=status, headers={"Location": "/elsewhere"})

    async with serving(handler) as api:
        assert await _words(api) == words


async def test_a_server_that_does_not_answer_is_given_up() -> None:
    """A connection that is accepted and then silent ends with the time-out."""
    done = asyncio.Event()

    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await done.wait()

    async with plain(stall) as api:
        assert await _words(api, 0.1) == "no answer within 0.1 s"
        done.set()


async def test_an_answer_that_stalls_halfway_is_given_up() -> None:
    """The time-out covers the whole answer, not only its start."""
    done = asyncio.Event()

    async def stall(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"items": [')
        await writer.drain()
        await done.wait()

    async with plain(stall) as api:
        assert await _words(api, 0.1) == "no answer within 0.1 s"
        done.set()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"items": [',
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\n{"a"\r\n',
    ],
)
async def test_a_cut_connection_is_no_answer(sent: bytes) -> None:
    """Wherever the connection ends before the answer does, there is none."""

    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        await writer.drain()

    async with plain(cut) as api:
        assert await _words(api) == "the connection was cut"


async def test_half_a_document_without_a_length_is_no_answer() -> None:
    """An answer that ends with its connection is believed only when it is whole JSON."""

    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"items": [{"a": 1}, {"b"')
        await writer.drain()

    async with plain(cut) as api:
        assert await _words(api) == "what it answered is not JSON"


async def test_garbage_is_no_http() -> None:
    """Something else than HTTP on the port is said in plain words."""

    async def babble(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"SSH-2.0-OpenSSH_9.6\r\n\r\n")
        await writer.drain()

    async with plain(babble) as api:
        assert (await _words(api)).startswith("what it answered is not HTTP")


async def test_a_closed_port_is_said_in_words() -> None:
    """Nobody listens: connection refused, with the address."""
    async with plain(lambda reader, writer: asyncio.sleep(0)) as api:
        pass
    with pytest.raises(ApiUnanswered, match=r"^http://127.0.0.1:\d+: connection refused$"):
        await api.send(GET, timeout_seconds=5)
    await api.close()


async def test_a_name_that_cannot_be_resolved_is_said_in_words() -> None:
    """A wrong host name is told from a server that is down."""
    api = HttpApi("prod", Access(Configuration(host="http://no-such-host.invalid")))
    assert await _words(api) == "its name cannot be resolved"
    await api.close()


async def test_one_deep_object_does_not_hide_a_list() -> None:
    """An object nested beyond every parser is replaced, and the others are read."""
    deep = '{"a":' * 100_000 + "1" + "}" * 100_000

    async def handler(request: web.BaseRequest) -> web.Response:
        return web.Response(text=f'{{"items": [{deep}, {{"b": "]}}"}}]}}')

    async with serving(handler) as api:
        response = await api.send(GET, timeout_seconds=5)
    assert response.body["items"][1] == {"b": "]}"}


class _RotatingAccess(Access):
    """Credentials that become valid only when they are renewed."""

    def __init__(self, host: str) -> None:
        super().__init__(Configuration(host=host))
        self.token = "Bearer old"
        self.renewals = 0

    async def authorization(self) -> str:
        return self.token

    async def renew(self) -> None:
        self.renewals += 1
        self.token = "Bearer new"


class _Replacing(Access):
    """An authority whose file is replaced when the credentials are loaded again."""

    def __init__(self, settings: Configuration, authority: Path, trusted: Path) -> None:
        super().__init__(settings)
        self._authority = authority
        self._trusted = trusted

    async def renew(self) -> None:
        self._trusted.write_bytes(self._authority.read_bytes())


async def test_expired_credentials_are_renewed_once_for_all() -> None:
    """A 401 loads the credentials again and repeats the request; many at once load them once."""

    async def handler(request: web.BaseRequest) -> web.Response:
        accepted = request.headers.get("Authorization") == "Bearer new"
        return json_response({"kind": "Status"}, 200 if accepted else 401)

    async with hosting(handler) as host:
        access = _RotatingAccess(host)
        api = HttpApi("prod", access)
        sent = [api.send(GET, timeout_seconds=5) for _ in range(8)]
        responses = await asyncio.gather(*sent)
        assert {response.code for response in responses} == {200}
        assert access.renewals == 1
        await api.close()
        await api.close()


async def test_credentials_that_stay_refused_are_answered_so() -> None:
    """Without better credentials the 401 is the answer, and they are not loaded each time."""

    async def handler(request: web.BaseRequest) -> web.Response:
        return json_response({"kind": "Status", "message": "Unauthorized"}, 401)

    async with hosting(handler) as host:
        access = _RotatingAccess(host)
        async with calling(access) as api:
            codes = [(await api.send(GET, timeout_seconds=5)).code for _ in range(3)]
        assert codes == [401, 401, 401]
        assert access.renewals == 1


async def test_only_the_clusters_own_authority_is_trusted(tmp_path: Path) -> None:
    """A server with a certificate of another authority is no server of ours."""
    ours = write_certificates(tmp_path / "ours")
    other = write_certificates(tmp_path / "other")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(ours.certificate, ours.key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()

    async with talking(answer, context) as port:
        host = f"https://127.0.0.1:{port}"
        trusting = HttpApi(
            "prod", Access(Configuration(host=host, ssl_ca_cert=str(ours.authority)))
        )
        assert (await trusting.send(GET, timeout_seconds=5)).ok
        doubting = HttpApi(
            "prod", Access(Configuration(host=host, ssl_ca_cert=str(other.authority)))
        )
        assert "its certificate is not trusted" in await _words(doubting)
        await trusting.close()
        await doubting.close()


async def test_a_replaced_authority_is_trusted_from_the_next_request_on(tmp_path: Path) -> None:
    """When the cluster's certificates were renewed, the authority's file is read again."""
    ours = write_certificates(tmp_path / "ours")
    other = write_certificates(tmp_path / "other")
    trusted = tmp_path / "ca.crt"
    trusted.write_bytes(other.authority.read_bytes())
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(ours.certificate, ours.key)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        await writer.drain()

    async with talking(answer, context) as port:
        settings = Configuration(host=f"https://127.0.0.1:{port}", ssl_ca_cert=str(trusted))
        async with calling(_Replacing(settings, ours.authority, trusted)) as api:
            assert "its certificate is not trusted" in await _words(api)
            assert (await api.send(GET, timeout_seconds=5)).ok


async def test_unreadable_certificates_are_no_crash(tmp_path: Path) -> None:
    """A file that is gone is said in words, with its name."""
    settings = Configuration(host="https://127.0.0.1:1", ssl_ca_cert=str(tmp_path / "gone.crt"))
    api = HttpApi("prod", Access(settings))
    words = await _words(api)
    assert words.startswith("its certificates cannot be read")
    assert "gone.crt" in words
    await api.close()
