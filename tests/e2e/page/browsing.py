"""Browsing: pages opened in a real Chromium, watched for complaints and requests."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from playwright.async_api import Page, ViewportSize, async_playwright

from tests.repository import ROOT

SCREENSHOTS = ROOT / "out" / "screenshots"
ARGUMENTS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
SIZE = ViewportSize(width=1400, height=900)


class Watched:
    """A page, and what it complained of or asked the network for."""

    def __init__(self, page: Page, own: str) -> None:
        """Watch a page that is to ask for nothing but `own`, its address."""
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda asked: self._note(asked.url, own))

    def _note(self, address: str, own: str) -> None:
        if address != own:
            self.complaints.append(f"asked for {address}")


@asynccontextmanager
async def opened(path: Path, *, colours: str = "light") -> AsyncIterator[Page]:
    """Open a page in a browser of its own; at its end there was no complaint and no request."""
    program = shutil.which("chromium")
    assert program, "install Chromium: apt-get install chromium"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS])
        context = await browser.new_context(
            color_scheme="dark" if colours == "dark" else "light", viewport=SIZE
        )
        page = await context.new_page()
        watched = Watched(page, path.as_uri())
        await page.goto(path.as_uri())
        await page.get_by_role("listbox").wait_for()
        yield page
        await browser.close()
        assert watched.complaints == []


async def shoot(page: Page, name: str) -> None:
    """Keep a picture of what is seen."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SCREENSHOTS / f"{name}.png")
