"""Back-offs: how long to wait before what was refused is tried again."""

LONGEST_RETRY_SECONDS = 60


def retry_seconds(refusals: int) -> int:
    """Give the wait before the next try after so many refusals: 1, 2, 4 … 60 seconds."""
    doubled = 1 << min(max(refusals - 1, 0), LONGEST_RETRY_SECONDS)
    return min(doubled, LONGEST_RETRY_SECONDS)
