"""Options of hydration Jobs: JSON and NAME=VALUE texts, checked before they become settings.

Settings decide, so they are in the log: whatever may hold a secret is refused here.
"""

import re
from typing import Any

from engine.canonical_json import dumps, loads
from machines.steadying import scrub
from machines.syntaxes import image_refusal

_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_USER_INFO = re.compile(r"[^\s/?#]*@")  # of a proxy that is written without a scheme
_QUANTITY = re.compile(r"(\d+\.?\d*|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d{1,3})?", re.ASCII)
_TOKENS = frozenset({"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUGGINGFACE_HUB_TOKEN"})
_TOLERATION = {"key": str, "operator": str, "value": str, "effect": str, "tolerationSeconds": int}


def checked_image(text: str) -> str:
    """Give the name of an image. Raises ValueError."""
    words = image_refusal(text)
    if words:
        msg = f"{text!r} is no image: it {words}"
        raise ValueError(msg)
    return text


def checked_resources(text: str) -> str:
    """Give a container's resources as canonical JSON. Raises ValueError."""
    read = _json(text)
    if not isinstance(read, dict) or not all(
        name in {"limits", "requests"} and _is_amounts(amounts) for name, amounts in read.items()
    ):
        msg = 'must be a JSON object with limits and requests, like {"requests":{"memory":"2Gi"}}'
        raise ValueError(msg)
    return dumps(read)


def checked_tolerations(text: str) -> str:
    """Give a Pod's tolerations as canonical JSON. Raises ValueError."""
    read = _json(text)
    if not isinstance(read, list) or not all(_is_toleration(one) for one in read):
        msg = (
            'must be a JSON list of tolerations, like [{"key":"gpu","operator":"Exists"}], with'
            f" {', '.join(_TOLERATION)} alone"
        )
        raise ValueError(msg)
    return dumps(read)


def checked_environment(given: Any) -> Any:
    """Read NAME=VALUE texts, sorted by name; what is no list is left to pydantic.

    Raises ValueError, which never repeats a value that may be a secret.
    """
    if not isinstance(given, list | tuple):
        return given
    found: dict[str, str] = {}
    for text in given:
        if not isinstance(text, str):
            return given
        name, equals, value = text.partition("=")
        if not equals or not _NAME.fullmatch(name):
            msg = f"{name!r} is not NAME=VALUE"
            raise ValueError(msg)
        _refuse_secrets(name, value)
        if name == "HF_HUB_CACHE" or name.startswith("WARMLOG_"):
            msg = f"{name} is set by warmlog itself, and by nobody else"
            raise ValueError(msg)
        found[name] = value
    return tuple(sorted(found.items()))


def _refuse_secrets(name: str, value: str) -> None:
    if name in _TOKENS:
        msg = f"{name} would stand in the log: name the token's Secret in the ModelCache"
        raise ValueError(msg)
    if scrub(value) != value or _USER_INFO.match(value):
        msg = f"the value of {name} holds a user, a token or a query, and would stand in the log"
        raise ValueError(msg)


def _json(text: str) -> Any:
    try:
        return loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"must be JSON ({error})"
        raise ValueError(msg) from error


def _is_amounts(amounts: Any) -> bool:
    return isinstance(amounts, dict) and all(
        isinstance(amount, str) and _QUANTITY.fullmatch(amount) for amount in amounts.values()
    )


def _is_toleration(one: Any) -> bool:
    return isinstance(one, dict) and all(
        isinstance(value, _TOLERATION.get(name, type(None))) and not isinstance(value, bool)
        for name, value in one.items()
    )
