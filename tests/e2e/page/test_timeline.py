"""The timeline page in a real Chromium: what a person on call sees and does there."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from adapters.timeline.documents import Source, document
from adapters.timeline.pages import standalone_page
from engine.events import Subject
from machines.charting import Chart
from machines.timelines import Cause, Place, Row, Said, Span, Tone
from tests.e2e.page.browsing import opened, shoot, violations
from tests.repository import ROOT

pytestmark = pytest.mark.e2e

Pages = dict[str, Path]
HOSTILE = '</script><img src=x onerror="document.title=1"><b>bold</b>'


async def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        await page.keyboard.press(key)


def test_the_committed_page_is_what_its_sources_give(tools: Path) -> None:
    """Built anew from the lock file, it is the same to the last byte."""
    subprocess.run(["npm", "run", "--silent", "lint"], cwd=tools, check=True, timeout=60)
    subprocess.run(["npm", "run", "--silent", "build"], cwd=tools, check=True, timeout=60)
    fresh = (tools.parent / "adapters/timeline/page.html").read_bytes()
    assert fresh == (ROOT / "adapters/timeline/page.html").read_bytes(), "run `make page`"


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("name", ["one_node_cannot_pull", "demo_replicas"])
async def test_it_opens_without_a_complaint(
    pages: Pages, tools: Path, name: str, colours: str
) -> None:
    """No error, no request, and nothing that axe finds, in either colours."""
    async with opened(pages[name], colours=colours) as page:
        assert await violations(page, tools) == []
        await shoot(page, f"{name}-{colours}")


async def test_it_opens_where_somebody_is_needed(pages: Pages) -> None:
    """At the log's end, with the object that is not done, and what `explain` says of it."""
    async with opened(pages["one_node_cannot_pull"]) as page:
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        await expect(chosen).to_contain_text("default/runtime-image-warmup")
        panel = page.get_by_role("region", name="Explanation")
        await expect(panel).to_contain_text("1 of 3 nodes failed; first gpu-b: DeadlineExceeded")
        await expect(panel).to_contain_text("Do: this one has ended and stays so")
        await expect(page.get_by_text("Position 52 of 52")).to_be_visible()
        await expect(panel.get_by_role("img")).to_have_accessible_name(
            "Diagram of the machine ModelWarmup: now Degraded"
        )


async def test_the_cursor_changes_what_is_said(pages: Pages) -> None:
    """A position is a button; phases, words and machine are those of that moment."""
    async with opened(pages["one_node_cannot_pull"]) as page:
        panel = page.get_by_role("region", name="Explanation")
        await panel.get_by_role("button", name="gpu-b").click()
        await panel.get_by_role("button", name="Move the cursor to position 22").click()
        await expect(page.get_by_text("Position 22 of 52")).to_be_visible()
        await expect(panel).to_contain_text("Do: check the image's name and tag")
        await expect(panel).to_contain_text("ImagePullBackOff: failed to pull")
        await expect(panel.get_by_role("img")).to_have_accessible_name(
            "Diagram of the machine node Job: now Hydrating"
        )
        command = "warmlog explain modelwarmup/default/runtime-image-warmup --log"
        await expect(panel).to_contain_text(command)
        await expect(panel).to_contain_text("--at 22 --node gpu-b")
        await page.get_by_role("slider").fill("5")
        await expect(panel).to_contain_text("Not there yet at the cursor")


async def test_everything_is_done_by_keys(pages: Pages) -> None:
    """Lanes, changes, rows, both ends, zoom and search."""
    async with opened(pages["one_node_cannot_pull"]) as page:
        where = page.get_by_text(re.compile(r"^Position \d+ of 52"))
        chosen = page.get_by_role("listbox").get_by_role("option", selected=True)
        await press(page, "ArrowDown", "ArrowDown")
        await expect(chosen).to_contain_text("gpu-b")
        await press(page, "ArrowLeft")
        await expect(where).to_contain_text("Position 51 ")
        await press(page, "Shift+ArrowLeft", "Shift+ArrowLeft")
        await expect(where).to_contain_text("Position 49 ")
        await press(page, "Home")
        await expect(where).to_contain_text("Position 1 ")
        await press(page, "End")
        await expect(where).to_contain_text("Position 52 ")
        tick = page.locator(".axis text").first
        before = await tick.text_content()
        await press(page, "+", "+", "+", "+")
        await expect(tick).not_to_have_text(before or "")
        await press(page, "/")
        await page.keyboard.type("gpu-c")
        await expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
        await press(page, "Escape")
        await expect(page.get_by_role("listbox")).to_be_focused()


