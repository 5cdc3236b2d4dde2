"""Reading the lines of material as UTF-8, however they were stored: gzip, UTF-16, or neither.

API servers compress the audit logs that they put aside, and some shells write what they redirect as
UTF-16. Nothing is held but a line at a time.
"""

import codecs
import gzip
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from io import BufferedReader
from typing import IO

_GZIP = b"\x1f\x8b"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_EITHER = 16 + zlib.MAX_WBITS  # what zlib calls a gzip file

_OFTEN = 64  # lines
Watch = Callable[[int], None]


class LineReader:
    """The lines of an open file, from its beginning."""

    def __init__(self, file: IO[bytes], watch: Watch = lambda _: None) -> None:
        """Read `file`, which can be sought in; `watch` is told how many bytes were got through."""
        self._file = file
        self._watch = watch
        self.damage = ""  # why the rest of a compressed file cannot be read

    def __iter__(self) -> Iterator[bytes]:
        """Give the lines, up to where a compressed file is damaged."""
        self.damage = ""
        told = 0
        try:
            for number, line in enumerate(_decoded(self._uncompressed())):
                if number % _OFTEN == 0:
                    told, before = self._file.tell(), told
                    self._watch(told - before)
                yield line
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.damage = str(error)

    def _uncompressed(self) -> IO[bytes]:
        self._file.seek(0)
        is_compressed = self._file.read(len(_GZIP)) == _GZIP
        self._file.seek(0)
        if not is_compressed:
            return self._file
        return BufferedReader(gzip.GzipFile(fileobj=self._file))


def _decoded(file: IO[bytes]) -> Iterator[bytes]:
    begin = file.read(2)
    file.seek(0)
    if begin in _UTF16:
        for line in codecs.getreader("utf-16")(file, "replace"):
            yield line.encode()
    else:
        yield from file


def head_of(file: IO[bytes], size: int) -> bytes:
    """Give the beginning of what a file's lines hold, made of at most `size` bytes."""
    head = file.read(size)
    if head.startswith(_GZIP):
        with suppress(zlib.error):
            head = zlib.decompressobj(_EITHER).decompress(head, size)
    if head.startswith(_UTF16):
        head = head.decode("utf-16", "replace").encode()
    return head
