"""Answers: what a process that explains gives to the one that asked it."""

from typing import Any, NamedTuple


class Answer(NamedTuple):
    """A code as HTTP has them, and the text or the JSON document; of an error a sentence."""

    code: int
    body: Any
