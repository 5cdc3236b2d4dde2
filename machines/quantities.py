"""Kubernetes quantities in one notation: `1Gi`, `1073741824` and `1024Mi` are the same amount.

Source of the suffixes: Kubernetes' resource.Quantity (binary Ki…Ei, decimal n, u, m, k…E, or an
exponent).
"""

import re
from fractions import Fraction
from typing import Any

from engine.canonical_json import Number

_BINARY = {
    suffix: 2 ** (10 * power)
    for power, suffix in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)
}
_DECIMAL = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "": Fraction(1),
    "k": Fraction(10**3),
    "M": Fraction(10**6),
    "G": Fraction(10**9),
    "T": Fraction(10**12),
    "P": Fraction(10**15),
    "E": Fraction(10**18),
}
_LONGEST = 64  # characters; no amount of anything has more
_SHAPE = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d{1,3})|([KMGTPE]i|[numkMGTPE]))?\Z")


def canonical(quantity: str) -> str:
    """Give the exact amount as a fraction's text; what is no quantity comes back as it is."""
    match = _SHAPE.match(quantity) if len(quantity) <= _LONGEST else None
    if match is None:
        return quantity
    number, exponent, suffix = match.groups()
    factor = _BINARY[suffix] if suffix in _BINARY else _DECIMAL[suffix or ""]
    return str(Fraction(number + (exponent or "")) * factor)


def with_canonical_quantities(value: Any) -> Any:
    """Give a copy of a Pod fragment in which every quantity has one notation.

    Quantities stand under `requests` and `limits` of resources (a claim template's included), in an
    emptyDir's `sizeLimit` and in the `divisor` of a resource's environment variable; nothing else
    is touched.
    """
    if isinstance(value, list):
        return [with_canonical_quantities(item) for item in value]
    if not isinstance(value, dict):
        return value
    copied = {}
    for key, item in value.items():
        if key in ("requests", "limits") and isinstance(item, dict):
            copied[key] = {name: _one_notation(amount) for name, amount in item.items()}
        elif key in ("sizeLimit", "divisor"):
            copied[key] = _one_notation(item)
        else:
            copied[key] = with_canonical_quantities(item)
    return copied


def _one_notation(amount: Any) -> Any:
    if isinstance(amount, Number):
        return canonical(amount.text)
    if isinstance(amount, int | str) and not isinstance(amount, bool):
        return canonical(str(amount))
    return amount
