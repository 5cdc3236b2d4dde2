"""Scalars: what a YAML scalar without quotes means to kubectl.

kubectl reads YAML 1.1 as go-yaml understands it (`yes` is true, `012` is ten, `1e3` is a number),
and sends JSON. PyYAML differs in details (`1e3` is a text there, `1:30` a number), so its events
are used and its meaning of scalars is not.
"""

import base64
import binascii
import math
import re

PREFIX = "tag:yaml.org,2002:"

Scalar = str | int | float | bool | None

_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(
        ("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True
    ),
    **dict.fromkeys(
        ("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False
    ),
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_BASES = (
    (re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (re.compile(r"[-+]?0[bB][01]+"), 2),
    (re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (re.compile(r"[-+]?(0|[1-9][0-9]*)"), 10),
)
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_LOOSE_UNDERLINE = re.compile("(?<![0-9])_|_(?![0-9])")
_DATE = re.compile(r"[0-9]{4}-.*", re.DOTALL)
_LONGEST_INTEGER = 70  # characters: 64 binary digits with a sign and a prefix
_MOST_INTEGER = 2**64 - 1
_EXACT_INTEGERS = 2**63  # those from there on lose their last digits in Kubernetes
_LEAST_INTEGER = -(2**63)
_EXACT_BELOW = 1e21  # a whole number below it is sent without an exponent


def resolve(value: str, tag: str | None, *, plain: bool) -> Scalar:
    """Give the meaning of a scalar; `plain` says that it stood there without quotes.

    Raises ValueError with words where its tag does not fit.
    """
    name = (tag or "").removeprefix(PREFIX)
    if tag is None:
        return _meaning(value) if plain else value
    if name == "binary":
        return _decoded(value)
    if not tag.startswith(PREFIX) or name not in _KINDS:
        return value
    if name == "str":
        return value
    found = _meaning(value)
    if isinstance(found, bool) or not isinstance(found, _KINDS[name]):
        fits = name == "bool" and isinstance(found, bool)
    else:
        fits = True
    if not fits:
        raise ValueError(f"is tagged !!{name}, which {value!r} is not")
    return found


_KINDS: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "bool": (bool,),
    "int": (int,),
    "float": (int, float),
    "null": (type(None),),
    "timestamp": (str,),
}


def _meaning(value: str) -> Scalar:
    """Read a scalar whose first character decides whether it can be anything but a text."""
    if value in _WORDS:
        return _WORDS[value]
    first = value[:1]
    if first == ".":
        # Here, unlike after a digit, an underline has to stand between digits.
        return value if _LOOSE_UNDERLINE.search(value) else _float(value.replace("_", ""), value)
    if first not in "+-0123456789" or _DATE.fullmatch(value):
        return value
    text = value.replace("_", "")
    integer = _integer(text)
    if integer is not None:
        return integer
    return _float(text, value)


def _integer(text: str) -> int | None:
    if len(text) > _LONGEST_INTEGER:
        return None
    for pattern, base in _BASES:
        if pattern.fullmatch(text):
            number = int(text, base)
            if _LEAST_INTEGER <= number <= _MOST_INTEGER:
                return number if number < _EXACT_INTEGERS else int(float(number))
            return None
    return None


def _float(text: str, value: str) -> str | int | float:
    """Read a number with a point or an exponent; whole ones arrive as integers."""
    if not _FLOAT.fullmatch(text):
        return value
    number = float(text)
    if math.isinf(number):
        return value
    if number.is_integer() and abs(number) < _EXACT_BELOW:
        return int(number)
    return number


def _decoded(value: str) -> str:
    try:
        data = base64.b64decode("".join(value.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError("is tagged !!binary and is no base64") from error
    return data.decode("utf-8", "replace")
