"""A question in JSON on stdin, its answer in JSON on stdout: a process that explains one object.

A controller must not be held up by folding, so it has it done here, with a low priority.
"""

import asyncio
import os
import sys
from functools import partial
from typing import Any

from adapters.explaining.answers import Answer
from adapters.explaining.errors import Misasked, NotHeld
from adapters.explaining.explaining import Question, explain_object
from adapters.explaining.moments import parse_moment
from adapters.explaining.references import PARTS, kinds_of, parse_thing
from adapters.store.concerning import sifted
from adapters.store.locations import parse_location
from adapters.store.opening import open_log
from engine.canonical_json import dumps, loads
from engine.errors import LogUnavailable, WarmlogError

OK, MISASKED, NOT_HELD, FAILED, UNAVAILABLE = 200, 400, 404, 500, 503
_NICENESS = 10


async def answer(log: str, asked: dict[str, str]) -> Answer:
    """Explain what was asked for: `object`, and `at`, `node`, `on`, `cluster` and `format`."""
    try:
        return Answer(OK, await _explained(log, asked))
    except WarmlogError as error:
        return Answer(_code(error), str(error))


async def _explained(log: str, asked: dict[str, str]) -> Any:
    if not asked.get("object"):
        raise Misasked("Say which object: ?object=KIND/NAMESPACE/NAME, and at=POSITION or TIME.")
    reference = parse_thing(asked["object"])
    for name, kinds in PARTS.items():
        if asked.get(name) and reference.kind not in kinds:
            about = kinds_of(name)
            raise Misasked(f"{name}= is about {about}, and {reference} is none: leave it out.")
    part, cluster = asked.get("node") or asked.get("on"), asked.get("cluster")
    async with await open_log(log, read_only=True) as reader:
        bound = parse_moment(asked.get("at"), await reader.identify())
        question = Question(reference, part, cluster)
        found = await explain_object(
            reader, question, bound, log=parse_location(log).name, sift=partial(sifted, reader)
        )
    return found.document if asked.get("format") == "json" else found.text


def _code(error: WarmlogError) -> int:
    if isinstance(error, Misasked):
        return MISASKED
    if isinstance(error, NotHeld):
        return NOT_HELD
    return UNAVAILABLE if isinstance(error, LogUnavailable) else FAILED


def main() -> None:
    """Answer the question on stdin."""
    os.nice(_NICENESS)
    question = loads(sys.stdin.read())
    told = asyncio.run(answer(question["log"], question["asked"]))
    sys.stdout.write(dumps(list(told)))


if __name__ == "__main__":
    main()
