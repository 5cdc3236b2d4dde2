"""A pipe that is never read, for processes that write answers."""


class Written:
    """Keeps what is written."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.text = b""

    def write(self, text: bytes) -> None:
        """Keep it."""
        self.text += text

    def flush(self) -> None:
        """Nothing waits."""
