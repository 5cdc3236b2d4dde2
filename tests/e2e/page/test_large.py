"""The page of a ModelWarmup on hundreds of nodes, in a real Chromium."""

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.e2e.page.browsing import opened, shoot, violations
from tests.e2e.page.conftest import FEW, MANY

pytestmark = pytest.mark.e2e

SEEN = 60  # lanes at most on a screen of this height, with those drawn above and below
SCROLL = """share => {
  const lanes = document.getElementById("lanes");
  lanes.scrollTop = share * (lanes.scrollHeight - lanes.clientHeight);
}"""


async def drawn(page: Page) -> int:
    """How many lanes are there to be looked at."""
    return await page.get_by_role("listbox").get_by_role("option").count()


async def test_however_many_lanes_there_are_those_in_view_are_drawn(
    wide_pages: dict[int, Path],
) -> None:
    """At the top, in the middle and at the end; that there are more is told."""
    counts: dict[int, list[int]] = {}
    for nodes, path in wide_pages.items():
        async with opened(path) as page:
            counts[nodes] = []
            for share, name in ((0, "node-0000"), (0.5, None), (1, f"node-{nodes - 1:04}")):
                await page.evaluate(SCROLL, share)
                lane = page.get_by_role("option", name=name or f"node-{nodes // 2:04}")
                await expect(lane).to_be_in_viewport()
                await expect(lane).to_have_attribute("aria-setsize", f"{nodes + 1}")
                counts[nodes].append(await drawn(page))
            assert await page.locator("*").count() < 40 * SEEN
    assert counts[FEW] == counts[MANY]
    assert max(counts[MANY]) < SEEN


async def test_search_and_filters_find_one_of_hundreds(
    wide_pages: dict[int, Path], tools: Path
) -> None:
    """By its name, by how it stands, by what is said of it."""
    async with opened(wide_pages[MANY]) as page:
        search = page.get_by_role("searchbox")
        lanes = page.get_by_role("listbox").get_by_role("option")
        await search.fill("node-0123")
        await expect(page.get_by_text(f"1 of {MANY + 1} lanes")).to_be_visible()
        await expect(lanes).to_contain_text("node-0123")
        await search.fill("backofflimitexceeded")
        await page.get_by_role("combobox", name="Show").select_option("node")
        await expect(page.get_by_text(f"8 of {MANY + 1} lanes")).to_be_visible()
        await search.fill("")
        await page.get_by_role("button", name="✕ failed").click()
        await expect(page.get_by_text(f"8 of {MANY + 1} lanes")).to_be_visible()
        await page.get_by_role("button", name="✕ failed").click()
        await page.get_by_role("slider").fill("1500")
        await search.fill("a free slot")
        await expect(lanes.first).to_contain_text("Pending")
        assert await violations(page, tools) == []
        await shoot(page, "wide")


async def test_keys_lead_through_all_lanes(wide_pages: dict[int, Path]) -> None:
    """The selected lane is in view wherever they lead, and what it waits for is said anew."""
    async with opened(wide_pages[MANY]) as page:
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        panel = page.get_by_role("region", name="Explanation")
        for _ in range(MANY // 10):
            await page.keyboard.press("PageDown")
        await expect(chosen).to_contain_text(f"node-{MANY - 1:04}")
        await expect(chosen).to_be_in_viewport()
        said = set()
        for position in (1500, 1900):
            await page.get_by_role("slider").fill(f"{position}")
            waits = panel.get_by_text("Waits for: a free slot: node-")
            await expect(waits).to_be_visible()
            said.add(await waits.text_content())
        assert len(said) == 2
        await page.keyboard.press("Escape")
        await page.keyboard.press("PageUp")
        await expect(chosen).to_contain_text(f"node-{MANY - 11:04}")


async def test_the_page_marks_when_its_lanes_stand(wide_pages: dict[int, Path]) -> None:
    """Once, for whoever measures how long it takes to open."""
    async with opened(wide_pages[FEW]) as page:
        marks = "() => performance.getEntriesByName('warmlog-shown').length"
        await page.wait_for_function(f"({marks})() === 1")
        await page.get_by_role("slider").fill("30")
        await page.keyboard.press("Home")
        assert await page.evaluate(marks) == 1
