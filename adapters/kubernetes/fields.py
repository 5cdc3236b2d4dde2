"""Reading raw JSON that may not have the shape it should have, without ever raising.

Each accessor gives the value when it has the type that is wanted, and an empty one when it is
absent or of another type.
"""

from typing import Any

_MOST_DIGITS = 40


def mapping(value: Any) -> dict[str, Any]:
    """Give an object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Give an array, or an empty one."""
    return value if isinstance(value, list) else []


def mappings(value: Any) -> list[dict[str, Any]]:
    """Give the objects in an array; what is no object is left out."""
    return [item for item in items(value) if isinstance(item, dict)]


def text(value: Any) -> str:
    """Give a string, or an empty one."""
    return value if isinstance(value, str) else ""


def integer(value: Any) -> int | None:
    """Give a whole number, or None; a boolean is no number."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def whole_number(digits: str) -> int:
    """Give the number that a text of digits is, or 0 when it is none, or none worth reading."""
    is_number = digits.isascii() and digits.isdigit() and len(digits) < _MOST_DIGITS
    return int(digits) if is_number else 0


def texts(value: Any) -> tuple[tuple[str, str], ...]:
    """Give an object's members that are strings, sorted by key: labels, annotations."""
    return tuple(sorted(pair for pair in mapping(value).items() if isinstance(pair[1], str)))
