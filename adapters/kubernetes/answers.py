"""What an API server's answers mean: words, classification, who holds a name."""

from typing import Any

from adapters.kubernetes.fields import mapping, mappings, text
from adapters.ports import Response
from machines.observations import Refused, Unknown
from machines.steadying import steady

NOT_FOUND = 404
FORBIDDEN = 403
CONFLICT = 409
INVALID = 422
_SERVER_ERRORS = 500
_GATEWAY_TIMEOUT = 504
_NO_SUCH_PATH = "404 page not found"  # Go's own words


def status_words(response: Response) -> str:
    """Give the server's own words for a refusal, steadied; its code when it said none."""
    body = mapping(response.body)
    words = text(body.get("message")) or text(body.get("reason"))
    return steady(words) or f"HTTP {response.code}"


def status_reason(response: Response) -> str:
    """Give the Status's reason, such as AlreadyExists; empty when there is none."""
    return text(mapping(response.body).get("reason"))


def causes(response: Response) -> list[dict[str, Any]]:
    """Give the causes in a Status's details."""
    return mappings(mapping(mapping(response.body).get("details")).get("causes"))


def refusal(response: Response) -> Refused:
    """Give the outcome of a write that the server refused."""
    named = response.code == INVALID and any(text(one.get("field")) for one in causes(response))
    return Refused(
        code=response.code,
        reason=status_reason(response),
        words=status_words(response),
        field=named,
        terminating=_terminating(response),
    )


def names_object(response: Response, plural: str, name: str) -> bool:
    """Say whether a 404 is about this very object: a proxy's, or a missing path's, is not."""
    details = mapping(mapping(response.body).get("details"))
    about = (text(details.get("kind")), text(details.get("name")))
    return response.code == NOT_FOUND and about == (plural, name)


def is_unserved(response: Response) -> bool:
    """Say whether a 404 to a list says that the API server has no such kind at all.

    It then knows no such path, or no such resource of a group; another 404 is somebody else's.
    """
    body = mapping(response.body)
    named = text(mapping(body.get("details")).get("name"))
    unknown = status_reason(response) == "NotFound" and not named
    return response.code == NOT_FOUND and (unknown or body.get("message") == _NO_SUCH_PATH)


def not_done(response: Response) -> Refused | Unknown:
    """Give the outcome of a write that was answered with a code of failure.

    A server that gave up waiting for its own storage has not said no: that is Unknown.
    """
    gave_up = response.code == _GATEWAY_TIMEOUT or (
        response.code >= _SERVER_ERRORS and "timed out" in status_words(response)
    )
    return Unknown(status_words(response)) if gave_up else refusal(response)


def uid_of(body: Any) -> str:
    """Give the uid of an object; empty when it has none."""
    return text(mapping(mapping(body).get("metadata")).get("uid"))


def version_of(body: Any) -> str:
    """Give the resourceVersion of an object or a list; empty when it has none."""
    return text(mapping(mapping(body).get("metadata")).get("resourceVersion"))


def _terminating(response: Response) -> bool:
    """Say whether a create was refused because its namespace is gone or going."""
    if response.code == FORBIDDEN:
        return any(one.get("reason") == "NamespaceTerminating" for one in causes(response))
    details = mapping(mapping(response.body).get("details"))
    return response.code == NOT_FOUND and details.get("kind") == "namespaces"
