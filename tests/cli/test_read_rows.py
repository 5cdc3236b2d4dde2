"""How many rows of a log a command holds at once."""

import asyncio

import pytest

from adapters.cli.exit_codes import ExitCode
from adapters.cli.recordings import Recording
from tests.cli.commands import warmlog
from tests.recordings import reading

NAME = "a_warmup_can_never_work"


async def sizes(most_rows: int, batch_rows: int) -> list[int]:
    """How many rows are in each batch of a recording."""
    source = Recording(reading.reader(NAME), NAME, most_rows)
    return [len(batch) async for batch in source.read(batch_rows=batch_rows)]


def test_no_more_rows_are_held_than_that() -> None:
    """Whoever asks for more rows at once gets so many; who asks for fewer gets those."""
    whole = sum(asyncio.run(sizes(1000, 1000)))
    assert asyncio.run(sizes(2, 1000))[:-1] == [2] * ((whole - 1) // 2)
    assert asyncio.run(sizes(2, 1)) == [1] * whole


@pytest.mark.parametrize("rows", ["0", "-1", "many", "1e3", "9999999", "²"])
def test_a_number_of_rows_that_is_none_is_refused(rows: str) -> None:
    """The variable, what stands in it, and what may stand there are named."""
    result = warmlog("replay", reading.FOLDER / f"{NAME}.jsonl", WARMLOG_READ_ROWS=rows)
    assert result.exit_code == ExitCode.USAGE
    assert f"WARMLOG_READ_ROWS={rows!r} is no number of rows" in result.stderr
