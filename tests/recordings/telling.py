"""What the commands print of logs, in whatever surroundings this process was started.

As a program it reads from stdin what to ask, a Question as JSON, and prints the answers.
"""

import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

from tests.cli.commands import warmlog

BATCH_SIZES = (1, 2, 7, 64, 1000)
LOG = "LOG"  # stands for the log in the arguments of a command


class Question(NamedTuple):
    """Commands about one recording, the places where it lies, and how many rows are read at once.

    The first command reads the first place by the first size, the next one by the next size.
    """

    places: Sequence[str]
    commands: Sequence[Sequence[str]]
    sizes: Sequence[int]


Answers = list[list[str]]  # of each command the different outputs, sorted: one, if all is well


def answers(question: Question) -> Answers:
    """Run each command on the recording, wherever it lies."""
    places, commands, sizes = question
    return [
        sorted(
            {_told(each, place, sizes[(at + n) % len(sizes)]) for at, place in enumerate(places)}
        )
        for n, each in enumerate(commands)
    ]


def _told(command: Sequence[str], place: str, batch_rows: int) -> str:
    arguments = [place if each == LOG else each for each in command]
    result = warmlog(*arguments, WARMLOG_READ_ROWS=str(batch_rows))
    return f"{result.exit_code}\n{result.stdout if result.exit_code == 0 else result.stderr}"


if __name__ == "__main__":
    asked = [Question(*each) for each in json.load(sys.stdin)]
    json.dump([answers(each) for each in asked], sys.stdout)
