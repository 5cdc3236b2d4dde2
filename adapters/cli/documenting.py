"""Writes the pages of docs/ that say what the code says: `python -m adapters.cli.documenting`."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from machines.drawing import markdown
from machines.linting import rules_page

DOCS_FOLDER = Path(__file__).resolve().parents[2] / "docs"
PAGES: Mapping[str, Callable[[], str]] = {"machines.md": markdown, "lint-rules.md": rules_page}


def is_fresh(page: Path) -> bool:
    """Say whether a page is there and says what the code says."""
    return page.is_file() and page.read_text(encoding="utf-8") == PAGES[page.name]()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pages, or with --check only compare: 1 when one is not what it should be."""
    parser = argparse.ArgumentParser(
        prog="python -m adapters.cli.documenting",
        description="Write the pages of docs/ that are drawn from the code.",
    )
    parser.add_argument("--check", action="store_true", help="only compare; 1 if one differs")
    parser.add_argument("--folder", type=Path, default=DOCS_FOLDER, help="where they are")
    options = parser.parse_args(arguments)
    pages = [options.folder / name for name in PAGES]
    if not options.check:
        for page in pages:
            page.write_text(PAGES[page.name](), encoding="utf-8")
        return 0
    stale = [page for page in pages if not is_fresh(page)]
    for page in stale:
        told = f"{page} is not what the code says: python -m adapters.cli.documenting\n"
        sys.stderr.write(told)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
