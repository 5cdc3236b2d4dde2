"""Health over HTTP: codes for the kubelet, words for people, figures for scripts."""

import socket
from collections.abc import Mapping, Sequence

import aiohttp
import pytest

from adapters.http.metrics import Metric, metric
from adapters.http.serving import Check, ListenRefused, Mark, serving

HOST = "127.0.0.1"


class Told:
    """A health that says what it was told to."""

    def __init__(self, *ready: Check) -> None:
        """Be alive, and ready as these checks say."""
        self.checks = list(ready)
        self.asked = 0

    def live(self) -> list[Check]:
        """Be alive."""
        return [Check("process", Mark.OK)]

    def ready(self) -> list[Check]:
        """Be as told."""
        self.asked += 1
        return self.checks

    def figures(self) -> Mapping[str, int]:
        """Give two figures."""
        return {"open intents": 2, "unsent rows": 0}

    def metrics(self) -> Sequence[Metric]:
        """Give one metric."""
        return [metric("warmlog_ready", "whether it is ready", len(self.checks))]


async def get(health: Told, path: str) -> tuple[int, str]:
    """Ask a server of this health."""
    async with (
        serving(health, HOST, 0) as port,
        aiohttp.ClientSession() as session,
        session.get(f"http://{HOST}:{port}{path}") as response,
    ):
        assert response.content_type == "text/plain"
        return response.status, await response.text()


OK = Check("log", Mark.OK)
WARN = Check("CRD", Mark.WARN, "it lacks status.x: kubectl apply -k crds/")
FAIL = Check("lease", Mark.FAIL, "waits for the lease: it is held by other")


@pytest.mark.parametrize(
    ("checks", "code", "text"),
    [
        ((OK,), 200, "ok\n"),
        ((OK, WARN), 200, f"[warn] CRD: {WARN.words}\nok\n"),
        ((OK, FAIL), 503, f"[fail] lease: {FAIL.words}\n"),
        ((FAIL, WARN, OK), 503, f"[fail] lease: {FAIL.words}\n[warn] CRD: {WARN.words}\n"),
    ],
)
async def test_readiness(checks: tuple[Check, ...], code: int, text: str) -> None:
    """Ready unless a check fails; what is not well is told, what is well is not."""
    assert await get(Told(*checks), "/readyz") == (code, text)


@pytest.mark.parametrize("query", ["?verbose", "?verbose=1"])
async def test_everything_on_demand(query: str) -> None:
    """With `verbose` every check has its line, and each figure one of its own."""
    expected = f"[ok] log\n[warn] CRD: {WARN.words}\nopen intents: 2\nunsent rows: 0\nok\n"
    assert await get(Told(OK, WARN), f"/readyz{query}") == (200, expected)
    code, text = await get(Told(FAIL), f"/readyz{query}")
    assert code == 503
    assert text.splitlines()[-1] == "unsent rows: 0"


async def test_a_process_that_is_not_ready_is_alive() -> None:
    """The kubelet must not restart a controller that only waits."""
    assert await get(Told(FAIL), "/healthz") == (200, "ok\n")
    assert (await get(Told(FAIL), "/healthz?verbose"))[1].startswith("[ok] process\n")


async def test_health_is_looked_at_for_each_request() -> None:
    """An answer is of the moment: a check that fails later is told later."""
    health = Told(OK)
    async with serving(health, HOST, 0) as port, aiohttp.ClientSession() as session:
        codes = []
        for checks in ([OK], [FAIL], [OK]):
            health.checks = checks
            async with session.get(f"http://{HOST}:{port}/readyz") as response:
                codes.append(response.status)
    assert codes == [200, 503, 200]
    assert health.asked == 3


@pytest.mark.parametrize(
    ("accept", "kind", "last"),
    [
        ("", "text/plain", "warmlog_ready 1.0"),
        ("application/openmetrics-text; version=1.0.0", "application/openmetrics-text", "# EOF"),
    ],
)
async def test_metrics_are_served_as_they_are_asked_for(accept: str, kind: str, last: str) -> None:
    """Prometheus' own form by default and OpenMetrics on demand, with the type that says so."""
    async with (
        serving(Told(OK), HOST, 0) as port,
        aiohttp.ClientSession() as session,
        session.get(f"http://{HOST}:{port}/metrics", headers={"Accept": accept}) as response,
    ):
        assert (response.status, response.content_type) == (200, kind)
        lines = (await response.text()).splitlines()
    assert lines[:2] == ["# HELP warmlog_ready whether it is ready", "# TYPE warmlog_ready gauge"]
    assert lines[-1] == last


async def test_nothing_else_is_served() -> None:
    """Other paths are not there, and nothing can be written."""
    async with serving(Told(OK), HOST, 0) as port, aiohttp.ClientSession() as session:
        async with session.get(f"http://{HOST}:{port}/") as response:
            assert response.status == 404
        async with session.post(f"http://{HOST}:{port}/readyz") as response:
            assert response.status == 405


async def test_the_port_is_free_again_afterwards() -> None:
    """When the context ends, the server lets go of its address."""
    async with serving(Told(OK), HOST, 0) as port:
        pass
    async with serving(Told(OK), HOST, port) as again:
        assert again == port


async def test_a_port_that_is_taken() -> None:
    """An address that somebody else has is one sentence with the system's words."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ListenRefused) as caught:
            async with serving(Told(OK), HOST, port):
                pass
    assert str(caught.value) == (
        f"cannot listen on {HOST}:{port} (Address already in use); choose another --listen"
    )


@pytest.mark.parametrize("host", ["a..b", "x" * 64])
async def test_a_host_that_cannot_be(host: str) -> None:
    """What is no name of a host is said as such."""
    with pytest.raises(ListenRefused) as caught:
        async with serving(Told(OK), host, 80):
            pass
    assert str(caught.value) == (
        f"cannot listen on {host}:80 (that is no host's name); choose another --listen"
    )


async def test_an_address_of_another_machine() -> None:
    """An IPv6 address that this machine does not have is written in brackets."""
    with pytest.raises(ListenRefused, match=r"cannot listen on \[2001:db8::1\]:80 \(.+\); choose"):
        async with serving(Told(OK), "2001:db8::1", 80):
            pass
