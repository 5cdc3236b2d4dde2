"""The live page in a real Chromium, served as a running controller serves it over a log."""

import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from adapters.http.guarding import Guard
from adapters.http.pages import pages_over
from adapters.http.serving import serving
from tests.e2e.page.browsing import shoot, violations, visited
from tests.http.test_guarding import Judge
from tests.http.test_serving import HOST, OK, Told
from tests.timeline.growing import growing

pytestmark = pytest.mark.e2e

NAME = "one_node_cannot_pull"
PATIENT_MS = 60_000.0


@asynccontextmanager
async def served(log: Path, port: int = 0, *, listens_on: str = HOST) -> AsyncIterator[int]:
    """Serve the pages of a log; gives the port."""
    pages = pages_over(str(log), Guard(listens_on, Judge()))
    async with serving(Told(OK), HOST, port, pages) as used:
        yield used


async def shows(page: Page, words: str) -> None:
    """Wait until the page says where the cursor is."""
    where = page.get_by_text(re.compile(f"^Position {words},"))
    await expect(where).to_be_visible(timeout=PATIENT_MS)


async def test_it_follows_and_leaves_the_cursor_where_it_was_put(
    tmp_path: Path, tools: Path
) -> None:
    """At the end it goes along, elsewhere it stays; and so does what was chosen."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(20)
    async with served(log.path) as port, visited(f"http://{HOST}:{port}/") as watched:
        page = watched.page
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        await shows(page, "20 of 20")
        await expect(page.get_by_text("following", exact=True)).to_be_visible()
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        await expect(chosen).to_contain_text("gpu-b")
        await log.grow(20, 40)
        await shows(page, "40 of 40")
        await expect(chosen).to_contain_text("gpu-b")
        await page.get_by_role("slider").fill("30")
        await log.grow(40, 52)
        await shows(page, "30 of 52")
        await expect(chosen).to_contain_text("gpu-b")
        await page.get_by_role("button", name="Last row").click()
        await shows(page, "52 of 52")
        await expect(page.get_by_role("region", name="Explanation")).to_contain_text("Failed")
        assert await violations(page, tools) == []
        await shoot(page, "live")
    assert watched.complaints == []


async def test_a_log_that_is_empty_at_first(tmp_path: Path) -> None:
    """When the first object comes it is there, and chosen, without anybody's doing."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(1)
    async with served(log.path) as port, visited(f"http://{HOST}:{port}/") as watched:
        page = watched.page
        await shows(page, "1 of 1")
        await log.grow(1, 52)
        await shows(page, "52 of 52")
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        await expect(chosen).to_contain_text("default/runtime-image-warmup")
    assert watched.complaints == []


async def test_a_controller_that_is_away_and_comes_back_with_another_log(tmp_path: Path) -> None:
    """That it does not answer is said, what was known stays; of another log all begins anew."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(30)
    async with AsyncExitStack() as server:
        port = await server.enter_async_context(served(log.path))
        async with visited(f"http://{HOST}:{port}/") as watched:
            page = watched.page
            await shows(page, "30 of 30")
            await page.get_by_role("slider").fill("25")
            await server.aclose()
            away = page.get_by_text("not following: the controller does not answer")
            await expect(away).to_be_visible(timeout=PATIENT_MS)
            await shows(page, "25 of 30")
            await log.begin(12, anew=True)
            await server.enter_async_context(served(log.path, port))
            await shows(page, "12 of 12")
            await expect(page.get_by_text("following", exact=True)).to_be_visible()
    assert all("net::ERR_CONNECTION" in one for one in watched.complaints)
    assert watched.complaints


async def test_a_browser_gives_the_token_as_a_password(tmp_path: Path) -> None:
    """Off loopback it is asked for once, and what the page reads has it as well."""
    log = await growing(tmp_path / "log.db", NAME)
    await log.begin(20)
    async with served(log.path, listens_on="10.0.0.5") as port:
        address = f"http://{HOST}:{port}/"
        async with visited(address, password="good") as watched:
            await shows(watched.page, "20 of 20")
            await log.grow(20, 30)
            await shows(watched.page, "30 of 30")
        assert watched.complaints == []
        async with visited(address, password="bad") as watched:
            await expect(watched.page.get_by_text("they may not")).to_be_visible()
