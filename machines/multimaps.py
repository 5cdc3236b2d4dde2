"""Multimaps: dicts from a key to the tuple of what it leads to, in the order in which it came.

A key that leads to nothing is not there.
"""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


def put(index: dict[K, tuple[V, ...]], key: K, value: V) -> None:
    """Have a key lead to a value as well, once."""
    values = index.get(key, ())
    if value not in values:
        index[key] = (*values, value)


def take(index: dict[K, tuple[V, ...]], key: K, value: V) -> None:
    """Have a key lead to a value no more."""
    left = tuple(one for one in index.get(key, ()) if one != value)
    if left:
        index[key] = left
    else:
        index.pop(key, None)
