"""Parsing what an API server sends, whatever one object in it may hold.

Numbers of our own group keep the text they were written in; elsewhere the fast parser does. An
object nested so deeply that no parser reads it must not hide the others of its list: what lies too
deep is replaced by a string that says so.
"""

import json
import re
from typing import Any

from engine import canonical_json

MAX_DEPTH = 200
TOO_DEEP = "nested too deeply to be read"

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


def parse(data: bytes, *, exact: bool) -> Any:
    """Parse one JSON document; with `exact`, numbers that are no integers stay texts (`Number`).

    Raises ValueError for anything else.
    """
    try:
        return _parsed(data, exact=exact)
    except RecursionError:
        return _parsed(shallow(data), exact=exact)


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
    text = data.decode("utf-8", "surrogatepass")
    return canonical_json.loads(text) if exact else _FAST.decode(text)


def _refuse(constant: str) -> Any:
    msg = f"{constant} is not JSON"
    raise ValueError(msg)


_FAST = json.JSONDecoder(parse_constant=_refuse)
