"""Writes docs/machines.md from the machines: `python -m adapters.cli.documenting [--check]`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from machines.drawing import markdown

DOCS_FOLDER = Path(__file__).resolve().parents[2] / "docs"
PAGE = "machines.md"


def is_fresh(page: Path) -> bool:
    """Say whether the page is there and says what the machines say."""
    return page.is_file() and page.read_text(encoding="utf-8") == markdown()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or with --check only compare: 1 when it is not what it should be."""
    parser = argparse.ArgumentParser(
        prog="python -m adapters.cli.documenting",
        description="Write docs/machines.md from the machines' declarations.",
    )
    parser.add_argument("--check", action="store_true", help="only compare; 1 if the page differs")
    parser.add_argument("--folder", type=Path, default=DOCS_FOLDER, help="where the page is")
    options = parser.parse_args(arguments)
    page = options.folder / PAGE
    if not options.check:
        page.write_text(markdown(), encoding="utf-8")
        return 0
    if is_fresh(page):
        return 0
    sys.stderr.write(f"{page} is not what the machines say: python -m adapters.cli.documenting\n")
    return 1


if __name__ == "__main__":
    sys.exit(main())
