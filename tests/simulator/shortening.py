"""The shortest part of a sequence that still shows something."""

from collections.abc import Awaitable, Callable, Sequence


async def shortest(
    kept: Sequence[int], shows: Callable[[Sequence[int]], Awaitable[bool]]
) -> list[int]:
    """Drop parts of what is kept, smaller and smaller ones, while the rest still shows it."""
    found, size = list(kept), max(1, len(kept) // 2)
    while size:
        start = 0
        while start < len(found):
            fewer = found[:start] + found[start + size :]
            if fewer and await shows(fewer):
                found = fewer
            else:
                start += size
        size //= 2
    return found
