"""Pages: the built page with a timeline in it, or as the running controller serves it.

`page.html` is built out of `page/` by `make page`. Its data stands in it compressed and in base64,
so that no text of a log can end a script or begin an element; scripts and styles are named in its
Content-Security-Policy by their digests, and nothing else may run or be fetched.
"""

import gzip
import re
from base64 import b64encode
from functools import cache
from importlib.resources import files
from typing import Any

from engine.canonical_json import dumps

_DATA = "@DATA@"
_CONNECT = "connect-src 'none'"
_POLICY = re.compile(r'http-equiv="Content-Security-Policy" content="([^"]*)"')


def standalone_page(document: dict[str, Any]) -> str:
    """Give the page with a whole timeline in it, which asks the network for nothing."""
    packed = gzip.compress(dumps(document).encode(), compresslevel=6, mtime=0)
    return _page().replace(_DATA, b64encode(packed).decode(), 1)


@cache
def live_page() -> str:
    """Give the page that fetches `timeline.json` from beside itself, and follows it."""
    return _page().replace(_DATA, "", 1).replace(_CONNECT, "connect-src 'self'", 1)


@cache
def live_policy() -> str:
    """Give the live page's Content-Security-Policy, for a header that says the same."""
    return "".join(_POLICY.findall(live_page())[:1])


def _page() -> str:
    return files(__package__).joinpath("page.html").read_text(encoding="utf-8")
