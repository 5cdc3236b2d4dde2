"""Mistaking: files that people take for logs, told by their beginnings, and what helps then."""

import re
from pathlib import Path
from shlex import quote

LOOKED_AT_BYTES = 4096
LOG = b'{"after":'  # of a log in JSON Lines
YAML = re.compile(rb"^(?:- )?(?:apiVersion|kind|items|metadata):", re.MULTILINE)

_GZIP = b"\x1f\x8b"
_ROW = b'{"at":'
_JSON = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[\s*)*\{")


def what_helps(path: Path | str, head: bytes) -> str:
    """Say what to do with a file that begins so and is no log, as a sentence without its end."""
    name = quote(str(path))
    if head.startswith(_GZIP):
        return f"it is compressed, so unpack it first: `gunzip {name}`"
    if head.startswith(LOG):
        return "it is a log in JSON Lines, so give it a name that ends in .jsonl"
    if head.startswith(_ROW):
        return "its rows are there and the header before them is not, so export the log again"
    if _JSON.match(head):
        return (
            "it looks like what kubectl or an audit log wrote, of which "
            f"`warmlog import {name} NEW.db` makes one"
        )
    if YAML.search(head):
        return "it is YAML, so have kubectl write it with -o json, and `warmlog import` that"
    return "check the path"
