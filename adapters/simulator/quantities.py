"""Kubernetes quantities: read as numbers, and written as the API server writes them."""

import re
from fractions import Fraction

_SUFFIXES: dict[str, Fraction] = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    **{name: Fraction(1000) ** power for power, name in enumerate("kMGTPE", 1)},
    **{f"{name}i": Fraction(1024) ** power for power, name in enumerate("KMGTPE", 1)},
}
_EXPONENTS = {f"e{power}" if power else "": Fraction(10) ** power for power in range(-9, 19, 3)}
_SHAPE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[eE]([+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE]))?")
_BINARY_FROM = 1024  # smaller amounts are written in decimal, whatever their suffix was

WORDS = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)


def amount_of(text: str) -> Fraction:
    """Give the amount; ValueError, in the server's words, when `text` is no quantity."""
    return _read(text)[0]


def rewritten(text: str) -> str:
    """Give a quantity as the server stores it: `1024Mi` is `1Gi`, `0.5` is `500m`.

    ValueError, in the server's words, when `text` is no quantity.
    """
    amount, exponent, suffix = _read(text)
    if not amount:
        return "0"
    binary = suffix.endswith("i") and abs(amount) >= _BINARY_FROM
    units = {
        name: unit for name, unit in _SUFFIXES.items() if not name or name.endswith("i") == binary
    }
    if exponent is not None:
        units = _EXPONENTS
    whole = [name for name, unit in units.items() if (amount / unit).denominator == 1]
    best = max(whole or ["n"], key=lambda name: units[name])
    return f"{-(-amount // units[best])}{best}"


def _read(text: str) -> tuple[Fraction, str | None, str]:
    """Give the amount, the exponent if there is one, and the suffix."""
    found = _SHAPE.fullmatch(text)
    if found is None:
        raise ValueError(WORDS)
    number, exponent, suffix = found.groups()
    factor = Fraction(10) ** int(exponent or 0) * _SUFFIXES[suffix or ""]
    return Fraction(number) * factor, exponent, suffix or ""
