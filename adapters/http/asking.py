"""Asking another process, one question at a time, so that the controller's loop goes on."""

import sys

from adapters.explaining.answers import Answer
from adapters.http.taking_turns import Crowded, Turns
from adapters.pipes import begin, end
from engine.canonical_json import dumps, loads

ANSWERER = (sys.executable, "-m", "adapters.explaining.answering")
LONGEST_SECONDS = 60.0  # that an answer may take
MOST_WAITING = 8  # questions, the one under way included
BUSY, LATE, FAILED = 503, 504, 500


class Asker:
    """Has questions about one log answered."""

    def __init__(
        self,
        log: str,
        command: tuple[str, ...] = ANSWERER,
        *,
        longest_seconds: float = LONGEST_SECONDS,
    ) -> None:
        """Ask `command`, which reads a question and ends with its answer."""
        self._log = log
        self._command = command
        self._longest_seconds = longest_seconds
        self._turns = Turns(MOST_WAITING, longest_seconds)

    async def ask(self, asked: dict[str, str]) -> Answer:
        """Give the answer, or why there is none."""
        try:
            async with self._turns.take():
                return await self._answered(asked)
        except Crowded as crowd:
            return Answer(BUSY, str(crowd))
        except TimeoutError:
            words = f"There was no answer within {self._longest_seconds:g} s: ask the log itself"
            return Answer(LATE, f"{words}, with `warmlog explain REF --log LOG`.")

    async def _answered(self, asked: dict[str, str]) -> Answer:
        process = await begin(self._command)
        question = dumps({"asked": asked, "log": self._log}).encode()
        try:
            told, _ = await process.communicate(question)
        finally:
            if process.returncode is None:
                await end(process)
        if process.returncode != 0:
            return Answer(FAILED, "The process that explains ended without an answer: ask again.")
        return Answer(*loads(told.decode()))
