"""The timeline page on a telephone and on a tablet, in a real Chromium."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, ViewportSize, expect

from tests.e2e.page.browsing import opened, shoot, violations
from tests.e2e.page.conftest import FEW

pytestmark = pytest.mark.e2e

SIZES = {
    "telephone": ViewportSize(width=390, height=844),
    "tablet": ViewportSize(width=768, height=1024),
}
NAME = "demo_replicas"
LEAST_LANES = 9  # seen at once
STEPS = 10  # of a finger
ROW = 26  # pixels, as in the styles


async def swipe_up(page: Page) -> None:
    """Move a finger over the lanes, from the middle of their axis on."""
    box = await page.locator("#lanes").bounding_box()
    assert box is not None
    session = await page.context.new_cdp_session(page)
    x, y = box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 0.9
    for step in range(STEPS):
        kind = "touchMove" if step else "touchStart"
        points = [{"x": x, "y": y - step * ROW}]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", SIZES)
async def test_it_fits_a_small_screen(
    wide_pages: dict[int, Path], tools: Path, name: str, colours: str
) -> None:
    """Nothing stands beside the screen, lanes and words have room, and axe finds nothing."""
    path, size = wide_pages[FEW], SIZES[name]
    async with opened(path, colours=colours, size=size, touched=True) as page:
        widest = "() => document.documentElement.scrollWidth - innerWidth"
        assert await page.evaluate(widest) <= 0
        assert await violations(page, tools) == []
        lanes = await page.locator("#lanes").bounding_box()
        panel = await page.get_by_role("region", name="Explanation").bounding_box()
        plot = await page.locator(".plot").bounding_box()
        assert lanes is not None
        assert panel is not None
        assert plot is not None
        assert lanes["height"] > LEAST_LANES * ROW
        assert panel["width"] == size["width"]
        assert plot["width"] > size["width"] / 2
        await shoot(page, f"{name}-{colours}")


@pytest.mark.parametrize("name", SIZES)
async def test_fingers_do_what_a_mouse_does(wide_pages: dict[int, Path], name: str) -> None:
    """A lane is taken and the cursor put by a tap; a finger on the axis scrolls the lanes."""
    async with opened(wide_pages[FEW], size=SIZES[name], touched=True) as page:
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        await page.get_by_role("option", name="node-0004").get_by_text("node-0004").tap()
        await expect(chosen).to_contain_text("node-0004")
        await expect(page.get_by_role("heading", name="node-0004")).to_be_attached()
        box = await page.locator(".plot").bounding_box()
        assert box is not None
        await page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + ROW * 3.5)
        await expect(chosen).to_contain_text("node-0002")
        await expect(page.get_by_text(re.compile(r"^Position [1-9]\d* of"))).to_be_visible()
        await swipe_up(page)
        await page.wait_for_function("() => document.getElementById('lanes').scrollTop > 100")


async def test_keys_are_told_on_a_small_screen(pages: dict[str, Path], tools: Path) -> None:
    """The list of keys stands on the screen, wherever its button is."""
    size = SIZES["telephone"]
    async with opened(pages[NAME], size=size, touched=True) as page:
        await page.get_by_text("Keys", exact=True).tap()
        box = await page.locator(".help dl").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size["width"]
        assert await violations(page, tools) == []
