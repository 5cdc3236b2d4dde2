"""Parsing what an API server sends, whatever one object in it may hold.

Numbers of our own group keep the text they were written in; elsewhere the fast parser does. An
object nested so deeply that no parser reads it must not hide the others of its list: what lies too
deep is replaced by a string that says so.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from engine import canonical_json

MAX_DEPTH = 200
TOO_DEEP = "nested too deeply to be read"

_BETWEEN = re.compile(r"[ \t\r\n,]*")
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse(data: bytes, *, exact: bool) -> Any:
    """Parse one JSON document; with `exact`, numbers that are no integers stay texts (`Number`).

    Raises ValueError for anything else.
    """
    try:
        return _parsed(data, exact=exact)
    except RecursionError:
        return _parsed(shallow(data), exact=exact)


class Documents:
    """The JSON documents that some bytes begin with, one behind the other; numbers stay texts."""

    def __init__(self, data: bytes) -> None:
        """Parse `data` one document at a time."""
        self.left = data  # what follows the last document, once that was given

    def __iter__(self) -> Iterator[Any]:
        """Give each, and keep what is left when that begins no whole document."""
        try:
            text = _text(self.left)
        except ValueError:
            return
        begin = _begin(text, 0)
        while text.startswith(("{", "["), begin):
            try:
                value, end = canonical_json.load_from(text, begin)
            except RecursionError:
                text = _text(shallow(_bytes(text[begin:])))
                value, end = canonical_json.load_from(text, 0)
            except ValueError:
                break
            begin = _begin(text, end)
            yield value
        self.left = _bytes(text[begin:])


def shallow(data: bytes, max_depth: int = MAX_DEPTH) -> bytes:
    """Give the same JSON with every value below `max_depth` replaced by TOO_DEEP."""
    kept: list[bytes] = []
    depth = begin = 0
    marker = json.dumps(TOO_DEEP).encode()
    for token in _TOKEN.finditer(data):
        first = token.group()[:1]
        if first in b"[{":
            depth += 1
            if depth == max_depth + 1:
                kept += (data[begin : token.start()], marker)
        elif first in b"]}":
            depth -= 1
            if depth == max_depth:
                begin = token.end()
    if depth <= max_depth:
        kept.append(data[begin:])
    return b"".join(kept)


def _parsed(data: bytes, *, exact: bool) -> Any:
    text = _text(data)
    return canonical_json.loads(text) if exact else _FAST.decode(text)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogatepass")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _begin(text: str, at: int) -> int:
    """Give where something stands again, behind blanks and commas."""
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _refuse(constant: str) -> Any:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)


_FAST = json.JSONDecoder(parse_constant=_refuse)
