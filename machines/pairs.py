"""Pairs: labels and annotations as sorted tuples, and JSON shapes without what is empty."""

from typing import Any

Pairs = tuple[tuple[str, str], ...]


def without_empty(**fields: Any) -> dict[str, Any]:
    """Drop what is empty, false or None: in the log absent means just that. A number 0 stays."""
    return {
        name: value
        for name, value in fields.items()
        if value or (value == 0 and value is not False)
    }
