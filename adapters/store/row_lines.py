"""One line of JSON Lines: a row, as it is written and read."""

import json
import re

from engine.canonical_json import Number, dumps, loads
from engine.events import Event

_COUNT = r"(0|[1-9][0-9]{0,18})"
_COUNT_OR_NULL = r"(null|0|[1-9][0-9]{0,18})"
_TEXT = r'("[^"\\]*(?:\\.[^"\\]*)*")'
_ROW = re.compile(
    rf'\{{"at":{_COUNT},"cause":{_COUNT_OR_NULL},"cluster":{_TEXT},"data":(.*),"epoch":{_COUNT},'
    rf'"seen":{_COUNT_OR_NULL},"seq":{_COUNT},"subject":{_TEXT},"type":{_TEXT},'
    rf'"version":{_COUNT}\}}'
)

# Number keeps texts that int cannot: "-0", and integers of thousands of digits.
_EXACT = json.JSONDecoder(parse_float=Number, parse_int=Number)


def event_line(event: Event) -> bytes:
    """Give a row's line, its end included. `data` must be canonical JSON."""
    text = (
        f'{{"at":{event.at},"cause":{dumps(event.cause)},"cluster":{dumps(event.cluster)},'
        f'"data":{event.data},"epoch":{event.epoch},"seen":{dumps(event.seen)},'
        f'"seq":{event.seq},"subject":{dumps(event.subject)},"type":{dumps(event.type)},'
        f'"version":{event.version}}}\n'
    )
    return text.encode("ascii")


def row_of(line: bytes) -> Event:
    """Decode a line. Raises ValueError (UnicodeDecodeError too) and RecursionError: it is none."""
    found = _ROW.fullmatch(line.removesuffix(b"\n").decode("ascii"))
    if found is None:
        msg = "it is no row of a log"
        raise ValueError(msg)
    at, cause, cluster, data, epoch, seen, seq, subject, kind, version = found.groups()
    if not _is_canonical(data):
        msg = "its data is not canonical JSON"
        raise ValueError(msg)
    return Event(
        int(seq),
        int(epoch),
        int(at),
        _text(cluster),
        _text(subject),
        _text(kind),
        int(version),
        data,
        _count(cause),
        _count(seen),
    )


def subject_in(line: bytes, seq: int) -> bytes | None:
    """Give the subject of a whole row of this number as it is written; None if it is none.

    Nothing is decoded: what stands behind `data` holds no text that could be taken for another
    field, since quotes are escaped.
    """
    field = b',"seq":%d,"subject":"' % seq
    begin = line.rfind(field)
    end = line.find(b'","type":"', begin)
    if begin < 0 or end < 0 or not line.endswith(b"}\n"):
        return None
    return line[begin + len(field) : end]


def written(text: str) -> bytes:
    """Give how a text stands in a line, between its quotes."""
    return dumps(text)[1:-1].encode("ascii")


def text_of(written_text: bytes) -> str:
    """Give the text that stands so in a line, between its quotes."""
    return _text(f'"{written_text.decode("ascii")}"')


def _is_canonical(data: str) -> bool:
    try:
        if dumps(loads(data)) == data:
            return True
    except ValueError:
        pass
    return dumps(_EXACT.decode(data)) == data


def _text(quoted: str) -> str:
    if "\\" not in quoted:
        return quoted[1:-1]
    text: str = json.loads(quoted)
    if dumps(text) != quoted:
        msg = "its texts are not canonical JSON"
        raise ValueError(msg)
    return text


def _count(text: str) -> int | None:
    return None if text == "null" else int(text)
