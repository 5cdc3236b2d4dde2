"""Limits of one session with one cluster."""

from typing import NamedTuple


class Limits(NamedTuple):
    """How much at once, and how long to wait."""

    timeout_seconds: float = 10.0  # for each request
    effects: int = 32
    statuses: int = 8
