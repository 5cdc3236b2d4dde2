"""`warmlog timeline`: a log as one HTML page."""

import gzip
from base64 import b64decode
from pathlib import Path
from typing import Any

from adapters.cli.exit_codes import ExitCode
from engine.canonical_json import loads
from tests.cli.commands import printed, warmlog
from tests.recordings.reading import FOLDER
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


def test_one_object_is_shown_alone(tmp_path: Path) -> None:
    """The same lanes out of a database, which leaves out rows of others, and out of its export."""
    lines, database = FOLDER / "demo_replicas.jsonl", tmp_path / "log.db"
    assert warmlog("import", lines, database).exit_code == ExitCode.OK
    whole = tmp_path / "whole.html"
    assert printed("timeline", lines, "-o", whole) == ""
    names = {(one["kind"], one["namespace"], one["name"]) for one in lanes_of(whole)}
    assert len(names) > 2
    for name in names:
        pages = [tmp_path / "one.html", tmp_path / "two.html"]
        for log, page in zip((lines, database), pages, strict=True):
            reference = "/".join(filter(None, name))
            assert printed("timeline", log, "-o", page, "--object", reference) == ""
        one, two = map(lanes_of, pages)
        assert one == two
        assert len(one) < len(lanes_of(whole))
        assert name in {(lane["kind"], lane["namespace"], lane["name"]) for lane in one}


def test_an_object_that_was_never_there(demo_log: Path, exported: Path, tmp_path: Path) -> None:
    """What there is is named, and no page is written."""
    page = tmp_path / "page.html"
    for log in (demo_log, exported):
        result = warmlog("timeline", log, "-o", page, "--object", "mw/default/none")
        assert result.exit_code == ExitCode.NOT_FOUND
        assert "holds no ModelWarmup/default/none: it holds ModelWarmup/default/" in result.stderr
        assert not page.exists()


def lanes_of(page: Path) -> list[dict[str, Any]]:
    """The lanes of a page, each with its texts."""
    told = loads(gzip.decompress(b64decode(data_of(page.read_text()))).decode())
    texts = told["texts"]
    return [
        {name: lane[name] for name in ("kind", "namespace", "name", "part", "parent")}
        | {
            "spans": [[at, *map(texts.__getitem__, words)] for at, *words in lane["spans"]],
            "said": [[at, texts[first], see] for at, first, *_, see, _ in lane["said"]],
            "causes": [[at, texts[words]] for at, _, words in lane["causes"]],
        }
        for lane in told["lanes"]
    ]