async def test_search_and_filters_leave_what_is_asked_for(pages: Pages) -> None:
    """By words that are said at the cursor, by kind, by how it stands there."""
    async with opened(pages["one_node_cannot_pull"]) as page:
        options = page.get_by_role("listbox").get_by_role("option")
        search = page.get_by_role("searchbox")
        await search.fill("imagepullbackoff")
        await expect(options).to_have_count(2)  # the whole, and the node
        await search.fill("")
        await page.get_by_role("combobox", name="Show").select_option("node")
        await expect(options).to_have_count(3)
        await page.get_by_role("button", name="✕ failed").click()
        await expect(options).to_have_count(1)
        await expect(options).to_contain_text("✕ Failed")
        await page.get_by_role("slider").fill("20")
        await expect(page.get_by_text("No lane is like that at the cursor.")).to_be_visible()


async def test_a_click_on_a_lane_takes_it_and_the_cursor(pages: Pages) -> None:
    """Where the axis is clicked is where the cursor goes, on the lane that is clicked."""
    async with opened(pages["one_node_cannot_pull"]) as page:
        box = await page.locator(".plot").bounding_box()
        assert box is not None
        await page.mouse.click(box["x"] + box["width"] / 2, box["y"] + 26 * 2.5)
        await expect(
            page.get_by_role("listbox").get_by_role("option", selected=True)
        ).to_contain_text("gpu-b")
        await expect(page.get_by_text(re.compile("^Position 3. of 52"))).to_be_visible()


@pytest.mark.parametrize("colours", ["light", "dark"])
async def test_colours_are_a_choice(pages: Pages, colours: str) -> None:
    """As the system has them, or dark, or light, whatever the system has."""
    light, dark = "rgb(255, 255, 255)", "rgb(13, 17, 23)"
    async with opened(pages["one_node_cannot_pull"], colours=colours) as page:
        choice = page.get_by_role("button", name="Colours")
        for name, back in (
            ("as the system", dark if colours == "dark" else light),
            ("dark", dark),
            ("light", light),
        ):
            await expect(choice).to_have_text(f"Colours: {name}")
            found = await page.evaluate("() => getComputedStyle(document.body).backgroundColor")
            assert found == back
            await choice.click()


async def test_it_can_be_printed(pages: Pages) -> None:
    """On paper every lane and the whole panel is there, light, without controls."""
    async with opened(pages["one_node_cannot_pull"], colours="dark") as page:
        await page.emulate_media(media="print")
        await expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(4)
        await expect(page.get_by_role("slider")).to_be_hidden()
        back = await page.evaluate("() => getComputedStyle(document.body).backgroundColor")
        assert back == "rgb(255, 255, 255)"
        await shoot(page, "print")


async def test_words_of_a_log_are_never_markup(tmp_path: Path) -> None:
    """Names and messages that look like markup are shown as they are."""
    chart = Chart()
    chart.rows.append(Row(1, 10**18, "c", "ModelWarmup/ns/mw/uid", "WarmupSeen", HOSTILE, None))
    lane = chart.open(Place("c", Subject("ModelWarmup", "ns", HOSTILE, "uid")))
    lane.become(Span(1, "", HOSTILE, HOSTILE, Tone.FAILED))
    lane.say(Said(1, HOSTILE, (HOSTILE,), (HOSTILE,), (HOSTILE,), (HOSTILE,)))
    lane.causes.append(Cause(1, 1, HOSTILE, HOSTILE))
    told = json.loads(json.dumps(document(chart, Source("log", HOSTILE, HOSTILE))))
    path = tmp_path / "page.html"
    path.write_text(standalone_page(told))
    async with opened(path) as page:
        assert await page.locator("img").count() == 0
        assert await page.title() == f"warmlog timeline: {HOSTILE}"
        await expect(page.get_by_role("region", name="Explanation")).to_contain_text(HOSTILE)
