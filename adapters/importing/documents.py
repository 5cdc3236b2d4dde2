"""Splitting a stream of JSON documents, pretty-printed or one per line, one after the other.

A document begins with a line that begins with a brace or a bracket, and ends where as many were
closed as were opened: whatever prints JSON prints it so. What is damaged or cut ends where the next
document begins. One document is held at a time, and looked through a fixed number of times.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from adapters.kubernetes.parsing import Documents

_OPENING = (b"{", b"[")
_CLOSING = (b"}", b"]")
_BOM = b"\xef\xbb\xbf"
_BLANK = b" \t\r\n"
_STRING = re.compile(rb'"(?:[^"\\\n]|\\.)*"')
_WITHIN = re.compile(rb'[ \t\r\n]*(?:$|["{}\[\],:0-9tfn-])')  # how a line goes on with JSON
_DAMAGED = "it is cut, or damaged"
_ENDED = "the material ends in the middle of it"
_NONE = "it is no JSON"


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
        self._depth = 0  # of what is held: how much of it is open
        self._is_passing = False  # over what is left of a damaged document
        self._begun = 0  # line on which what is held begins
        self._line = 0
        self._number = 0

    def take(self, line: bytes) -> Iterator[Document | Damage]:
        self._line += 1
        line = line.removeprefix(_BOM)
        if line.startswith(_OPENING):
            yield from self._close(_DAMAGED)
        if self._is_passing:
            return
        if not self._held:
            if line.strip(_BLANK) in {b"", b"]"}:  # the end of an array, a member on each line
                return
            if not line.lstrip().startswith(_OPENING):
                yield Damage(0, self._line, _NONE)
                return
            self._begun = self._line
        elif not _WITHIN.match(line):
            yield from self._pass_over(_DAMAGED)
            return
        before, depth = self._depth, self._depth + _depth(line)
        self._held.append(line)
        self._depth = depth
        if depth <= 0 or (before == 1 and line.startswith(_CLOSING)):
            yield from self._documents()

    def end(self) -> Iterator[Document | Damage]:
        yield from self._close(_ENDED)

    def _close(self, words: str) -> Iterator[Document | Damage]:
        """End what is held, whether it is whole or not."""
        if self._held:
            yield from self._documents()
        if [line.strip(_BLANK) for line in self._held] not in ([], [b"["]):
            yield from self._pass_over(words)
        self._held.clear()
        self._depth, self._is_passing = 0, False

    def _pass_over(self, words: str) -> Iterator[Damage]:
        self._held.clear()
        self._is_passing = True
        self._number += 1
        yield Damage(self._number, self._begun, words)

    def _documents(self) -> Iterator[Document | Damage]:
        """Give what is whole of what is held; the rest, which may go on, is held further."""
        documents = Documents(b"".join(self._held))
        self._held.clear()
        for value in documents:
            self._number += 1
            yield Document(self._number, self._begun, value)
            self._begun = self._line
        rest = documents.left
        self._depth = _depth(rest)
        if rest.startswith(_OPENING) and self._depth > 0:
            self._held.append(rest)
        elif rest.startswith(_OPENING):
            yield from self._pass_over(_DAMAGED)
        elif rest:
            yield Damage(0, self._line, _NONE)


def _depth(data: bytes) -> int:
    """Give how many braces and brackets are opened, and not closed."""
    bare = _STRING.sub(b"", data)
    opened = sum(bare.count(one) for one in _OPENING)
    return opened - sum(bare.count(one) for one in _CLOSING)
