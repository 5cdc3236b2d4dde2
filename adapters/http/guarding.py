"""Who may see what the log holds: this machine itself, else whom the cluster lets.

A page that shows data answers a caller on loopback, when the server listens there alone, and else
one whose bearer token the API server knows and who may `get` that path. A browser, which has no
other way to send one, sends it as a password. What came through a proxy or was asked of another
host's name (as a page elsewhere can have a browser do) is not from here.
"""

from base64 import b64decode
from collections.abc import Mapping
from ipaddress import ip_address
from typing import NamedTuple, Protocol
from urllib.parse import urlsplit

OK, UNAUTHENTICATED, FORBIDDEN, UNANSWERED = 200, 401, 403, 503
_FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Via")
_BEARER, _BASIC = "bearer", "basic"


class Verdict(NamedTuple):
    """Whether somebody may see a page: OK, or the code of the refusal and what to do."""

    code: int
    words: str = ""


class Reviews(Protocol):
    """Asks somebody who knows whom a token is of, and what they may see."""

    async def review(self, token: str, path: str) -> Verdict:
        """Judge the bearer of a token."""
        ...


class Asked(NamedTuple):
    """A request as far as the guard looks at it."""

    path: str
    peer: str  # its address; "" where there is none
    headers: Mapping[str, str]


class Guard:
    """Judges requests."""

    def __init__(self, listens_on: str, reviews: Reviews) -> None:
        """`listens_on` is the host of the server's own address."""
        self._is_local = is_loopback(listens_on)
        self._reviews = reviews

    async def judge(self, asked: Asked) -> Verdict:
        """Say whether a request is answered."""
        if self._is_local and is_from_here(asked):
            return Verdict(OK)
        token = token_in(asked.headers.get("Authorization", ""))
        if not token:
            return Verdict(UNAUTHENTICATED, _no_token(asked.path))
        return await self._reviews.review(token, asked.path)


def token_in(authorization: str) -> str:
    """Give the token that a header holds, by itself or as the password of any user; "" if none."""
    scheme, _, rest = authorization.partition(" ")
    if scheme.lower() == _BEARER:
        return rest.strip()
    return _password(rest.strip()) if scheme.lower() == _BASIC else ""


def _password(credentials: str) -> str:
    try:
        plain = b64decode(credentials, validate=True).decode()
    except ValueError:
        return ""
    return plain.partition(":")[2].strip()


def is_from_here(asked: Asked) -> bool:
    """Say whether a request is from this machine, through no proxy, and meant for it."""
    if any(name in asked.headers for name in _FORWARDED) or not is_loopback(asked.peer):
        return False
    try:
        host = urlsplit(f"//{asked.headers.get('Host', '')}").hostname
    except ValueError:
        return False
    return host is not None and is_loopback(host)


def is_loopback(host: str) -> bool:
    """Say whether an address or a name is this machine's own and nobody else's."""
    if host.lower() == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _no_token(path: str) -> str:
    return (
        f"{path} shows what the log holds: ask for it on loopback of a server that listens there "
        "alone, or send `Authorization: Bearer TOKEN` of a user or ServiceAccount with the "
        "ClusterRole warmlog-viewer, such as `kubectl create token NAME` gives; in a browser give "
        "the token as the password, with any name."
    )
