"""The guard: this machine itself sees what the log holds, others whom the cluster lets."""

from base64 import b64encode

import pytest

from adapters.http.guarding import OK, Asked, Guard, Verdict, is_loopback

REFUSED = Verdict(403, "they may not")


class Judge:
    """Lets one token in."""

    def __init__(self) -> None:
        """Begin with nobody asked about."""
        self.asked: list[tuple[str, str]] = []

    async def review(self, token: str, path: str) -> Verdict:
        """Judge by the token alone."""
        self.asked.append((token, path))
        return Verdict(OK) if token == "good" else REFUSED


def basic(credentials: str) -> str:
    """Give the header that a browser sends of a name and a password."""
    return f"Basic {b64encode(credentials.encode()).decode()}"


def asked(peer: str = "127.0.0.1", host: str = "localhost:8080", **headers: str) -> Asked:
    """Give a request; underscores of header names stand for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Asked("/explain", peer, {"Host": host, **named})


@pytest.mark.parametrize("listens_on", ["127.0.0.1", "::1", "localhost"])
@pytest.mark.parametrize(
    ("peer", "host"),
    [
        ("127.0.0.1", "127.0.0.1:8080"),
        ("127.0.0.1", "localhost"),
        ("127.0.0.9", "LOCALHOST:1"),
        ("::1", "[::1]:8080"),
    ],
)
async def test_this_machine_is_answered(listens_on: str, peer: str, host: str) -> None:
    """On loopback nobody is asked who it is."""
    judge = Judge()
    assert await Guard(listens_on, judge).judge(asked(peer, host)) == Verdict(OK)
    assert judge.asked == []


@pytest.mark.parametrize(
    ("listens_on", "request_"),
    [
        ("0.0.0.0", asked()),  # noqa: S104 -- what a Pod listens on
        ("::", asked("::1", "[::1]")),
        ("10.0.0.5", asked()),
        ("127.0.0.1", asked(peer="10.0.0.7")),
        ("127.0.0.1", asked(peer="")),
        ("127.0.0.1", asked(host="evil.example:8080")),
        ("127.0.0.1", asked(host="127.0.0.1.evil.example")),
        ("127.0.0.1", asked(host="localhost@evil.example")),
        ("127.0.0.1", asked(host="[::1")),
        ("127.0.0.1", asked(host="")),
        ("127.0.0.1", asked(X_Forwarded_For="127.0.0.1")),
        ("127.0.0.1", asked(Forwarded="for=127.0.0.1")),
        ("127.0.0.1", asked(X_Real_Ip="127.0.0.1")),
        ("127.0.0.1", asked(Via="1.1 proxy")),
    ],
)
async def test_anybody_else_needs_a_token(listens_on: str, request_: Asked) -> None:
    """Another binding, peer or host's name, and any proxy: 401, in words that say what to send."""
    verdict = await Guard(listens_on, Judge()).judge(request_)
    assert verdict.code == 401
    assert "warmlog-viewer" in verdict.words
    assert "Authorization: Bearer" in verdict.words


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        ("Bearer good", 200),
        ("bearer  good ", 200),
        ("Bearer bad", 403),
        ("Bearer ", 401),
        ("Basic good", 401),
        (basic("me:good"), 200),
        (basic(":good").replace("Basic", "BASIC"), 200),
        (basic("me:bad"), 403),
        (basic("good"), 401),
        (basic("good:"), 401),
        ("Basic \u00e9", 401),
        ("good", 401),
    ],
)
async def test_a_bearer_is_judged_by_the_cluster(sent: str, code: int) -> None:
    """A token is reviewed for the path that is asked for; what is none is not."""
    judge = Judge()
    verdict = await Guard("10.0.0.5", judge).judge(asked("10.0.0.7", Authorization=sent))
    assert verdict.code == code
    assert all(path == "/explain" for _, path in judge.asked)


@pytest.mark.parametrize("host", ["", "10.0.0.5", "localhost.evil", "127.0.0.1:80", "::", "1"])
def test_what_is_not_loopback(host: str) -> None:
    """Only whole addresses of loopback, and its one name, are this machine."""
    assert not is_loopback(host)
