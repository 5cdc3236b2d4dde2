"""Splitting a stream of JSON documents, pretty-printed or one per line, one after the other.

A document begins with a line that begins with a brace or a bracket, and ends with one that begins
with the closing one, or on the very line that it began on: whatever prints JSON prints it so. What
is damaged or cut ends where the next document begins. One document is held at a time.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.parsing import parse

_OPENING = (b"{", b"[")
_CLOSING = (b"}", b"]")
_BOM = b"\xef\xbb\xbf"


class Document(NamedTuple):
    """One JSON document, its number, and the line on which it begins; both count from 1."""

    number: int
    line: int
    value: Any


class Damage(NamedTuple):
    """What is no document: a line outside of any (then `number` is 0), or one that is cut."""

    number: int
    line: int
    words: str


def split(lines: Iterable[bytes]) -> Iterator[Document | Damage]:
    """Give the documents that lines of bytes hold, and what is none, in their order."""
    splitter = _Splitter()
    for line in lines:
        yield from splitter.take(line)
    yield from splitter.end()


class _Splitter:
    def __init__(self) -> None:
        self._held: list[bytes] = []
        self._begun = 0  # line on which what is held begins
        self._line = 0
        self._number = 0

    def take(self, line: bytes) -> Iterator[Document | Damage]:
        self._line += 1
        if self._line == 1:
            line = line.removeprefix(_BOM)
        opens = line.startswith(_OPENING)
        if opens and self._held:
            yield from self._close("it is cut, or damaged")
        if not self._held:
            if not line.strip():
                return
            if not opens and not line.lstrip().startswith(_OPENING):
                yield Damage(0, self._line, "it is no JSON")
                return
            self._begun = self._line
        self._held.append(line)
        if len(self._held) == 1 or line.startswith(_CLOSING):
            yield from self._documents()

    def end(self) -> Iterator[Document | Damage]:
        if self._held:
            yield from self._close("the material ends in the middle of it")

    def _close(self, words: str) -> Iterator[Document | Damage]:
        yield from self._documents()
        if self._held:
            self._held.clear()
            self._number += 1
            yield Damage(self._number, self._begun, words)

    def _documents(self) -> Iterator[Document | Damage]:
        """Give what is whole of what is held; the rest, which may go on, is held further."""
        if not self._held[-1].rstrip().endswith((*_CLOSING, *_OPENING)):
            return
        data = b"".join(self._held)
        while data.strip():
            value, rest = _first_of(data)
            if rest is None:
                self._held = [data]
                return
            self._number += 1
            yield Document(self._number, self._begun, value)
            data, self._begun = rest, self._line
        self._held.clear()


def _first_of(data: bytes) -> tuple[Any, bytes | None]:
    """Give the first document of `data`, and what follows; None when it is not whole."""
    try:
        return parse(data, exact=True), b""
    except json.JSONDecodeError as error:
        if not error.msg.startswith("Extra data"):
            return None, None
        begin = data.decode("utf-8", "surrogatepass")
        head, rest = begin[: error.pos], begin[error.pos :]
        if not rest.startswith(("{", "[")):
            return None, None
        first = parse(head.encode("utf-8", "surrogatepass"), exact=True)
        return first, rest.encode("utf-8", "surrogatepass")
    except ValueError:
        return None, None
