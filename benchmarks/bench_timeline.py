"""What the timeline of a wide log takes: to write it, to open it in Chromium, to move about in it.

    python -m benchmarks.bench_timeline [--nodes 1000] [--few 10]

The logs are of one ModelWarmup on so many nodes, with more than ten rows about each. `warmlog
timeline` is a process of its own, from its start to its end. The page says itself when its lanes
stand, counted from the navigation; then it is scrolled through from end to end, zoomed, and walked
through by keys, while the longest time between two frames is taken. Beside each figure stands how
many times it is that of the log of few nodes. Ends with 1 when a bar is missed.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from playwright.async_api import Page, async_playwright
from rich.console import Console
from rich.table import Table

from benchmarks.bench_long_logs import Run, measure
from tests.e2e.page.browsing import ARGUMENTS, SIZE
from tests.timeline.wide import wide_log, write

WHOLE = 20  # from which on figures are whole numbers
OPENS_SECONDS, GAP_MS, MOST_ELEMENTS = 3.0, 200, 2_000
KEYS = (
    *["+"] * 8, *["Shift+ArrowLeft"] * 30, *["ArrowDown"] * 30, *["PageDown"] * 10,
    *["ArrowLeft"] * 10, *["-"] * 8, "Home", "End", "0",
)  # fmt: skip
SHOWN = """async () => {
  for (;;) {
    const [mark] = performance.getEntriesByName("warmlog-shown");
    if (mark) return mark.startTime;
    await new Promise(requestAnimationFrame);
  }
}"""
WATCH = """() => {
  window.gaps = { longest: 0, elements: 0, goes: true };
  let last = performance.now();
  const frame = (now) => {
    window.gaps.longest = Math.max(window.gaps.longest, now - last);
    const elements = document.getElementsByTagName("*").length;
    window.gaps.elements = Math.max(window.gaps.elements, elements);
    last = now;
    if (window.gaps.goes) requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
WATCHED = "() => { window.gaps.goes = false; return window.gaps; }"
SCROLL = """async () => {
  const lanes = document.getElementById("lanes");
  while (lanes.scrollTop + lanes.clientHeight < lanes.scrollHeight - 1) {
    lanes.scrollTop += lanes.clientHeight / 2;
    await new Promise(requestAnimationFrame);
  }
}"""


class Figures(NamedTuple):
    """What a log of so many nodes takes."""

    rows: int
    written: Run
    page_kib: float
    shown_seconds: float
    scroll_ms: float  # the longest time between two frames
    keys_ms: float
    search_ms: float
    elements: float


async def figures(nodes: int) -> Figures:
    """Write the log of so many nodes, and its page, and look at that."""
    with tempfile.TemporaryDirectory() as folder:
        log, page = Path(folder, "wide.db"), Path(folder, "wide.html")
        rows = wide_log(nodes)
        await write(log, rows)
        run = measure("", "adapters.cli.entering", "timeline", str(log), "-o", str(page))
        kib = len(await asyncio.to_thread(page.read_bytes)) / 1024
        return Figures(len(rows), run, kib, *await look_at(page))


async def look_at(path: Path) -> tuple[float, float, float, float, float]:
    """Open a page and move about in it; give seconds, gaps in milliseconds, and elements."""
    async with async_playwright() as playwright:
        program = shutil.which("chromium")
        browser = await playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS])
        page = await browser.new_page(viewport=SIZE)
        await page.goto(path.as_uri())
        shown = await page.evaluate(SHOWN) / 1000
        scrolled = await watched(page, scroll)
        pressed = await watched(page, press)
        searched = await watched(page, search)
        await browser.close()
    most = max(one["elements"] for one in (scrolled, pressed, searched))
    return shown, scrolled["longest"], pressed["longest"], searched["longest"], most


async def watched(page: Page, moving: Any) -> dict[str, float]:
    """Give the longest time between two frames, and the most elements, while somebody moves."""
    await page.evaluate(WATCH)
    await moving(page)
    told: dict[str, float] = await page.evaluate(WATCHED)
    return told


async def scroll(page: Page) -> None:
    """Scroll through all lanes, half of what is seen at a time."""
    await page.evaluate(SCROLL)


async def press(page: Page) -> None:
    """Zoom, walk through the lanes, and move the cursor."""
    for key in KEYS:
        await page.keyboard.press(key)


async def search(page: Page) -> None:
    """Search for what some nodes wait for, letter by letter, and for one node."""
    for words in ("imagepull", "node-0007"):
        await page.keyboard.press("/")
        await page.keyboard.type(words)
        await page.get_by_role("searchbox").fill("")
        await page.keyboard.press("Escape")


def lines_of(many: Figures, few: Figures) -> list[tuple[str, float, float, str, float | None]]:
    """Give each figure of both logs, with its unit, and its bar if it has one."""
    return [
        ("rows", many.rows, few.rows, "", None),
        ("warmlog timeline", many.written.wall_seconds, few.written.wall_seconds, "s", None),
        ("of CPU", many.written.cpu_seconds, few.written.cpu_seconds, "s", None),
        ("of memory", many.written.rss_mib, few.written.rss_mib, "MiB", None),
        ("the page", many.page_kib, few.page_kib, "KiB", None),
        ("opens in", many.shown_seconds, few.shown_seconds, "s", OPENS_SECONDS),
        ("frame gap, scrolled through", many.scroll_ms, few.scroll_ms, "ms", GAP_MS),
        ("frame gap, by keys", many.keys_ms, few.keys_ms, "ms", GAP_MS),
        ("frame gap, searched", many.search_ms, few.search_ms, "ms", GAP_MS),
        ("elements of the page", many.elements, few.elements, "", MOST_ELEMENTS),
    ]


def main() -> int:
    """Print the figures; give 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=1000)
    parser.add_argument("--few", type=int, default=10, help="nodes of the log to compare with")
    asked = parser.parse_args()
    few, many = (asyncio.run(figures(nodes)) for nodes in (asked.few, asked.nodes))
    nodes = f"{asked.nodes} nodes", f"{asked.few} nodes"
    table = Table("what", *nodes, "times", "bar", "missed")
    failed = False
    for what, one, other, unit, bar in lines_of(many, few):
        missed = bar is not None and one > bar
        failed |= missed
        shown = (f"{each:,.{0 if each >= WHOLE else 2}f} {unit}" for each in (one, other))
        bound = f"{bar:,} {unit}" if bar is not None else ""
        table.add_row(what, *shown, f"{one / other:.1f}", bound, "missed" if missed else "")
    Console().print(table)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
