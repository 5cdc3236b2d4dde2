"""Connections over HTTP that break: what a client raises, and in which words it is told."""

import asyncio
import os

import aiohttp

# ValueError is what addresses, names and credentials that can never be sent end in.
BROKEN = (aiohttp.ClientError, OSError, TimeoutError, asyncio.IncompleteReadError, ValueError)


def words_of(error: BaseException) -> str:
    """Say in plain words what broke."""
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return f"its certificate is not trusted: {error.certificate_error}"
        case aiohttp.ClientConnectorSSLError():
            reason = str(getattr(error.os_error, "reason", "")).lower().replace("_", " ")
            return f"it does not speak TLS, or not as it should ({reason or error})"
        case aiohttp.ClientConnectorDNSError():
            return "its name cannot be resolved"
        case aiohttp.ClientConnectorError():
            return _system_words(error.os_error)
        case aiohttp.ServerDisconnectedError() | aiohttp.ClientPayloadError():
            return "the connection was cut"
        case ConnectionError():
            return "the connection was cut"
        case aiohttp.InvalidURL():
            return "its address is no URL"
        case aiohttp.ClientResponseError():
            return f"what it answered is not HTTP: {error.message}"
        case ValueError():
            return "its address, its name or the credentials for it cannot be used"
        case _:
            return str(error) or type(error).__name__


def _system_words(error: OSError) -> str:
    """Give the system's own words for a failed connection, such as `connection refused`."""
    return os.strerror(error.errno).lower() if error.errno else str(error)
