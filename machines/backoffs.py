"""Back-offs: how long to wait before something is tried, or looked at, once more."""

LONGEST_SECONDS = 60


def growing_seconds(times: int, first: int = 1) -> int:
    """Give the wait after so many times (0, 1, …): `first` seconds, twice that … at most 60."""
    return min(first << min(times, LONGEST_SECONDS), LONGEST_SECONDS)


def retry_seconds(refusals: int) -> int:
    """Give the wait before the next try after so many refusals: 1, 2, 4 … 60 seconds."""
    return growing_seconds(max(refusals - 1, 0))
