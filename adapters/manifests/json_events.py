"""JSON: read as the events of the same document in YAML, so that both become values alike.

Not every JSON is YAML to a YAML parser (tabs, escapes, long names), and errors are told better by
whoever expects JSON.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator

import yaml

from adapters.manifests.composing import MAX_DEPTH, compose
from adapters.manifests.documents import Document, Position, Unreadable

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^\s\[\]{}",:]+', re.DOTALL)
_BLANK = re.compile(r"[ \t\r\n]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


def json_documents(text: str) -> Iterator[tuple[Document, int]]:
    """Give each JSON value of a text, one behind the other, and where it ends.

    Raises Unreadable at the first that is none.
    """
    places = _Places(text)
    begin = _after_blanks(text, 0)
    while begin < len(text):
        end = _end_of_value(text, begin, places)
        document = compose(_events(text, begin, end, places))
        if document is not None:
            yield document, end
        begin = _after_blanks(text, end)


class _Places:
    """Lines and columns of the characters of a text."""

    def __init__(self, text: str) -> None:
        self._begins = [0, *(found.end() for found in re.finditer("\n", text))]

    def mark(self, index: int) -> yaml.Mark:
        line = bisect_right(self._begins, index) - 1
        return yaml.Mark("", index, line, index - self._begins[line], None, 0)

    def position(self, index: int) -> Position:
        mark = self.mark(index)
        return Position(mark.line + 1, mark.column + 1)


def _after_blanks(text: str, index: int) -> int:
    found = _BLANK.match(text, index)
    return found.end() if found else index


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no value of JSON")


# Only whether it is JSON, and where it ends: values come from the events.
_DECODER = json.JSONDecoder(parse_constant=_no_constant, parse_int=len, parse_float=len)


def _end_of_value(text: str, begin: int, places: _Places) -> int:
    try:
        return _DECODER.raw_decode(text, begin)[1]
    except json.JSONDecodeError as error:
        words = f"{error.msg[:1].lower()}{error.msg[1:]}"
        raise Unreadable(places.position(error.pos), f"is not JSON: {words}") from error
    except ValueError as error:
        raise Unreadable(places.position(begin), f"is not JSON: {error}") from error
    except RecursionError as error:
        words = f"is nested too deeply: more than {MAX_DEPTH} levels"
        raise Unreadable(places.position(begin), words) from error


def _events(text: str, begin: int, end: int, places: _Places) -> Iterator[yaml.Event]:
    yield yaml.DocumentStartEvent()
    for token in _TOKEN.finditer(text, begin, end):
        mark = places.mark(token.start())
        word = token.group()
        match word[0]:
            case "{":
                yield yaml.MappingStartEvent(None, None, implicit=True, start_mark=mark)
            case "[":
                yield yaml.SequenceStartEvent(None, None, implicit=True, start_mark=mark)
            case "}":
                yield yaml.MappingEndEvent()
            case "]":
                yield yaml.SequenceEndEvent()
            case '"':
                # Half a pair of surrogates is no character; Kubernetes reads it as this one.
                value = _SURROGATE.sub("\ufffd", json.loads(word))
                yield yaml.ScalarEvent(None, None, (False, True), value, start_mark=mark)
            case _:
                yield yaml.ScalarEvent(None, None, (True, False), word, start_mark=mark)
    yield yaml.DocumentEndEvent()
