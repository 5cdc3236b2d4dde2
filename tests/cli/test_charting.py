"""`warmlog timeline`: a log as one HTML page."""

from pathlib import Path

from adapters.cli.exit_codes import ExitCode
from tests.cli.commands import printed, warmlog
from tests.timeline.test_pages import data_of


def test_a_log_becomes_one_page(demo_log: Path, exported: Path, tmp_path: Path) -> None:
    """A database and its export give the same timeline; nothing is printed, nothing left over."""
    pages = tmp_path / "pages"
    pages.mkdir()
    assert printed("timeline", demo_log, "-o", pages / "one.html") == ""
    assert printed("timeline", exported, "-o", pages / "two.html") == ""
    one, two = (data_of((pages / name).read_text()) for name in ("one.html", "two.html"))
    assert len(one) > 1000
    assert abs(len(one) - len(two)) < 100  # they differ in what people call the log
    assert sorted(path.name for path in pages.iterdir()) == ["one.html", "two.html"]


def test_a_page_that_cannot_be_written_is_said(demo_log: Path, tmp_path: Path) -> None:
    """The file is named, with what to check; one that is there stays as it is."""
    result = warmlog("timeline", demo_log, "-o", tmp_path / "nowhere/page.html")
    assert result.exit_code == ExitCode.OUTPUT_FAILED
    assert "nowhere/page.html cannot be written (No such file or directory)" in result.stderr


def test_output_is_a_file(demo_log: Path) -> None:
    """-o is not a format here."""
    result = warmlog("timeline", demo_log, "-o", "html")
    assert result.exit_code == ExitCode.USAGE
    assert "-o takes the FILE" in result.stderr


def test_of_a_cut_log_what_is_there_is_shown(cut: Path, tmp_path: Path) -> None:
    """The page is written up to the cut, which is said."""
    result = warmlog("timeline", cut, "-o", tmp_path / "page.html")
    assert result.exit_code == ExitCode.LOG_CUT
    assert data_of((tmp_path / "page.html").read_text())
