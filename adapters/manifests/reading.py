"""Reading: the bytes of a file become documents, and whatever is no document is told with its line.

A file is cut into documents where kubectl cuts it, and each is read by itself: one that is broken
hides no other.
"""

import codecs
import re
from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

import yaml

from adapters.manifests.composing import compose
from adapters.manifests.documents import Document, Misreading, Position, Unreadable
from adapters.manifests.json_events import json_documents

# kubectl's parser is a translation of libyaml, which says the same words at the same places.
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Reading(NamedTuple):
    """What a file holds."""

    documents: tuple[Document, ...] = ()
    misreadings: tuple[Misreading, ...] = ()


def read(data: bytes) -> Reading:
    """Read the bytes of a file: YAML or JSON, any number of documents."""
    documents: list[Document] = []
    misreadings: list[Misreading] = []
    try:
        for found in _documents(_text(data)):
            if isinstance(found, Misreading):
                misreadings.append(found)
            else:
                documents.append(found)
                misreadings.extend(found.misreadings)
    except Unreadable as error:
        misreadings.append(error.misreading)
    return Reading(tuple(documents), tuple(misreadings))


def _text(data: bytes) -> str:
    """Decode a file: UTF-8, or what its byte order mark says."""
    encoding = "utf-8-sig"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encoding = "utf-16"
    elif (nul := data.find(0)) >= 0:
        raise Unreadable(_place(data[:nul]), "is no text: it holds a NUL byte")
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        byte = data[error.start]
        words = f"is no UTF-8 text: byte 0x{byte:02x} has no meaning there"
        raise Unreadable(_place(data[: error.start]), words) from error


def _place(before: bytes) -> Position:
    last_line = before[before.rfind(b"\n") + 1 :].decode("utf-8-sig", "replace")
    return Position(before.count(b"\n") + 1, len(last_line) + 1)


def _documents(text: str) -> Iterator[Document | Misreading]:
    """Give what a text holds; a brace begins JSON, or else it is YAML, as in kubectl."""
    end = 0
    lost: Misreading | None = None
    if text.lstrip().startswith("{"):
        count = 0
        try:
            for document, ended in json_documents(text):
                yield document
                count, end = count + 1, ended
            return
        except Unreadable as error:
            lost = error.misreading
        if count > 1:
            yield lost
            return
    # Blanks instead of what is read keep every line where it is.
    rest = re.sub(r"[^\n]", " ", text[:end]) + text[end:]
    for found in _yaml_documents(rest):
        # Which of the two it was meant to be is told by which came further.
        if lost is not None and isinstance(found, Misreading):
            yield max(found, lost)
        else:
            yield found
        lost = None


def _yaml_documents(text: str) -> Iterator[Document | Misreading]:
    for first_line, chunk in _chunks(text):
        if isinstance(chunk, Misreading):
            yield chunk
            continue
        try:
            yield from _read_chunk(chunk, first_line)
        except Unreadable as error:
            yield _hinted(error.misreading, chunk, first_line)
        except yaml.MarkedYAMLError as error:
            yield _told(error, chunk, first_line)


def _chunks(text: str) -> Iterator[tuple[int, str | Misreading]]:
    """Cut a text at the lines that begin with `---`; each piece comes with its first line."""
    begin = start = 0
    line = first_line = 1
    for found in re.finditer(r"^---(.*)$", text, re.MULTILINE):
        line += text.count("\n", begin, found.start())
        begin = found.start()
        yield first_line, text[start:begin]
        after = found[1].strip()
        if after and not after.startswith("#"):
            words = "--- begins a document, and only a comment may follow it on its line"
            yield line, Misreading(Position(line, 1), "", words)
        start, first_line = found.end(), line
    yield first_line, text[start:]


def _read_chunk(text: str, first_line: int) -> Iterator[Document]:
    _refuse_unprintable(text, first_line)
    events = yaml.parse(text, Loader=_LOADER)
    document = compose(events, first_line)
    if document is not None:
        yield document
    deque(events, maxlen=0)  # what follows has to be YAML, too


def _refuse_unprintable(text: str, first_line: int) -> None:
    found = _UNPRINTABLE.search(text)
    if found is None:
        return
    before = text[: found.start()]
    at = Position(before.count("\n") + first_line, found.start() - before.rfind("\n"))
    raise Unreadable(at, f"holds U+{ord(found[0]):04X}, which YAML does not allow")


def _told(error: yaml.MarkedYAMLError, text: str, first_line: int) -> Misreading:
    """Say what a YAML parser says."""
    mark = error.problem_mark or error.context_mark
    words = f"is not YAML: {error.problem or error.context}"
    if mark is None:
        return Misreading(Position(first_line, 1), "", words)
    if error.context_mark is not None and error.context_mark.line != mark.line:
        words += f" {error.context} that begins on line {error.context_mark.line + first_line}"
    at = Position(mark.line + first_line, mark.column + 1)
    return _hinted(Misreading(at, "", words), text, first_line)


def _hinted(misreading: Misreading, text: str, first_line: int) -> Misreading:
    """Add what such a fault mostly comes from."""
    lines = text.split("\n")
    index = misreading.at.line - first_line
    line = lines[index] if 0 <= index < len(lines) else ""
    hint = _hint(line, misreading.at.column - 1, misreading.words)
    return misreading._replace(words=f"{misreading.words}; {hint}") if hint else misreading


def _hint(line: str, column: int, words: str) -> str:
    if "{{" in line:
        return "if it is a template, read what it renders instead"
    if line[column : column + 1] == "\t" or line[:column].strip(" ").startswith("\t"):
        return "a tab stands there, and YAML is indented with spaces"
    if line[column : column + 1] in ("@", "`", "%") and "cannot start" in words:
        return f"put quotes around what begins with {line[column]}"
    if "mapping values are not allowed" in words:
        return "a value with a colon in it needs quotes; or the indentation is wrong"
    return ""
