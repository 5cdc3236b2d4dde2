"""Running coroutines that never suspend: memory logs and simulated servers answer at once."""

from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, without an event loop."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    msg = "the coroutine waits for something that only an event loop could bring"
    raise RuntimeError(msg)
