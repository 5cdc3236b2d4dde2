"""`warmlog watch` in a real pseudo terminal: it draws, follows, resizes, and leaves no trace."""

import asyncio
import re
import shutil
import signal
from pathlib import Path

import pytest

from adapters.store.json_lines import OPEN_END, Header
from adapters.store.row_lines import event_line
from engine.events import Event
from tests.cli.terminals import CONTROL, Window
from tests.recordings.reading import FOLDER, reader
from tests.store.rows import read_all

COLOURED = re.compile(r"\x1b\[(?:\d+;)*3[0-7]")


@pytest.fixture
def story() -> list[Event]:
    """The rows of a demo."""
    return asyncio.run(read_all(reader("demo")))


def write(path: Path, rows: list[Event]) -> Path:
    """Write a log that may grow."""
    header = Header("story", 0, OPEN_END, 0, 0).line()
    path.write_bytes(header + b"".join(map(event_line, rows)))
    return path


def grow(path: Path, rows: list[Event]) -> None:
    """Append rows."""
    with path.open("ab") as file:
        file.write(b"".join(map(event_line, rows)))


def test_it_follows_resizes_loses_and_finds_its_log(story: list[Event], tmp_path: Path) -> None:
    """A page of the window's size shows what the log says, whatever becomes of both, until q."""
    path, aside = write(tmp_path / "log.jsonl", story[:40]), tmp_path / "aside"
    window = Window("watch", path, columns=100, lines=20)
    window.wait_for("position 40")
    assert "\x1b[?1049h" in window.text  # the other screen, so that the first one is not lost
    grow(path, story[40:60])
    window.wait_for("position 60")
    window.wait_for("WHAT")
    window.resize(80, 12)
    window.wait_for("position 60")
    page = window.wait_for("WHAT")
    assert max(len(line) for line in _lines(page)) <= 80
    path.rename(aside)
    window.wait_for("lost, and tried again: There is no log")
    aside.rename(path)
    grow(path, story[60:])
    window.wait_for(f"position {story[-1].seq}")
    window.type(b"q")
    assert window.end() == 0
    assert window.text.endswith("\x1b[?25h\x1b[?1049l")
    assert window.left == window.modes
    assert "Degraded" in window.plain


def _lines(shown: str) -> list[str]:
    return [CONTROL.sub("", line) for line in shown.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_as_q_does(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C is an ordinary end: no traceback, and the terminal as it was."""
    path = shutil.copy(FOLDER / "demo_caches.jsonl", tmp_path)
    window = Window("watch", path, columns=90, lines=24, NO_COLOR="1")
    window.wait_for("qwen-everywhere")
    window.wait_for("WHAT")
    window.process.send_signal(number)
    assert window.end() == 0
    assert window.left == window.modes
    assert "Traceback" not in window.text
    assert COLOURED.search(window.text) is None


def test_a_dumb_terminal_is_told_in_lines() -> None:
    """Where no cursor can be moved, there are lines and no controls but colours."""
    window = Window("watch", FOLDER / "demo.jsonl", columns=90, lines=24, TERM="dumb")
    window.wait_for("Degraded")
    window.process.send_signal(signal.SIGINT)
    assert window.end() == 0
    assert "\x1b[" not in window.text
