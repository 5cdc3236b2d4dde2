"""Browsing: pages opened in a real Chromium, watched for complaints and requests."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import HttpCredentials, Page, ViewportSize, async_playwright

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
        """Watch a page that is to ask for nothing but `own`, its address, or what is below it."""
        self.page = page
        self.complaints: list[str] = []
        page.on("console", lambda said: self.complaints.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda asked: self._note(asked.url, own))

    def _note(self, address: str, own: str) -> None:
        if address != own and not (own.endswith("/") and address.startswith(own)):
            self.complaints.append(f"asked for {address}")


@asynccontextmanager
async def opened(
    path: Path, *, colours: str = "light", size: ViewportSize = SIZE, touched: bool = False
) -> AsyncIterator[Page]:
    """Open a page in a browser of its own; at its end there was no complaint and no request."""
    address = path.as_uri()
    async with visited(address, colours=colours, size=size, touched=touched) as watched:
        await watched.page.get_by_role("listbox").wait_for()
        yield watched.page
    assert watched.complaints == []


@asynccontextmanager
async def visited(
    address: str,
    *,
    colours: str = "light",
    password: str = "",
    size: ViewportSize = SIZE,
    touched: bool = False,
) -> AsyncIterator[Watched]:
    """Open an address in a browser of its own, and keep what there was to complain of.

    Who is asked there for a password gives this one. A screen may be `touched`: it has no mouse.
    """
    program = shutil.which("chromium")
    assert program, "install Chromium: apt-get install chromium"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program, args=[*ARGUMENTS])
        context = await browser.new_context(
            color_scheme="dark" if colours == "dark" else "light",
            viewport=size,
            has_touch=touched,
            is_mobile=touched,
            http_credentials=HttpCredentials(username="me", password=password),
        )
        watched = Watched(await context.new_page(), address)
        await watched.page.goto(address)
        yield watched
        await browser.close()


async def shoot(page: Page, name: str) -> None:
    """Keep a picture of what is seen."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=SCREENSHOTS / f"{name}.png")


async def violations(page: Page, tools: Path) -> list[Any]:
    """What axe finds wrong with a page."""
    # Not as an element of the page: its policy lets nothing in.
    await page.evaluate((tools / "node_modules/axe-core/axe.min.js").read_text())
    found = await page.evaluate("async () => (await axe.run()).violations")
    return [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found]
