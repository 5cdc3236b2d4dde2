"""The log of a running controller: read in pieces, followed through all that becomes of it."""

import asyncio
from pathlib import Path

import pytest

from adapters.store.controllers import ControllerReader
from adapters.store.credentials import ANONYMOUS, Credentials
from adapters.store.memory_logs import MemoryLog
from adapters.store.tailing import Begun, Lost, News, Rested, Rows
from engine.errors import LogForbidden, LogUnavailable, LogUnreachable, LogUnreadable, WarmlogError
from tests.kubernetes.serving import talking
from tests.store.controllers import Controller, Refusal
from tests.store.resting import Deed, followed
from tests.store.rows import read_all, read_batches, rows


async def followed_log(
    controller: Controller, *deeds: Deed, credentials: Credentials = ANONYMOUS
) -> list[News]:
    """Follow a controller's log while these deeds are done, one at each rest."""

    async def opening() -> ControllerReader:
        return ControllerReader(controller.address, credentials)

    return await followed(opening, *deeds)


def seqs(news: list[News]) -> list[int]:
    """Give the positions of all rows, in the order in which they came."""
    return [event.seq for each in news if isinstance(each, Rows) for event in each.events]


async def refused(refusal: Refusal, credentials: Credentials = ANONYMOUS) -> WarmlogError:
    """What is raised when a server answers so."""
    async with Controller() as controller:
        controller.refusal = refusal
        async with ControllerReader(controller.address, credentials) as reader:
            with pytest.raises(WarmlogError) as error:
                await reader.identify()
    assert controller.address in str(error.value)
    return error.value


async def test_a_log_of_many_rows_comes_in_many_pieces() -> None:
    """Each row comes once and in order, whatever its piece, in batches as small as asked."""
    async with Controller(3_000, most_bytes=20_000) as controller:
        async with ControllerReader(controller.address) as reader:
            assert (await reader.identify()).position == 3_000
            batches = await read_batches(reader, batch_rows=40)
            assert [event for batch in batches for event in batch] == controller.log.rows
            assert max(map(len, batches)) == 40
            assert await read_all(reader, 10, 2_500) == controller.log.rows[10:2_500]
        assert len(controller.asked) > 20


async def test_following_asks_once_at_each_look() -> None:
    """What was appended comes with the answer that says where the log ends."""
    async with Controller(5) as controller:

        async def grow() -> None:
            controller.log.rows += rows(len(controller.log.rows), 2)

        async def look_on() -> None:
            controller.asked.clear()

        news = await followed_log(controller, look_on, grow, grow)
        assert seqs(news) == list(range(1, 10))
        assert controller.asked == [5, 5, 7]


async def test_a_controller_that_restarts_is_lost_and_found() -> None:
    """While it is away that is told at each look, with why; then it goes on with the next row."""
    async with Controller(5) as controller:

        async def wait() -> None:
            pass

        async def come_back() -> None:
            controller.log.rows += rows(5, 1)
            await controller.start()

        news = await followed_log(controller, controller.stop, wait, wait, come_back)
        assert seqs(news) == [1, 2, 3, 4, 5, 6]
        lost = [each.words for each in news if isinstance(each, Lost)]
        assert len(lost) == 3
        assert all(f"{controller.address} does not answer: " in words for words in lost)
        assert "connection refused" in lost[-1]
        assert [each.identity.log_id for each in news if isinstance(each, Begun)] == ["log-1"]
        assert isinstance(news[-1], Rested)


@pytest.mark.parametrize("log_id", ["log-2", "log-1"])
async def test_another_log_in_its_place_is_read_from_its_beginning(log_id: str) -> None:
    """A log of another name, or one that is shorter than what was read, is begun with anew."""
    async with Controller(5) as controller:

        async def replace() -> None:
            controller.log = MemoryLog(log_id)
            controller.log.rows = rows(0, 2)

        news = await followed_log(controller, replace)
    assert seqs(news) == [1, 2, 3, 4, 5, 1, 2]
    assert [each.identity.log_id for each in news if isinstance(each, Begun)] == ["log-1", log_id]


async def test_another_log_in_the_middle_is_no_part_of_it() -> None:
    """Rows of two logs are never given as one."""

    async def read_while_it_is_replaced(controller: Controller) -> None:
        async with ControllerReader(controller.address) as reader:
            async for _ in reader.read():
                controller.log.log_id = "log-2"

    async with Controller(300, most_bytes=2_000) as controller:
        with pytest.raises(LogUnavailable, match="has another log"):
            await read_while_it_is_replaced(controller)


async def test_who_has_no_token_is_told_how_to_get_one() -> None:
    """A 401 names the option, the role and the command."""
    error = await refused(Refusal(401, "ask for it with a token"))
    assert isinstance(error, LogForbidden)
    for words in ("--token-file FILE", "ClusterRole warmlog-viewer", "kubectl create token"):
        assert words in str(error)


