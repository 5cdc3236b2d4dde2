"""Series: the files of one recording, numbered from the second one on."""

import re
from pathlib import Path
from typing import NamedTuple

_BESIDE = ("", "-wal", "-shm")  # what SQLite keeps beside a file


class Series(NamedTuple):
    """The files that a recording into `first` is cut into: rec.jsonl, rec-2.jsonl, rec-3.jsonl."""

    first: Path

    def path(self, number: int) -> Path:
        """Give the file of a number; the first is 1."""
        if number == 1:
            return self.first
        return self.first.with_name(f"{self.first.stem}-{number}{self.first.suffix}")

    def numbers(self) -> list[int]:
        """Give the numbers of the files that are there, in order."""
        name = re.compile(
            rf"{re.escape(self.first.stem)}-([2-9]|[1-9][0-9]+){re.escape(self.first.suffix)}"
        )
        found = [name.fullmatch(path.name) for path in self.first.parent.iterdir()]
        later = [int(match[1]) for match in found if match]
        return sorted([1, *later] if self.first.exists() else later)

    def newest(self) -> int:
        """Give the number of the file to go on in: the last one that is there, or the first."""
        return max(self.numbers(), default=1)

    def size_bytes(self, number: int) -> int:
        """Give how much room a file takes, with what is not yet merged into it."""
        return sum(path.stat().st_size for path in self._beside(number) if path.exists())

    def remove(self, number: int) -> None:
        """Remove a file, and what lies beside it."""
        for path in self._beside(number):
            path.unlink(missing_ok=True)

    def _beside(self, number: int) -> list[Path]:
        path = self.path(number)
        return [path.with_name(path.name + end) for end in _BESIDE]
