r"""Canonical JSON: one text per value, so that equal data are equal bytes everywhere.

Shape of the text: keys sorted by code point, no blanks, ASCII only (everything else is a `\u`
escape, NUL and lone surrogates included), numbers as they were written. The last point matters
because an API server's `1.0` and `1e3` must come back as they were given; `loads` therefore keeps
the text of every number that is not a plain integer in a `Number`.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

MOST_DIGITS = 300  # longer integers stay texts; Python itself stops at 4,300 digits


class Number:
    """A JSON number that is not a plain integer, kept as the text it was written in."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        """Keep `text`, the number exactly as written."""
        self.text = text

    def __eq__(self, other: object) -> bool:
        """Equal when written alike: `1.0` and `1.00` are different texts."""
        return isinstance(other, Number) and other.text == self.text

    def __hash__(self) -> int:
        """Agree with equality."""
        return hash(self.text)

    def __repr__(self) -> str:
        """Show the text."""
        return f"Number({self.text!r})"

    def __float__(self) -> float:
        """Give the nearest float, for arithmetic that does not need the text."""
        return float(self.text)


class _HasNumber(Exception):
    """Raised by the fast encoder when it meets a `Number`."""


def _refuse(value: object) -> Any:
    if isinstance(value, Number):
        raise _HasNumber
    msg = f"not JSON: {type(value).__name__}"
    raise TypeError(msg)


def _refuse_constant(name: str) -> Any:
    msg = f"{name} is not JSON"
    raise ValueError(msg)


def _integer(text: str) -> "int | Number":
    """Keep what an int would not give back as it was, and what Python refuses to convert."""
    if text == "-0" or len(text) > MOST_DIGITS:
        return Number(text)
    return int(text)


_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False, default=_refuse
)


def _made_once() -> Callable[[Any], str]:
    """Give the encoder's work without its beginning, which takes longer than a small value does.

    `encode` has C code make an encoder anew for each value; where there is none, it is used itself.
    """
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:
        return _ENCODER.encode
    encode = make(
        None, _refuse, json.encoder.encode_basestring_ascii, None, ":", ",",
        True, False, False,  # noqa: FBT003 -- sort_keys, skipkeys, allow_nan: it knows no names
    )  # fmt: skip
    return lambda value: "".join(encode(value, 0))


_encode = _made_once()
_DECODER = json.JSONDecoder(parse_float=Number, parse_int=_integer, parse_constant=_refuse_constant)


def dumps(value: Any) -> str:
    """Give the canonical text of `value`.

    Raises TypeError for what JSON does not have, ValueError for NaN and infinities.
    """
    try:
        return _encode(value)
    except _HasNumber:
        return "".join(_parts(value))


def loads(text: str) -> Any:
    """Parse JSON; numbers that are not plain integers come back as `Number`.

    Raises json.JSONDecodeError (a ValueError) for anything else than one JSON document.
    """
    return _DECODER.decode(text)


def load_from(text: str, begin: int) -> tuple[Any, int]:
    """Parse the JSON document that begins at a place of a text, and say where it ends.

    Raises json.JSONDecodeError where there is none.
    """
    value, end = _DECODER.raw_decode(text, begin)
    return value, end


def loads_or_none(text: str) -> Any:
    """Parse JSON, or give None for what is none."""
    try:
        return loads(text)
    except ValueError:
        return None


def _parts(value: Any) -> Iterator[str]:
    """Encode by hand: the standard encoder cannot be told to write a number's own text."""
    if isinstance(value, Number):
        yield value.text
    elif isinstance(value, dict):
        yield "{"
        for index, key in enumerate(sorted(value)):
            yield f"{',' if index else ''}{_ENCODER.encode(key)}:"
            yield from _parts(value[key])
        yield "}"
    elif isinstance(value, list | tuple):
        yield "["
        for index, item in enumerate(value):
            if index:
                yield ","
            yield from _parts(item)
        yield "]"
    else:
        yield _ENCODER.encode(value)