async def test_a_token_that_is_refused(tmp_path: Path) -> None:
    """The server's own words are told: what it does not know, or which right is missing."""
    token = tmp_path / "token"
    token.write_text("old\n")
    unknown = await refused(Refusal(401, "The token has expired."), Credentials(token))
    assert isinstance(unknown, LogForbidden)
    assert f"in {token}: The token has expired. `kubectl create token" in str(unknown)
    missing = await refused(Refusal(403, "ann may not get /log: bind her."), Credentials(token))
    assert isinstance(missing, LogForbidden)
    assert "ann may not get /log: bind her. " in str(missing)
    assert "deploy/user-roles.yaml" in str(missing)
    assert "old" not in str(unknown)


async def test_a_token_that_expires_ends_the_following() -> None:
    """That is nothing to wait for: somebody has to act."""
    async with Controller(5) as controller:

        async def expire() -> None:
            controller.refusal = Refusal(401)

        with pytest.raises(LogForbidden):
            await followed_log(controller, expire)


async def test_a_token_is_read_anew_when_its_file_changes(tmp_path: Path) -> None:
    """The next question has the new one."""
    token = tmp_path / "token"
    token.write_text("first\n")
    async with Controller(5) as controller:

        async def renew() -> None:
            token.write_text("second")

        await followed_log(controller, renew, credentials=Credentials(token))
    assert controller.came == ["Bearer first"] * 2 + ["Bearer second"]


@pytest.mark.parametrize("code", [301, 302, 307, 308])
async def test_no_token_goes_where_a_server_leads(code: int, tmp_path: Path) -> None:
    """A redirect is told and not followed."""
    token = tmp_path / "token"
    token.write_text("secret")
    async with Controller(5) as other:
        error = await refused(Refusal(code, leads_to=f"{other.address}/log"), Credentials(token))
        assert other.came == []
    assert type(error) is LogUnreadable
    assert f"leads to {other.address}/log, and is not followed" in str(error)


@pytest.mark.parametrize(
    ("refusal", "kind", "words"),
    [
        (Refusal(404, "404: Not Found"), LogUnreadable, "no controller of warmlog is there, or an"),
        (Refusal(405), LogUnreadable, "Check the address"),
        (Refusal(400, "after=x is no position"), LogUnreadable, "refuses: after=x is no position"),
        (Refusal(500, "There is no log at x"), LogUnavailable, "no answer now: There is no log at"),
        (Refusal(503, "ask\nagain \x1b[31m"), LogUnavailable, "no answer now: ask again"),
        (Refusal(502, "<b>bad</b>", "text/html"), LogUnavailable, "no answer now: HTTP 502"),
        (Refusal(200, "<b>hi</b>", "text/html"), LogUnreadable, "not as a controller of warmlog"),
        (Refusal(200, '{"after":7}'), LogUnreadable, "not as a controller of warmlog"),
    ],
)
async def test_what_a_server_may_answer(
    refusal: Refusal, kind: type[WarmlogError], words: str
) -> None:
    """What may heal is told apart from a wrong address, each in one plain line."""
    error = await refused(refusal)
    assert type(error) is kind
    assert words in str(error)
    assert str(error).isprintable()
    assert "<b>" not in str(error)


async def test_rows_that_were_not_asked_for() -> None:
    """A server that hands out one and the same file is not read over and over."""
    error = await refused(Refusal(200, _header(after=3, position=3, end=9)))
    assert "rows that were not asked for" in str(error)


def _header(*, after: int, position: int, end: int) -> str:
    return (
        f'{{"after":{after},"end":{{"epoch":1,"lastAt":1,"position":{end}}},"epoch":1,"format":1,'
        f'"lastAt":1,"logId":"log-1","position":{position},"warmlog":"log"}}\n'
    )


async def test_a_server_that_is_silent() -> None:
    """It is not waited for without an end."""

    async def say_nothing(reader: asyncio.StreamReader, _: asyncio.StreamWriter) -> None:
        await reader.read()

    async with (
        talking(say_nothing) as port,
        ControllerReader(f"http://127.0.0.1:{port}", answer_seconds=0.01) as reader,
    ):
        with pytest.raises(LogUnreachable, match=r"no answer within 0\.01 s"):
            await reader.identify()


async def test_closing_twice_and_asking_again() -> None:
    """A reader that was closed opens new connections when it is asked."""
    async with Controller(2) as controller:
        reader = ControllerReader(controller.address)
        assert (await reader.identify()).position == 2
        await reader.close()
        await reader.close()
        assert (await reader.identify()).position == 2
        await reader.close()
