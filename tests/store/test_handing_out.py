"""The process that hands out a log: one that grows, is replaced, or is not there."""

import gzip
import json
from pathlib import Path

from adapters.http.following import HANDING_OUT, Following, Told
from adapters.store.handing_out import HandingOut, answer_all
from adapters.store.pieces import Piece, read_piece
from tests.store.memory_pipes import Written, asked
from tests.timeline.growing import growing

NAME = "one_node_cannot_pull"


def piece(told: Told) -> Piece:
    """What an answer holds."""
    assert told.code == 200, told.body
    return read_piece(gzip.decompress(told.body) if told.is_gzip else told.body, "it")


async def test_one_process_hands_out_what_is_appended(tmp_path: Path) -> None:
    """While there is no log that is said; then its rows, compressed or not; then those after."""
    log = await growing(tmp_path / "log.db", NAME)
    handing_out = Following(str(log.path), HANDING_OUT)
    none = await handing_out.ask(0)
    assert none.code == 500
    assert b"There is no log at" in none.body
    await log.begin(20)
    first = piece(await handing_out.ask(0, is_gzip=True))
    assert [event.seq for event in first.events] == list(range(1, 21))
    await log.grow(20, 52)
    then = piece(await handing_out.ask(20))
    assert [event.seq for event in then.events] == list(range(21, 53))
    assert then.end._replace(position=20, last_at=0) == first.end._replace(last_at=0)
    await handing_out.close()


async def test_another_log_in_its_place_is_the_one_that_is_told(tmp_path: Path) -> None:
    """Each answer says which log it is of."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(30)
    handing_out = HandingOut(str(log.path))
    _, first = await handing_out.answer(0)
    await log.begin(10, anew=True)
    _, second = await handing_out.answer(30)
    await handing_out.close()
    before, after = read_piece(first, "it"), read_piece(second, "it")
    assert before.end.log_id != after.end.log_id
    assert (after.events, after.end.position) == ([], 10)


async def test_it_ends_when_nobody_asks(tmp_path: Path) -> None:
    """After its time without a question, though whoever may ask is still there."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(52)
    written = Written()
    await answer_all(asked(log.path, 50), written, idle_seconds=0.01)
    head, _, body = written.text.partition(b"\n")
    assert json.loads(head) == [200, len(body)]
    assert [event.seq for event in read_piece(body, "it").events] == [51, 52]
